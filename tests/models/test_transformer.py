"""The layers and stacks against PyTorch's own with the same weights, and the laws of masks and positions."""

import itertools
import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.data.streams import StreamBatch
from course_lib.models.attention import causal_mask, padding_mask
from course_lib.models.transformer import (
    CHOICES,
    Dropout,
    PositionedEmbedding,
    TransformerConfig,
    TransformerDecoder,
    TransformerEncoder,
    sinusoidal_positions,
)
from tests.models.battery import BANK, KOREAN, RIVER
from tests.models.small_transformers import copy_layers, small_lm

REAL = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def config(norm="post", activation="relu", **others):
    return TransformerConfig(
        d_model=12, n_heads=3, n_layers=2, d_ff=17, dropout=0.0, norm=norm, activation=activation, **others
    )


@torch.no_grad()
def twin(ours, norm, activation="relu"):
    """PyTorch's stack with these choices and our weights, both drawn at random."""
    for parameter in ours.parameters():
        parameter.normal_(std=0.5)
    first = ours.layers[0]
    decoder, pre = first.cross_attention is not None, {"post": False, "pre": True}[norm]
    kind = nn.TransformerDecoderLayer if decoder else nn.TransformerEncoderLayer
    layer = kind(12, 3, 17, 0.0, getattr(F, activation), batch_first=True, norm_first=pre)
    if decoder:
        theirs = nn.TransformerDecoder(layer, len(ours.layers), norm=ours.norm if pre else None)
    else:
        norm = ours.norm if pre else None
        theirs = nn.TransformerEncoder(layer, len(ours.layers), norm=norm, enable_nested_tensor=False)
    copy_layers(theirs, ours)
    return theirs


@pytest.mark.parametrize("norm", CHOICES["norm"])
@pytest.mark.parametrize("activation", CHOICES["activation"])
@pytest.mark.parametrize("causal", [False, True])
def test_encoder_equals_torch_in_values_and_gradients(norm, activation, causal):
    ours = TransformerEncoder(config(norm, activation))
    theirs, found, inputs = twin(ours, norm, activation), [], torch.randn(2, 7, 12)
    mine, other = inputs.clone().requires_grad_(), inputs.requires_grad_()
    output = ours(mine, padding_mask(REAL), causal=causal)
    expected = theirs(other, ~causal_mask(7) if causal else None, src_key_padding_mask=~REAL)
    torch.testing.assert_close(output[REAL], expected[REAL], **CLOSE)
    deep = ours.layers[0].feed_forward.inner.weight, theirs.layers[0].linear1.weight
    for result, sources in [(output, (mine, deep[0])), (expected, (other, deep[1]))]:
        found.append(torch.autograd.grad(result[REAL].square().sum(), sources))
    for gradient, reference in zip(*found, strict=True):
        torch.testing.assert_close(gradient / reference.abs().max(), reference / reference.abs().max(), **CLOSE)


@pytest.mark.parametrize("norm", CHOICES["norm"])
def test_decoder_equals_torch_in_values_and_gradients(norm):
    ours = TransformerDecoder(config(norm))
    theirs, found = twin(ours, norm), []
    states, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    mine, other = memory.clone().requires_grad_(), memory.requires_grad_()
    output = ours(states, mine, padding_mask(REAL))
    expected = theirs(states, other, tgt_mask=~causal_mask(5), memory_key_padding_mask=~REAL)
    torch.testing.assert_close(output, expected, **CLOSE)
    for result, source in [(output, mine), (expected, other)]:
        found.append(torch.autograd.grad(result.square().sum(), source)[0])
    torch.testing.assert_close(*(gradient / found[1].abs().max() for gradient in found), **CLOSE)


@pytest.mark.parametrize("norm", CHOICES["norm"])
def test_the_decoder_step_by_step_with_caches_gives_what_it_gives_at_once(norm):
    decoder, states, memory = TransformerDecoder(config(norm)), torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    caches = [({}, {}) for _ in decoder.layers]
    steps = [decoder(step, memory, padding_mask(REAL), caches=caches) for step in states.split(1, 1)]
    torch.testing.assert_close(torch.cat(steps, 1), decoder(states, memory, padding_mask(REAL)), **CLOSE)


@pytest.mark.parametrize("positions", CHOICES["positions"])
def test_without_positions_order_is_not_seen_and_with_them_it_is(positions):
    sizes = config(positions=positions, max_units=7)
    embedding, encoder = PositionedEmbedding(11, sizes), TransformerEncoder(sizes)
    ids, order = torch.tensor([[3, 1, 4, 10, 5, 9, 2]]), torch.tensor([4, 0, 6, 2, 1, 5, 3])
    straight, shuffled = encoder(embedding(ids)), encoder(embedding(ids[:, order]))
    assert torch.allclose(straight[:, order], shuffled, **CLOSE) is (positions == "none")


