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


def raw_weights(x, forward, backward, raw, gamma):
    return mix(layers_of(x, forward, backward), raw, gamma)


def mean_of_layers(x, forward, backward, raw, gamma):
    return gamma * torch.stack(layers_of(x, forward, backward)).mean(dim=0)


def no_gamma(x, forward, backward, raw, gamma):
    return mix(layers_of(x, forward, backward), torch.softmax(raw, 0), 1)


def gamma_as_temperature(x, forward, backward, raw, gamma):
    return mix(layers_of(x, forward, backward), torch.softmax(gamma * raw, 0), 1)


def filled_with_zeros(x, forward, backward, raw, gamma):
    layers = [torch.nn.functional.pad(x, (0, x.shape[-1])), *layers_of(x, forward, backward)[1:]]
    return mix(layers, torch.softmax(raw, 0), gamma)


def each_number_twice(x, forward, backward, raw, gamma):
    layers = [torch.stack([x, x], dim=-1).flatten(1), *layers_of(x, forward, backward)[1:]]
    return mix(layers, torch.softmax(raw, 0), gamma)


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
    (raw_weights, "no softmax"),
    (mean_of_layers, "the weights are not learned"),
    (no_gamma, "gamma is missing"),
    (gamma_as_temperature, "gamma is inside the softmax"),
    (filled_with_zeros, "x is not doubled"),
    (each_number_twice, "x is doubled in the wrong order"),
    (states_only, "the token layer is left out"),
    (top, "only the top layer"),
    (side_by_side, "the layers are concatenated"),
    (directions_added, "the directions are added"),
]
