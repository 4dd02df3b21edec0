"""The Transformer as its paper used it: an encoder-decoder that translates.

Source: Vaswani et al. 2017, arXiv:1706.03762, sections 3.1, 3.4 (one table for source, target and output layer) and
5.4 (label smoothing). Simpler than the paper: batches of like lengths by `Buckets`, one tokenizer for both languages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.utils.data import DataLoader

from course_lib.checkpoints import load_weights, opened, save_checkpoint
from course_lib.data.batch import length_mask, pad, places_of
from course_lib.data.bucketing import loader
from course_lib.data.records import ParallelPair, checked_sentences
from course_lib.device import Movable
from course_lib.models.attention import padding_mask
from course_lib.models.decoding import beam_search
from course_lib.models.encoder import Sentences
from course_lib.models.transformer import PositionedEmbedding, TransformerConfig, TransformerDecoder, TransformerEncoder
from course_lib.text.pieces import Pieces

Source, SourceMask = Int[Tensor, "batch source"], Bool[Tensor, "batch source"]
Target, Logits = Int[Tensor, "batch target"], Float[Tensor, "batch target vocab"]


@dataclass(frozen=True)
class TranslationBatch(Movable):
    """source: pieces and [EOS]; target: [BOS], pieces and [EOS]. The masks are True at real pieces.

    places  of target pieces that are predicted, counted through the rows of target[:, 1:]
    """

    source: Source
    source_mask: SourceMask
    target: Target
    target_mask: Bool[Tensor, "batch target"]
    places: Int[Tensor, " item"]

    def __len__(self) -> int:
        return len(self.source)


def smoothed_cross_entropy(
    logits: Float[Tensor, "item vocab"], targets: Int[Tensor, " item"], smoothing: float
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Cross-entropy against (1 - smoothing) * the target + smoothing * a uniform guess, and the plain one, in nats.

    Szegedy et al. 2016, arXiv:1512.00567, section 7, with u(k) = 1 / vocab. Means over items.
    """
    log_p = logits.log_softmax(-1)
    plain = -log_p.gather(1, targets[:, None]).mean()
    return (1 - smoothing) * plain - smoothing * log_p.mean(), plain


class Translator(nn.Module):
    """Encoder, decoder and the one table of vectors that all of it shares."""

    def __init__(self, config: TransformerConfig, pieces: Pieces):
        super().__init__()
        self.config, self.pieces = config, pieces
        self.embedding = PositionedEmbedding(len(pieces), config)
        self.encoder, self.decoder = TransformerEncoder(config), TransformerDecoder(config)

    def forward(self, source: Source, source_mask: SourceMask, target: Target) -> Logits:
        """Logits for the piece after each target piece; `target` begins with [BOS]."""
        return self.logits(self._read(source, source_mask, target))

    def loss(self, batch: TranslationBatch) -> dict[str, Any]:
        """Smoothed cross-entropy per target piece; "cross_entropy" is the plain one: exp of it is the perplexity."""
        states = self._read(batch.source, batch.source_mask, batch.target[:, :-1])
        logits = self.logits(states.flatten(0, 1)[batch.places])  # not at padding: the table is the widest matrix
        targets = batch.target[:, 1:].flatten()[batch.places]
        loss, plain = smoothed_cross_entropy(logits, targets, self.config.label_smoothing)
        return {"loss": loss, "count": len(logits), "cross_entropy": plain}

    def batch(self, pairs: Sequence[ParallelPair]) -> TranslationBatch:
        """Tensors on the CPU."""
        return self._batch_of(self._pairs(pairs))

    def batches(
        self, pairs: Sequence[ParallelPair], *, tokens: int = 2048, seed: int = 0
    ) -> Callable[[int], DataLoader]:
        """For `fit`: epoch -> batches of like lengths, at most `tokens` places of the longer side in each."""
        rows = self._pairs(pairs)
        return loader(rows, [max(map(len, row)) for row in rows], self._batch_of, tokens=tokens, seed=seed)

    def source(self, sentences: Sentences) -> tuple[Source, SourceMask]:
        """Ids and mask of sentences to translate, each with [EOS] at its end."""
        return self._padded(self._rows(sentences))

    def _padded(self, rows: list[list[int]]) -> tuple[Int[Tensor, "batch seq"], Bool[Tensor, "batch seq"]]:
        return pad(rows, self.pieces.padding), length_mask([len(row) for row in rows])

    def _pairs(self, pairs: Sequence[ParallelPair]) -> list[tuple[list[int], list[int]]]:
        targets = self._rows([pair.target for pair in pairs], self.pieces.begin)
        return list(zip(self._rows([pair.source for pair in pairs]), targets, strict=True))

    def _batch_of(self, rows: list[tuple[list[int], list[int]]]) -> TranslationBatch:
        source, target = (self._padded(list(side)) for side in zip(*rows, strict=True))
        return TranslationBatch(*source, *target, places_of(target[1][:, 1:]))

    def _rows(self, sentences: Sentences, *before: int) -> list[list[int]]:
        records = checked_sentences(sentences, "Translator")
        return [[*before, *self.pieces.ids(record.words), self.pieces.end] for record in records]

    @torch.no_grad()
    def cross_attentions(
        self, batch: TranslationBatch
    ) -> tuple[list[Float[Tensor, "batch head target source"]], list[list[str]], list[list[str]]]:
        """Per layer, where each target piece looks while the next one is predicted; the pieces of target and source."""
        memory = self.read_source(batch.source, batch.source_mask)
        weights = self.decoder.cross_attentions(self.embedding(batch.target), memory, padding_mask(batch.source_mask))
        sides = [(batch.target, batch.target_mask), (batch.source, batch.source_mask)]
        targets, sources = (
            [self.pieces.tokens(row[real].tolist()) for row, real in zip(ids, mask, strict=True)] for ids, mask in sides
        )
        return weights, targets, sources

    def translate(self, sentences: Sentences, *, beam: int = 4) -> list[str]:
        """The best translation that beam search finds, words with a space between them."""
        return [found.text for found in beam_search(self, sentences, beam=beam)]

    def save(self, folder: str | Path) -> None:
        """Write a checkpoint folder that `Translator.load` reads."""
        config, tensors, files = asdict(self.config), self.state_dict(), self.pieces.files()
        save_checkpoint(folder, kind="translator", config=config, tensors=tensors, files=files)

    @classmethod
    def load(cls, folder: str | Path) -> Translator:
        """Read what `save` wrote."""
        with opened(folder, "translator", "translator") as checkpoint:
            model = cls(TransformerConfig(**checkpoint.config), Pieces.from_files(checkpoint.files))
        load_weights(model, checkpoint.tensors, source=checkpoint.folder)
        return model.eval()

    def read_source(self, source: Source, mask: SourceMask) -> Float[Tensor, "batch source d_model"]:
        """The encoder's output for source ids."""
        return self.encoder(self.embedding(source), padding_mask(mask))

    def _read(self, source: Source, mask: SourceMask, target: Target) -> Float[Tensor, "batch target d_model"]:
        return self.decoder(self.embedding(target), self.read_source(source, mask), padding_mask(mask))

    def logits(self, states: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows vocab"]:
        """Scores of all pieces for states of the decoder (section 3.4: the embedding table again)."""
        return states @ self.embedding.tokens.weight.T
