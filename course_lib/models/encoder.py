"""The one interface of the course: everything that turns words into vectors in context is a ContextEncoder.

Seven generations of word representation implement it, so every experiment is written once and runs on all of them.
Below it stand the two that everything else is compared with: one vector per word, and an untrained network.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.checkpoints import Checkpoint, load_weights, rebuilding, save_checkpoint
from course_lib.data.batch import Batch, join_sides, pad, word_batch
from course_lib.data.bucketing import by_length
from course_lib.data.records import Sentence, checked_sentences
from course_lib.data.windows import windows as cut_text
from course_lib.errors import CourseError
from course_lib.files import compact_json
from course_lib.language import key, t
from course_lib.models.fast import run_lstm
from course_lib.models.layer_groups import LayerGroups
from course_lib.models.word_vectors import WordVectors
from course_lib.text.words import visible

Sentences = Any  # an iterable of Sentence, raw texts or lists of words; `listed` and `Sentence.of` say what is none
UNITS = ("word", "piece")
PADDING, UNKNOWN, FIRST_WORD = 0, 1, 2  # rows of a table of words


@dataclass
class Encoding:
    """What an encoder says of a batch. Of pairs that are read apart, `sentence` is the mean of the two sides."""

    layers: Float[Tensor, "layer batch unit dim"]  # narrow layers are filled up with zeros on the right
    mask: Bool[Tensor, "batch unit"]
    segment: Int[Tensor, "batch unit"]
    sentence: Float[Tensor, "batch sentence_dim"]


class ContextEncoder(LayerGroups, ABC):
    """Words in, one vector per word and layer out. A subclass sets the attributes and writes the methods below them."""

    kind: str  # as a checkpoint names it
    layer_names: tuple[str, ...]  # input to output; layer 0 depends on a word (its position, segment), not on others
    dims: tuple[int, ...]  # true width of each layer
    sentence_dim: int
    max_units: int | None = None  # units of the longest row; a config's max_units counts special pieces, too
    reads_pairs: bool = False  # True: one pass over both sentences of a pair; False: each side alone

    @property
    def dim(self) -> int:
        return max(self.dims)

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    # -- what a subclass writes, beside `_groups` ---------------------------------------------------------------------
    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        """Tensors for sentences that are not empty; `second` is given only to encoders that read pairs.

        As it stands here, it is for a table of words: `row(word)` is the row of each.
        """
        return word_batch({"words": pad([[self.row(word) for word in sentence.words] for sentence in first])}, first)

    @abstractmethod
    def _states(self, batch: Batch) -> Encoding:
        """All layers' vectors for what `_batch` made."""

    def _config(self) -> dict[str, Any]:
        """What `_build` needs beside the files."""
        return asdict(self.config)

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> ContextEncoder:
        """An encoder of this shape; its weights are loaded afterwards. One that only computes can do without."""
        raise CourseError(f"{cls.__name__} does not say how it is built: write its _build(config, files).")

    def _files(self) -> dict[str, str]:
        """Texts that are stored with the weights: vocabularies, tokenisers."""
        return self.pieces.files() if hasattr(self, "pieces") else {}

    # -- the contract -------------------------------------------------------------------------------------------------
    def batch(self, sentences: Sentences, second: Sentences | None = None, *, unit: str = "word") -> Batch:
        """Tensors on the CPU for sentences (Sentence, raw text or lists of words), or for pairs with `second`.

        unit "piece" gives sub-words where the model has them. Raises CourseError if there is no sentence, an empty
        one, one longer than `max_units` (nothing is cut silently), or not as many seconds as firsts.
        """
        if unit not in UNITS:
            raise CourseError(f"{type(self).__name__}.batch: unit={unit!r}. Use one of: {', '.join(UNITS)}.")
        firsts = self._checked(sentences)
        if second is None:
            return self._batch(firsts, None, unit)
        seconds = self._checked(second)
        if len(firsts) != len(seconds):
            raise CourseError(
                f"{type(self).__name__}.batch: {len(firsts)} first sentences but {len(seconds)} second ones. "
                "A pair needs one of each."
            )
        if self.reads_pairs:
            return self._batch(firsts, seconds, unit)
        return join_sides(self._batch(firsts, None, unit), self._batch(seconds, None, unit))

    def sizes(self, sentence: Sentence) -> list[int]:
        """How many of `max_units` each word takes: its pieces where the model has them, else 1."""
        pieces = getattr(self, "pieces", None)
        return [1] * len(sentence) if pieces is None else [len(word) for word in pieces.split(sentence.words)]

    def windows(self, text: Sentence | str | Sequence[str]) -> list[Sentence]:
        """The text cut between words into parts that `batch` takes; spans count from each part's first character."""
        sentence = Sentence.of(text)
        return [sentence] if self.max_units is None else cut_text(sentence, self.max_units, self.sizes(sentence))

    def states(self, batch: Batch) -> Encoding:
        """All layers' vectors for a batch, differentiable. [layer, batch, unit, dim]"""
        if batch.sides is None:
            return self._states(batch)
        first, second = (self._states(side) for side in batch.sides)
        placed = [in_its_place(side.layers, batch, number) for number, side in enumerate((first, second))]
        layers = torch.where(batch.segment[..., None] == 0, *placed).masked_fill(~batch.mask[..., None], 0.0)
        return Encoding(layers, batch.mask, batch.segment, (first.sentence + second.sentence) / 2)

    def encode(
        self, sentences: Sentences, *, layer: int | None = None, unit: str = "word", batch_size: int = 32
    ) -> list[np.ndarray]:
        """Vectors for each sentence, in input order, as float32: [layer, unit, dim], or [unit, dim] for one `layer`.

        No gradient, no dropout. Sentences of like length share a batch, so padding costs little.
        """
        records = self._checked(sentences)
        if layer is not None:
            self.check_layer(layer, f"{type(self).__name__}.encode")
        found: list[np.ndarray | None] = [None] * len(records)
        with evaluating(self):
            for rows in by_length([len(record) for record in records], batch_size):
                batch = self.batch([records[i] for i in rows], unit=unit)
                encoding = self.states(batch.to(self.device))
                lengths = batch.mask.sum(1).tolist()
                layers = encoding.layers if layer is None else encoding.layers[layer]
                values = layers.float().cpu().numpy()
                for row, (i, length) in enumerate(zip(rows, lengths, strict=True)):
                    found[i] = values[..., row, :length, :].copy()
        return found

    def check_layer(self, layer: Any, reader: str) -> None:
        """CourseError, which calls the caller `reader`, for what is no number of a layer."""
        if not isinstance(layer, (int, np.integer)) or not -len(self.dims) <= layer < len(self.dims):
            names = ", ".join(f"{i} {name}" for i, name in enumerate(self.layer_names))
            says = key("{name}: there is no layer {layer}. Its layers are: {names}.")
            raise CourseError(t(says, name=reader, layer=layer, names=names))

    def attentions(self, batch: Batch) -> tuple[list[Float[Tensor, "batch head query key"]], list[list[str]]]:
        """Attention weights per layer, and the tokens they belong to. Raises CourseError where a model has none."""
        raise CourseError(f"{type(self).__name__} has no attention weights. Choose a Transformer, such as BERT.")

    # -- files --------------------------------------------------------------------------------------------------------
    def save(self, folder: str | Path, *, half: bool = False, int8: bool = False, int6: bool = False) -> None:
        """Write a checkpoint folder that `course_lib.load` reads.

        half: float16. int8: matrices with a byte per number and a scale per row; int6: with six bits per number and a
        scale for 32; alone, or with `half` for the rest.
        """
        tensors = self.state_dict()
        matrices = self._matrices(tensors)
        few_bits = {"int8": matrices if int8 else [], "int6": matrices if int6 else []}
        stored = {"config": self._config(), "tensors": tensors, "files": self._files()}
        save_checkpoint(folder, kind=self.kind, **stored, half=half, **few_bits)

    def _matrices(self, tensors: Mapping[str, Tensor]) -> list[str]:
        """Names of what `int8` and `int6` are for."""
        return [name for name, tensor in tensors.items() if tensor.ndim == 2 and tensor.is_floating_point()]

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> ContextEncoder:
        with rebuilding(checkpoint.folder, cls.__name__, checkpoint.tensors):
            encoder = cls._build(checkpoint.config, checkpoint.files)
        load_weights(encoder, checkpoint.tensors, source=checkpoint.folder)
        return encoder.eval()

    def _checked(self, sentences: Sentences) -> list[Sentence]:
        records = checked_sentences(sentences, type(self).__name__)
        if hasattr(self, "pieces"):  # they clean each word themselves, and know where its characters stand
            return records
        return [replace(record, words=tuple(visible(word) or word for word in record.words)) for record in records]


