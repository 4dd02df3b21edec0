"""Exercise 4.4: the ELMo vector. Source: Peters et al. 2018, arXiv:1802.05365, section 3.2, equation 1."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def elmo_vector(
    x: torch.Tensor, forward: torch.Tensor, backward: torch.Tensor, raw: torch.Tensor, gamma: float
) -> torch.Tensor:
    """One vector per word, [word, 2 * dim]. x [word, dim]: the token layer; forward, backward [layer, word, dim]: the
    states of layers 1 and up; raw [layer + 1]: learned numbers, one per layer, the token layer first"""
    words = torch.cat([x, x], dim=-1)
    states = torch.cat([forward, backward], dim=-1)
    layers = torch.cat([words[None], states])
    return gamma * torch.einsum("l,lwd->wd", raw.softmax(dim=0), layers)


def _layers(x, forward, backward):
    return torch.cat([torch.cat([x, x], -1)[None], torch.cat([forward, backward], -1)])


def _mix(x, forward, backward, raw, gamma, weigh=lambda raw: raw.softmax(0)):
    return gamma * (weigh(raw)[:, None, None] * _layers(x, forward, backward)).sum(0)


def _not_doubled(other):
    """`other(x)` stands where the second x belongs."""

    def model(x, forward, backward, raw, gamma):
        layers = torch.cat([torch.cat([x, other(x)], -1)[None], torch.cat([forward, backward], -1)])
        return gamma * (raw.softmax(0)[:, None, None] * layers).sum(0)

    return model


def _without_token_layer(x, forward, backward, raw, gamma):
    return gamma * (raw[1:].softmax(0)[:, None, None] * _layers(x, forward, backward)[1:]).sum(0)


def _probe(shows, layer, word, dim, raw, gamma, step):
    numbers = (torch.arange((2 * layer + 1) * word * dim) * step % 17 - 8.0).reshape(2 * layer + 1, word, dim) / 4
    return Probe(shows, (numbers[0], numbers[1 : layer + 1], numbers[layer + 1 :], torch.tensor(raw), gamma))


EXERCISE = Exercise(
    id="4.4",
    title="The ELMo vector in four steps",
    difficulty=3,
    importance=5,
    minutes=12,
    question="""
        From the layers of the language model to one vector per word. **1** Put the forward and the backward state of
        each layer side by side. The token layer $x$ is only half as wide, so it is taken twice: $[x; x]$.
        **2** Turn the learned numbers into weights $s$ with a softmax over the layers. **3** Sum the layers, each times
        its weight. **4** Multiply by the learned scale $\\gamma$.
        Before you run it: two layers of width 512 per direction. How wide is the result?
    """,
    solution=elmo_vector,
    why="The layers are added: the result is 1024 wide, however many layers there are. Without [x; x] "
    "the sum has no meaning. gamma scales the whole vector; the softmax alone could not make it longer or shorter.",
    hints=(
        "Write down the width of each layer after step 1. They must all be equal, or step 3 cannot add them.",
        "Stack all layers along a new first axis. Then there is one weight per entry of that axis.",
        "`cat` along the last axis joins directions. The weights need two more axes, or an einsum, to meet the layers.",
    ),
    probes=(
        _probe("two layers, three words", 2, 3, 2, [0.5, -1.0, 1.5], 1.5, 5),
        _probe("one layer, two words", 1, 2, 5, [2.0, -0.5], 0.5, 7),
        _probe("three layers, one word", 3, 1, 3, [0.0, 1.0, -2.0, 0.5], 3.0, 11),
    ),
    mistakes=(
        Mistake(
            "no softmax",
            "The numbers are used as they are: they may be below 0 and need not sum to 1.",
            model=lambda *a: _mix(*a, weigh=lambda raw: raw),
        ),
        Mistake(
            "shares instead of a softmax",
            "The numbers are divided by their sum. They may be below 0: first the exponential, then the shares.",
            model=lambda *a: _mix(*a, weigh=lambda raw: raw / raw.sum()),
        ),
        Mistake(
            "the weights are not learned",
            "All layers weigh the same, whatever the learned numbers say.",
            model=lambda *a: _mix(*a, weigh=lambda raw: torch.full_like(raw, 1 / len(raw))),
        ),
        Mistake(
            "gamma is missing",
            "Twice the gamma should give a vector twice as long.",
            model=lambda x, forward, backward, raw, gamma: _mix(x, forward, backward, raw, 1.0),
        ),
        Mistake(
            "gamma is inside the softmax",
            "Gamma changes the weights here. It should scale the sum, and leave the weights alone.",
            model=lambda x, forward, backward, raw, gamma: _mix(x, forward, backward, gamma * raw, 1.0),
        ),
        Mistake(
            "x is not doubled",
            "The second half of the token layer is 0. Both halves should hold x.",
            model=_not_doubled(torch.zeros_like),
        ),
        Mistake(
            "x is doubled in the wrong order",
            "Each number of x is written twice in a row. The whole x should come first, then the whole x once more.",
            model=lambda x, forward, backward, raw, gamma: (
                elmo_vector(x * 0, forward, backward, raw, gamma)
                + gamma * raw.softmax(0)[0] * x.repeat_interleave(2, dim=1)
            ),
        ),
        Mistake(
            "x is multiplied by 2",
            "Doubled means: put beside itself, not made twice as large.",
            model=lambda x, forward, backward, raw, gamma: elmo_vector(2 * x, forward, backward, raw, gamma),
        ),
        Mistake(
            "the token layer is left out",
            "The result does not depend on x. Layer 0 has a weight of its own.",
            model=_without_token_layer,
        ),
        Mistake(
            "only the top layer",
            "The lower layers have no part in the result.",
            model=lambda x, forward, backward, raw, gamma: gamma * _layers(x, forward, backward)[-1],
        ),
        Mistake(
            "the directions are exchanged",
            "The forward state is the first half of a layer, the backward state the second.",
            model=lambda x, forward, backward, *a: elmo_vector(x, backward, forward, *a),
        ),
        Mistake(
            "the layers are concatenated",
            "The result is wider with each layer. Layers are added up; only the two directions stand side by side.",
            seen=lambda got, expected, *_: got.shape[-1] > expected.shape[-1],
        ),
        Mistake(
            "the directions are added",
            "The result is only as wide as one direction. The two directions stand side by side.",
            seen=lambda got, expected, *_: 2 * got.shape[-1] == expected.shape[-1],
        ),
    ),
)
