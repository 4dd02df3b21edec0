"""Exercise 1.3: subsampling of frequent words. Source: Mikolov et al. 2013, arXiv:1310.4546, section 2.3."""

import math

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def drop_probability(counts: dict[str, int], threshold: float) -> dict[str, float]:
    """For each word, the probability that subsampling drops one occurrence of it. counts: of the whole text."""
    total = sum(counts.values())
    return {word: max(0.0, 1 - math.sqrt(threshold * total / count)) for word, count in counts.items()}


def _over_frequency(counts, drop):
    total = sum(counts.values())
    return {word: drop(count / total) for word, count in counts.items()}


EXERCISE = Exercise(
    id="1.3",
    title="What subsampling drops",
    difficulty=2,
    importance=4,
    minutes=8,
    question="""
        "the" is everywhere and says little. Before training, word2vec drops each occurrence of a word with frequency
        $f$ (its share of all words of the text) with probability $1 - \\sqrt{t / f}$, where $t$ is a small threshold;
        rare words are never dropped. Write the function for a dictionary of counts.
        Before you run it: with $t = 10^{-4}$, how many of 100 occurrences of a word with $f = 0.1$ remain?
    """,
    solution=drop_probability,
    why="With t = 1e-4 and f = 0.1 the value is 0.968: about 97 of 100 occurrences are dropped and 3 remain. Below the "
    "threshold the formula is negative, so it is cut at 0: rare words stay.",
    hints=(
        "The formula asks for a frequency, and you are given counts. What turns one into the other?",
        "Put two words into the formula, one frequent and one rare. Which of the two results is no probability?",
        "Frequency is count over the total of all counts. A word with a frequency below the threshold must come "
        "out as 0.",
    ),
    probes=(
        Probe("a frequent and a rare word", ({"the": 900, "bank": 90, "배": 10}, 0.04)),
        Probe("the case of the question: f = 0.1, t = 0.0001", ({"the": 100_000, "other": 900_000}, 1e-4)),
        Probe("a word just at the threshold", ({"a": 1, "b": 3}, 0.25)),
    ),
    mistakes=(
        Mistake(
            "keep and drop are swapped",
            "This is the probability to keep an occurrence. The word of the question comes out near 0.03, as if hardly "
            "any occurrence were dropped.",
            model=lambda c, t: _over_frequency(c, lambda f: min(1.0, math.sqrt(t / f))),
        ),
        Mistake(
            "keep and drop are swapped",
            "This is the probability to keep an occurrence, and for rare words it is above 1.",
            model=lambda c, t: _over_frequency(c, lambda f: math.sqrt(t / f)),
        ),
        Mistake(
            "negative probabilities",
            "For a word rarer than the threshold the result is below 0, which is no probability.",
            model=lambda c, t: _over_frequency(c, lambda f: 1 - math.sqrt(t / f)),
        ),
        Mistake(
            "counts instead of frequencies",
            "The result changes when the text is doubled. The formula wants a share of the text, not a count.",
            model=lambda c, t: {word: max(0.0, 1 - math.sqrt(t / n)) for word, n in c.items()},
        ),
        Mistake(
            "divides by the vocabulary size",
            "A word's frequency is its share of all words of the text, not its count per vocabulary entry.",
            model=lambda c, t: {word: max(0.0, 1 - math.sqrt(t * len(c) / n)) for word, n in c.items()},
        ),
        Mistake(
            "the square root is missing",
            "Frequent words are dropped too often: compare your formula with the question's.",
            model=lambda c, t: _over_frequency(c, lambda f: max(0.0, 1 - t / f)),
        ),
        Mistake(
            "the fraction is upside down",
            "Rare words are dropped and frequent ones stay. Which of the two should stand below the line?",
            model=lambda c, t: _over_frequency(c, lambda f: max(0.0, 1 - math.sqrt(f / t))),
        ),
        Mistake(
            "the formula of the C program",
            "This is what the word2vec program and gensim compute; they keep a little more than the paper's formula, "
            "which the question asks for.",
            model=lambda c, t: _over_frequency(c, lambda f: max(0.0, 1 - math.sqrt(t / f) - t / f)),
        ),
    ),
)
