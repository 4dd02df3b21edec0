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


def mean_of_layers(x, forward, backward, raw, gamma):
    return gamma * torch.stack(layers_of(x, forward, backward)).mean(dim=0)


def states_only(x, forward, backward, raw, gamma):
    return mix(layers_of(x, forward, backward)[1:], torch.softmax(raw[1:], 0), gamma)


def top(x, forward, backward, raw, gamma):
    return gamma * torch.cat([forward[-1], backward[-1]], dim=1)


def side_by_side(x, forward, backward, raw, gamma):
    weighted = [w * layer for w, layer in zip(raw.softmax(0), layers_of(x, forward, backward), strict=True)]
    return gamma * torch.cat(weighted, dim=-1)


def directions_added(x, forward, backward, raw, gamma):
    return mix([x, *(forward + backward)], raw.softmax(0), gamma)


WRONG = [
    (mixed(lambda raw, gamma: (raw, gamma)), "no softmax"),
    (mean_of_layers, "the weights are not learned"),
    (mixed(lambda raw, gamma: (torch.softmax(raw, 0), 1)), "gamma is missing"),
    (mixed(lambda raw, gamma: (torch.softmax(gamma * raw, 0), 1)), "gamma is inside the softmax"),
    (first_layer(lambda x: torch.nn.functional.pad(x, (0, x.shape[-1]))), "x is not doubled"),
    (first_layer(lambda x: torch.stack([x, x], dim=-1).flatten(1)), "x is doubled in the wrong order"),
    (states_only, "the token layer is left out"),
    (top, "only the top layer"),
    (side_by_side, "the layers are concatenated"),
    (directions_added, "the directions are added"),
]
