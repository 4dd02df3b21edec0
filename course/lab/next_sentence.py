"""Pairs for next-sentence prediction: does the second sentence follow the first?

Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1, task 2: half of the seconds are the true next sentence, half
are drawn from elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple


class NextPair(NamedTuple):
    """Places (document, sentence) of the two, and whether the second really follows."""

    first: tuple[int, int]
    second: tuple[int, int]
    is_next: bool


class NextSentencePairs:
    """`NextSentencePairs(documents)` gives a pair for every sentence that has a next one, half of them true.

    documents  sequences of sentences (of any kind: only how many, and whether two are equal, is looked at)
    topics     one per document: a false second is of another topic; None: of any other document
    Called with an epoch it gives that epoch's pairs in random order, the same for the same seed.
    """

    def __init__(self, documents: Sequence[Sequence], *, topics: Sequence[Hashable] | None = None, seed: int = 0):
        assert topics is None or len(topics) == len(documents)
        self.documents, self.seed = documents, seed
        self.topics = list(range(len(documents))) if topics is None else list(topics)
        self.firsts = [(d, s) for d, document in enumerate(documents) for s in range(len(document) - 1)]
        self.every = [(d, s) for d, document in enumerate(documents) for s in range(len(document))]
        assert len({self.topics[d] for d, _ in self.every}) > 1, "none is from elsewhere"

    def __call__(self, epoch: int = 0) -> Iterator[NextPair]:
        rng = random.Random(self.seed * 1_000_003 + epoch)
        order = list(self.firsts)
        rng.shuffle(order)
        for number, first in enumerate(order):
            true = (first[0], first[1] + 1)
            negative = None if number % 2 == 0 else self._negative(first, true, rng)
            yield NextPair(first, true, True) if negative is None else NextPair(first, negative, False)

    def _negative(self, first: tuple[int, int], true: tuple[int, int], rng: random.Random) -> tuple[int, int] | None:
        """A second from elsewhere; None where chance finds none: the pair stays true."""
        topic, expected = self.topics[first[0]], self.documents[true[0]][true[1]]
        for _ in range(100):
            document, sentence = place = self.every[rng.randrange(len(self.every))]
            if self.topics[document] != topic and self.documents[document][sentence] != expected:
                return place
        return None
