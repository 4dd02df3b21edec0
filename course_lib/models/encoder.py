"""The one interface of the course: everything that turns words into vectors in context is a ContextEncoder.

Seven generations of word representation implement it, so every experiment is written once and runs on all of them.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from course_lib.checkpoints import Checkpoint, load_checkpoint, load_weights, save_checkpoint
from course_lib.data.batch import Batch, join_sides
from course_lib.data.bucketing import by_length
from course_lib.data.records import Sentence, checked_sentences
from course_lib.data.windows import windows
from course_lib.errors import CourseError
from course_lib.models.layer_groups import LayerGroups
from course_lib.models.limits import one_of
from course_lib.text.words import visible

Sentences = Any  # an iterable of Sentence, raw texts or lists of words; `listed` and `Sentence.of` say what is none
UNITS = ("word", "piece")


@dataclass
class Encoding:
    """What an encoder says of a batch.

    layers    one vector per layer and unit; layers narrower than `dim` are filled up with zeros on the right
    sentence  one vector per row (for pairs read apart: the mean of the two sides)
    """

    layers: Float[Tensor, "layer batch unit dim"]
    mask: Bool[Tensor, "batch unit"]
    segment: Int[Tensor, "batch unit"]
    sentence: Float[Tensor, "batch sentence_dim"]


class ContextEncoder(LayerGroups, ABC):
    """Words in, one vector per word and layer out.

    A subclass sets the attributes below and writes `_batch` and `_states` for single sentences (an encoder with
    `reads_pairs` gets the second sentences too), `_groups`, `_config` and `_build`. The rest is here, once.

    layer_names  input to output; layer 0 depends on a word (its position, its segment), never on other words
    dims         true width of each layer
    sentence_dim width of the sentence vector
    max_units    longest row in units, or None
    reads_pairs  True: one pass over both sentences of a pair; False: each side alone
    """

    kind: str
    layer_names: tuple[str, ...]
    dims: tuple[int, ...]
    sentence_dim: int
    max_units: int | None = None
    reads_pairs: bool = False

    @property
    def dim(self) -> int:
        return max(self.dims)

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    # -- what a subclass writes ---------------------------------------------------------------------------------------
    @abstractmethod
    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        """Tensors for sentences that are not empty. `second` is given only to encoders that read pairs."""

    @abstractmethod
    def _states(self, batch: Batch) -> Encoding: ...

    def _config(self) -> dict[str, Any]:
        """What `_build` needs beside the files."""
        return asdict(self.config)

    @classmethod
    @abstractmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> ContextEncoder:
        """An encoder of this shape; its weights are loaded afterwards."""

    def _files(self) -> dict[str, str]:
        """Text files beside the weights: vocabularies, tokenisers."""
        return {}

    # -- the contract -------------------------------------------------------------------------------------------------
    def batch(self, sentences: Sentences, second: Sentences | None = None, *, unit: str = "word") -> Batch:
        """Tensors on the CPU for sentences (Sentence, raw text or lists of words), or for pairs with `second`.

        unit "piece" gives sub-words where the model has them. Raises CourseError if there is no sentence, an empty
        one, one longer than `max_units` (nothing is cut silently), or not as many seconds as firsts.
        """
        one_of(UNITS, f"{type(self).__name__}.batch", unit=unit)
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
        return [sentence] if self.max_units is None else windows(sentence, self.max_units, self.sizes(sentence))

    def states(self, batch: Batch) -> Encoding:
        """All layers' vectors for a batch, differentiable. [layer, batch, unit, dim]"""
        if batch.sides is None:
            return self._states(batch)
        sides = [self._states(side) for side in batch.sides]
        layers = sides[0].layers.new_zeros(len(self.dims), *batch.mask.shape, self.dim)
        for number, side in enumerate(sides):
            layers[:, batch.mask & (batch.segment == number)] = side.layers[:, side.mask]
        sentence = torch.stack([side.sentence for side in sides]).mean(0)
        return Encoding(layers, batch.mask, batch.segment, sentence)

    def encode(
        self, sentences: Sentences, *, layer: int | None = None, unit: str = "word", batch_size: int = 32
    ) -> list[np.ndarray]:
        """Vectors for each sentence, in input order, as float32: [layer, unit, dim], or [unit, dim] for one `layer`.

        No gradient, no dropout. Sentences of like length share a batch, so padding costs little.
        """
        records = self._checked(sentences)
        if layer is not None and not -len(self.dims) <= layer < len(self.dims):
            names = ", ".join(f"{i} {name}" for i, name in enumerate(self.layer_names))
            raise CourseError(f"{type(self).__name__}.encode: there is no layer {layer}. Its layers are: {names}.")
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

    def attentions(self, batch: Batch) -> tuple[list[Float[Tensor, "batch head query key"]], list[list[str]]]:
        """Attention weights per layer, and the tokens they belong to. Raises CourseError where a model has none."""
        raise CourseError(f"{type(self).__name__} has no attention weights. Choose a Transformer, such as BERT.")

    # -- files --------------------------------------------------------------------------------------------------------
    def save(
        self,
        folder: str | Path,
        *,
        card: str | None = None,
        half: bool = False,
        int8: bool = False,
        int6: bool = False,
        files: Mapping[str, str] | None = None,
    ) -> None:
        """Write a checkpoint folder that `course_lib.load` reads.

        half  float16 instead of float32
        int8  matrices with a byte per number and a scale per row; alone or with `half` for the rest
        int6  matrices with six bits per number and a scale for 32; likewise
        files further text files by name, such as a licence
        """
        tensors, config, files = self.state_dict(), self._config(), {**self._files(), **(files or {})}
        matrices = self._matrices(tensors)
        few_bits = {"int8": matrices if int8 else [], "int6": matrices if int6 else []}
        save_checkpoint(
            folder, kind=self.kind, config=config, tensors=tensors, files=files, card=card, half=half, **few_bits
        )

    def _matrices(self, tensors: Mapping[str, Tensor]) -> list[str]:
        """Names of what `int8` and `int6` are for."""
        return [name for name, tensor in tensors.items() if tensor.ndim == 2 and tensor.is_floating_point()]

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> ContextEncoder:
        with rebuilding(checkpoint.folder, cls.__name__, checkpoint.tensors.values()):
            encoder = cls._build(checkpoint.config, checkpoint.files)
        load_weights(encoder, checkpoint.tensors, source=checkpoint.folder)
        return encoder.eval()

    def _checked(self, sentences: Sentences) -> list[Sentence]:
        records = checked_sentences(sentences, type(self).__name__)
        for number, record in enumerate(records):
            if self.max_units is not None and len(record) > self.max_units:
                raise CourseError(
                    f"{type(self).__name__}: sentence {number} has {len(record)} words; at most {self.max_units} fit. "
                    "Cut it with encoder.windows(text)."
                )
        if hasattr(self, "pieces"):  # they clean each word themselves, and know where its characters stand
            return records
        return [replace(record, words=tuple(visible(word) or word for word in record.words)) for record in records]


