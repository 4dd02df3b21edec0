"""Attention against hand-made numbers, PyTorch's kernels and the laws of masks."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.models.attention import MultiHeadAttention, attend, causal_mask, padding_mask
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


def test_a_row_with_nothing_to_attend_to_gives_zeros_and_finite_gradients():
    model = MultiHeadAttention(6, 2)
    states = torch.randn(2, 5, 6, requires_grad=True)
    mask = torch.ones(2, 5, 5, dtype=torch.bool)
    mask[1, 3] = False
    output, weights = model(states, mask=mask), model.weights(states, mask=mask)
    assert output[1, 3].tolist() == model.output.bias.tolist()
    assert output[1, 2].tolist() != model.output.bias.tolist()
    assert not weights[1, :, 3].any()
    (output.square().sum() + weights.square().sum()).backward()
    assert torch.isfinite(states.grad).all()


REAL = torch.tensor([[True] * 7, [True] * 4 + [False] * 3])


@pytest.mark.parametrize("mask", [None, padding_mask(REAL)], ids=["whole", "padded"])
@pytest.mark.parametrize("causal", [False, True])
def test_the_kernel_s_output_and_gradient_are_those_of_the_weights_that_are_shown(mask, causal):
    model, found = MultiHeadAttention(15, 3), []
    seen = torch.ones(1, 1, 7, dtype=torch.bool) if mask is None else mask
    for fused in (True, False):
        states = torch.randn(2, 7, 15, generator=torch.Generator().manual_seed(1)).requires_grad_()
        if fused:
            output = model(states, mask=mask, causal=causal)
        else:
            weights = model.weights(states, mask=seen & causal_mask(7) if causal else seen)
            output = model.output((weights @ model.heads(model.value(states))).transpose(1, 2).flatten(2))
        output.square().sum().backward()
        found.append((output, states.grad))
    torch.testing.assert_close(*found, rtol=1e-5, atol=1e-5)


def test_cross_attention_equals_torch_head_by_head():
    ours, theirs = MultiHeadAttention(15, 3), nn.MultiheadAttention(15, 3, batch_first=True)
    for parameter in ours.parameters():
        nn.init.normal_(parameter)
    copy_attention(theirs, ours)
    states, memory = torch.randn(2, 5, 15), torch.randn(2, 7, 15)
    expected, weights = theirs(states, memory, memory, key_padding_mask=~REAL, average_attn_weights=False)
    torch.testing.assert_close(ours(states, memory, padding_mask(REAL)), expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ours.weights(states, memory, padding_mask(REAL)), weights, rtol=1e-5, atol=1e-5)


test_errors_name_numbers_and_remedy = mistakes(
    (lambda: attend(*torch.ones(3, 2, 3), torch.ones(2, 2)), r"float32.*boolean"),
    (lambda: MultiHeadAttention(2, 1)(torch.ones(1, 3, 2), mask=torch.ones(3, 3)), r"float32.*boolean"),
)
