"""Exercise 5.5: weight drop. Source: Merity et al. 2018, arXiv:1708.02182, section 2 (DropConnect on the recurrent
matrix)."""

import torch

from course.check.exercise import Exercise, Probe


def weight_drop(x: torch.Tensor, w_in: torch.Tensor, w_rec: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    """States [word, hidden] of a simple recurrent network, the first from zeros. x [word, dim]: inputs; w_in
    [dim, hidden]; w_rec [hidden, hidden]; keep [hidden, hidden]: True where an entry stays; p: share that is dropped.
    weight_drop(torch.ones(2, 1), *torch.ones(2, 1, 1), torch.ones(1, 1) > 0, 0.5) -> [[0.7616], [0.9872]]"""
    thinned = w_rec * keep / (1 - p)
    state, states = torch.zeros(w_rec.shape[0]), []
    for word in x:
        state = torch.tanh(word @ w_in + state @ thinned)
        states.append(state)
    return torch.stack(states)


def _run(weights, kept=lambda state, keep, p: state):
    """weights(w_rec, keep, p, number of the word); kept(state, keep, p)."""

    def model(x, w_in, w_rec, keep, p):
        states = [torch.zeros(len(w_rec))]
        for t, word in enumerate(x):
            states.append(kept(torch.tanh(word @ w_in + states[-1] @ weights(w_rec, keep, p, t)), keep, p))
        return torch.stack(states[1:])

    return model


def _probe(shows, word, dim, hidden, p, step):
    sizes = (word * dim, dim * hidden, hidden * hidden)
    numbers = (torch.arange(sum(sizes)) * step % 17 - 8.0) / 10
    x, w_in, w_rec = numbers.split(sizes)
    keep = (torch.arange(hidden * hidden) * 3 % 5 > 1).reshape(hidden, hidden)
    return Probe(shows, x.reshape(word, dim), w_in.reshape(dim, hidden), w_rec.reshape(hidden, hidden), keep, p)


PROBES = [
    _probe("five words, half dropped", 5, 2, 3, 0.5, 5),
    _probe("three words, a fifth dropped", 3, 3, 2, 0.2, 7),
    _probe("two words", 2, 2, 5, 0.4, 11),
]
MISTAKES = [
    ("nothing is made larger", _run(lambda w, keep, p, t: w * keep)),
    ("made larger at every word", _run(lambda w, keep, p, t: w * keep / (1 - p) ** (t + 1))),
    ("multiplied by what is kept", _run(lambda w, keep, p, t: w * keep * (1 - p))),
    ("divided by p", _run(lambda w, keep, p, t: w * keep / p)),
    ("the mask is turned round", _run(lambda w, keep, p, t: w * ~keep / (1 - p))),
    ("only at the first link", _run(lambda w, keep, p, t: w * keep / (1 - p) if t < 2 else w)),
    (
        "states are dropped, not weights",
        _run(lambda w, keep, p, t: w, lambda state, keep, p: state * keep[0] / (1 - p)),
    ),
    ("nothing is dropped", _run(lambda w, keep, p, t: w)),
]
EXERCISE = Exercise("5.5", weight_drop, PROBES, MISTAKES, difficulty=3, importance=3, minutes=12)