@pytest.mark.parametrize(("n", "d_model"), [(5, 6), (5, 7), (3, 1), (0, 3)])
def test_sinusoids_by_the_papers_formula(n, d_model):
    table = sinusoidal_positions(n, d_model)
    assert table.shape == (n, d_model)
    for position, column in itertools.product(range(n), range(d_model)):
        angle = position / 10_000 ** (column // 2 * 2 / d_model)
        expected = math.cos(angle) if column % 2 else math.sin(angle)
        assert table[position, column] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("positions", CHOICES["positions"])
def test_positions_start_anywhere_and_sinusoids_have_no_end(positions):
    sizes = config(positions=positions, max_units=7 if positions == "learned" else 5)
    embedding = PositionedEmbedding(11, sizes).eval()
    ids, learned = torch.randint(11, (2, 7)), dict(embedding.named_parameters()).get("positions.weight")
    torch.testing.assert_close(embedding(ids)[:, 3:], embedding(ids[:, 3:], start=3))
    torch.testing.assert_close(embedding(ids)[:, :5], embedding(ids[:, :5]))
    added = {"sinusoidal": sinusoidal_positions(7, 12), "learned": learned, "none": 0}[positions]
    torch.testing.assert_close(embedding(ids), embedding.tokens(ids) * math.sqrt(12) + added)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.999])
def test_dropout_drops_a_share_and_keeps_the_mean_and_the_gradient_goes_the_same_way(p):
    torch.manual_seed(0)
    states = torch.ones(999, 1001, requires_grad=True)  # not a multiple of the four that one draw decides over
    dropped = Dropout(p)(states)
    n, kept = states.numel(), (dropped != 0).float().mean().item()
    assert abs(kept - (1 - p)) < 5 * math.sqrt(p * (1 - p) / n) + 2**-16
    torch.testing.assert_close(dropped.max().item(), 1 / (1 - p), rtol=2e-2 if p > 0.9 else 1e-4, atol=0)
    places = (dropped == 0).view(-1)
    for step in (1, 2, 3, 4, 1001):  # places decided by one draw, or one below the other, know nothing of each other
        together = (places[:-step] & places[step:]).float().mean().item()
        assert abs(together - (1 - kept) ** 2) < 6 * math.sqrt(2 * p / n)
    dropped.sum().backward()
    assert states.grad.equal(dropped.detach())


@pytest.mark.parametrize("p", [0.0, 1e-9, 1.0])
def test_dropout_at_the_borders_and_in_eval_mode(p):
    states = torch.randn(5, 7)
    assert Dropout(p)(states).equal(torch.zeros(5, 7) if p == 1 else states)
    assert Dropout(0.5).eval()(states).equal(states)


# -- the causal language model beyond the battery: what it may see, what its loss is, sub-words
@pytest.mark.parametrize("k", [0, 3, 7])
def test_a_word_moves_its_own_state_and_later_ones_only(k):
    changed = [*BANK]
    changed[k] = "slippery"
    before, after = small_lm(BANK + RIVER).encode([BANK, changed], layer=-1)
    moved = (before != after).any(1).tolist()
    assert moved == [False] * k + [True] * (len(BANK) - k)


def test_stream_loss_is_the_mean_over_all_targets():
    model, ids = small_lm(BANK).eval(), torch.randint(4, 11, (3, 8))
    found = model.loss(StreamBatch(ids[:, :-1], ids[:, 1:]))
    expected = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    torch.testing.assert_close(found["loss"], expected)
    assert found["count"] == 21


def test_of_sub_words_a_sentence_has_the_vector_of_the_last():
    model = small_lm(BANK + KOREAN, bpe=True).eval()
    encoding = model.states(model.batch([BANK, ["wagesbank"]], unit="piece"))
    last = encoding.mask.sum(1) - 1
    assert last[1] > 1
    torch.testing.assert_close(encoding.sentence, encoding.layers[-1, torch.arange(2), last])


def test_attentions_are_causal_and_name_their_pieces():
    model = small_lm(BANK).eval()
    weights, tokens = model.attentions(model.batch([BANK, BANK[:3]]))
    assert [tuple(weight.shape) for weight in weights] == [(2, 3, 9, 9)] * 2
    assert tokens == [["[BOS]", *BANK], ["[BOS]", *BANK[:3]]]
    for weight in weights:
        torch.testing.assert_close(weight.sum(-1), torch.ones(2, 3, 9))
        assert not weight.triu(1).any()
