"""Wrong answers to exercise 4.3 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import linear


def with_gate(result):
    """result(x, transform before its ReLU, carry before its sigmoid)."""

    def answer(x, transform, transform_bias, carry, carry_bias):
        return result(x, linear(x, transform, transform_bias), linear(x, carry, carry_bias))

    return answer


def no_transpose(x, transform, transform_bias, carry, carry_bias):
    gate = 1 / (1 + torch.exp(-(x @ carry + carry_bias)))
    return gate * x + (1 - gate) * (x @ transform + transform_bias).clamp(min=0)


def no_biases(x, transform, transform_bias, carry, carry_bias):
    return torch.lerp(linear(x, transform).relu(), x, linear(x, carry).sigmoid())


WRONG = [
    (with_gate(lambda x, new, gate: torch.lerp(x, new.relu(), gate.sigmoid())), "the gate is turned round"),
    (with_gate(lambda x, new, gate: torch.lerp(new.relu(), x, gate)), "the gate has no sigmoid"),
    (with_gate(lambda x, new, gate: torch.lerp(new, x, gate.sigmoid())), "the ReLU is missing"),
    (with_gate(lambda x, new, gate: torch.lerp(new, x, gate.sigmoid()).relu()), "the ReLU is around everything"),
    (with_gate(lambda x, new, gate: x + new.relu() * (1 - gate.sigmoid())), "a residual connection"),
    (no_transpose, "the weights are not turned round"),
    (no_biases, "the biases are missing"),
]
