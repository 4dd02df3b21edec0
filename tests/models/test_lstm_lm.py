"""LSTM language models against its equations, word by word: losses, directions, carry; softmax, projected LSTM."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course_lib.data.streams import StreamBatch, TwoWayBatch, TwoWayStreams
from course_lib.errors import CourseError
from course_lib.models.lstm_lm import LSTMLM, BiLM, LSTMLMConfig
from course_lib.models.projected_lstm import ProjectedLSTM, lstm_by_steps
from course_lib.models.shipped import load
from course_lib.models.word_softmax import AdaptiveSoftmax, FullSoftmax, SampledSoftmax
from tests.models.bilms import PROJECTION, small_bilm

WORDS = [f"w{number}" for number in range(17)]  # with the two specials: 19
SENTENCE = ["w3", "w1", "w4", "w7", "w5", "w9", "w2"]  # all different: changing one leaves every shape as it is
KINDS = {"table": {}, "characters": {"characters": True}}


def documents(seed=0, total=400):
    """Text with a rule: mostly, the next id is 3 times this one (mod 19)."""
    generator = torch.Generator().manual_seed(seed)
    ids = [1]
    while len(ids) < total:
        noise = int(torch.randint(19, (1,), generator=generator))
        ids.append(3 * ids[-1] % 19 if noise > 3 else noise)
    return [ids[: total // 3], ids[total // 3 :]]


def top_state(stack, inputs):
    """[word, dim] -> [word, projection], one word at a time; below, these equations are compared with PyTorch's."""
    first = lstm_by_steps(stack.layers[0], inputs[None])[0]
    return (first + lstm_by_steps(stack.layers[1], first)[0])[0]


def test_the_loss_of_one_direction_is_that_of_an_independent_computation():
    model = LSTMLM(LSTMLMConfig(19, 5, 11, dropout=0.0))
    ids = torch.randint(19, (2, 8))
    losses = model.loss(StreamBatch(ids[:, :-1], ids[:, 1:]))
    linear, expected = model.softmax.linear, 0.0
    for row in ids:
        states = top_state(model.lstm, model.embedding.weight[row[:-1]])
        expected += F.nll_loss((states @ linear.weight.T + linear.bias).log_softmax(1), row[1:], reduction="sum")
    torch.testing.assert_close(losses["loss"], expected / 14)
    assert losses["count"] == 14
    log_probs, _ = model(ids[:, :-1])
    torch.testing.assert_close(-log_probs.gather(2, ids[:, 1:, None]).mean(), losses["loss"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_bilm_adds_both_directions_over_one_token_layer_and_one_softmax(kind):
    model = small_bilm(WORDS, dropout=0.0, **KINDS[kind])
    (batch,) = TwoWayStreams([[3, 1, 4, 1, 5, 9, 2, 6]], 1, 7)()
    losses = model.loss(batch)
    text = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])
    linear, expected = model.softmax.linear, {}
    for direction, ids in (("forward", text), ("backward", text.flip(0))):
        states = top_state(model.lstms[f"{direction}_lstm"], model.token(ids[:-1]))
        expected[direction] = F.cross_entropy(states @ linear.weight.T + linear.bias, ids[1:])
        torch.testing.assert_close(losses[direction], expected[direction])
    torch.testing.assert_close(losses["loss"], expected["forward"] + expected["backward"])
    assert losses["count"] == 7
    assert set(losses) == {"loss", "count", "forward", "backward", "carry"}


@pytest.mark.parametrize("directions", ["forward", "backward"])
def test_one_direction_has_its_own_part_only_and_half_the_width(directions):
    model = small_bilm(WORDS, directions=directions)
    losses = model.loss(next(TwoWayStreams(documents(), 3, 7)()))
    assert losses["loss"].equal(losses[directions])
    assert set(losses) == {"loss", "count", directions, "carry"}
    assert model.dims == (PROJECTION,) * 3
    assert set(model.perplexity(documents())) == {directions}


@pytest.mark.parametrize(
    "softmax", [{}, {"softmax": "sampled", "n_samples": 5}, {"softmax": "adaptive", "cutoffs": (3,)}]
)
def test_carried_steps_are_one_long_pass(softmax):
    model = small_bilm(WORDS, **softmax).eval()
    streams, whole = TwoWayStreams(documents(), 3, 13), TwoWayStreams(documents(), 3, 1_000)
    (one,) = whole()
    expected, carry, totals, count = model.loss(one), None, {"forward": 0.0, "backward": 0.0}, 0
    for batch in streams():
        losses = model.loss(replace(batch, carry=carry))
        carry, count = losses["carry"], count + losses["count"]
        totals = {name: total + losses["count"] * losses[name] for name, total in totals.items()}
    assert count == expected["count"]
    for name, total in totals.items():
        torch.testing.assert_close(total / count, expected[name])
        assert not model.loss(batch)[name].equal(losses[name])  # the carry matters


