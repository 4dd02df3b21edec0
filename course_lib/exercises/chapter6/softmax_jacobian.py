"""Exercise 6.2: the derivative of a softmax, which is why scores are scaled. Source: Vaswani et al. 2017,
arXiv:1706.03762, section 3.2.1."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def softmax_jacobian(scores: torch.Tensor) -> torch.Tensor:
    """[weight, score]: how fast weight i grows when score j does, by the formula. scores [n]"""
    weights = scores.softmax(dim=0)
    return torch.diag(weights) - torch.outer(weights, weights)


def _table(diagonal, others):
    """Both from the weights: diagonal [n], others [n, n]."""

    def model(scores):
        y = scores.softmax(0)
        return torch.where(torch.eye(len(y), dtype=torch.bool), diagonal(y)[:, None], others(torch.outer(y, y)))

    return model


def _own(y):
    return y * (1 - y)


EXERCISE = Exercise(
    id="6.2",
    title="What a softmax passes back",
    difficulty=2,
    importance=4,
    minutes=10,
    question="""
        Raise one score a little: each weight of the softmax moves. Write all these derivatives as a table, row $i$ and
        column $j$ for $\\partial y_i / \\partial z_j$:
        $y_i (1 - y_i)$ on the diagonal, $-\\,y_i\\, y_j$ off it. No automatic derivatives: this is what autograd does
        inside.
        Before you run it: what is the sum of each row? And what happens to all entries when one weight is nearly 1?
    """,
    solution=softmax_jacobian,
    why="Each row sums to 0: the same number added to all scores moves nothing. Each column does, too: what one weight "
    "gains, the others lose. With one weight near 1, its own entry has the factor 1 - y, and every other entry has a "
    "weight near 0 as a factor. Nothing is passed back.",
    hints=(
        "Begin with the weights. How many entries does the table have for n scores?",
        "One part of the formula holds for every pair. What comes on top of it where i = j?",
        "A table of all products of two weights is an outer product. A table with the weights on its diagonal is "
        "torch.diag.",
    ),
    probes=(
        Probe("two scores", (torch.tensor([0.3, 0.4]),)),
        Probe("five scores", (torch.tensor([0.5, -1.0, 2.0, 0.0, 1.5]),)),
        Probe("one score far above the others", (torch.tensor([12.0, 0.0, 1.0]),)),
        Probe("1000 added to all scores", (torch.tensor([1000.0, 1001.0, 999.5]),)),
    ),
    mistakes=(
        Mistake(
            "plus off the diagonal",
            "One weight grows and the others grow with it. But the weights sum to 1.",
            model=_table(_own, lambda products: products),
        ),
        Mistake(
            "only the diagonal",
            "Off the diagonal all is 0, as if each weight had its own score only. They share one sum.",
            model=_table(_own, torch.zeros_like),
        ),
        Mistake(
            "the diagonal lacks its second part",
            "The rows do not sum to 0. A weight that grows makes the sum grow that it is divided by.",
            model=_table(lambda y: y, lambda products: -products),
        ),
        Mistake(
            "the diagonal is like the rest",
            "All entries are below 0. A larger score should raise its own weight.",
            model=_table(lambda y: -y * y, lambda products: -products),
        ),
        Mistake(
            "1 - y in every entry",
            "The 1 belongs to the diagonal only.",
            model=lambda scores: torch.outer(scores.softmax(0), 1 - scores.softmax(0)),
        ),
        Mistake(
            "all signs are turned round",
            "A larger score lowers its own weight here.",
            model=lambda scores: -softmax_jacobian(scores),
        ),
        Mistake(
            "the derivative of a sigmoid",
            "Each score is treated alone. A softmax compares scores with one another.",
            model=lambda scores: torch.diag(scores.sigmoid() * (1 - scores.sigmoid())),
        ),
        Mistake(
            "the scores instead of the weights",
            "The formula is filled with the scores. Its y are what the softmax gives.",
            model=lambda scores: torch.diag(scores) - torch.outer(scores, scores),
        ),
        Mistake(
            "only n numbers",
            "There is one number for each weight. Asked is one for each weight and each score.",
            seen=lambda got, expected, scores: torch.as_tensor(got).shape == scores.shape,
        ),
        Mistake(
            "large scores overflow",
            "e to the power of 1000 is infinite. Subtract the largest score first, or let torch do it.",
            seen=lambda got, expected, scores: bool(torch.as_tensor(got).isnan().any()),
        ),
    ),
)
