"""The two encoders everything else is compared with: one vector per word, and an untrained network."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.checkpoints import Checkpoint
from course_lib.data.batch import Batch, pad, word_batch
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.files import compact_json
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.fast import run_lstm
from course_lib.models.word_vectors import WordVectors

PADDING, UNKNOWN = 0, 1


def masked_mean(
    hidden: Float[Tensor, "batch unit dim"], mask: Bool[Tensor, "batch unit"]
) -> Float[Tensor, "batch dim"]:
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


class StaticVectors(ContextEncoder):
    """A table: a word's vector is the same in every sentence. One layer, the word itself.

    A word that the table lacks is looked up in lower case; if that is missing too it gets the one vector of all
    unknown words (at first the mean of the table). Trainable: the table may start a network (chapter 2).
    """

    kind = "static-vectors"
    layer_names = ("word",)

    def __init__(
        self,
        words: Sequence[str],
        vectors: Float[Tensor, "word dim"],
        unknown_rows: Float[Tensor, "unknown dim"] | None = None,
    ):
        """unknown_rows: what stands for unknown words, between the row of padding and those of the words."""
        super().__init__()
        table = WordVectors(words, vectors)  # it says what is wrong with them
        self.words, vectors = table.words, table.vectors
        unknown_rows = vectors.mean(0, keepdim=True) if unknown_rows is None else unknown_rows
        first_rows = torch.cat([torch.zeros(1, vectors.shape[1]), unknown_rows])
        self.first_word = len(first_rows)
        self.index = {word: row for row, word in enumerate(self.words, start=self.first_word)}
        self.embedding = nn.Embedding.from_pretrained(
            torch.cat([first_rows, vectors]), freeze=False, padding_idx=PADDING
        )
        self.dims = (vectors.shape[1],)
        self.sentence_dim = vectors.shape[1]

    @classmethod
    def from_word_vectors(cls, word_vectors: WordVectors) -> StaticVectors:
        return cls(word_vectors.words, word_vectors.vectors)

    def word_vectors(self) -> WordVectors:
        """A copy of the table, to ask for neighbours and analogies."""
        return WordVectors(self.words, self.embedding.weight[self.first_word :])

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> StaticVectors:
        if checkpoint.kind == "word-vectors":
            return cls.from_word_vectors(WordVectors.load(checkpoint.folder)).eval()
        return super().from_checkpoint(checkpoint)

    def row(self, word: str) -> int:
        """The table row of a word: its own, its lower-case form's, or the unknown words'."""
        return self.index.get(word) or self.index.get(word.lower(), UNKNOWN)

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        ids = pad([[self.row(word) for word in sentence.words] for sentence in first])
        return word_batch({"words": ids}, first)

    def _states(self, batch: Batch) -> Encoding:
        hidden = self.embedding(batch.ids["words"])
        return Encoding(hidden[None], batch.mask, batch.segment, masked_mean(hidden, batch.mask))

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return [("word", [self.embedding])]

    def _config(self) -> dict[str, Any]:
        return {"dim": self.dim}

    def _files(self) -> dict[str, str]:
        return {"words.json": compact_json(self.words)}

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> StaticVectors:
        words, settings = json.loads(files["words.json"].read_text(encoding="utf-8")), dict(config)
        return cls(words, torch.zeros(len(words), settings.pop("dim")), **settings)


class RandomEncoder(ContextEncoder):
    """An untrained network, the control of many claims: random word vectors under random bidirectional LSTMs.

    Every word has its own row up to collisions: words are hashed (CRC-32) into `buckets`, so no vocabulary is needed
    and the same seed gives the same vectors on every machine. Each layer reads the concatenated directions below it.
    """

    kind = "random-encoder"

    def __init__(self, dim: int = 64, *, n_layers: int = 2, buckets: int = 16_384, seed: int = 0):
        super().__init__()
        if dim < 2 or dim % 2 or n_layers < 0 or buckets < 1:
            raise CourseError(
                f"RandomEncoder: dim={dim}, n_layers={n_layers}, buckets={buckets}. "
                "Use an even dim (two directions), n_layers >= 0 and buckets >= 1."
            )
        self.config = {"dim": dim, "n_layers": n_layers, "buckets": buckets, "seed": seed}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.embedding = nn.Embedding(buckets + 1, dim, padding_idx=PADDING)
            self.lstms = nn.ModuleList(
                nn.LSTM(dim, dim // 2, batch_first=True, bidirectional=True) for _ in range(n_layers)
            )
        self.layer_names = ("word", *(f"biLSTM {number}" for number in range(1, n_layers + 1)))
        self.dims = (dim,) * (n_layers + 1)
        self.sentence_dim = dim

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        buckets = self.config["buckets"]
        ids = pad([[1 + zlib.crc32(word.encode()) % buckets for word in sentence.words] for sentence in first])
        return word_batch({"words": ids}, first)

    def _states(self, batch: Batch) -> Encoding:
        hidden = self.embedding(batch.ids["words"])
        layers = [hidden]
        for lstm in self.lstms:
            layers.append(run_lstm(lstm, layers[-1], batch.mask)[0])
        rows, half = torch.arange(len(batch), device=hidden.device), self.dim // 2
        last = batch.mask.sum(1) - 1
        top = layers[-1]
        sentence = (
            torch.cat([top[rows, last, :half], top[:, 0, half:]], dim=1)
            if self.lstms
            else masked_mean(hidden, batch.mask)
        )
        return Encoding(torch.stack(layers), batch.mask, batch.segment, sentence)

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return list(zip(self.layer_names, [[self.embedding], *[[lstm] for lstm in self.lstms]], strict=True))

    def _config(self) -> dict[str, Any]:
        return dict(self.config)

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> RandomEncoder:
        return cls(config["dim"], n_layers=config["n_layers"], buckets=config["buckets"], seed=config["seed"])
