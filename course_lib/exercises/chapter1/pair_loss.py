"""Exercise 1.4: the negative-sampling loss of one pair. Source: Mikolov et al. 2013, arXiv:1310.4546, equation 4."""

import math

import torch
import torch.nn.functional as F

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def pair_loss(
    inputs: torch.Tensor, outputs: torch.Tensor, centre: int, context: int, negatives: list[int]
) -> torch.Tensor:
    """Negative-sampling loss of one pair, in nats. inputs, outputs [word, dim]: the two tables; the rest: word ids."""
    vector = inputs[centre]
    positive = F.logsigmoid(outputs[context] @ vector)
    negative = F.logsigmoid(-outputs[negatives] @ vector).sum()
    return -(positive + negative)


def _loss(inputs, outputs, centre, context, negatives, *, sign=-1, log=F.logsigmoid, reduce=torch.sum, whole=-1):
    vector = inputs[centre]
    return whole * (log(outputs[context] @ vector) + reduce(log(sign * (outputs[negatives] @ vector))))


def _softmax_loss(inputs, outputs, centre, context, negatives):
    return -F.log_softmax(outputs[[context, *negatives]] @ inputs[centre], dim=0)[0]


def _against_context(inputs, outputs, centre, context, negatives):
    vector = outputs[context]
    return -F.logsigmoid(vector @ inputs[centre]) - F.logsigmoid(-outputs[negatives] @ vector).sum()


def _tables(scale=1.0):
    """Two fixed tables [5, 3] with nothing special about them."""
    inputs = torch.tensor([[0.5, -0.2, 0.1], [0.3, 0.8, -0.5], [-0.6, 0.4, 0.9], [0.2, -0.7, 0.3], [0.9, 0.1, -0.4]])
    outputs = torch.tensor([[0.1, 0.6, -0.3], [-0.4, 0.2, 0.7], [0.8, -0.5, 0.2], [0.3, 0.3, -0.9], [-0.2, 0.7, 0.5]])
    return inputs * scale, outputs * scale


EXERCISE = Exercise(
    id="1.4",
    title="The loss of one pair",
    difficulty=3,
    importance=5,
    minutes=12,
    question="""
        Skip-gram with negative sampling asks one yes-or-no question per word: is this a true context of the centre?
        With $v$ the centre's row of the input table and $u$ rows of the output table, the loss of a pair is
        $-\\log\\sigma(u_{context} \\cdot v) - \\sum_{k} \\log\\sigma(-u_{k} \\cdot v)$ over the negatives $k$.
        Write it in PyTorch, with no loop. It must stay finite for large scores too.
    """,
    solution=pair_loss,
    why="Yes for the context, no for each negative: the minus inside the second sigmoid is that no. `logsigmoid` "
    "computes "
    "the logarithm without forming a sigmoid that rounds to 0. Two tables, because a word is rarely its own neighbour: "
    "with one table, the score of a word with itself could never be negative.",
    hints=(
        "Which rows come from the input table, and which from the output table? Only one row is from the first.",
        "Index the output table with the whole list of negatives: one product with the centre's vector gives all "
        "scores.",
        "Scores of the negatives change their sign before the log-sigmoid, and are summed after it. PyTorch has a "
        "log-sigmoid in torch.nn.functional that does not overflow.",
    ),
    probes=(
        Probe("three negatives", (*_tables(), 1, 4, [0, 2, 3])),
        Probe("another centre, a negative drawn twice", (*_tables(2.0), 2, 3, [1, 1, 0, 4])),
        Probe("one negative", (*_tables(3.0), 0, 2, [1])),
        Probe("large scores", (*_tables(30.0), 1, 2, [4, 0])),
    ),
    mistakes=(
        Mistake(
            "the negatives have the wrong sign",
            "A high score of a negative should raise the loss, and lowers it. For a negative the right answer is no.",
            model=lambda *a: _loss(*a, sign=1),
        ),
        Mistake(
            "the mean over the negatives",
            "Each negative asks a question of its own. With five negatives they should count five times.",
            model=lambda *a: _loss(*a, reduce=torch.mean),
        ),
        Mistake(
            "the sigmoid is applied twice",
            "The loss of a pair cannot fall near 0 whatever the scores: something squeezes them into 0..1 before "
            "the log-sigmoid.",
            model=lambda *a: _loss(*a, log=lambda x: F.logsigmoid(x.sigmoid())),
        ),
        Mistake(
            "one table for both",
            "The context's and the negatives' rows come from the input table. A word has two vectors: one as "
            "centre, one as context.",
            model=lambda inputs, outputs, *a: _loss(inputs, inputs, *a),
        ),
        Mistake(
            "the tables are swapped",
            "The centre's row comes from the output table. Which table holds the centres?",
            model=lambda inputs, outputs, *a: _loss(outputs, inputs, *a),
        ),
        Mistake(
            "a softmax over the drawn words",
            "The words compete for one probability here. Negative sampling asks about each word apart: sigmoids.",
            model=_softmax_loss,
        ),
        Mistake(
            "the sign of the whole loss",
            "The result is never above 0: this is a log-likelihood, which training would have to raise.",
            model=lambda *a: _loss(*a, whole=1),
        ),
        Mistake(
            "the logarithm is missing",
            "These are probabilities; the loss adds their logarithms.",
            model=lambda *a: _loss(*a, log=torch.sigmoid),
        ),
        Mistake(
            "the negatives are left out",
            "The result does not depend on the negatives. Then all scores could simply grow for ever.",
            model=lambda *a: _loss(*a[:-1], []),
        ),
        Mistake(
            "the negatives are compared with the context",
            "The question is whether a negative is a context of the centre; your scores leave the centre out.",
            model=_against_context,
        ),
        Mistake(
            "the logarithm of a sigmoid that became 0",
            "For large scores the sigmoid rounds to 0 and its logarithm is infinite. Compute both in one step.",
            seen=lambda got, *_: not math.isfinite(got),
        ),
    ),
)
