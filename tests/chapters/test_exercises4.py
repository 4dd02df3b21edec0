"""Chapter 4's reference solutions against the library and by hand."""

import torch
from torch import nn
from torch.nn import functional as F

from course.by_hand.elmo import Mix
from course.check import registry


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
