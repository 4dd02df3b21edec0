"""Exercise 3.1: what the two language models of a sentence learn from. Source: Peters et al. 2017, arXiv:1705.00108,
section 2.3."""

from itertools import pairwise

from course_lib.exercises.exercise import Exercise, Mistake, Probe, several_ways


def lm_pairs(words: list[str], boundary: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(forward, backward): pairs (word just read, word to predict), each list in the order of its model's reading."""
    tokens = [boundary, *words, boundary]
    return list(pairwise(tokens)), list(pairwise(tokens[::-1]))


def _each(change):
    """The mistake `change`, made in both lists."""
    return lambda words, boundary: tuple(change(part) for part in lm_pairs(words, boundary))


def _forward(words, boundary):
    return lm_pairs(words, boundary)[0]


EXERCISE = Exercise(
    id="3.1",
    title="Two directions, two targets",
    difficulty=2,
    importance=5,
    minutes=8,
    question="""
        A forward language model reads from left to right and predicts the next word. A backward one reads from right
        to left and predicts the word **before**. Both begin at a boundary word, and end by predicting one: put it on
        both sides of the sentence. List the pairs (word just read, word to predict) of each model, in the order in
        which that model reads.
        Before you run it: how many pairs does a sentence of five words give, per direction?
    """,
    solution=lm_pairs,
    why="The backward model is a forward model of the reversed text, nothing more. Five words give six pairs: the "
    "boundary predicts the first word read, and the last word read predicts the boundary.",
    hints=(
        "Write the sentence on paper with its boundaries. Put a finger on the word read: where is the target?",
        "Add the boundary on both sides first. Then each pair is two neighbours.",
        "Write the forward list. The backward list is the same work on the reversed sentence.",
    ),
    probes=(
        Probe("five different words", (["she", "sat", "by", "the", "river"], "</s>")),
        Probe("a Korean sentence", (["밤새", "눈이", "내렸다"], "</s>")),
        Probe("one word, another boundary", (["stop"], "#")),
    ),
    mistakes=(
        *several_ways(
            "both directions predict the following word",
            "The backward model's targets are the forward model's. Coming from the right, it should guess the word "
            "before.",
            lambda w, b: (_forward(w, b), _forward(w, b)),
            lambda w, b: (_forward(w, b), _forward(w, b)[::-1]),
        ),
        Mistake(
            "a model predicts the word it has just read",
            "A pair holds one word twice. A model that sees its target learns to copy.",
            model=lambda w, b: tuple([(t, t) for t in [b, *w, b][::step]] for step in (1, -1)),
        ),
        Mistake(
            "no boundary at all",
            "The first word read is never a target, and the end is never predicted.",
            model=_each(lambda part: part[1:-1]),
        ),
        Mistake(
            "the end is not predicted",
            "The last pair of each direction is missing: after its last word a model predicts the boundary.",
            model=_each(lambda part: part[:-1]),
        ),
        Mistake(
            "the first word is not predicted",
            "The first pair of each direction is missing: from the boundary a model predicts its first word.",
            model=_each(lambda part: part[1:]),
        ),
        Mistake(
            "a direction lacks a boundary",
            "Only one side has a boundary word. Each model begins at one and ends with one.",
            model=lambda w, b: (lm_pairs(w, b)[0][:-1], lm_pairs(w, b)[1][1:]),
        ),
        Mistake(
            "the order is (target, read)",
            "The word just read comes first in a pair, the word to predict second.",
            model=_each(lambda part: [pair[::-1] for pair in part]),
        ),
        Mistake(
            "forward and backward are exchanged",
            "The first list holds the backward pairs.",
            model=lambda w, b: lm_pairs(w, b)[::-1],
        ),
        Mistake(
            "the backward pairs are in the order of the text",
            "The pairs are right. The backward model meets the last word first: so should its list.",
            model=lambda w, b: (lm_pairs(w, b)[0], lm_pairs(w, b)[1][::-1]),
        ),
    ),
)
