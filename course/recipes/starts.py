"""Where networks start: with what skip-gram knows of words or pieces before the first sentence is read.

For masked language models it breaks a plateau in minutes instead of hours. From random numbers a small network first
learns how frequent each piece is, and stays there for long: to use a neighbour it must know what pieces mean, and to
learn that it must use neighbours. Both are given to it here, neither is in Devlin et al. 2018: a table of pieces that
skip-gram has learned, and a first layer that hands on what it attends to. Alone each does little. Where objectives are
compared, all networks start alike: with this, or all without.

A language model that reads characters first imitates skip-gram's vectors, so that words of one kind stand together, and
its softmax begins with the same vectors: to predict a word is then to come near its kind. A language model with a table
of words begins with skip-gram's vectors in it, which its tied softmax shares.
Source: Pinter, Guthrie & Eisenstein 2017, arXiv:1707.06961, section 3 (squared distance to known vectors, from
characters). ELMo began with random numbers, from a text a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from safetensors.torch import load_file, save
from torch import Tensor, nn

from course.recipes.texts import PieceText, made_once
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.lstm_lm import CharacterWords
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.models.word_softmax import AdaptiveSoftmax
from course_lib.text.word_pieces import WordPieces
from course_lib.training import fit
from course_lib.training.schedules import cosine

STD = 0.04  # of the table of pieces: with std 0.02 most of the gain is lost
POSITIONS = 0.06  # amplitude of the sinusoids beside it
OUTPUT = 0.8  # of what the first layer attends to is handed on
READ_STD, PREDICTED_STD = 0.5, 0.1  # of the vectors that characters imitate, and of the softmax's rows


@dataclass(frozen=True)
class TableConfig:
    """Skip-gram over pieces. pieces: so many of the text, from its beginning."""

    pieces: int = 8_000_000
    epochs: int = 2
    dim: int = 256


def skip_gram_table(
    path: Path, text: PieceText, pieces: WordPieces, config: TableConfig, *, seed: int
) -> dict[str, Tensor]:
    """The table [vocab, dim], centred and of std 0.04, and which rows are "learned"; kept in the file `path`.

    Rows that are not learned (specials, pieces that the text does not hold) are 0.
    """

    def make() -> bytes:
        n_sentences = int(torch.searchsorted(text.sentences, config.pieces, right=True)) - 1
        bounds = text.sentences[: n_sentences + 1].tolist()
        names = pieces.tokens(text.ids[: bounds[-1]].tolist())
        sentences = [names[a:b] for a, b in pairwise(bounds)]
        return save(_vectors(pieces.vocabulary, sentences, config.epochs, config.dim, STD, seed))

    return load_file(made_once(path, make))


def _vectors(
    names: Sequence[str], sentences: Sequence[Sequence[str]], epochs: int, dim: int, std: float, seed: int
) -> dict[str, Tensor]:
    """Skip-gram's vectors of `names` as a "table" [name, dim], centred and of this std; "learned": which it met."""
    config = SkipGramConfig(dim=dim, min_count=1, epochs=epochs)
    model = train_skip_gram(sentences, config, seed=seed, device="cpu", threads=1)
    rows = torch.tensor([place for place, name in enumerate(names) if name in model.vocabulary])
    order = [model.vocabulary.index[names[row]] for row in rows.tolist()]
    vectors = model.input.weight.detach()[order]
    vectors = vectors - vectors.mean(0)
    table = torch.zeros(len(names), dim)
    table[rows] = std * vectors / vectors.std()
    learned = torch.zeros(len(names), dtype=torch.bool)
    learned[rows] = True
    return {"table": table, "learned": learned}


def log_frequencies(text: PieceText, size: int) -> Float[Tensor, " vocab"]:
    """log of each piece's share of the text; a piece that the text does not hold counts once.

    As bias of an output layer they make its first answers the frequencies, which need not be learned then.
    """
    counts = torch.bincount(text.ids.long(), minlength=size).clamp(min=1).float()
    return (counts / counts.sum()).log()


@torch.no_grad()
def start_table(embedding: nn.Embedding, start: dict[str, Tensor]) -> None:
    """Put the learned rows into an embedding; the others stay as they are."""
    learned: Int[Tensor, " learned"] = start["learned"].nonzero().squeeze(1)
    embedding.weight[learned] = start["table"][learned]


@torch.no_grad()
def start_copying(attention: MultiHeadAttention) -> None:
    """Attend to what is like oneself, and hand it on. For the first layer only: in all layers it does harm."""
    for linear, factor in [(attention.query, 1), (attention.key, 1), (attention.value, 1), (attention.output, OUTPUT)]:
        linear.weight += factor * torch.eye(len(linear.weight))


@dataclass(frozen=True)
class Reading:
    """How much skip-gram reads of a text of words before a language model starts."""

    words: int = 20_000_000
    epochs: int = 2


@dataclass(frozen=True)
class Imitation(Reading):
    """steps, batch_size: of the imitation."""

    steps: int = 3_000
    batch_size: int = 512


def word_vectors(
    path: Path,
    sentences: Iterable[Sequence[str]],
    names: Sequence[str],
    dim: int,
    std: float,
    config: Reading,
    seed: int,
) -> dict[str, Tensor]:
    """Skip-gram's "table" [name, dim], from the first sentences, and which rows are "learned"; kept in `path`."""

    def make() -> bytes:
        read, n_words = [], 0
        for sentence in sentences:
            read.append(sentence)
            n_words += len(sentence)
            if n_words >= config.words:
                break
        return save(_vectors(names, read, config.epochs, dim, std, seed))

    return load_file(made_once(path, make))


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
