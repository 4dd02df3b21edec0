"""Wrong answers to exercise 4.3 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import linear


def gate_on_the_new_value(x, transform, transform_bias, carry, carry_bias):
    gate = linear(x, carry, carry_bias).sigmoid()
    return torch.lerp(x, linear(x, transform, transform_bias).relu(), gate)


def raw_gate(x, transform, transform_bias, carry, carry_bias):
    return torch.lerp(linear(x, transform, transform_bias).relu(), x, linear(x, carry, carry_bias))


def linear_transform(x, transform, transform_bias, carry, carry_bias):
    gate = linear(x, carry, carry_bias).sigmoid()
    return torch.lerp(linear(x, transform, transform_bias), x, gate)


def relu_last(x, transform, transform_bias, carry, carry_bias):
    return linear_transform(x, transform, transform_bias, carry, carry_bias).clamp(min=0)


def plus_x(x, transform, transform_bias, carry, carry_bias):
    gate = linear(x, carry, carry_bias).sigmoid()
    return x + linear(x, transform, transform_bias).relu() * (1 - gate)


def no_transpose(x, transform, transform_bias, carry, carry_bias):
    gate = 1 / (1 + torch.exp(-(x @ carry + carry_bias)))
    return gate * x + (1 - gate) * (x @ transform + transform_bias).clamp(min=0)


def no_biases(x, transform, transform_bias, carry, carry_bias):
    return torch.lerp(linear(x, transform).relu(), x, linear(x, carry).sigmoid())


WRONG = [
    (gate_on_the_new_value, "the gate is turned round"),
    (raw_gate, "the gate has no sigmoid"),
    (linear_transform, "the ReLU is missing"),
    (relu_last, "the ReLU is around everything"),
    (plus_x, "a residual connection"),
    (no_transpose, "the weights are not turned round"),
    (no_biases, "the biases are missing"),
]
