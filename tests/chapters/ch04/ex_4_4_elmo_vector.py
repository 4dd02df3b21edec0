"""Wrong answers to exercise 4.4 as readers write them, each with the mistake that must be named."""

import torch


def layers_of(x, forward, backward):
    pairs = [(x, x), *zip(forward, backward, strict=True)]
    return [torch.hstack(pair) for pair in pairs]


def mix(layers, weights, gamma):
    total = torch.zeros_like(layers[0])
    for layer, weight in zip(layers, weights, strict=True):
        total = total + weight * layer
    return gamma * total


def mixed(weights):
    """weights(raw, gamma), and what takes gamma's place."""
    return lambda x, forward, backward, raw, gamma: mix(layers_of(x, forward, backward), *weights(raw, gamma))


def first_layer(double):
    """double(x): as wide as the other layers."""

    def answer(x, forward, backward, raw, gamma):
        return mix([double(x), *layers_of(x, forward, backward)[1:]], torch.softmax(raw, 0), gamma)

    return answer


def side_by_side(x, forward, backward, raw, gamma):
    weighted = [w * layer for w, layer in zip(raw.softmax(0), layers_of(x, forward, backward), strict=True)]
    return gamma * torch.cat(weighted, dim=-1)


WRONG = [
    (mixed(lambda raw, gamma: (raw, gamma)), "no softmax"),
    (lambda x, f, b, raw, g: g * torch.stack(layers_of(x, f, b)).mean(dim=0), "the weights are not learned"),
    (mixed(lambda raw, gamma: (torch.softmax(raw, 0), 1)), "gamma is missing"),
    (mixed(lambda raw, gamma: (torch.softmax(gamma * raw, 0), 1)), "gamma is inside the softmax"),
    (first_layer(lambda x: torch.nn.functional.pad(x, (0, x.shape[-1]))), "x is not doubled"),
    (first_layer(lambda x: torch.stack([x, x], dim=-1).flatten(1)), "x is doubled in the wrong order"),
    (lambda x, f, b, raw, g: mix(layers_of(x, f, b)[1:], torch.softmax(raw[1:], 0), g), "the token layer is left out"),
    (lambda x, f, b, raw, g: g * torch.cat([f[-1], b[-1]], dim=1), "only the top layer"),
    (side_by_side, "the layers are concatenated"),
    (lambda x, f, b, raw, g: mix([x, *(f + b)], raw.softmax(0), g), "the directions are added"),
]
