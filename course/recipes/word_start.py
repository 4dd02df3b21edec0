"""A start for a language model that reads characters: its words first take the places that skip-gram gives them.

The character network imitates skip-gram's vectors, so that words of one kind stand together before the first sentence
is read, and the softmax begins with the same vectors: to predict a word is then to come near its kind.
Source: Pinter, Guthrie & Eisenstein 2017, arXiv:1707.06961, section 3 (squared distance to known vectors, from
characters). ELMo began with random numbers, from a text a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Int
from safetensors.torch import load_file, save
from torch import Tensor, nn

from course.recipes.word_piece_start import TableConfig, vectors_for
from course_lib.files import atomic_file, lock
from course_lib.models.lstm_lm import CharacterWords
from course_lib.models.word_softmax import AdaptiveSoftmax
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit
from course_lib.training.schedules import cosine

READ_STD, PREDICTED_STD = 0.5, 0.1  # of the vectors that are imitated, and of the softmax's rows


@dataclass(frozen=True)
class Imitation:
    """words: skip-gram reads so many; steps, batch_size: of the imitation."""

    words: int = 20_000_000
    epochs: int = 2
    steps: int = 3_000
    batch_size: int = 512


def word_vectors(
    path: Path, documents: list[Tensor], vocabulary: Vocabulary, boundary: int, dim: int, config: Imitation, seed: int
) -> dict[str, Tensor]:
    """Skip-gram's "table" [vocab, dim] and which rows are "learned", from documents drawn; kept in the file `path`."""
    with lock(path.with_suffix(".lock")):
        if not path.exists():
            sentences, n_words = [], 0
            for document in Random(seed).sample(documents, len(documents)):
                ends = [-1, *(document == boundary).nonzero().squeeze(1).tolist()]
                words = [vocabulary.words[i] for i in document.tolist()]
                sentences += [words[a + 1 : b] for a, b in pairwise(ends)]
                n_words += len(words)
                if n_words >= config.words:
                    break
            found = vectors_for(vocabulary.words, sentences, TableConfig(0, config.epochs, dim), READ_STD, seed)
            found["learned"][[vocabulary.index[vocabulary.unknown], boundary]] = False
            with atomic_file(path) as file:
                file.write(save(found))
    return load_file(path)


class Imitator(nn.Module):
    """What `fit` trains: the squared distance between the characters' vector of a word and skip-gram's."""

    def __init__(self, token: CharacterWords, table: Tensor):
        super().__init__()
        self.token = token
        self.register_buffer("target", table, persistent=False)

    def loss(self, ids: Int[Tensor, " word"]) -> dict[str, Any]:
        return {"loss": F.mse_loss(self.token(ids), self.target[ids]) / READ_STD**2, "count": len(ids)}


def imitate(
    token: CharacterWords, start: dict[str, Tensor], counts: tuple[int, ...], config: Imitation, folder: Path, seed: int
) -> None:
    """Train `token` to give the learned rows of the table; frequent words are met more often. Kept in `folder`."""
    often = torch.tensor(counts, dtype=torch.float64).sqrt() * start["learned"]

    def batches(epoch: int) -> Iterator[Int[Tensor, " word"]]:
        generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
        for _ in range(config.steps):
            yield torch.multinomial(often, config.batch_size, replacement=True, generator=generator)

    model = Imitator(token, start["table"])
    fit(model, batches, steps=config.steps, learning_rate=3e-3, schedule=cosine, seed=seed, folder=folder, device="cpu")


@torch.no_grad()
def start_softmax(softmax: AdaptiveSoftmax, start: dict[str, Tensor]) -> None:
    """The rows of the words as skip-gram's vectors; a rarer group's as far as its few dimensions can hold them."""
    groups, table = softmax.groups, start["table"] * PREDICTED_STD / READ_STD
    known = start["learned"][: groups.cutoffs[0]]
    groups.head.weight[: len(known)][known] = table[: len(known)][known]
    for (first, last), (narrow, rows) in zip(pairwise(groups.cutoffs), groups.tail, strict=True):
        left, strengths, right = torch.linalg.svd(table[first:last], full_matrices=False)
        width = min(len(narrow.weight), len(strengths))
        narrow.weight[:width] = right[:width]
        rows.weight[:, :width] = left[:, :width] * strengths[:width]
