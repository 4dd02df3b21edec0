"""Exercise 1.5: nearest words by cosine."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def neighbours(vectors: torch.Tensor, word: int, k: int) -> list[int]:
    """The ids of the k words nearest to `word` by cosine, nearest first, without itself. vectors [word, dim]"""
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = unit @ unit[word]
    cosine[word] = -torch.inf
    return cosine.topk(k).indices.tolist()


def _cosine(vectors, word, dim=1):
    unit = vectors / vectors.norm(dim=dim, keepdim=True)
    return unit @ unit[word]


def _best(scores, word, k):
    """The k ids with the highest scores, the word left out."""
    return [i for i in scores.argsort(descending=True).tolist() if i != word][:k]


_VECTORS = torch.tensor(
    [[10, 4, -2], [40, 30, 10], [2, 1, -1], [-10, -5, 3], [5, -6, 9], [1, 6, 4], [20, 0, -20]], dtype=torch.float32
)
EXERCISE = Exercise(
    id="1.5",
    title="The nearest words",
    difficulty=2,
    importance=5,
    minutes=10,
    question="""
        Two vectors are alike when they point the same way, however long they are: that is the **cosine**. Write the
        function that returns the ids of the `k` words nearest to a word, nearest first, the word itself left out.
        Before you run it: which word would be first if you forgot to leave it out?
    """,
    solution=neighbours,
    why="Rows are brought to length 1 once, so one product gives all cosines. Lengths differ: in the shipped "
    "vectors the commonest words have the shortest rows. Without the division words with long rows, many of them rare, "
    "move up the lists.",
    hints=(
        "The cosine is the dot product of two vectors of length 1. How do you bring all rows to length 1 at once?",
        "`norm` with dim=1 and keepdim=True gives one length per row. One matrix product then gives all cosines.",
        "Before you take the k highest, give the word itself a score that can never win.",
    ),
    probes=(
        Probe("vectors of different lengths", (_VECTORS, 0, 3)),
        Probe("another word", (_VECTORS, 4, 4)),
        Probe("the nearest one only", (_VECTORS, 1, 1)),
        Probe("all other words", (_VECTORS, 2, 6)),
    ),
    mistakes=(
        Mistake(
            "the dot product is not normalised",
            "A long vector moves up the list although it points elsewhere. Multiplying a row by 10 should change "
            "nothing.",
            model=lambda v, w, k: _best(v @ v[w], w, k),
        ),
        Mistake(
            "the word itself is in the list",
            "A word is always nearest to itself, which says nothing. Leave it out.",
            model=lambda v, w, k: _cosine(v, w).argsort(descending=True)[:k].tolist(),
        ),
        Mistake(
            "one neighbour too few",
            "The word itself was left out after the cut to k, so k - 1 remain.",
            model=lambda v, w, k: _cosine(v, w).argsort(descending=True)[1:k].tolist(),
        ),
        Mistake(
            "the furthest words",
            "The list begins with the least similar words. A high cosine means near.",
            model=lambda v, w, k: _best(-_cosine(v, w), w, k),
        ),
        Mistake(
            "the furthest words",
            "The list holds the right words in the wrong order: nearest first.",
            seen=lambda got, expected, *_: list(got) == expected[::-1],
        ),
        Mistake(
            "Euclidean distance",
            "These are the nearest points, which depends on the vectors' lengths. The question asks for directions.",
            model=lambda v, w, k: _best(-(v - v[w]).norm(dim=1), w, k),
        ),
        Mistake(
            "normalised along the wrong axis",
            "Each column was brought to length 1, not each row. A word is a row.",
            model=lambda v, w, k: _best(_cosine(v, w, dim=0), w, k),
        ),
        Mistake(
            "the sign of the cosine is lost",
            "A word that points the opposite way is in the list as if it were near.",
            model=lambda v, w, k: _best(_cosine(v, w).abs(), w, k),
        ),
        Mistake(
            "similarities instead of ids",
            "The result holds the cosines. Return which words they belong to.",
            seen=lambda got, *_: any(float(g) != int(g) for g in got),
        ),
    ),
)
