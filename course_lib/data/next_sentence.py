"""Pairs for next-sentence prediction: does the second sentence follow the first?

Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1, task 2: half of the seconds are the true next sentence, half
are drawn from elsewhere. Drawn from another document they can be told by topic alone; from the same topic they cannot.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from course_lib.errors import CourseError

NEGATIVES = ("other document", "same topic")


class NextPair(NamedTuple):
    """Places (document, sentence) of the two, and whether the second really follows."""

    first: tuple[int, int]
    second: tuple[int, int]
    is_next: bool


class NextSentencePairs:
    """`NextSentencePairs(documents)` gives a pair for every sentence that has a next one, half of them true.

    documents  sequences of sentences (of any kind: only how many, and whether two are equal, is looked at)
    negatives  "other document": the second comes from a document of another topic, if topics are given, else from any
               other; "same topic": from the same document or another of its topic, but never a neighbour of the first
    topics     one per document
    Called with an epoch it gives that epoch's pairs in random order, the same for the same seed.
    """

    def __init__(
        self,
        documents: Sequence[Sequence],
        *,
        negatives: str = "other document",
        topics: Sequence[Hashable] | None = None,
        seed: int = 0,
    ):
        """Raises CourseError for unknown kinds, unequal numbers, and documents that allow no pair or no negative."""
        if negatives not in NEGATIVES:
            raise CourseError(f"NextSentencePairs: negatives={negatives!r}. Use one of: {', '.join(NEGATIVES)}.")
        if topics is not None and len(topics) != len(documents):
            raise CourseError(f"NextSentencePairs: {len(topics)} topics for {len(documents)} documents. Give one each.")
        self.documents, self.negatives, self.seed = documents, negatives, seed
        self.topics = list(range(len(documents))) if topics is None else list(topics)
        self.firsts = [(d, s) for d, document in enumerate(documents) for s in range(len(document) - 1)]
        if not self.firsts:
            raise CourseError(
                "NextSentencePairs: no document has two sentences. Pairs need documents, not single lines."
            )
        every = [(d, s) for d, document in enumerate(documents) for s in range(len(document))]
        self.by_topic: dict[Hashable, list[tuple[int, int]]] = {}
        for place in every:
            self.by_topic.setdefault(self.topics[place[0]], []).append(place)
        self.every = every
        if negatives == "other document" and len(self.by_topic) < 2:
            raise CourseError(
                "NextSentencePairs: all sentences are of one document or topic, so none is from elsewhere."
            )

    def __len__(self) -> int:
        return len(self.firsts)

    def __call__(self, epoch: int = 0) -> Iterator[NextPair]:
        rng = random.Random(self.seed * 1_000_003 + epoch)
        order = list(self.firsts)
        rng.shuffle(order)
        for number, first in enumerate(order):
            true = (first[0], first[1] + 1)
            negative = None if number % 2 == 0 else self._negative(first, true, rng)
            yield NextPair(first, true, True) if negative is None else NextPair(first, negative, False)

    def _negative(self, first: tuple[int, int], true: tuple[int, int], rng: random.Random) -> tuple[int, int] | None:
        """A second that does not follow; None where there is none (a topic of three sentences): the pair stays true."""
        topic, expected = self.topics[first[0]], self.documents[true[0]][true[1]]
        same = self.negatives == "same topic"
        pool = self.by_topic[topic] if same else self.every
        for _ in range(100):
            document, sentence = place = pool[rng.randrange(len(pool))]
            near = document == first[0] and abs(sentence - first[1]) <= 1
            elsewhere = same or self.topics[document] != topic
            if elsewhere and not near and self.documents[document][sentence] != expected:
                return place
        return None
