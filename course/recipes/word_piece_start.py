"""A start that breaks the plateau of masked language modelling in minutes instead of hours.

From random numbers a small network first learns how frequent each piece is, and stays there for long: to use a
neighbour it must know what pieces mean, and to learn that it must use neighbours. Both are given to it here, neither is
in Devlin et al. 2018: a table of pieces that skip-gram has learned, and a first layer that hands on what it attends to.
Alone each does little. Where objectives are compared, all networks start alike: with this, or all without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import torch
from jaxtyping import Float, Int
from safetensors.torch import load_file, save
from torch import Tensor, nn

from course.recipes.piece_text import PieceText
from course_lib.files import atomic_file, lock
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.text.word_pieces import WordPieces

STD = 0.04  # of the table: with std 0.02 most of the gain is lost
POSITIONS = 0.06  # amplitude of the sinusoids beside it
OUTPUT = 0.8  # of what the first layer attends to is handed on


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
    with lock(path.with_suffix(".lock")):
        if not path.exists():
            with atomic_file(path) as file:
                file.write(save(_train(text, pieces, config, seed)))
    return load_file(path)


def _train(text: PieceText, pieces: WordPieces, config: TableConfig, seed: int) -> dict[str, Tensor]:
    n_sentences = int(torch.searchsorted(text.sentences, config.pieces, right=True)) - 1
    bounds = text.sentences[: n_sentences + 1].tolist()
    names = pieces.tokens(text.ids[: bounds[-1]].tolist())
    sentences = [names[a:b] for a, b in pairwise(bounds)]
    return vectors_for(pieces.vocabulary, sentences, config, STD, seed)


def vectors_for(
    names: Sequence[str], sentences: Sequence[Sequence[str]], config: TableConfig, std: float, seed: int
) -> dict[str, Tensor]:
    """Skip-gram's vectors of `names` as a "table" [name, dim], centred and of this std; "learned": which it met."""
    model = train_skip_gram(
        sentences, SkipGramConfig(dim=config.dim, min_count=1, epochs=config.epochs), seed=seed, device="cpu", threads=1
    )
    rows = torch.tensor([place for place, name in enumerate(names) if name in model.vocabulary])
    order = [model.vocabulary.index[names[row]] for row in rows.tolist()]
    vectors = model.input.weight.detach()[order]
    vectors = vectors - vectors.mean(0)
    table = torch.zeros(len(names), config.dim)
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
