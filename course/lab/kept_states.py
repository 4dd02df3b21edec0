"""What a frozen encoder says of sentences and of pairs, computed once and read by many task networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from course.lab.controls import Rows
from course_lib.data.batch import Batch, join_sides, word_batch
from course_lib.data.records import Sentence
from course_lib.models.encoder import ContextEncoder, Encoding, Sentences, masked_mean


class KeptStates(ContextEncoder):
    """One layer of `encoder`, or all, without gradient and without parameters. What is read once is kept.

    Every head sees the sides of a pair apart, so that it has the same shape on all encoders. Where the encoder reads
    pairs (BERT), the vectors of both sides come from one pass over the two: each side has seen the other, unless
    `two_passes` has each of them read alone, as the other encoders do.

    layer   a number as in `encoder.layer_names`; None: all
    beside  instead of it: these layers side by side in one vector; (0, -1) is [GloVe; CoVe] (McCann et al. 2017,
            section 4)
    spread  sentences and None, or firsts and seconds of pairs, over which each layer gets mean 0 per dimension and a
            standard deviation of 1 over all dimensions: encoders differ in what they say, not in how loud they are.
            None: vectors as they come
    change  what is done to a sentence's rows before they are kept, for example `window_means`; not for pairs that
            are read in one pass
    """

    kind = "kept-states"

    def __init__(
        self,
        encoder: ContextEncoder,
        layer: int | None = -1,
        *,
        spread: tuple[Sentences, Sentences | None] | None = None,
        change: Callable[[Rows], Rows] | None = None,
        beside: Sequence[int] = (),
        two_passes: bool = False,
    ):
        super().__init__()
        self._paired = encoder.reads_pairs and not two_passes
        # in a tuple: a part of this module would be trained, saved and frozen with it
        self._source, self._change = (encoder,), change
        self._chosen = [*beside] or ([*range(len(encoder.dims))] if layer is None else [layer])
        names, self._widths = (tuple(part[i] for i in self._chosen) for part in (encoder.layer_names, encoder.dims))
        self._beside = bool(beside)
        self.layer_names = (" beside ".join(names),) if beside else names
        self.dims = (sum(self._widths),) if beside else self._widths
        self.sentence_dim = self.dims[-1]
        self._kept: dict[tuple[tuple[str, ...], ...], list[Tensor]] = {}  # per side: [unit, layer, dim]
        self._mean, self._scale = torch.tensor(0.0), torch.tensor(1.0)
        self.register_buffer("_place", torch.empty(0), persistent=False)
        if spread is None:
            return
        self._keep(*(None if side is None else self._checked(side) for side in spread))
        rows = torch.cat([side for sides in self._kept.values() for side in sides])
        deviation = [(rows[:, i, :width] - rows[:, i, :width].mean(0)).std() for i, width in enumerate(self._widths)]
        self._mean, self._scale = rows.mean(0), torch.stack(deviation).clamp_min(1e-6)[:, None]
        self._kept = {words: [self._scaled(side) for side in sides] for words, sides in self._kept.items()}

    @property
    def device(self) -> torch.device:
        return self._place.device

    def batch(self, sentences: Sentences, second: Sentences | None = None, *, unit: str = "word") -> Batch:
        """As every encoder's. A pair is a batch of two sides, also if the encoder read it in one pass."""
        if second is None or not self._paired:
            return super().batch(sentences, second, unit=unit)
        firsts, seconds = self._checked(sentences), self._checked(second)
        self._keep(firsts, seconds)
        pairs = [self._kept[a.words, b.words] for a, b in zip(firsts, seconds, strict=True)]
        sides = [_side(part, [pair[i] for pair in pairs]) for i, part in enumerate((firsts, seconds))]
        return join_sides(*sides)

    def _keep(self, firsts: list[Sentence], seconds: list[Sentence] | None = None) -> None:
        """Let the encoder read what is new, shortest first."""
        paired = seconds is not None and self._paired
        items = zip(firsts, seconds, strict=True) if paired else ((s,) for s in [*firsts, *(seconds or [])])
        named = {tuple(side.words for side in item): item for item in items}
        new = sorted((words for words in named if words not in self._kept), key=lambda words: sum(map(len, words)))
        if new:
            read = self._read_pairs if paired else self._read_sentences
            for words, sides in zip(new, read([named[words] for words in new]), strict=True):
                self._kept[words] = [self._scaled(side) for side in sides]

    def _read_sentences(self, items: list[tuple[Sentence]]) -> Iterator[list[Float[Tensor, "unit layer dim"]]]:
        one = len(self._chosen) == 1
        for states in self._source[0].encode([s for (s,) in items], layer=self._chosen[0] if one else None):
            rows = states[None] if one else states[self._chosen]
            layers = [row[:, : max(self._widths)] for row in rows]
            layers = layers if self._change is None else [self._change(rows) for rows in layers]
            yield [torch.from_numpy(np.stack(layers, axis=1))]

    def _read_pairs(self, items: list[tuple[Sentence, Sentence]]) -> Iterator[list[Float[Tensor, "unit layer dim"]]]:
        encoder = self._source[0].eval()
        for start in range(0, len(items), 32):
            batch = encoder.batch(*map(list, zip(*items[start : start + 32], strict=True)))
            with torch.no_grad():
                layers = encoder.states(batch.to(encoder.device)).layers[self._chosen]
            layers = layers[..., : max(self._widths)].permute(1, 2, 0, 3).float().cpu()
            for rows, mask, segment in zip(layers, batch.mask, batch.segment, strict=True):
                yield [rows[mask & (segment == side)] for side in (0, 1)]

    def _scaled(self, rows: Float[Tensor, "unit layer dim"]) -> Float[Tensor, "unit layer dim"]:
        return (rows - self._mean) / self._scale

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        self._keep(first)
        return _side(first, [self._kept[(sentence.words,)][0] for sentence in first])

    def _states(self, batch: Batch) -> Encoding:
        layers = batch.ids["vectors"].permute(2, 0, 1, 3)
        if self._beside:
            layers = torch.cat([rows[..., :width] for rows, width in zip(layers, self._widths, strict=True)], -1)[None]
        top = layers[-1][..., : self.sentence_dim]
        return Encoding(layers, batch.mask, batch.segment, masked_mean(top, batch.mask))

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return [("kept", [])]

    _config = _build = None  # it has nothing of its own to save


def _side(sentences: Sequence[Sentence], rows: list[Float[Tensor, "unit layer dim"]]) -> Batch:
    return word_batch({"vectors": nn.utils.rnn.pad_sequence(rows, batch_first=True)}, sentences)
