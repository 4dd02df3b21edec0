"""Exercise 3.5: the forward algorithm of a CRF. Source: Lafferty, McCallum & Pereira 2001, section 3."""

import math

import torch

from course_lib.exercises.chapter3.path_score import fixed_numbers
from course_lib.exercises.exercise import Exercise, Mistake, Probe


def log_partition(
    emissions: torch.Tensor, transitions: torch.Tensor, start: torch.Tensor, end: torch.Tensor
) -> torch.Tensor:
    """ln of the sum of exp(score) over all tag sequences: one number, in nats. emissions [word, tag],
    transitions [from, to], start [tag], end [tag]"""
    alpha = start + emissions[0]
    for emission in emissions[1:]:
        alpha = (alpha[:, None] + transitions).logsumexp(dim=0) + emission
    return (alpha + end).logsumexp(dim=0)


def _log_sum(scores, dim):
    return scores.logsumexp(dim=dim)


def _forward(emissions, transitions, start, end, *, over=_log_sum, last=_log_sum):
    alpha = start + emissions[0]
    for emission in emissions[1:]:
        alpha = over(alpha[:, None] + transitions, 0) + emission
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
    return Probe(shows, tuple(tensor * scale for tensor in tensors))


EXERCISE = Exercise(
    id="3.5",
    title="The sum over all tag sequences",
    difficulty=4,
    importance=4,
    minutes=15,
    question="""
        Section 3.5 shows it for one example. Close it, and write it from memory, for a sentence of any length.
        The probability of a tag sequence is $e^{score}$ divided by the sum of $e^{score}$ over **all** sequences.
        Compute the natural logarithm of that sum. The **forward algorithm** does it in one pass: for each tag, keep the
        log of the sum over all beginnings that end in it. `torch.logsumexp` adds numbers that are given as logarithms,
        and stays finite where `exp` does not.
        Before you run it: is the result above or below the score of the best sequence?
    """,
    solution=log_partition,
    why="It is Viterbi with log-sum-exp in place of the maximum. The best sequence is one term of the sum, so the "
    "result lies above its score; the difference is -ln of its probability.",
    hints=(
        "Start from your Viterbi: which line chooses, where now everything should be added up?",
        "Keep one number per tag. From word to word it is a table [from, to], summed over the tags before.",
        "Log-sum-exp over `from`, then the word's emission; at the end the scores of the last tag, then log-sum-exp "
        "once more.",
    ),
    probes=(
        _probe("four words, three tags", 4, 5),
        _probe("a sentence of one word", 1, 7),
        _probe("scores too large for exp", 3, 3, scale=60.0),
        _probe("other scores", 5, 9, scale=0.5),
    ),
    mistakes=(
        Mistake(
            "the maximum instead of the sum",
            "This is the score of the best sequence. The others have a share of the probability too.",
            model=lambda *a: _forward(*a, over=torch.amax, last=torch.amax),
        ),
        Mistake(
            "the maximum in the last step",
            "The beginnings are summed, but at the end only the best last tag counts.",
            model=lambda *a: _forward(*a, last=torch.amax),
        ),
        Mistake(
            "the maximum until the last step",
            "Only the last step sums. All beginnings count, not only the best.",
            model=lambda *a: _forward(*a, over=torch.amax),
        ),
        Mistake(
            "each word is summed alone",
            "The transitions change nothing. This is the normaliser of a softmax per word.",
            model=lambda e, t, start, end: e.logsumexp(dim=1).sum(),
        ),
        Mistake(
            "the transitions are turned round",
            "A row of the table is the tag before, a column the tag after. Along which axis is the sum?",
            model=lambda e, t, start, end: log_partition(e, t.T, start, end),
        ),
        Mistake(
            "start and end are missing",
            "The first and the last tag have scores of their own.",
            model=lambda e, t, start, end: log_partition(e, t, start * 0, end * 0),
        ),
        Mistake(
            "start is missing",
            "The first tag has a score of its own.",
            model=lambda e, t, start, end: log_partition(e, t, start * 0, end),
        ),
        Mistake(
            "end is missing",
            "The last tag has a score of its own.",
            model=lambda e, t, start, end: log_partition(e, t, start, end * 0),
        ),
        Mistake(
            "the emission is given to the tag before",
            "A word's emission belongs to the tag of that word, the one the step leads to.",
            model=_emission_at_from,
        ),
        Mistake(
            "plain sums of logarithms",
            "Scores are added up as they are. What should be added up is their exponentials.",
            model=lambda *a: _forward(*a, over=torch.sum, last=torch.sum),
        ),
        Mistake(
            "the exponential overflows",
            "For large scores `exp` is infinite, or rounds to 0 where a logarithm follows. Stay with logarithms.",
            seen=lambda got, *_: not math.isfinite(got),
        ),
    ),
)