@contextlib.contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """No gradient, no dropout; afterwards every module is in the mode it was in."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for module, mode in modes:
            module.training = mode


def in_its_place(
    values: Float[Tensor, "*layer batch side_unit dim"], batch: Batch, number: int
) -> Float[Tensor, "*layer batch unit dim"]:
    """Values of side `number` of a batch of pairs, where its units stand in the pair; elsewhere some of them again."""
    place = torch.arange(batch.mask.shape[1], device=values.device).expand(batch.mask.shape)
    if number:
        place = place - batch.sides[0].mask.sum(1, keepdim=True)
    place = place.clamp(0, values.shape[-2] - 1)
    return values[..., torch.arange(len(batch), device=values.device)[:, None], place, :]


def stacked(layers: Sequence[Float[Tensor, "batch unit _"]]) -> Float[Tensor, "layer batch unit dim"]:
    """Layers as one tensor, narrow ones filled up with zeros on the right."""
    widest = max(layer.shape[-1] for layer in layers)
    return torch.stack([F.pad(layer, (0, widest - layer.shape[-1])) for layer in layers])


def masked_mean(
    hidden: Float[Tensor, "batch unit dim"], mask: Bool[Tensor, "batch unit"]
) -> Float[Tensor, "batch dim"]:
    return (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


def empty_table(n_words: int, dim: int) -> Float[Tensor, "word dim"]:
    """Zeros, to be filled from a checkpoint: a parameter, so that `rebuilding` counts them before they take memory."""
    return nn.Embedding(n_words, dim, _weight=torch.empty(n_words, dim)).weight.detach().zero_()


class StaticVectors(ContextEncoder):
    """A table: a word's vector is the same in every sentence. One layer, the word itself.

    A word that the table lacks is looked up in lower case; if that is missing too it gets the one vector of all
    unknown words (at first the mean of the table). Trainable: the table may start a network (chapter 2).
    """

    kind = "static-vectors"
    layer_names = ("word",)

    def __init__(self, words: Sequence[str], vectors: Float[Tensor, "word dim"]):
        super().__init__()
        table = WordVectors(words, vectors)  # it says what is wrong with them
        self.words, vectors = table.words, table.vectors
        rows = torch.cat([torch.zeros(1, vectors.shape[1]), vectors.mean(0, keepdim=True), vectors])
        self.index = {word: row for row, word in enumerate(self.words, start=FIRST_WORD)}
        self.embedding = nn.Embedding.from_pretrained(rows, freeze=False, padding_idx=PADDING)
        self.dims = (vectors.shape[1],)
        self.sentence_dim = vectors.shape[1]

    @classmethod
    def from_word_vectors(cls, word_vectors: WordVectors) -> StaticVectors:
        return cls(word_vectors.words, word_vectors.vectors)

    def word_vectors(self) -> WordVectors:
        """A copy of the table, to ask for neighbours and analogies."""
        return WordVectors(self.words, self.embedding.weight[FIRST_WORD:])

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> StaticVectors:
        if checkpoint.kind == "word-vectors":
            return cls.from_word_vectors(WordVectors.load(checkpoint.folder)).eval()
        return super().from_checkpoint(checkpoint)

    def row(self, word: str) -> int:
        """The table row of a word: its own, its lower-case form's, or the unknown words'."""
        return self.index.get(word) or self.index.get(word.lower(), UNKNOWN)

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
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> StaticVectors:
        words = json.loads(files["words.json"])
        return cls(words, empty_table(len(words), config["dim"]))


class RandomEncoder(ContextEncoder):
    """An untrained network, the control of many claims: random word vectors under random bidirectional LSTMs.

    Every word has its own row up to collisions: words are hashed (CRC-32) into `buckets`, so no vocabulary is needed
    and the same seed gives the same vectors on every machine. Each layer reads the concatenated directions below it.
    """

    kind = "random-encoder"

    def __init__(self, dim: int = 64, *, n_layers: int = 2, buckets: int = 16_384, seed: int = 0):
        super().__init__()
        assert dim % 2 == 0, f"dim={dim} is shared by two directions: use an even one"
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

    def row(self, word: str) -> int:
        """The table row of a word."""
        return 1 + zlib.crc32(word.encode()) % self.config["buckets"]

    def _states(self, batch: Batch) -> Encoding:
        layers = [self.embedding(batch.ids["words"])]
        for lstm in self.lstms:
            layers.append(run_lstm(lstm, layers[-1], batch.lengths)[0])
        rows, top, half = torch.arange(len(batch), device=self.device), layers[-1], self.dim // 2
        sentence = torch.cat([top[rows, batch.mask.sum(1) - 1, :half], top[:, 0, half:]], dim=1)
        return Encoding(torch.stack(layers), batch.mask, batch.segment, sentence)

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return list(zip(self.layer_names, [[self.embedding], *[[lstm] for lstm in self.lstms]], strict=True))

    def _config(self) -> dict[str, Any]:
        return dict(self.config)

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> RandomEncoder:
        return cls(**config)
