"""Claims C6.7 and C6.10: what trained heads look at, and what a deep Transformer needs to train."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Bool

from course.lab.attention_heads import Gold, ablation, cross_weights, heads_by_relation, relation_head
from course.lab.averaging import LastCheckpoints
from course.lab.losses import mean_loss
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
from course.ledger import Measurement, by_seed, claim, means
from course.world import WorldPair
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.models.bert import Bert
from course_lib.models.shipped import load
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.training.schedules import linear_decay, rise_and_fall

DEV_SEED, TEST_SEED = 11, 12
ABLATED = 200  # test sentences on which a head is switched off
PRONOUN = "pronoun to whom it means"
IN_THE_RULE = (PRONOUN, "object to its verb", "preposition to its noun")


@claim("C6.7", full={"n_sentences": 800, "steps": 1_000})
def heads_find_structure(
    *, model: Translator | None = None, n_sentences: int = 300, steps: int = 500, seed: int = 0
) -> dict[str, Measurement]:
    """Right or wrong per word: the chosen head's largest weight minus its rival, in points.

    The rival of a head that finds whom a pronoun means is the nearest name or pronoun; of the others it is the offset
    that is best on dev.
    model  an English-to-Korean translator of the world as `translator` makes it; None trains one with `steps` (once)
    Relations within the sentence: the published small BERT. Aligned words: the translator's cross-attention where it
    predicts the word; words without a partner are not asked for.
    """
    bert = load("minilm-en")
    model = trained_translator(seed, steps=steps) if model is None else model
    seed_everything(seed)
    fresh_bert, fresh = Bert(bert.config, bert.pieces).eval(), Translator(model.config, model.pieces).eval()
    dev, test = unseen_pairs(n_sentences, DEV_SEED), unseen_pairs(n_sentences, TEST_SEED)
    known = {pair.en.words for pair in dev}
    test = [pair for pair in test if pair.en.words not in known]
    found, untrained, ours = (heads_by_relation(net, dev, test) for net in (bert, fresh_bert, model))
    gold_dev, gold_test = alignments(dev), alignments(test)
    for heads, net in ((found, model), (untrained, fresh)):
        heads["aligned word"] = relation_head(cross_weights(net, dev), gold_dev, cross_weights(net, test), gold_test)
    cross = found["aligned word"]
    nearest = nearest_person(test)
    rivals = {name: nearest if name == PRONOUN else head.offset_hits for name, head in found.items()}
    others = {
        PRONOUN: {"nearest name or pronoun, in %": 100 * nearest.mean()},
        "aligned word": {"the diagonal, in %": diagonal(test, gold_test)},
    }
    parts = {
        name: {f"{name}: our translator's best head, in %": 100 * head.right.mean()} for name, head in ours.items()
    } | {"aligned word": ablation(model, test[:ABLATED], cross.layer, cross.head)}
    measured = {
        name: Measurement(
            100 * (head.right.astype(float) - rivals[name]),
            "points",
            clusters=head.sentences,
            baselines={
                f"{name}: best fixed offset ({head.offset:+d}), in %": 100 * head.offset_hits.mean(),
                f"{name}: the untrained net's best head, in %": 100 * untrained[name].right.mean(),
                **{f"{name}: {rule}": share for rule, share in others.get(name, {}).items()},
            },
            parts={f"{name}: chosen head": head.name, f"{name}: right, in %": 100 * head.right.mean(), **parts[name]},
            data="sentences of the world",
        )
        for name, head in found.items()
    }
    last, judged = measured["aligned word"], (*IN_THE_RULE, "aligned word")
    beside = {f"{name}: best head minus best offset": of for name, of in measured.items() if name not in judged}
    return {name: measured[name] for name in judged} | {"aligned word": replace(last, parts={**last.parts, **beside})}


def alignments(pairs: Sequence[WorldPair]) -> Gold:
    """Korean word -> English word. One Korean word may have several English ones: the first."""
    return [{korean: english for english, korean in reversed(pair.alignment)} for pair in pairs]


def nearest_person(pairs: Sequence[WorldPair]) -> Bool[np.ndarray, " word"]:
    """For each pronoun that means somebody named before: is that the nearest name or pronoun?"""
    return np.array(
        [
            old == max((i for i in range(word) if pair.en.upos[i] in ("PROPN", "PRON")), default=-1)
            for pair in pairs
            for word, old in enumerate(pair.en.antecedents)
            if old is not None
        ]
    )


def diagonal(pairs: Sequence[WorldPair], gold: Gold) -> float:
    """The diagonal, share that is right in %: word j of m stands for word round(j n / m) of n."""
    found = [
        column == round(row * (len(pair.en) - 1) / max(1, len(pair.ko) - 1))
        for pair, asked in zip(pairs, gold, strict=True)
        for row, column in asked.items()
    ]
    return 100 * float(np.mean(found))


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
    return by_seed(
        losses["without warm-up"] - losses["with warm-up"],
        "nats per token",
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
        with tempfile.TemporaryDirectory() as folder:
            last = LastCheckpoints(model, folder, keep=5, every=max(1, steps // 50))
            model = translator(0, steps=steps, config=config, watchers=[last], model=model)
            averaged = last.mean()
        found[f"{name}: BLEU"] = world_bleu(model, test, beam=4)
        with torch.no_grad():  # of the plain cross-entropy per target word, not of the smoothed one
            found[f"{name}: perplexity"] = float(model.loss(model.batch(test))["cross_entropy"].exp())
        if name == "full recipe":
            found["without a beam (greedy): BLEU"] = world_bleu(model, test)
            model.load_state_dict(averaged)
            found["mean of the last 5 weights: BLEU"] = world_bleu(model, test, beam=4)
    return found