def test_words_the_softmax_does_not_know_are_read_as_themselves_and_predicted_as_unknown():
    model = small_bilm(WORDS, characters=True, vocab_size=7).eval()

    def losses(read, predicted):
        stream = StreamBatch(torch.tensor([[read]]), torch.tensor([[predicted]]))
        return model.loss(TwoWayBatch(stream, stream))["forward"]

    assert losses(5, 18).equal(losses(5, 0))
    assert not losses(18, 5).equal(losses(17, 5))


@given(k=st.integers(0, len(SENTENCE) - 1))
def test_a_prediction_never_sees_its_own_word_nor_the_words_beyond(k):
    torch.manual_seed(0)
    model = small_bilm(WORDS).eval()
    changed = [*SENTENCE]
    changed[k] = "w16"
    before, after = (model.log_probs(model.batch([words])) for words in (SENTENCE, changed))
    moved = {name: (before[name] != after[name]).any(-1)[0].tolist() for name in before}
    assert moved == {
        "forward": [place > k for place in range(len(SENTENCE))],
        "backward": [place < k for place in range(len(SENTENCE))],
    }


def test_layers_and_sentence_are_the_states_after_the_boundary_word():
    model = small_bilm(WORDS).eval()
    assert model.document([["w0", "unseen"], "w1"]) == [2, 0, 1, 3, 1]  # each sentence ends with that word
    encoding = model.states(model.batch([SENTENCE, [*SENTENCE, "w1"]]))  # the first row is padded
    vectors = model.token(torch.tensor([1, *model.vocabulary.encode(SENTENCE)]))
    words = vectors[1:]
    forward = top_state(model.lstms["forward_lstm"], vectors)[1:]
    backward = top_state(model.lstms["backward_lstm"], torch.cat([vectors[:1], words.flip(0)]))[1:].flip(0)
    top = torch.cat([forward, backward], dim=1)
    torch.testing.assert_close(encoding.layers[0, 0, :7], torch.cat([words, words], dim=1), rtol=0, atol=1e-6)
    torch.testing.assert_close(encoding.layers[2, 0, :7], top, rtol=0, atol=1e-6)
    torch.testing.assert_close(encoding.sentence[0], torch.cat([forward[-1], backward[0]]), rtol=0, atol=1e-6)


def test_perplexity_is_exp_of_the_mean_and_leaves_the_mode():
    model = small_bilm(WORDS, softmax="sampled", n_samples=3, dropout=0.5).train()
    for parameter in model.parameters():
        parameter.data *= 3  # so that what was read long ago still counts
    found = model.perplexity(documents(), batch_size=1)
    assert found == model.perplexity(documents(), batch_size=1)
    assert model.training
    (batch,) = TwoWayStreams(documents(), 1, 1_000)()
    with torch.no_grad():
        losses = model.eval().loss(batch)
    for direction, value in found.items():
        assert math.isclose(value, losses[direction].exp(), rel_tol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_without_softmax_it_encodes_the_same_and_says_what_it_cannot(kind, tmp_path):
    model = small_bilm(WORDS, softmax="adaptive", cutoffs=(3,), **KINDS[kind]).eval()
    model.save(tmp_path / "whole")
    bare = BiLM(replace(model.config, softmax=None), model.vocabulary, model.characters)
    bare.load_state_dict({n: tensor for n, tensor in model.state_dict().items() if not n.startswith("softmax.")})
    bare.save(tmp_path / "bare")
    whole, bare = load(tmp_path / "whole"), load(tmp_path / "bare")
    assert whole.perplexity(documents()) == model.perplexity(documents())
    for encoder in (whole, bare):
        assert encoder.encode([SENTENCE])[0].tolist() == model.encode([SENTENCE])[0].tolist()
    assert not any("softmax" in name for name in bare.state_dict())
    assert [name for name, _ in bare.layer_groups()] == ["token", "layer 1", "layer 2"]
    text = documents()
    (batch,) = TwoWayStreams(text, 1, 1_000)()
    for use, read in ((bare.loss, batch), (bare.perplexity, text), (bare.log_probs, bare.batch([SENTENCE]))):
        with pytest.raises(CourseError, match="without its softmax, as ELMo's published files"):
            use(read)


# -- The token layer: words by their rows or by their characters
BANKS = ["the", "bank", "paid"]


def test_a_table_has_one_row_for_all_unknown_words_and_characters_tell_them_apart():
    token = small_bilm(BANKS).token
    the, unseen, other = token.read(token.inputs([["the", "unseen", "other"]]))[0]
    assert the.tolist() == token.embedding.weight[2].tolist()
    assert unseen.tolist() == other.tolist() == token.embedding.weight[0].tolist()
    token = small_bilm(BANKS, characters=True).token
    banks, again, tank, bank = token.read(token.inputs([["banks", "banks"], ["tank", "bank"]])).flatten(0, 1)
    assert banks.tolist() == again.tolist()
    assert len({tuple(vector.tolist()) for vector in (banks, tank, bank)}) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_in_training_ids_give_the_same_vectors_as_words_at_use(kind):
    token = small_bilm(BANKS, **KINDS[kind]).token
    words = [["the", "bank", "the"], ["paid", "paid", "</s>"]]
    ids = torch.tensor([[2, 3, 2], [4, 4, 1]])
    torch.testing.assert_close(token(ids), token.read(token.inputs(words)), rtol=0, atol=1e-6)


# -- Projected LSTM
@pytest.mark.parametrize("projection", [3, 7])  # 7: as wide as the cells, no projection
def test_the_equations_word_by_word_equal_the_fused_kernel(projection):
    stack = ProjectedLSTM(projection, 7, 1)
    inputs, state = torch.randn(2, 5, projection), (torch.randn(1, 2, projection), torch.randn(1, 2, 7))
    for start in (None, state):
        (outputs,), [(h, c)] = stack(inputs, start and [start])
        by_steps, (h_steps, c_steps) = lstm_by_steps(stack.layers[0], inputs, start)
        torch.testing.assert_close(by_steps, outputs, rtol=0, atol=1e-6)
        torch.testing.assert_close(h_steps, h, rtol=0, atol=1e-6)
        torch.testing.assert_close(c_steps, c, rtol=0, atol=1e-6)


def test_dropout_acts_in_training_only():
    stack, inputs = ProjectedLSTM(3, 7, 2, dropout=0.5), torch.randn(2, 11, 3)
    assert not stack(inputs)[0].equal(stack(inputs)[0])
    assert stack.eval()(inputs)[0].equal(stack(inputs)[0])


def test_forget_gates_start_open():
    biases = ProjectedLSTM(3, 7, 1).layers[0].bias_ih_l0.view(4, 7)  # input, forget, cell, output
    assert biases.sum(1).tolist() == [0, 7, 0, 0]


def test_outputs_and_all_gradients_equal_pytorchs():
    """Ours has its own way back on a CPU; PyTorch's is the reference, with gradients into every output."""
    stack = ProjectedLSTM(3, 7, 1).double()
    layer = stack.layers[0]
    given = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((2, 5, 3), (1, 2, 3), (1, 2, 7))]
    weights = [torch.randn(shape, dtype=torch.float64) for shape in ((2, 5, 3), (1, 2, 3), (1, 2, 7))]
    found = []
    for forward in (layer, lambda x, state: nn.LSTM.forward(layer, x, state)):
        outputs, (h, c) = forward(given[0], (given[1], given[2]))
        loss = sum((one * weight).sum() for one, weight in zip((outputs, h, c), weights, strict=True))
        found.append((outputs, h, c, *torch.autograd.grad(loss, [*given, *layer.parameters()])))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


