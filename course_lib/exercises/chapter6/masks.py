"""Exercise 6.4: the causal mask and padding. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def masked_weights(scores: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """Weights [batch, query, key]: no later word, no padding. scores [batch, query, key]; real [batch, key]: True where
    a word is real. A query that may look at nothing has weights of 0"""
    may = torch.ones_like(scores[0], dtype=torch.bool).tril() & real[:, None, :]
    hidden = scores.masked_fill(~may, torch.finfo(scores.dtype).min)
    return hidden.softmax(dim=-1).masked_fill(~may, 0.0)


def _causal(scores):
    return torch.ones_like(scores, dtype=torch.bool).tril()


def _weights(scores, may):
    """The softmax over what may be seen; 0 where nothing may."""
    return scores.masked_fill(~may, -torch.inf).softmax(-1).nan_to_num(0.0)


def _by(mask):
    return lambda scores, real: _weights(scores, mask(_causal(scores), real))


def _even(scores, real):
    return scores.masked_fill(~(_causal(scores) & real[:, None]), -1e9).softmax(-1)


def _probe(shows, real, step):
    mask = torch.tensor(real, dtype=torch.bool)
    batch, n = mask.shape
    return Probe(shows, (((torch.arange(batch * n * n) * step % 17 - 6.0) / 4).reshape(batch, n, n), mask))


EXERCISE = Exercise(
    id="6.4",
    title="Two masks",
    difficulty=3,
    importance=5,
    minutes=15,
    question="""
        A decoder reads a padded batch. A word may look at itself and at earlier words, **and** only at real ones. Hide
        the rest and take the softmax. Each row is a query and each column a key. Padding is hidden as a key. As
        a query it asks like any other word: nobody reads the answer, so it needs no mask of its own. Padding may also
        stand in front. Then the first queries can look at nothing, and their weights are 0.
        Before you run it: what does a softmax give for a row in which every score is $-\\infty$?
    """,
    solution=masked_weights,
    why="NaN: 0 divided by 0. And NaN does not stay in its row, since every later layer and every gradient reads it. "
    "A very low number instead of minus infinity gives equal weights for such a row, which is no NaN and wrong, too. "
    "So those weights are set to 0 after the softmax.",
    hints=(
        "Make one table of True and False: may this query look at this key? Which condition depends on columns only?",
        "Both conditions must hold. Hidden scores must be so low before the softmax that nothing is left of them.",
        "torch.tril makes the first table. The second needs one more axis: real[:, None]. Fill, softmax, fill again.",
    ),
    probes=(
        _probe("two texts, one of them padded", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], 5),
        _probe("padding in front", [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]], 7),
        _probe("no padding", [[1, 1, 1]], 11),
    ),
    mistakes=(
        Mistake(
            "padding is seen",
            "The causal mask is there, but padding gets weight.",
            model=_by(lambda causal, real: causal),
        ),
        Mistake(
            "later words are seen",
            "Padding is hidden, but a word can look at what comes after it.",
            model=_by(lambda causal, real: real[:, None].expand_as(causal)),
        ),
        Mistake(
            "earlier words are hidden",
            "The causal mask is turned round: a word sees itself and what comes after it.",
            model=_by(lambda causal, real: causal.mT & real[:, None]),
        ),
        Mistake(
            "a word does not see itself",
            "The diagonal is hidden, too. A word may look at itself.",
            model=_by(lambda causal, real: causal & ~causal.mT & real[:, None]),
        ),
        Mistake(
            "rows instead of columns",
            "Padding is hidden as a query and seen as a key. A key is a column.",
            model=_by(lambda causal, real: causal & real[:, :, None]),
        ),
        Mistake(
            "rows and columns",
            "Queries at padding are set to 0, too. Only keys are to be hidden.",
            model=_by(lambda causal, real: causal & real[:, None] & real[:, :, None]),
        ),
        Mistake(
            "one of the two is enough",
            "A later word is seen if it is real. Both conditions must hold.",
            model=_by(lambda causal, real: causal | real[:, None]),
        ),
        Mistake(
            "zeros and ones are added",
            "Each hidden score is only 1 lower than it would be. Nothing is hidden.",
            model=lambda scores, real: (scores + (_causal(scores) & real[:, None]).float()).softmax(-1),
        ),
        Mistake(
            "zeros and ones are multiplied",
            "A hidden score is 0. The softmax gives a score of 0 its weight, and sometimes a large one.",
            model=lambda scores, real: (scores * (_causal(scores) & real[:, None])).softmax(-1),
        ),
        Mistake(
            "hidden after the softmax",
            "The visible weights of a row do not sum to 1: hidden words took part in the division.",
            model=lambda scores, real: scores.softmax(-1) * (_causal(scores) & real[:, None]),
        ),
        Mistake(
            "equal weights where nothing may be seen",
            "A query that may look at nothing looks at everything, padding and later words.",
            model=_even,
        ),
        Mistake(
            "NaN where nothing may be seen",
            "A row of minus infinity alone gives NaN.",
            seen=lambda got, expected, *_: bool(torch.as_tensor(got).isnan().any()),
        ),
    ),
)
