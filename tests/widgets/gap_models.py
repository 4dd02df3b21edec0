"""Models for `fill_mask` that need no network: what they expect can be worked out by hand."""

from course.widgets.gap_model import UNKNOWN, FillModel

WORDS = ("the", "dog", "cat", "barked", "slept", "un", "##happy", "배")
GIVEN = ("the dog barked", "the [MASK] slept", "the unhappy cat")


def counting(name: str, words: tuple[str, ...] = WORDS) -> FillModel:
    """At place i the word number i is the likeliest: its weight is 64, of the next 32, and so on, round the list.

    Two gaps beside each other: both turn one word further for each other gap.
    """

    def tokenize(text):
        cut = {"unhappy": ["un", "##happy"]}
        return [token for word in text.split() for token in cut.get(word, [word if word in words else UNKNOWN])]

    def fill(tokens, masked, k):
        weights = [2.0 ** (6 - rank) for rank in range(len(words))]
        first = [place + len(masked) - 1 for place in masked]
        order = [[words[(start + rank) % len(words)] for rank in range(len(words))] for start in first]
        return [[(word, w / sum(weights)) for word, w in zip(row, weights, strict=True)][:k] for row in order]

    return FillModel(name, tokenize, fill)
