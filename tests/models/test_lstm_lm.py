import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.streams import StreamBatch, TwoWayBatch, TwoWayStreams
from course_lib.errors import CourseError
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import LSTMLM, SPECIALS, UNKNOWN, BiLM, BiLMConfig, LSTMLMConfig
from course_lib.models.shipped import load
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit
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


def lstm_cell_by_cell(lstm, inputs):
    """[word, dim] -> [word, projection]: Sak et al. 2014, one word at a time, nothing shared with the library."""
    h, c, outputs = torch.zeros(lstm.proj_size), torch.zeros(lstm.hidden_size), []
    for x in inputs:
        gates = lstm.weight_ih_l0 @ x + lstm.bias_ih_l0 + lstm.weight_hh_l0 @ h + lstm.bias_hh_l0
        take, forget, new, show = gates.view(4, -1)
        c = torch.sigmoid(forget) * c + torch.sigmoid(take) * torch.tanh(new)
        h = lstm.weight_hr_l0 @ (torch.sigmoid(show) * torch.tanh(c))
        outputs.append(h)
    return torch.stack(outputs)


def top_state(stack, inputs):
    first = lstm_cell_by_cell(stack.layers[0], inputs)
    return first + lstm_cell_by_cell(stack.layers[1], first)


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


@pytest.mark.parametrize("kind", KINDS)
@given(k=st.integers(0, len(SENTENCE) - 1))
def test_a_word_moves_forward_states_from_itself_on_and_backward_states_up_to_itself(kind, k):
    torch.manual_seed(0)
    model = small_bilm(WORDS, **KINDS[kind]).eval()
    changed = [*SENTENCE]
    changed[k] = "w16"
    # one by one: in a batch, rows may take different kernels and differ in the last digit
    before, after = (model.states(model.batch([words])).layers[:, 0] for words in (SENTENCE, changed))
    moved = (before != after).unflatten(-1, (2, PROJECTION)).any(-1).tolist()  # [layer, word, direction]
    places = range(len(SENTENCE))
    assert moved[0] == [[place == k] * 2 for place in places]
    for layer in moved[1:]:
        assert layer == [[place >= k, place <= k] for place in places]


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
    one = LSTMLM(LSTMLMConfig(19, 5, 11))
    one.softmax.linear.weight.data.zero_()
    assert math.isclose(one.perplexity(documents()), 19, rel_tol=1e-4)  # it knows nothing: all 19 words alike


@pytest.mark.parametrize("kind", KINDS)
def test_both_directions_learn_the_rule_of_a_text(kind):
    model = small_bilm(WORDS, **KINDS[kind])
    fit(model, TwoWayStreams(documents(), 5, 11), steps=60, learning_rate=0.03, seed=0, show=False)
    found = model.perplexity(documents(seed=1))  # entropy of the rule: about 2.6 words; of ids alone: 19
    assert max(found.values()) < 8


def test_fit_resumes_bit_for_bit(tmp_path):
    def train(folder, watchers):
        torch.manual_seed(0)
        model = small_bilm(WORDS, softmax="sampled", n_samples=3)
        options = {"seed": 0, "show": False, "watchers": watchers, "keep_interrupted": True}
        fit(model, TwoWayStreams(documents(), 5, 11), steps=11, folder=folder, **options)
        return model.state_dict()

    def stop(step, losses):
        if step == 4:
            raise KeyboardInterrupt

    whole, half = train(tmp_path / "whole", []), train(tmp_path / "halves", [stop])
    resumed = train(tmp_path / "halves", [])
    assert all(whole[name].equal(resumed[name]) for name in whole)
    assert not any(whole[name].equal(half[name]) for name in whole)


@pytest.mark.parametrize("kind", KINDS)
def test_without_softmax_it_encodes_the_same_and_says_what_it_cannot(kind, tmp_path):
    model = small_bilm(WORDS, softmax="adaptive", cutoffs=(3,), **KINDS[kind]).eval()
    model.save(tmp_path / "whole")
    bare = BiLM(replace(model.config, softmax=None), model.vocabulary, model.characters)
    bare.load_state_dict({n: tensor for n, tensor in model.state_dict().items() if not n.startswith("softmax.")})
    bare.save(tmp_path / "bare")
    whole, bare = load(tmp_path / "whole"), load(tmp_path / "bare")
    assert whole.perplexity(documents()) == model.perplexity(documents())
    assert [encoder.encode([SENTENCE])[0].tolist() for encoder in (whole, bare)] == [
        model.encode([SENTENCE])[0].tolist()
    ] * 2
    assert not any("softmax" in name for name in bare.state_dict())
    assert [name for name, _ in bare.layer_groups()] == ["token", "layer 1", "layer 2"]
    for use in (lambda: bare.perplexity(documents()), lambda: bare.log_probs(bare.batch([SENTENCE]))):
        with pytest.raises(CourseError, match="without its softmax"):
            use()


def test_int8_is_close_and_smaller(tmp_path):
    model = small_bilm(WORDS, characters=True)
    model.save(tmp_path / "full")
    model.save(tmp_path / "small", half=True, int8=True)
    full, small = (torch.tensor(load(tmp_path / name).encode([SENTENCE])[0]) for name in ("full", "small"))
    assert 0 < (full - small).abs().max() < 0.02 * full.abs().max()
    sizes = [(tmp_path / name / "model.safetensors").stat().st_size for name in ("full", "small")]
    assert sizes[1] < sizes[0]


def test_a_document_ends_each_sentence_with_the_boundary_word():
    assert small_bilm(WORDS).document([["w0", "unseen"], "w1"]) == [2, 0, 1, 3, 1]


def test_the_paper_has_its_sizes():
    characters = Characters.from_words(["a"], min_count=1)
    with torch.device("meta"):
        model = BiLM.paper(Vocabulary([*SPECIALS, "a"], [3, 2, 1], unknown=UNKNOWN), characters)
    assert sum(p.numel() for p in model.token.parameters()) == 18_037_856 - (262 - 5) * 16
    assert model.dims == (1024, 1024, 1024)
    assert model.lstms["forward_lstm"].layers[0].weight_hr_l0.shape == (512, 4096)
    assert model.config.softmax == "sampled"


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: BiLM(BiLMConfig(3), Vocabulary(["a", "b", "c"])), "needs '</s>'"),
        (lambda: small_bilm(WORDS, vocab_size=20), "Use 2 to 19"),
        (lambda: small_bilm(WORDS, directions="left"), "both, forward, backward"),
        (lambda: small_bilm(WORDS, softmax="none"), "full, adaptive, sampled"),
        (
            lambda: BiLM(BiLMConfig(2), Vocabulary(SPECIALS, unknown=UNKNOWN), Characters(["a"])),
            "made for None character ids, `characters` has 5",
        ),
        (lambda: BiLMConfig(3, projection=8, hidden=7), "Use 1 <= projection <= hidden"),
        (lambda: LSTMLMConfig(3, dropout=1.0), "dropout=1.0"),
        (lambda: BiLMConfig(2, projection=7, characters=CharCNNConfig(5)), "gives 128 numbers .* projection=7"),
    ],
)
def test_what_cannot_work_is_named(build, says):
    with pytest.raises(CourseError, match=says):
        build()
