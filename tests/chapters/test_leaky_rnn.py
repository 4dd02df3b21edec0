"""A network that sees its answer predicts it; ELMo's, which does not, cannot."""

from random import Random

import torch

from course.chapters.ch04.claims_bilm import LeakyRNN, train_leaky_rnn
from course_lib.text.vocabulary import Vocabulary

WORDS = [f"w{i}" for i in range(11)]


def noise(n, seed):
    """Sentences in which no word tells anything about another: no language model can beat perplexity 11."""
    draw = Random(seed)
    return [[draw.choice(WORDS) for _ in range(draw.choice([5, 7]))] for _ in range(n)]


def test_it_predicts_pure_chance():
    model = train_leaky_rnn(noise(320, 0), steps=100, dim=32)
    assert model.perplexity(noise(97, 1)) < 2


def test_the_forward_half_predicts_the_next_word_and_the_backward_half_the_one_before():
    model = LeakyRNN(Vocabulary(WORDS), dim=6).eval()
    sentences = [["w1", "w2", "w3"], ["w4", "w5"]]
    batch = model.batch(sentences)
    states = model.encoder.states(batch).layers[-1]
    forward, backward = model(batch)
    torch.testing.assert_close(forward, model.softmax(torch.stack([states[0, 0], states[0, 1], states[1, 0]])[:, :3]))
    torch.testing.assert_close(backward, model.softmax(torch.stack([states[0, 1], states[0, 2], states[1, 1]])[:, 3:]))
    targets = torch.tensor([2, 3, 5, 1, 2, 4])
    expected = torch.nn.functional.cross_entropy(torch.cat([forward, backward]), targets)
    losses = model.loss(batch)
    torch.testing.assert_close(losses["loss"], expected)
    assert losses["count"] == 6
