"""Chapter 4's reference solutions against the library and by hand."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course.by_hand.elmo import Mix
from course.check import check, play, registry
from course_lib.language import speaking
from tests.check.test_build import keep


def test_always_the_frequent_sense_is_at_chance():
    known, test = torch.tensor([[1.0, 0.0], [-1.0, 0.0]]), torch.ones(10, 2)
    assert registry.find("4.6").solution(known, [0, 1], test, [0] * 9 + [1]) == pytest.approx(1 / 2)


def test_the_answers_are_those_of_a_convolution():
    x, filters, bias = torch.randn(1, 6, 3), torch.randn(5, 3, 2), torch.randn(5)
    found = registry.find("4.7").solution(x, torch.tensor([4]), filters, bias)
    torch.testing.assert_close(found, F.conv1d(x[:, :4].mT, filters, bias).amax(2))


def test_a_direction_is_two_lstms_with_projections():
    first, second, x = nn.LSTM(3, 5, proj_size=3), nn.LSTM(3, 5, proj_size=3), torch.randn(4, 3)
    weights = [[w, u, b + c, down] for w, u, b, c, down in (lstm.parameters() for lstm in (first, second))]
    below = first(x)[0]
    torch.testing.assert_close(
        registry.find("4.8").solution(x, weights), torch.stack([below, below + second(below)[0]])
    )


def test_the_gradients_are_autograd_s():
    mix, layers, grad = Mix(3), torch.randn(5, 3, 2), torch.randn(5, 2)
    mix.w.data, mix.gamma.data = torch.randn(3), torch.tensor(1.7)
    mix(layers).backward(grad)
    found = registry.find("4.9").solution(layers, mix.w.detach(), mix.gamma.detach(), grad)
    torch.testing.assert_close(found, (mix.w.grad, mix.gamma.grad))


IN_ANOTHER_STYLE = {
    "4.7": """
def char_convolution(x, lengths, filters, bias):
    w, rows = filters.shape[-1], []
    for characters, n in zip(x, lengths):
        characters = torch.cat([characters[:n], torch.zeros(max(0, w - int(n)), x.shape[2])])
        places = range(len(characters) - w + 1)
        rows.append([max((characters[p : p + w].T * f).sum() for p in places) + b for f, b in zip(filters, bias)])
    return rows
""",
    "4.9": """
def mix_gradient(layers, raw, gamma, grad):
    s = np.exp(raw.numpy()) / np.exp(raw.numpy()).sum()
    a = np.array([(layers[:, j] * grad).sum().item() for j in range(len(s))])
    return gamma.item() * (np.diag(s) - np.outer(s, s)) @ a, s @ a
""",
}


@pytest.mark.parametrize("reader", ["en", pytest.param("ko", marks=pytest.mark.slow)])
def test_the_build_proves_all_with_parts_in_another_style(reader):
    for part, source in IN_ANOTHER_STYLE.items():
        keep(part, source)
    with speaking(reader):
        result, mixer = check("4.B"), play("4.B")
    assert result.right
    assert result.paragraphs[0].count("✓") == len(IN_ANOTHER_STYLE)
    assert len(mixer.presets) == 3
