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
    ("the maximum instead of the sum", "logsumexp => amax"),
    ("the maximum in the last step", "end).logsumexp => end).amax"),
    ("the maximum until the last step", "transitions).logsumexp => transitions).amax"),
    ("each word is summed alone", lambda e, t, start, end: e.logsumexp(dim=1).sum()),
    ("the transitions are turned round", "transitions) => transitions.T)"),
    ("the sum is over the wrong axis", "dim=0) + => dim=1) +", "alpha[:, None] => alpha"),
    (
        "a step leads to the first word",
        lambda e, t, start, end: log_partition(e, t, (start[:, None] + t).logsumexp(0), end),
    ),
    ("start and end are missing", ("start + => ", "alpha + end => alpha")),
    ("start is missing", "start + => "),
    ("end is missing", "alpha + end => alpha"),
    ("the emission of the first word is missing", "emissions[0] => 0 * emissions[0]"),
    ("the sum instead of its logarithm", "end).logsumexp(dim=0) => end).logsumexp(dim=0).exp()"),
    (
        "the emission is given to the tag before",
        "transitions).logsumexp(dim=0) + emission => transitions + emission[:, None]).logsumexp(dim=0)",
    ),
    ("plain sums of logarithms", "logsumexp => sum"),
    ("the exponential overflows", Seen(lambda got, *_: not math.isfinite(got))),
]
EXERCISE = Exercise("3.5", log_partition, PROBES, MISTAKES, difficulty=4, importance=4, minutes=15)