def __getattr__(name: str):
    """StaticVectors and RandomEncoder stand in their own file, and are found here too."""
    if name in ("StaticVectors", "RandomEncoder"):
        from course_lib.models import baselines

        return getattr(baselines, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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


_MAKERS = {torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn, torch.arange}
_ALWAYS = 1_000_000  # numbers that any description may ask for
_EACH = 1_000  # what a tensor counts for at least: a million tiny layers take time, not memory


@contextlib.contextmanager
def rebuilding(folder: str | Path, what: str, stored: Iterable[Tensor]) -> Iterator[None]:
    """Whatever goes wrong inside is a CourseError that names `folder`.

    So is a model far larger than the tensors that are `stored` for it: memory and time stay bound by the file's size.
    """
    try:
        with _Bounded(_ALWAYS + 4 * sum(max(tensor.numel(), _EACH) for tensor in stored)):
            yield
    except Exception as error:
        said = str(error) if isinstance(error, CourseError) else f"{error!r:.300}."
        raise CourseError(
            f"{folder}/config.json does not describe a {what} of this version, or a file beside it is damaged: {said} "
            "Fetch the checkpoint again, or use one made by this version."
        ) from error


@contextlib.contextmanager
def opened(folder: str | Path, kind: str, what: str) -> Iterator[Checkpoint]:
    """The checkpoint in `folder`, which must be of `kind`, while a `what` is rebuilt from it."""
    checkpoint = load_checkpoint(folder)
    if checkpoint.kind != kind:
        raise CourseError(
            f"{folder} holds a {checkpoint.kind!r}, not a {what}. Load it with its own class; an encoder with "
            "course_lib.load."
        )
    with rebuilding(folder, what, checkpoint.tensors.values()):
        yield checkpoint


class _Bounded(TorchFunctionMode):
    """Counts the numbers of new tensors, and refuses the one that is too many before it takes memory."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in _MAKERS:
            plan = {name: value for name, value in kwargs.items() if name not in ("generator", "out", "pin_memory")}
            self._left -= max(func(*args, **plan | {"device": "meta"}).numel(), _EACH)
            if self._left < 0:
                raise ValueError("it asks for far more numbers than model.safetensors holds")
        return func(*args, **kwargs)
