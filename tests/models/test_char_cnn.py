import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.errors import CourseError
from course_lib.models.char_cnn import CharCNN, CharCNNConfig, Highway
from course_lib.text.characters import PADDING

TINY = CharCNNConfig(n_characters=23, char_dim=5, filters=((1, 3), (2, 7), (4, 2)), n_highway=2, out_dim=11)


def words_of_all_lengths(width, longest=7):
    """[longest, width] ids: a word of 1 character, of 2, ... each padded to `width`."""
    ids = torch.randint(1, TINY.n_characters, (longest, width))
    return ids.where(torch.arange(width) <= torch.arange(longest)[:, None], PADDING)


def by_hand(model, word):
    """The vector of one word without padding, in float64, with explicit loops over filters and places."""
    weights = {name: value.double().numpy() for name, value in model.state_dict().items()}
    features = []
    for i, (width, count) in enumerate(model.config.filters):
        kernel, bias = weights[f"convolutions.{i}.weight"], weights[f"convolutions.{i}.bias"]
        padded = [*word, *[PADDING] * (width - len(word))]
        for f in range(count):
            values = []
            for place in range(len(padded) - width + 1):
                letters = weights["char_embedding.weight"][padded[place : place + width]]  # [width, char_dim]
                values.append(bias[f] + sum(kernel[f, :, k] @ letters[k] for k in range(width)))
            features.append(max(0.0, *values))
    x = np.array(features)
    for i in range(model.config.n_highway):
        h = f"highways.{i}"
        carry = 1 / (1 + np.exp(-(weights[f"{h}.carry.weight"] @ x + weights[f"{h}.carry.bias"])))
        transformed = np.maximum(0, weights[f"{h}.transform.weight"] @ x + weights[f"{h}.transform.bias"])
        x = carry * x + (1 - carry) * transformed
    return weights["projection.weight"] @ x + weights["projection.bias"]


def test_equals_loops_written_by_hand():
    model, ids = CharCNN(TINY), words_of_all_lengths(width=7)
    for row, vector in zip(ids.tolist(), model(ids), strict=True):
        expected = by_hand(model, [i for i in row if i != PADDING])
        np.testing.assert_allclose(vector.detach().numpy(), expected, rtol=0, atol=1e-5)


def test_equals_torch_convolutions():
    model, ids = CharCNN(TINY), torch.randint(1, TINY.n_characters, (2, 13))
    embedded = model.char_embedding(ids).transpose(1, 2)
    x = torch.cat([convolution(embedded).amax(2) for convolution in model.convolutions], 1).relu()
    expected = model.projection(model.highways[1](model.highways[0](x)))
    torch.testing.assert_close(model(ids), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("padding_row", [0.0, 100.0])
def test_padding_never_changes_a_word(padding_row):
    model, ids = CharCNN(TINY), words_of_all_lengths(width=7)
    with torch.no_grad():
        model.char_embedding.weight[PADDING] = padding_row  # a filter that likes padding would win every maximum
        for convolution in model.convolutions:
            convolution.bias.fill_(1.0)  # a place in the padding would give 1, often more than the word's own places
    expected = torch.stack([model(row[row != PADDING]) for row in ids])
    for extra in (0, 1, 19):
        torch.testing.assert_close(model(F.pad(ids, (0, extra))), expected, rtol=0, atol=1e-4 if padding_row else 1e-6)


def test_any_leading_shape_and_unique_words():
    model, ids = CharCNN(TINY), words_of_all_lengths(width=7)
    index = torch.randint(7, (2, 3))
    vectors = model(ids[index])
    assert vectors.shape == (2, 3, 11)
    torch.testing.assert_close(model.forward_unique(ids, index), vectors, rtol=0, atol=1e-6)
    assert model(ids[0]).shape == (11,)


def test_padding_alone_is_finite_and_gradient_reaches_all_but_the_padding_row():
    model, ids = CharCNN(TINY), words_of_all_lengths(width=7)
    ids[3] = PADDING  # a place after the end of a sentence
    ids[5, :6] = torch.arange(1, 7)
    vectors = model(ids)
    assert vectors.isfinite().all()
    vectors.square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), name
    rows = model.char_embedding.weight.grad.any(1)
    assert not rows[PADDING]
    assert rows[1:7].any()
    assert not rows[~torch.isin(torch.arange(23), ids)].any()


def test_highway_equals_elmos_formula_with_the_opposite_sign():
    """ELMo's code, bilm/training.py `high`: g * relu(x W_transform + b) + (1 - g) * x, g = sigmoid(x W_carry + b)."""
    highway, x = Highway(5), torch.randn(2, 3, 5)
    w_carry, b_carry, w_transform, b_transform = torch.randn(5, 5), torch.randn(5), torch.randn(5, 5), torch.randn(5)
    carry = {"carry.weight": -w_carry.T, "carry.bias": -b_carry}
    highway.load_state_dict({**carry, "transform.weight": w_transform.T, "transform.bias": b_transform})
    gate = (x @ w_carry + b_carry).sigmoid()
    expected = gate * (x @ w_transform + b_transform).relu() + (1 - gate) * x
    torch.testing.assert_close(highway(x), expected, rtol=0, atol=1e-6)


def test_a_new_highway_layer_carries_most_of_its_input():
    highway = Highway(7)
    nn.init.zeros_(highway.carry.weight)
    nn.init.zeros_(highway.transform.weight)
    torch.testing.assert_close(highway(torch.ones(7)), torch.full((7,), 0.8808), rtol=0, atol=1e-4)  # sigmoid(2)


def test_papers_size_is_elmos():
    with torch.device("meta"):
        model = CharCNN(CharCNNConfig.paper())
    counts = {name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()}
    sizes = {"convolutions": 199_168, "highways": 16_785_408, "projection": 1_049_088}
    assert counts == {"char_embedding": 262 * 16, **sizes}
    assert sum(counts.values()) == 18_037_856  # the docstring's number
    assert [tuple(c.weight.shape) for c in model.convolutions][-1] == (1024, 16, 7)


@pytest.mark.parametrize("wrong", [{"out_dim": 0}, {"filters": ()}, {"filters": ((0, 3),)}, {"n_highway": -1}])
def test_impossible_sizes_are_refused(wrong):
    with pytest.raises(CourseError, match="every size must be 1 or larger"):
        CharCNNConfig(23, **wrong)
