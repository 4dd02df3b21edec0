"""The systems that the reader builds, against the library's, PyTorch's and brute force."""

import pytest
import torch
from torch import nn

import course_lib
from course.by_hand import classifier, elmo, language_model, skip_gram, tagger
from course_lib.models.skip_gram import SkipGram, SkipGramConfig, skip_gram_pairs
from course_lib.text.vocabulary import Vocabulary


@pytest.mark.parametrize("window", [1, 2, 5, 9])
def test_pairs_and_loss_are_the_librarys(window):
    words = ["the", "old", "key", "opens", "the", "garden", "gate"]
    assert skip_gram.pairs(words, window) == skip_gram_pairs(words, window)
    mine = skip_gram.SkipGram(11, 7)
    theirs = SkipGram(SkipGramConfig(dim=7), Vocabulary([f"w{i}" for i in range(11)], counts=[1] * 11))
    for own, other in ((mine.v, theirs.input), (mine.u, theirs.output)):
        nn.init.normal_(own.weight)
        other.weight.data.copy_(own.weight)
    centre, context, negatives = torch.randint(11, (13,)), torch.randint(11, (13,)), torch.randint(11, (13, window))
    torch.testing.assert_close(mine(centre, context, negatives), theirs.negative_loss(centre, context, negatives))


def test_skip_gram_begins_at_log_two_for_each_question_and_learns():
    torch.manual_seed(0)
    text = torch.randint(0, 5, (400,)) * 2  # even words stand beside even words only
    odd = torch.randint(0, 5, (400,)) * 2 + 1
    pairs = torch.tensor([pair for row in (text, odd) for pair in skip_gram.pairs(row.tolist(), 2)])
    model = skip_gram.SkipGram(10, 6)
    losses = skip_gram.train(model, pairs, torch.full((10,), 80), epochs=12, batch_size=64)
    assert losses[0] == pytest.approx(6 * torch.tensor(2.0).log().item(), abs=1e-5)
    assert len(losses) == 12 * -(-len(pairs) // 64)
    assert sum(losses[-20:]) < 0.85 * sum(losses[:20])
    v = nn.functional.normalize(model.v.weight.detach(), dim=1)
    assert (v @ v.T)[0, 2::2].min() > (v @ v.T)[0, 1::2].max()


def test_the_rnn_is_pytorchs():
    mine, theirs = classifier.RNN(5, 7), nn.RNN(5, 7, batch_first=True)
    theirs.weight_ih_l0.data.copy_(mine.W.weight)
    theirs.weight_hh_l0.data.copy_(mine.U.weight)
    theirs.bias_ih_l0.data.copy_(mine.W.bias)
    theirs.bias_hh_l0.data.zero_()
    x = torch.randn(3, 11, 5)
    torch.testing.assert_close(mine(x), theirs(x)[0])


def test_a_classifier_learns_what_needs_the_word_before_only_with_an_rnn():
    ids = torch.randint(3, (50, 9), generator=torch.Generator().manual_seed(1))
    labels = torch.cat([torch.full((50, 1), -100), ids[:, :-1]], 1)  # the label is the word before
    right = {}
    for hidden in (0, 13):
        torch.manual_seed(0)
        model = classifier.Classifier(3, 5, 3, hidden)
        losses = classifier.train(model, ids, labels)
        assert len(losses) == 400
        right[hidden] = (model(ids).argmax(-1) == labels)[:, 1:].float().mean()
    assert right[0] < 0.5 < 0.99 < right[13]


def test_parameter_groups_have_their_own_rates():
    torch.manual_seed(0)
    model, ids = classifier.Classifier(7, 5, 3), torch.randint(7, (20, 4))
    before = model.embedding.weight.clone()
    groups = [{"params": model.output.parameters()}, {"params": model.embedding.parameters(), "lr": 0.0}]
    classifier.train(model, ids, torch.randint(3, (20, 4)), groups, steps=3)
    assert torch.equal(model.embedding.weight, before)


def test_a_language_model_learns_the_next_word_and_its_states_are_blind_to_what_comes():
    torch.manual_seed(0)
    text = torch.arange(2_000) % 13
    model = language_model.LanguageModel(13, 11)
    losses = language_model.train(model, text, steps=300, length=7)
    assert losses[-1] < 0.2 < 2 < losses[0]
    other = language_model.LanguageModel(13, 11)
    ids = torch.tensor([0, 5, 3, 8, 1, 0])
    changed = ids.clone()
    changed[3] = 2
    states, moved = (language_model.both_ways(model, other, row) for row in (ids, changed))
    assert states.shape == (3, 4, 22)
    same = torch.isclose(states, moved, atol=1e-7)
    ahead, back = same[:, :, :11].all(-1), same[:, :, 11:].all(-1)  # [layer, word]; word 2 was changed
    assert torch.cat([ahead[:, :2], back[:, 3:]], 1).all()  # the blind sides
    assert torch.cat([ahead[0, 3:], back[0, :2]]).all()  # a table's row is the word's own
    assert not torch.cat([part.flatten() for part in (ahead[:, 2], back[:, 2], ahead[1:, 3], back[1:, :2])]).any()


@pytest.mark.parametrize("lm_dim", [0, 5])
def test_a_tagger_learns_from_words_and_from_states(lm_dim):
    torch.manual_seed(0)
    sentences = []
    for _ in range(30):
        tags = torch.randint(2, (7,))
        states = tags[:, None].float().expand(7, lm_dim)
        sentences.append((torch.zeros(7, dtype=torch.long) if lm_dim else tags, states, tags))
    model = tagger.train_tagger(tagger.Tagger(2, 2, lm_dim, dim=5, hidden=7), sentences, epochs=8, lr=1e-2)
    assert not model.training
    assert all((model(ids, states).argmax(-1) == tags).all() for ids, states, tags in sentences)


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("bilm-en", ["she will play the second part of the play", "I", "Pneumonoultramicroscopic 😀 x-ray ."]),
        ("bilm-ko", ["나 는 어제 배 를 먹었다 .", "배", "갔다 abc 123 뷁"]),
    ],
)
def test_the_readers_elmo_with_the_shipped_weights_is_the_librarys(name, sentences):
    mine, theirs = elmo.from_shipped(name), course_lib.load(name)
    for sentence in (text.split() for text in sentences):
        expected = torch.from_numpy(theirs.encode([sentence])[0])
        torch.testing.assert_close(mine.states(sentence), expected, rtol=0, atol=1e-5)


def test_a_mix_is_a_weighted_sum_over_the_layers():
    mix, layers = elmo.Mix(3), torch.randn(5, 7, 3, 11)
    torch.testing.assert_close(mix(layers), layers.mean(2))
    mix.w.data.copy_(torch.tensor([0.0, 1.0, -1.0]))
    mix.gamma.data.fill_(2.0)
    s = mix.w.softmax(0)
    torch.testing.assert_close(mix(layers), 2 * sum(s[j] * layers[:, :, j] for j in range(3)))
