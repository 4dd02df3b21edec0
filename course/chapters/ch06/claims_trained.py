"""Claims C6.7 and C6.10: what the heads of a trained translator look at, and what a deep Transformer needs to train."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from course.lab.attention_heads import Weights, ablation, cross_weights, encoder_weights
from course.lab.world_models import (
    TRANSLATOR,
    Text,
    lm_text,
    new_lm,
    streams,
    train_lm,
    trained_translator,
    translator,
    unseen_pairs,
    world_bleu,
)
from course.ledger import Measurement, claim, means
from course_lib.data.world import WorldPair
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.evaluation.losses import mean_loss
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.training.averaging import LastWeights
from course_lib.training.schedules import linear_decay, rise_and_fall

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


CONFIG = TransformerConfig(d_model=64, n_heads=4, n_layers=6, d_ff=256, dropout=0.0)
RATES = (3e-4, 1e-3, 3e-3)
RECIPE = replace(TRANSLATOR, dropout=0.1)  # what the paper has: dropout, and label smoothing 0.1
SCHEDULES = {"with warm-up": rise_and_fall, "without warm-up": linear_decay}


@claim("C6.10", full={"steps": 400, "n_sentences": 6_000, "detail_steps": 300, "pre_norm_seeds": 2})
def post_norm_needs_warmup(
    *,
    n_layers: int = 6,
    steps: int = 60,
    n_sentences: int = 2_000,
    rates: Sequence[float] = RATES,
    n_seeds: int = 5,
    pre_norm_seeds: int = 1,
    detail_steps: int = 0,
) -> Measurement:
    """Validation loss after `steps` steps, without minus with warm-up, per seed; the rate is chosen on dev, once.

    A run whose loss stops being a number counts with the unigram loss: it has learned nothing.
    pre_norm_seeds  of the same with pre-norm, as a part
    detail_steps    of world translators with one detail of the paper removed each; 0 leaves them out
    """
    text, dev, test = lm_text(n_sentences), lm_text(200, part=1), lm_text(400, part=2)
    nothing = unigram_loss(text, test)

    def run(norm: str, schedule: str, rate: float, seed: int, held_out: Text) -> float:
        model = new_lm(replace(CONFIG, n_layers=n_layers, norm=norm), text, seed)
        try:
            train_lm(model, text, seed, steps=steps, rate=rate, schedule=SCHEDULES[schedule])
        except CourseError:  # fit's word for a loss that is not a finite number
            return math.nan
        return mean_loss(model, streams(model, held_out, 0)())

    best = {
        name: min(rates, key=lambda rate: np.nan_to_num(run("post", name, rate, 1_000, dev), nan=math.inf))
        for name in SCHEDULES
    }
    raw = {name: np.array([run("post", name, best[name], s, test) for s in range(n_seeds)]) for name in SCHEDULES}
    losses = {name: np.nan_to_num(found, nan=nothing) for name, found in raw.items()}
    n_lost = {name: (np.isnan(raw[name]) | (losses[name] >= nothing)).sum() for name in SCHEDULES}
    pre = {name: [run("pre", name, best[name], s, test) for s in range(pre_norm_seeds)] for name in SCHEDULES}
    return Measurement(
        losses["without warm-up"] - losses["with warm-up"],
        "nats per token",
        seeds=True,
        baselines={"unigram loss": nothing},
        parts=means("post-norm, {}: validation loss", losses)
        | means("post-norm, {}: learning rate", best)
        | means("post-norm, {}: runs that diverged or ended no better than unigrams", n_lost)
        | (means("pre-norm, {}, same rate: validation loss", pre) if pre_norm_seeds else {})
        | (details_removed(detail_steps) if detail_steps else {}),
        data=f"sentences of the world, {n_layers} layers, {steps} steps",
    )


def unigram_loss(text: Text, test: Text) -> float:
    """Nats per token of a guess by frequency alone, [BOS] and [EOS] included; one more is counted for unknown words."""
    counts = Counter(word for words in text for word in words)
    ends = {"[BOS]": len(text), "[EOS]": len(text)}
    total = counts.total() + sum(ends.values()) + 1
    scores = [-math.log((counts[word] or 1) / total) for words in test for word in words]
    scores += [-math.log(count / total) for count in ends.values() for _ in test]
    return float(np.mean(scores))


def details_removed(steps: int) -> dict[str, float]:
    """{what was removed: BLEU or perplexity on unseen sentences of the world}; decoding with a beam where not said.

    The last weights come first; averaging and the beam are added to the same training, not to another one.
    """
    test = [pair.parallel() for pair in unseen_pairs(300, 1)]
    found: dict[str, float] = {}
    for name, config in (
        ("full recipe", RECIPE),
        ("without dropout", replace(RECIPE, dropout=0.0)),
        ("without label smoothing", replace(RECIPE, label_smoothing=0.0)),
    ):
        model = translator(0, steps=0, config=config)
        last = LastWeights(model, keep=5, every=max(1, steps // 50))
        model = translator(0, steps=steps, config=config, watchers=[last], model=model)
        found[f"{name}: BLEU"] = world_bleu(model, test, beam=4)
        with torch.no_grad():  # of the plain cross-entropy per target word, not of the smoothed one
            found[f"{name}: perplexity"] = float(model.loss(model.batch(test))["cross_entropy"].exp())
        if name == "full recipe":
            found["without a beam (greedy): BLEU"] = world_bleu(model, test)
            model.load_state_dict(last.mean())
            found["mean of the last 5 weights: BLEU"] = world_bleu(model, test, beam=4)
    return found
