"""The layers and stacks against PyTorch's own with the same weights, and the laws of masks and positions."""

import math

import pytest
import torch
from torch import nn

from course_lib.errors import CourseError
from course_lib.models.attention import causal_mask, padding_mask
from course_lib.models.transformer import (
    CHOICES,
    Dropout,
    FeedForward,
    PositionedEmbedding,
    TransformerConfig,
    TransformerDecoder,
    TransformerEncoder,
    sinusoidal_positions,
)

REAL = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def config(norm="post", activation="relu", **others):
    return TransformerConfig(
        d_model=12, n_heads=3, n_layers=2, d_ff=17, dropout=0.0, norm=norm, activation=activation, **others
    )


def copy_attention(theirs, ours):
    theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


@torch.no_grad()
def twin(ours):
    """PyTorch's stack with our weights, both drawn at random."""
    for parameter in ours.parameters():
        parameter.normal_(std=0.5)
    first = ours.layers[0]
    decoder = hasattr(first, "cross_attention")
    gelu = isinstance(first.feed_forward.activation, nn.GELU)
    pre = first.attention_residual.norm_first
    layers = []
    for layer in ours.layers:
        kind = nn.TransformerDecoderLayer if decoder else nn.TransformerEncoderLayer
        other = kind(12, 3, 17, 0.0, "gelu" if gelu else "relu", batch_first=True, norm_first=pre)
        copy_attention(other.self_attn, layer.attention)
        residuals = [layer.attention_residual, layer.feed_forward_residual]
        if decoder:
            copy_attention(other.multihead_attn, layer.cross_attention)
            residuals.insert(1, layer.cross_residual)
        for number, residual in enumerate(residuals, start=1):
            getattr(other, f"norm{number}").load_state_dict(residual.norm.state_dict())
        other.linear1.load_state_dict(layer.feed_forward.inner.state_dict())
        other.linear2.load_state_dict(layer.feed_forward.outer.state_dict())
        layers.append(other)
    stack = nn.TransformerDecoder if decoder else nn.TransformerEncoder
    kinds = {} if decoder else {"enable_nested_tensor": False}
    theirs = stack(layers[0], len(layers), norm=ours.norm if pre else None, **kinds)
    for number, layer in enumerate(layers):
        theirs.layers[number].load_state_dict(layer.state_dict())
    return theirs


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("causal", [False, True])
def test_encoder_equals_torch_in_values_and_gradients(norm, activation, causal):
    ours = TransformerEncoder(config(norm, activation))
    theirs, gradients = twin(ours), []
    inputs = torch.randn(2, 7, 12)
    mine, other = inputs.clone().requires_grad_(), inputs.clone().requires_grad_()
    output = ours(mine, padding_mask(REAL), causal=causal)
    expected = theirs(other, ~causal_mask(7) if causal else None, src_key_padding_mask=~REAL)
    torch.testing.assert_close(output[REAL], expected[REAL], **CLOSE)
    for result, source in [(output, mine), (expected, other)]:
        result[REAL].square().sum().backward()
        gradients.append(source.grad / source.grad.abs().max())
    torch.testing.assert_close(*gradients, **CLOSE)
    deep = [ours.layers[0].feed_forward.inner.weight.grad, theirs.layers[0].linear1.weight.grad]
    torch.testing.assert_close(*(grad / deep[1].abs().max() for grad in deep), **CLOSE)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_decoder_equals_torch_in_values_and_gradients(norm):
    ours = TransformerDecoder(config(norm))
    theirs, gradients = twin(ours), []
    states, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    mine, other = memory.clone().requires_grad_(), memory.clone().requires_grad_()
    output = ours(states, mine, padding_mask(REAL))
    expected = theirs(states, other, tgt_mask=~causal_mask(5), memory_key_padding_mask=~REAL)
    torch.testing.assert_close(output, expected, **CLOSE)
    for result, source in [(output, mine), (expected, other)]:
        result.square().sum().backward()
        gradients.append(source.grad / source.grad.abs().max())
    torch.testing.assert_close(*gradients, **CLOSE)


def test_encoder_and_decoder_together_equal_the_torch_transformer():
    encoder, decoder = TransformerEncoder(config("pre")), TransformerDecoder(config("pre"))
    theirs = nn.Transformer(12, 2, 1, 1, 17, batch_first=True)  # a shell
    theirs.encoder, theirs.decoder = twin(encoder), twin(decoder)
    source, target = torch.randn(2, 7, 12), torch.randn(2, 5, 12)
    mine = decoder(target, encoder(source, padding_mask(REAL)), padding_mask(REAL))
    expected = theirs(
        source, target, tgt_mask=~causal_mask(5), src_key_padding_mask=~REAL, memory_key_padding_mask=~REAL
    )
    torch.testing.assert_close(mine, expected, **CLOSE)


