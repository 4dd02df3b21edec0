"""Attention against hand-made numbers, PyTorch's kernels and the laws of masks."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.models.attention import KeyValueCache, MultiHeadAttention, attend, padding_mask
from tests.mistakes import mistakes
from tests.models.small_transformers import copy_attention


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-6), (torch.float64, 1e-12)])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_equals_torch(dtype, tolerance, scale):
    query, key, value = (torch.randn(2, 3, n, d, dtype=dtype) for n, d in [(5, 11), (7, 11), (7, 13)])
    mask = torch.rand(2, 1, 5, 7) < 0.6
    mask[..., 0] = True
    expected = F.scaled_dot_product_attention(query, key, value, mask, scale=scale)
    output, weights = attend(query, key, value, mask, scale)
    torch.testing.assert_close(output, expected, rtol=0, atol=tolerance)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 5, dtype=dtype))
    assert not weights.masked_select(~mask).any()


@pytest.mark.parametrize("need_weights", [True, False])
def test_a_row_with_nothing_to_attend_to_gives_zeros_and_finite_gradients(need_weights):
    model = MultiHeadAttention(6, 2)
    states = torch.randn(2, 5, 6, requires_grad=True)
    mask = torch.ones(2, 5, 5, dtype=torch.bool)
    mask[1, 3] = False
    output, weights = model(states, mask=mask, need_weights=need_weights)
    assert output[1, 3].tolist() == model.output.bias.tolist()
    assert output[1, 2].tolist() != model.output.bias.tolist()
    if need_weights:
        assert not weights[1, :, 3].any()
    output.square().sum().backward()
    assert torch.isfinite(states.grad).all()
    alone, empty = attend(states[0], states[0], states[0], torch.zeros(5, 5, dtype=torch.bool))
    assert not alone.any()
    assert not empty.any()


REAL = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])


@pytest.mark.parametrize("mask", [None, padding_mask(REAL)], ids=["whole", "padded"])
@pytest.mark.parametrize("causal", [False, True])
def test_fused_equals_readable_in_values_and_gradients(mask, causal):
    model = MultiHeadAttention(15, 3)
    found = []
    for need_weights in (True, False):
        states = torch.randn(2, 7, 15, generator=torch.Generator().manual_seed(1)).requires_grad_()
        output, weights = model(states, mask=mask, need_weights=need_weights, causal=causal)
        output.square().sum().backward()
        found.append((output, states.grad, weights))
    torch.testing.assert_close(found[0][:2], found[1][:2], rtol=1e-5, atol=1e-5)
    assert found[0][2].shape == (2, 3, 7, 7)
    assert found[1][2] is None
    future = found[0][2].triu(1)
    assert (not future.any()) is causal


def test_cross_attention_equals_torch_head_by_head():
    ours, theirs = MultiHeadAttention(15, 3), nn.MultiheadAttention(15, 3, batch_first=True)
    for parameter in ours.parameters():
        nn.init.normal_(parameter)
    copy_attention(theirs, ours)
    query, memory, value = torch.randn(2, 5, 15), torch.randn(2, 7, 15), torch.randn(2, 7, 15)
    expected, expected_weights = theirs(query, memory, value, key_padding_mask=~REAL, average_attn_weights=False)
    output, weights = ours(query, memory, value, mask=padding_mask(REAL), need_weights=True)
    torch.testing.assert_close(output, expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(weights, expected_weights, rtol=1e-5, atol=1e-5)


def test_dropout_is_for_training_only_and_the_weights_shown_are_whole():
    model, states = MultiHeadAttention(6, 2, dropout=0.5), torch.randn(2, 5, 6)
    for need_weights in (True, False):
        first, second = (model.train()(states, need_weights=need_weights)[0] for _ in range(2))
        assert not torch.equal(first, second)
        first, second = (model.eval()(states, need_weights=need_weights)[0] for _ in range(2))
        assert torch.equal(first, second)
    weights = model.train()(states, need_weights=True)[1]
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 2, 5))


@pytest.mark.parametrize("steps", [[7], [1] * 7, [3, 1, 2, 1]])
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_cache_gives_what_one_causal_pass_gives(steps, need_weights):
    model, states = MultiHeadAttention(15, 3), torch.randn(2, 7, 15)
    cache = KeyValueCache.empty(2, 7, model)
    with torch.no_grad():
        whole = model(states, causal=True)[0]
        parts = [model(part, causal=True, cache=cache, need_weights=need_weights)[0] for part in states.split(steps, 1)]
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=1e-5, atol=1e-5)


test_errors_name_numbers_and_remedy = mistakes(
    (lambda: MultiHeadAttention(10, 4), r"d_model=10 .* n_heads=4 .*d_model=8"),
    (lambda: attend(*torch.ones(3, 2, 3), torch.ones(2, 2)), r"float32.*boolean"),
)
