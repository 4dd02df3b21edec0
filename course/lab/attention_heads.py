"""The heads of attention: where a world translator's look (for claims, and for the heatmap), what switching one off
costs, and the queries and keys of a BERT's.

Weights are given sentence by sentence, without padding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.data.batch import Batch
from course_lib.data.world import WorldPair
from course_lib.errors import CourseError
from course_lib.evaluation.losses import mean_loss
from course_lib.models.attention import MultiHeadAttention, padding_mask
from course_lib.models.bert import Bert
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


@contextmanager
def switched_off(attention: MultiHeadAttention, head: int) -> Iterator[None]:
    """Inside, nothing of what this head reads reaches the output. The head's columns of W^O are 0 meanwhile."""
    weight = attention.output.weight
    d_head = weight.shape[1] // attention.n_heads
    columns = slice(head * d_head, (head + 1) * d_head)
    kept = weight.detach()[:, columns].clone()
    try:
        with torch.no_grad():
            weight[:, columns] = 0.0
        yield
    finally:
        with torch.no_grad():
            weight[:, columns] = kept


def translation_loss(model: Translator, pairs: Sequence[WorldPair]) -> float:
    """Nats per target word, English to Korean, without label smoothing."""
    starts = range(0, len(pairs), BATCH)
    batches = (model.batch([pair.parallel() for pair in pairs[start : start + BATCH]]) for start in starts)
    return mean_loss(model, batches, "cross_entropy")


def ablation(model: Translator, pairs: Sequence[WorldPair], layer: int, head: int, *, cross: bool) -> dict[str, float]:
    """Loss of the whole net, without this head, and without another head of its layer (their mean)."""
    attention = model.decoder.layers[layer].cross_attention if cross else model.encoder.layers[layer].attention
    without = []
    for number in range(attention.n_heads):
        with switched_off(attention, number):
            without.append(translation_loss(model, pairs))
    others = [loss for number, loss in enumerate(without) if number != head]
    return {
        "loss with all heads, in nats": translation_loss(model, pairs),
        "loss without the chosen head": without[head],
        "loss without another head of its layer, mean": float(np.mean(others)),
    }


def _check_whole_words(model: Translator) -> None:
    if not model.pieces.whole_words:
        raise CourseError(
            "head_weights: this translator reads sub-words, the world's labels are of words. "
            "Use a translator of whole words, as course.lab.world_translator trains."
        )


def _cut(layers: list[Float[Tensor, "batch head row column"]], sizes: list[tuple[int, int]]) -> Weights:
    """Row 0 belongs to the first word: in the encoder it is that word, in the decoder [BOS], which predicts it."""
    stacked = torch.stack(layers, 1).numpy()
    return [stacked[number, :, :, :n_rows, :n_columns] for number, (n_rows, n_columns) in enumerate(sizes)]


Heads = list[Float[Tensor, "batch head seq dim"]]  # one per layer


@torch.no_grad()
def queries_and_keys(bert: Bert, batch: Batch) -> tuple[Heads, Heads]:
    """Per layer [batch, head, piece, dim]. softmax(query @ key / sqrt(dim)) is the weights of `bert.attentions`.

    Rows past the end of a sentence are padding.
    """
    queries: Heads = []
    keys: Heads = []

    def note(attention: torch.nn.Module, given: tuple[Tensor, ...]) -> None:
        queries.append(attention.query(given[0]).unflatten(-1, (attention.n_heads, -1)).transpose(1, 2))
        keys.append(attention.project(given[0])[0])

    with ExitStack() as stack:
        for layer in bert.stack.layers:
            stack.callback(layer.attention.register_forward_pre_hook(note).remove)
        bert(batch.ids["pieces"], batch.ids["segments"], batch.ids["real"])
    return queries, keys
