"""What several chapters measure against: the baselines and controls that lack the cause."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.data.records import SenseExample
from course_lib.models.skip_gram import WordVectors


def window_mean(vectors: WordVectors, example: SenseExample, reach: int = 5) -> Float[Tensor, " dim"]:
    """The mean vector of the words around an occurrence, without itself; zeros if none is known."""
    words = example.sentence.words
    around = range(max(0, example.position - reach), min(len(words), example.position + reach + 1))
    rows = [vectors[words[i].lower()] for i in around if i != example.position and words[i].lower() in vectors]
    return torch.stack(rows).mean(0) if rows else torch.zeros(vectors.vectors.shape[1])
