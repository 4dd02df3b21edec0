"""Is a review positive or negative? Each word and word pair of it has one vote: the yardstick of neural classifiers.

The score of a text is a bias plus the weights of its terms, each counted once; its sigmoid is the probability of the
second label. So the score can be taken apart: `votes` says what each term adds.
Source: Wang & Manning 2012, "Baselines and Bigrams: Simple, Good Sentiment and Topic Classification" (ACL), section 2:
presence of words and pairs, weighted by their log-count ratio. course/recipes/reviews.py learns the weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from course_lib.checkpoints import opened, save_checkpoint
from course_lib.data.records import listed
from course_lib.text.words import as_text

KIND = "review-words"
TERMS = "terms.txt"
_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)  # in reviews of the web a line end
_WORD = re.compile(r"\w+(?:'\w+)*|[!?]")  # "don't" stays whole; ! and ? are words too


def terms_of(text: str) -> list[str]:
    """The different words and pairs of neighbouring words, in lower case, in order of their first place."""
    words = _WORD.findall(_TAG.sub(" ", text).lower().replace("’", "'"))
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    return list(dict.fromkeys([*words, *pairs]))


class ReviewWords:
    """Two labels for texts. A term that is not in the table counts for nothing.

    terms    words and word pairs, as `terms_of` gives them
    weights  in nats (log odds): above 0 where a term speaks for the second label
    bias     score of a text without any known term
    labels   (label of scores below 0, label of scores from 0 on)
    """

    def __init__(self, terms: Sequence[str], weights: Float[np.ndarray, " term"], bias: float, labels: Sequence[str]):
        self.terms, self.labels, self.bias = tuple(terms), tuple(map(str, labels)), float(bias)
        self.weights = dict(zip(self.terms, weights.tolist(), strict=True))
        assert len(self.labels) == 2
        assert len(self.weights) == len(self.terms), "each term once"

    def votes(self, text: Any, name: str = "The text") -> dict[str, float]:
        """The known terms of a text and their weights. Empty: the text says nothing to this classifier."""
        return {term: self.weights[term] for term in terms_of(as_text(text, name)) if term in self.weights}

    def scores(self, texts: Iterable[Any]) -> Float[np.ndarray, " text"]:
        """Log odds of the second label."""
        texts = listed(texts, "ReviewWords", "texts")
        return np.array([self.bias + sum(self.votes(text, f"Text {n}").values()) for n, text in enumerate(texts)])

    def predict(self, texts: Iterable[Any]) -> list[str]:
        """The more probable label of each text, in input order; a text without a known term gets that of the bias."""
        return [self.labels[int(score >= 0)] for score in self.scores(texts)]

    # -- files --------------------------------------------------------------------------------------------------------
    def save(self, folder: str | Path) -> None:
        """Write a checkpoint: terms as text, one a line, the weights as float16."""
        config, terms = {"labels": self.labels, "bias": self.bias}, "".join(f"{term}\n" for term in self.terms)
        tensors = {"weights": torch.tensor(list(self.weights.values()), dtype=torch.float32)}
        save_checkpoint(folder, kind=KIND, config=config, tensors=tensors, files={TERMS: terms}, half=True)

    @classmethod
    def load(cls, folder: str | Path) -> ReviewWords:
        """Read what `save` wrote."""
        with opened(folder, KIND, "classifier of reviews") as checkpoint:
            terms = checkpoint.files[TERMS].split("\n")[:-1]
            config = checkpoint.config
            return cls(terms, checkpoint.tensors["weights"].numpy(), config["bias"], config["labels"])
