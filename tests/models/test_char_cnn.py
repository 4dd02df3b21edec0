import pytest
import torch
import torch.nn.functional as F

from course_lib.models.char_cnn import CharCNN, CharCNNConfig
from course_lib.text.characters import PADDING

TINY = CharCNNConfig(n_characters=23, char_dim=5, filters=((1, 3), (2, 7), (4, 2)), n_highway=2, out_dim=11)


def words_of_all_lengths(width, longest=7):
    """[longest, width] ids: a word of 1 character, of 2, ... each padded to `width`."""
    ids = torch.randint(1, TINY.n_characters, (longest, width))
    return ids.where(torch.arange(width) <= torch.arange(longest)[:, None], PADDING)


def reference(model, word):
    """One word without padding, by torch's convolutions and the formula of ELMo's code (bilm/training.py `high`)."""
    features = []
    for (width, _), convolution in zip(model.config.filters, model.convolutions, strict=True):
        letters = model.char_embedding(F.pad(word, (0, max(0, width - len(word))), value=PADDING))
        features.append(convolution(letters.T[None])[0].amax(1))
    x = torch.cat(features).relu()
    for highway in model.highways:
        w_carry, b_carry = -highway.carry.weight.T, -highway.carry.bias  # ELMo's gate lets the new values pass
        gate = (x @ w_carry + b_carry).sigmoid()
        x = gate * (x @ highway.transform.weight.T + highway.transform.bias).relu() + (1 - gate) * x
    return x @ model.projection.weight.T + model.projection.bias


@pytest.mark.parametrize("width", [7, 13])
def test_equals_the_reference_for_words_of_all_lengths(width):
    model, ids = CharCNN(TINY), words_of_all_lengths(width)
    expected = torch.stack([reference(model, row[row != PADDING]) for row in ids])
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
