"""Exercise 3.5: the forward algorithm of a CRF. Source: Lafferty, McCallum & Pereira 2001, section 3."""

import math

import torch

from course.chapters.ch03.ex_3_3_path_score import fixed_numbers
from course.check.exercise import Exercise, Probe, Seen


def log_partition(
    emissions: torch.Tensor, transitions: torch.Tensor, start: torch.Tensor, end: torch.Tensor
) -> torch.Tensor:
    """ln of the sum of exp(score) over all tag sequences: one number, in nats. emissions [word, tag],
    transitions [from, to], start [tag], end [tag]
    log_partition(torch.zeros(2, 3), torch.zeros(3, 3), torch.zeros(3), torch.zeros(3)) -> 2.1972"""
    alpha = start + emissions[0]
    for emission in emissions[1:]:
        alpha = (alpha[:, None] + transitions).logsumexp(dim=0) + emission
    return (alpha + end).logsumexp(dim=0)


def _forward(
    emissions, transitions, start, end, *, over=torch.logsumexp, last=torch.logsumexp, axis=0, of=lambda a: a[:, None]
):
    alpha = start + emissions[0]
    for emission in emissions[1:]:
        alpha = over(of(alpha) + transitions, axis) + emission
    return last(alpha + end, 0)


def _emission_at_from(emissions, transitions, start, end):
    """The emission is added along `from` instead of `to`."""
    alpha = start + emissions[0]
    for emission in emissions[1:]:
        alpha = (alpha[:, None] + transitions + emission[:, None]).logsumexp(dim=0)
    return (alpha + end).logsumexp(dim=0)


def _probe(shows, word, step, scale=1.0):
    shapes = ((word, 3), step), ((3, 3), step + 1), ((3,), 4), ((3,), 11)
    tensors = [fixed_numbers(*shape, step=step) for shape, step in shapes]
    return Probe(shows, *tuple(tensor * scale for tensor in tensors))


PROBES = [
    _probe("four words, three tags", 4, 5),
    _probe("a sentence of one word", 1, 7),
    _probe("scores too large for exp", 3, 3, scale=60.0),
    _probe("other scores", 5, 9, scale=0.5),
    _probe("twenty words", 20, 4, scale=0.7),
]
MISTAKES = [
    ("the maximum instead of the sum", lambda *a: _forward(*a, over=torch.amax, last=torch.amax)),
    ("the maximum in the last step", lambda *a: _forward(*a, last=torch.amax)),
    ("the maximum until the last step", lambda *a: _forward(*a, over=torch.amax)),
    ("each word is summed alone", lambda e, t, start, end: e.logsumexp(dim=1).sum()),
    ("the transitions are turned round", lambda e, t, start, end: log_partition(e, t.T, start, end)),
    (
        "the sum is over the wrong axis",
        lambda *a: _forward(*a, axis=1),
        lambda *a: _forward(*a, of=lambda alpha: alpha),
    ),
    (
        "a step leads to the first word",
        lambda e, t, start, end: log_partition(e, t, (start[:, None] + t).logsumexp(0), end),
    ),
    ("start and end are missing", lambda e, t, start, end: log_partition(e, t, start * 0, end * 0)),
    ("start is missing", lambda e, t, start, end: log_partition(e, t, start * 0, end)),
    ("end is missing", lambda e, t, start, end: log_partition(e, t, start, end * 0)),
    (
        "the emission of the first word is missing",
        lambda e, *a: log_partition(torch.cat([e[:1] * 0, e[1:]]), *a),
    ),
    ("the sum instead of its logarithm", lambda *a: log_partition(*a).exp()),
    ("the emission is given to the tag before", _emission_at_from),
    ("plain sums of logarithms", lambda *a: _forward(*a, over=torch.sum, last=torch.sum)),
    ("the exponential overflows", Seen(lambda got, *_: not math.isfinite(got))),
]
EXERCISE = Exercise("3.5", log_partition, PROBES, MISTAKES, difficulty=4, importance=4, minutes=15)
