"""Attention weights of a world translator, sentence by sentence without padding: for claims, and for the heatmap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.data.world import WorldPair
from course_lib.errors import CourseError
from course_lib.models.attention import padding_mask
from course_lib.models.translator import Translator

Weights = list[Float[np.ndarray, "layer head row column"]]
BATCH = 64


@dataclass(frozen=True, eq=False)
class CrossAttention:
    """One sentence for the heatmap: each row is the step that predicts that target word.

    gold  True where the world aligns the two words; [EOS] is aligned with nothing
    """

    weights: Float[np.ndarray, "layer head target source"]
    targets: list[str]
    sources: list[str]
    gold: Bool[np.ndarray, "target source"]


@torch.no_grad()
def encoder_weights(model: Translator, pairs: Sequence[WorldPair], source: str = "en") -> Weights:
    """Self-attention of the encoder. Rows: source words; columns: source words and [EOS].

    Raises CourseError for a translator of sub-words, as the next two do.
    """
    _check_whole_words(model)
    found: Weights = []
    for start in range(0, len(pairs), BATCH):
        some = [pair[source] for pair in pairs[start : start + BATCH]]
        ids, mask = model.source([sentence.words for sentence in some])
        _, layers = model.encoder.trace(model.embedding(ids), padding_mask(mask), need_weights=True)
        found += _cut(layers, [(len(sentence), len(sentence) + 1) for sentence in some])
    return found


def cross_weights(model: Translator, pairs: Sequence[WorldPair], source: str = "en") -> Weights:
    """Cross-attention. Rows: the steps that predict each target word; columns: source words and [EOS].

    The words read before a step are those of the reference, not the model's own.
    """
    _check_whole_words(model)
    found: Weights = []
    for start in range(0, len(pairs), BATCH):
        some = [pair.parallel(source) for pair in pairs[start : start + BATCH]]
        layers, _, _ = model.cross_attentions(model.batch(some))
        found += _cut(layers, [(len(pair.target.words), len(pair.source.words) + 1) for pair in some])
    return found


def cross_attention(model: Translator, pair: WorldPair, source: str = "en") -> CrossAttention:
    """The numbers behind a heatmap of one sentence."""
    record = pair.parallel(source)
    gold = np.zeros((len(record.target.words), len(record.source.words) + 1), dtype=bool)
    for place, aligned in record.alignment:
        gold[aligned, place] = True
    [weights] = cross_weights(model, [pair], source)
    return CrossAttention(weights, list(record.target.words), [*record.source.words, "[EOS]"], gold)


def _check_whole_words(model: Translator) -> None:
    if not model.pieces.whole_words:
        raise CourseError(
            "head_weights: this translator reads sub-words, the world's labels are of words. "
            "Use a translator of whole words, as experiments.world_translator trains."
        )


def _cut(layers: list[Float[Tensor, "batch head row column"]], sizes: list[tuple[int, int]]) -> Weights:
    """Row 0 belongs to the first word: in the encoder it is that word, in the decoder [BOS], which predicts it."""
    stacked = torch.stack(layers, 1).numpy()
    return [stacked[number, :, :, :n_rows, :n_columns] for number, (n_rows, n_columns) in enumerate(sizes)]
