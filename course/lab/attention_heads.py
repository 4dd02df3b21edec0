"""The heads of attention: where a world translator's and a BERT's look, which head finds which relation of words, what
switching one off costs, and the queries and keys of a BERT's.

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

from course.lab.losses import mean_loss
from course.world import WorldPair, WorldSentence
from course_lib.data.batch import Batch
from course_lib.language import key
from course_lib.models.attention import MultiHeadAttention, padding_mask
from course_lib.models.bert import Bert
from course_lib.models.translator import Translator

Weights = list[Float[np.ndarray, "layer head row column"]]
BATCH = 64


@torch.no_grad()
def encoder_weights(model: Translator, pairs: Sequence[WorldPair]) -> Weights:
    """Self-attention of the encoder. Rows: source words; columns: source words and [EOS]."""
    assert model.pieces.whole_words  # the world's labels are of words
    found: Weights = []
    for some in _batches([pair.en for pair in pairs]):
        ids, mask = model.source([sentence.words for sentence in some])
        allowed = padding_mask(mask)
        layers = model.encoder.attentions(model.encoder.trace(model.embedding(ids), allowed), allowed)
        found += _cut(layers, [(len(sentence), len(sentence) + 1) for sentence in some])
    return found


def cross_weights(model: Translator, pairs: Sequence[WorldPair]) -> Weights:
    """Cross-attention. Rows: the steps that predict each target word; columns: source words and [EOS].

    The words read before a step are those of the reference, not the model's own.
    """
    assert model.pieces.whole_words  # the world's labels are of words
    found: Weights = []
    for some in _batches([pair.parallel() for pair in pairs]):
        layers, _, _ = model.cross_attentions(model.batch(some))
        found += _cut(layers, [(len(pair.target.words), len(pair.source.words) + 1) for pair in some])
    return found


@contextmanager
def switched_off(attention: MultiHeadAttention, head: int) -> Iterator[None]:
    """Inside, nothing of what this head reads reaches the output. The head's columns of W^O are 0 meanwhile."""
    weight = attention.output.weight
    d_head = weight.shape[1] // attention.n_heads
    columns = weight.data[:, head * d_head : (head + 1) * d_head]
    kept = columns.clone()
    columns.zero_()
    try:
        yield
    finally:
        columns.copy_(kept)


def translation_loss(model: Translator, pairs: Sequence[WorldPair]) -> float:
    """Nats per target word, English to Korean, without label smoothing."""
    batches = map(model.batch, _batches([pair.parallel() for pair in pairs]))
    return mean_loss(model, batches, "cross_entropy")


def ablation(model: Translator, pairs: Sequence[WorldPair], layer: int, head: int) -> dict[str, float]:
    """Loss of the whole net, without this head of cross-attention, and without another of its layer (their mean)."""
    attention = model.decoder.layers[layer].cross_attention
    without = []
    for number in range(attention.n_heads):
        with switched_off(attention, number):
            without.append(translation_loss(model, pairs))
    return {
        "loss with all heads, in nats": translation_loss(model, pairs),
        "loss without the chosen head": without.pop(head),
        "loss without another head of its layer, mean": float(np.mean(without)),
    }


def _batches(items: Sequence) -> Iterator[Sequence]:
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


def _cut(layers: list[Float[Tensor, "batch head row column"]], sizes: list[tuple[int, int]]) -> Weights:
    """Row 0 belongs to the first word: in the encoder it is that word, in the decoder [BOS], which predicts it."""
    stacked = torch.stack(layers, 1).numpy()
    return [stacked[number, :, :, :n_rows, :n_columns] for number, (n_rows, n_columns) in enumerate(sizes)]


Heads = list[Float[Tensor, "batch head seq dim"]]  # one per layer


@torch.no_grad()
def queries_and_keys(bert: Bert, batch: Batch) -> tuple[Heads, Heads]:
    """Per layer [batch, head, piece, dim], padded: softmax(query @ key / sqrt(dim)) is what `bert.attentions` gives."""
    queries: Heads = []
    keys: Heads = []

    def note(attention: torch.nn.Module, given: tuple[Tensor, ...]) -> None:
        queries.append(attention.heads(attention.query(given[0])))
        keys.append(attention.heads(attention.key(given[0])))

    with ExitStack() as stack:
        for layer in bert.stack.layers:
            stack.callback(layer.attention.register_forward_pre_hook(note).remove)
        bert(batch.ids["pieces"], batch.ids["segments"], batch.ids["real"])
    return queries, keys


# -- which head finds a relation -------------------------------------------------------------------------------------
Gold = list[dict[int, int]]  # per sentence: the word that looks -> the word that is right
MAX_OFFSET = 10