# -- Softmax over words: full, adaptive, sampled
DIM, VOCAB = 19, 23
SOFTMAXES = {
    "full": lambda: FullSoftmax(DIM, VOCAB),
    "sampled": lambda: SampledSoftmax(DIM, VOCAB, 7).eval(),
    "adaptive": lambda: AdaptiveSoftmax(DIM, VOCAB, (3, 11)),
}


@pytest.mark.parametrize("kind", SOFTMAXES)
def test_log_probs_are_those_of_the_loss_and_sum_to_one(kind):
    softmax, states = SOFTMAXES[kind](), torch.randn(VOCAB, DIM)
    log_probs = softmax.log_probs(states)
    torch.testing.assert_close(log_probs.exp().sum(1), torch.ones(VOCAB))
    torch.testing.assert_close(softmax(states, torch.arange(VOCAB)), -log_probs.diagonal())


def test_adaptive_equals_brute_force():
    softmax, states = SOFTMAXES["adaptive"](), torch.randn(2, DIM)
    head = (states @ softmax.groups.head.weight.T).softmax(1)  # words 0-2, then one sign per group
    expected = [head[:, word] for word in range(3)]
    for group, (first, last) in enumerate([(3, 11), (11, VOCAB)]):
        down, up = softmax.groups.tail[group]
        inside = ((states @ down.weight.T) @ up.weight.T).softmax(1)
        assert inside.shape[1] == last - first
        expected += [head[:, 3 + group] * inside[:, i] for i in range(last - first)]
    torch.testing.assert_close(softmax.log_probs(states).exp(), torch.stack(expected, dim=1))


def test_the_distribution_of_samples_is_the_one_they_are_corrected_by():
    softmax = SampledSoftmax(DIM, VOCAB, 100_000)
    q = softmax.log_q(torch.arange(VOCAB)).exp()
    torch.testing.assert_close(q.sum(), torch.tensor(1.0))
    share = softmax.draw(torch.device("cpu")).bincount(minlength=VOCAB) / 100_000
    torch.testing.assert_close(share, q, rtol=0, atol=5e-3)  # 3 standard errors of a share of 0.2


def test_the_sampled_denominator_is_right_on_average():
    softmax, states, targets = SampledSoftmax(DIM, VOCAB, 101), torch.randn(3, DIM), torch.arange(3)
    logits = softmax.linear(states)
    target = logits[range(3), targets]
    with torch.no_grad():
        drawn = torch.stack([(softmax(states, targets) + target).exp() for _ in range(1_000)])
    error = drawn.std(0) / math.sqrt(len(drawn))
    assert ((drawn.mean(0) - logits.exp().sum(1)).abs() < 4 * error).all()
    assert (error < 0.01 * drawn.mean(0)).all()  # fine enough to see a target counted twice: 1/23
