"""Exercise 1.6: a - b + c. Source: Mikolov, Yih & Zweig 2013, NAACL, "Linguistic Regularities", section 4."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe, several_ways


def analogy(vectors: torch.Tensor, a: int, b: int, c: int) -> int:
    """The id of the word nearest by cosine to a - b + c (each of length 1), a, b, c left out. vectors [word, dim]"""
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = unit @ (unit[a] - unit[b] + unit[c])
    cosine[[a, b, c]] = -torch.inf
    return int(cosine.argmax())


def _unit(vectors):
    return vectors / vectors.norm(dim=1, keepdim=True)


def _nearest(table, target, excluded):
    scores = table @ target
    scores[list(excluded)] = -torch.inf
    return int(scores.argmax())


_VECTORS = torch.tensor(
    [[-4.0, -7, 1], [0, 8, 4], [8, 12, 16], [0, 0, 6], [1, -1, -9], [5, 7, 3], [4, 10, 14], [3, 0, 7]]
)
EXERCISE = Exercise(
    id="1.6",
    title="a - b + c",
    difficulty=3,
    importance=3,
    minutes=12,
    question="""
        *king* - *man* + *woman* should land near *queen*: what *king* has beyond *man*, added to *woman*. Write the
        function for word ids: bring every vector to length 1, compute $a - b + c$, and return the id of the word with
        the highest cosine to it. As in published scores, the three words asked with are left out of the search.
        Before you run it: if you left them in, which word would most often win?
    """,
    solution=analogy,
    why="The length of the sum does not change the order of cosines, so it need not be divided away. Leaving out the "
    "three inputs is not a detail: with them in, c or a often wins, and the impressive examples vanish.",
    hints=(
        "Say the analogy in words: what do you take away from a, and what do you add?",
        "Bring the rows to length 1 before you add them; a long vector would decide the sum alone.",
        "One product of the unit rows with the sum ranks all words. Then give the three inputs a score that "
        "cannot win.",
    ),
    probes=(
        Probe("ids 0 - 1 + 2", (_VECTORS, 0, 1, 2)),
        Probe("ids 3 - 4 + 5", (_VECTORS, 3, 4, 5)),
        Probe("ids 5 - 0 + 1", (_VECTORS, 5, 0, 1)),
        Probe("ids 2 - 6 + 4", (_VECTORS, 2, 6, 4)),
        Probe("ids 7 - 3 + 6", (_VECTORS, 7, 3, 6)),
        Probe("ids 1 - 7 + 0", (_VECTORS, 1, 7, 0)),
    ),
    mistakes=(
        Mistake(
            "the sign is swapped: b - a + c",
            "You go from a to b where the question goes from b to a. Check with king, man, woman.",
            model=lambda v, a, b, c: analogy(v, b, a, c),
        ),
        Mistake(
            "the sign is swapped: a + b - c",
            "The wrong word is taken away. Check with king, man, woman.",
            model=lambda v, a, b, c: analogy(v, a, c, b),
        ),
        Mistake(
            "the inputs are not excluded",
            "The answer is one of the three words asked with, the nearest to itself.",
            model=lambda v, a, b, c: _nearest(_unit(v), _unit(v)[a] - _unit(v)[b] + _unit(v)[c], []),
        ),
        *several_ways(
            "only one input is excluded",
            "Another of the three words asked with can still win.",
            lambda v, a, b, c: _nearest(_unit(v), _unit(v)[a] - _unit(v)[b] + _unit(v)[c], [c]),
            lambda v, a, b, c: _nearest(_unit(v), _unit(v)[a] - _unit(v)[b] + _unit(v)[c], [a]),
        ),
        Mistake(
            "the vectors are not brought to length 1 before the sum",
            "A long vector decides the sum alone. Multiplying one row by 10 should change nothing.",
            model=lambda v, a, b, c: _nearest(_unit(v), v[a] - v[b] + v[c], [a, b, c]),
        ),
        *several_ways(
            "the dot product is not normalised",
            "The words are ranked by a product that grows with their length. Multiplying one row by 10 should "
            "change nothing.",
            lambda v, a, b, c: _nearest(v, v[a] - v[b] + v[c], [a, b, c]),
            lambda v, a, b, c: _nearest(v, _unit(v)[a] - _unit(v)[b] + _unit(v)[c], [a, b, c]),
        ),
        Mistake(
            "the least similar word",
            "The answer points away from the sum. A high cosine means near.",
            model=lambda v, a, b, c: _nearest(-_unit(v), _unit(v)[a] - _unit(v)[b] + _unit(v)[c], [a, b, c]),
        ),
        Mistake(
            "a similarity instead of an id",
            "The result is a cosine. Return which word it belongs to.",
            seen=lambda got, *_: float(got) != int(got),
        ),
    ),
)