def test_trace_ends_as_forward_and_gives_weights_only_when_asked():
    encoder, states = TransformerEncoder(config("pre")), torch.randn(2, 7, 12)
    layers, weights = encoder.trace(states, padding_mask(REAL), need_weights=True)
    torch.testing.assert_close(layers[-1], encoder(states, padding_mask(REAL)), **CLOSE)
    assert len(layers) == len(weights) == 2
    assert all(not weight[1, :, :, 4:].any() for weight in weights)
    assert encoder.trace(states)[1] == [None, None]
    decoder = TransformerDecoder(config())
    _, cross = decoder.trace(torch.randn(2, 5, 12), states, padding_mask(REAL), need_weights=True)
    assert [tuple(weight.shape) for weight in cross] == [(2, 3, 5, 7)] * 2


@pytest.mark.parametrize(("seq", "k"), [(1, 0), (2, 1), (5, 0), (7, 3), (7, 6)])
def test_a_causal_stack_moves_its_own_row_and_later_ones_only(seq, k):
    model, states = TransformerEncoder(config()), torch.randn(2, seq, 12)
    changed = states.clone()
    changed[0, k] += torch.randn(12)
    moved = (model(states, causal=True) != model(changed, causal=True)).any(-1).tolist()
    assert moved == [[False] * k + [True] * (seq - k), [False] * seq]
    decoder, memory = TransformerDecoder(config()), torch.randn(2, 5, 12)
    moved = (decoder(states, memory) != decoder(changed, memory)).any(-1).tolist()
    assert moved == [[False] * k + [True] * (seq - k), [False] * seq]


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned"])
def test_without_positions_order_is_not_seen_and_with_them_it_is(positions):
    sizes = config(positions=positions, max_units=7)
    embedding, encoder = PositionedEmbedding(11, sizes), TransformerEncoder(sizes)
    ids, order = torch.tensor([[3, 1, 4, 10, 5, 9, 2]]), torch.tensor([4, 0, 6, 2, 1, 5, 3])
    straight, shuffled = encoder(embedding(ids)), encoder(embedding(ids[:, order]))
    assert torch.allclose(straight[:, order], shuffled, **CLOSE) is (positions == "none")


def test_sinusoids_by_the_papers_formula():
    table = sinusoidal_positions(5, 6)
    for position in range(5):
        for i in range(3):
            angle = position / 10_000 ** (2 * i / 6)
            assert table[position, 2 * i] == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[position, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-6)


def test_positions_start_anywhere_and_sinusoids_have_no_end():
    embedding = PositionedEmbedding(11, config(max_units=5)).eval()
    ids = torch.randint(11, (2, 7))
    torch.testing.assert_close(embedding(ids)[:, 3:], embedding(ids[:, 3:], start=3))
    torch.testing.assert_close(embedding(ids)[:, :5], embedding(ids[:, :5]))
    expected = embedding.tokens(ids) * math.sqrt(12) + sinusoidal_positions(7, 12)
    torch.testing.assert_close(embedding(ids), expected)
    with pytest.raises(CourseError, match=r"Position 7 .* only 5 were learned"):
        PositionedEmbedding(11, config(positions="learned", max_units=5))(ids)


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


def test_paper_sizes():
    sizes = TransformerConfig.paper()
    assert (sizes.n_layers, sizes.d_model, sizes.d_ff, sizes.n_heads) == (6, 512, 2048, 8)
    with torch.device("meta"):
        layer = TransformerEncoder(sizes).layers[0]
    # four projections, two feed-forward matrices with their biases, two layer norms
    assert sum(p.numel() for p in layer.parameters()) == 4 * (512**2 + 512) + 2 * 512 * 2048 + 2048 + 512 + 4 * 512


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"norm": "middle"}, "norm='middle'. Use one of: post, pre"),
        ({"positions": "rotary"}, "sinusoidal, learned, none"),
        ({"activation": "tanh"}, "relu, gelu"),
        ({"n_layers": 0}, "n_layers=0"),
        ({"d_model": 9, "n_heads": 3}, "d_model=9 is odd"),
    ],
)
def test_bad_settings_are_named(setting, words):
    with pytest.raises(CourseError, match=words):
        TransformerConfig(**setting)


@pytest.mark.parametrize("activation", CHOICES["activation"])
def test_each_activation_computes_what_its_name_says(activation):
    """Against torch.nn.functional: a twin that copies the model's own choice would not notice a wrong one."""
    block = FeedForward(TransformerConfig(d_model=6, n_heads=2, d_ff=11, dropout=0.0, activation=activation)).eval()
    states = torch.randn(3, 6)
    function = getattr(nn.functional, activation)
    torch.testing.assert_close(block(states), block.outer(function(block.inner(states))))
