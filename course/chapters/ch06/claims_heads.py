"""Claim C6.7: what the heads of the world's translator look at, against gold heads, antecedents and alignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from course.lab.attention_heads import Weights, ablation, cross_weights, encoder_weights
from course.lab.world_models import trained_translator, unseen_pairs
from course.ledger.measurement import Measurement, claim
from course_lib.data.world import WorldPair
from course_lib.device import seed_everything
from course_lib.models.translator import Translator

MAX_OFFSET = 10
NOUNS = ("NOUN", "PROPN")
DEV_SEED, TEST_SEED = 1, 2
ABLATED = 200  # test sentences on which a head is switched off
Relation = list[dict[int, int]]  # per sentence: row -> the column that is right


@dataclass(frozen=True)
class Chosen:
    """The head that is right most often on dev, and the fixed offset that is."""

    layer: int
    head: int
    offset: int


@claim("C6.7", full={"n_sentences": 3_000, "steps": 1_500})
def heads_find_structure(
    *, model: Translator | None = None, n_sentences: int = 600, steps: int = 500, seed: int = 0
) -> dict[str, Measurement]:
    """Right or wrong per word: the chosen head's largest weight minus the chosen offset, in points.

    model  an English-to-Korean translator of the world as `translator` makes it; None trains one with `steps` (once)
    Syntactic heads and antecedents: the encoder's heads over the English sentence. Aligned words: the decoder's
    cross-attention where it predicts the word. The root, punctuation and words without a partner are not asked for.
    """
    model = trained_translator(seed, steps=steps) if model is None else model
    seed_everything(seed)
    untrained = Translator(model.config, model.pieces).eval()
    dev, test = unseen_pairs(n_sentences, DEV_SEED), unseen_pairs(n_sentences, TEST_SEED)
    test = _without(test, dev)
    looks = {
        of: [(of(net, dev), of(net, test)) for net in (model, untrained)] for of in (encoder_weights, cross_weights)
    }
    measured = {}
    for name, weights_of, relation, others in (
        ("syntactic head", encoder_weights, syntactic_heads, {}),
        ("antecedent", encoder_weights, antecedents, {"nearest noun or name before the pronoun": nearest_noun}),
        ("aligned word", cross_weights, alignments, {"the diagonal": diagonal}),
    ):
        gold_dev, gold_test = relation(dev), relation(test)
        (of_dev, of_test), (fresh_dev, fresh_test) = looks[weights_of]
        chosen, fresh = choose(of_dev, gold_dev), choose(fresh_dev, gold_dev)
        ours = hits(of_test, gold_test, chosen)
        offset = offset_hits(gold_test, chosen.offset)
        cross = weights_of is cross_weights
        measured[name] = Measurement(
            100 * (ours.astype(float) - offset),
            "points",
            clusters=[number for number, gold in enumerate(gold_test) for _ in gold],
            baselines={
                f"{name}: best fixed offset ({chosen.offset:+d}), in %": 100 * float(offset.mean()),
                f"{name}: the untrained net's best head, in %": 100 * float(hits(fresh_test, gold_test, fresh).mean()),
            }
            | {f"{name}: {rule}, in %": share(test, gold_test) for rule, share in others.items()},
            parts={
                f"{name}: chosen head": f"layer {chosen.layer + 1}, head {chosen.head + 1}",
                f"{name}: right, in %": 100 * float(ours.mean()),
                **{
                    f"{name}: {k}": v
                    for k, v in ablation(model, test[:ABLATED], chosen.layer, chosen.head, cross=cross).items()
                },
            },
            data="sentences of the world",
        )
    return measured


def syntactic_heads(pairs: Sequence[WorldPair]) -> Relation:
    """English word -> its head."""
    return [
        {word: head - 1 for word, head in enumerate(pair.en.heads) if head and pair.en.upos[word] != "PUNCT"}
        for pair in pairs
    ]


def antecedents(pairs: Sequence[WorldPair]) -> Relation:
    """English pronoun -> the word it stands for."""
    return [{word: old for word, old in enumerate(pair.en.antecedents) if old is not None} for pair in pairs]


def alignments(pairs: Sequence[WorldPair]) -> Relation:
    """Korean word -> English word. One Korean word may have several English ones: the first."""
    return [{korean: english for english, korean in reversed(pair.alignment)} for pair in pairs]


def choose(weights: Weights, gold: Relation) -> Chosen:
    """By the share of right columns over all rows of `gold`."""
    score = sum(_right(rows, asked).sum(-1) for rows, asked in zip(weights, gold, strict=True) if asked)
    layer, head = np.unravel_index(int(score.argmax()), score.shape)
    offsets = range(-MAX_OFFSET, MAX_OFFSET + 1)
    return Chosen(int(layer), int(head), max(offsets, key=lambda offset: offset_hits(gold, offset).sum()))


def hits(weights: Weights, gold: Relation, chosen: Chosen) -> np.ndarray:
    """bool [word]: the chosen head's largest weight is at the right column."""
    found = [_right(rows, asked)[chosen.layer, chosen.head] for rows, asked in zip(weights, gold, strict=True) if asked]
    return np.concatenate(found)


def offset_hits(gold: Relation, offset: int) -> np.ndarray:
    """bool [word]: the right column is the row's number plus `offset`."""
    return np.array([column == row + offset for asked in gold for row, column in asked.items()])


def nearest_noun(pairs: Sequence[WorldPair], gold: Relation) -> float:
    """Nearest noun or name before the pronoun, share that is right in %."""
    found = []
    for pair, asked in zip(pairs, gold, strict=True):
        for row, column in asked.items():
            before = [place for place in range(row) if pair.en.upos[place] in NOUNS]
            found.append(bool(before) and before[-1] == column)
    return 100 * float(np.mean(found))


def diagonal(pairs: Sequence[WorldPair], gold: Relation) -> float:
    """The diagonal, share that is right in %: word j of m stands for word round(j n / m) of n."""
    found = [
        column == round(row * (len(pair.en) - 1) / max(1, len(pair.ko) - 1))
        for pair, asked in zip(pairs, gold, strict=True)
        for row, column in asked.items()
    ]
    return 100 * float(np.mean(found))


def _right(rows: np.ndarray, asked: dict[int, int]) -> np.ndarray:
    """bool [layer, head, word] for one sentence's weights [layer, head, row, column]."""
    return rows[:, :, list(asked)].argmax(-1) == np.array(list(asked.values()))


def _without(pairs: list[WorldPair], others: list[WorldPair]) -> list[WorldPair]:
    seen = {pair.en.words for pair in others}
    return [pair for pair in pairs if pair.en.words not in seen]