@dataclass(frozen=True, eq=False)
class RelationHead:
    """The head and the fixed offset that are right most often on dev, and what is right on test."""

    layer: int
    head: int
    offset: int
    hits: Bool[np.ndarray, "layer head word"]  # of every head: the best one can be seen among the others
    offset_hits: Bool[np.ndarray, " word"]
    sentences: list[int]  # of each word, for intervals

    @property
    def right(self) -> Bool[np.ndarray, " word"]:
        return self.hits[self.layer, self.head]

    @property
    def name(self) -> str:
        """Counted from 1, as in the heatmap: 5.11 is layer 5, head 11."""
        return f"{self.layer + 1}.{self.head + 1}"


def heads_by_relation(
    encoder: Bert | Translator, dev: Sequence[WorldPair], test: Sequence[WorldPair]
) -> dict[str, RelationHead]:
    """One head per relation of `relations`, chosen on dev and scored on test, over English sentences.

    Right is a head's largest weight among the other words: a word itself, [CLS], [SEP] and [EOS] are no answers.
    """
    (of_dev, of_test), golds = (looks(encoder, dev), looks(encoder, test)), (golds_of(dev), golds_of(test))
    return {name: relation_head(of_dev, golds[0][name], of_test, golds[1][name]) for name in golds[0]}


def relation_head(dev: Weights, gold_dev: Gold, test: Weights, gold_test: Gold) -> RelationHead:
    """The best head of one relation, and the best offset: "the word that stands so many places further on"."""
    right = _hits(dev, gold_dev).sum(-1)
    layer, head = divmod(int(right.argmax()), right.shape[1])
    offset = max(range(-MAX_OFFSET, MAX_OFFSET + 1), key=lambda k: _offset_hits(gold_dev, k).sum())
    asked = [number for number, gold in enumerate(gold_test) for _ in gold]
    return RelationHead(layer, head, offset, _hits(test, gold_test), _offset_hits(gold_test, offset), asked)


def relations(sentence: WorldSentence) -> dict[str, dict[int, int]]:
    """{relation: {word: the word that it goes with}}, from the world's own heads and referents."""
    upos, heads = sentence.upos, [head - 1 for head in sentence.heads]  # -1: the root
    marked = {word: head for word, head in enumerate(heads) if upos[word] == "ADP" and upos[head] in ("NOUN", "PROPN")}
    nouns = {w: v for w, v in enumerate(heads) if upos[w] in ("NOUN", "PROPN", "PRON") and v >= 0 and upos[v] == "VERB"}
    cased = set(marked.values())
    return {
        "pronoun to whom it means": {word: old for word, old in enumerate(sentence.antecedents) if old is not None},
        key("subject to its verb"): {word: verb for word, verb in nouns.items() if word < verb},
        "object to its verb": {word: verb for word, verb in nouns.items() if word > verb and word not in cased},
        key("noun after a preposition to its verb"): {w: v for w, v in nouns.items() if w > v and w in cased},
        "preposition to its noun": marked,
    }


def golds_of(pairs: Sequence[WorldPair]) -> dict[str, Gold]:
    """The English relations of all sentences."""
    found = [relations(pair.en) for pair in pairs]
    return {name: [of[name] for of in found] for name in found[0]}


def looks(encoder: Bert | Translator, pairs: Sequence[WorldPair]) -> Weights:
    """Self-attention between the English words; the weight on the word itself is 0."""
    if isinstance(encoder, Bert):
        weights = word_weights(encoder, [pair.en.words for pair in pairs])
    else:
        weights = [rows[..., :-1].copy() for rows in encoder_weights(encoder, pairs)]  # without [EOS]
    for rows in weights:
        rows[:, :, range(rows.shape[-1]), range(rows.shape[-1])] = 0
    return weights


@torch.no_grad()
def word_weights(bert: Bert, sentences: Sequence[Sequence[str]]) -> Weights:
    """A BERT's weights between words, without [CLS] and [SEP].

    A word in pieces is looked at with the sum of their weights and looks with the mean of them (Clark and others 2019,
    section 4).
    """
    found: Weights = []
    for some in _batches([list(words) for words in sentences]):
        batch = bert.batch(some)
        layers = torch.stack(bert.attentions(batch)[0], 1).numpy()
        for number, words in enumerate(some):
            first = batch.ids["places"][number, : len(words)].numpy()
            end = int(batch.ids["real"][number].sum()) - 1  # where [SEP] stands
            columns = np.add.reduceat(layers[number][:, :, 1:end, 1:end], first - 1, axis=-1)
            sizes = np.diff([*first, end])
            found.append(np.add.reduceat(columns, first - 1, axis=-2) / sizes[:, None])
    return found


def _hits(weights: Weights, golds: Gold) -> Bool[np.ndarray, "layer head word"]:
    """The largest weight is at the right column."""
    found = [
        rows[:, :, list(gold)].argmax(-1) == np.array(list(gold.values()))
        for rows, gold in zip(weights, golds, strict=True)
        if gold
    ]
    return np.concatenate(found, axis=-1)


def _offset_hits(golds: Gold, offset: int) -> Bool[np.ndarray, " word"]:
    return np.array([column == row + offset for gold in golds for row, column in gold.items()])
