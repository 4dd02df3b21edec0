"""Claims C7.5 and C7.6: masked networks against those that read one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from course_lib.experiments.bert_batches import BATCH, MASKED, Shares
from course_lib.experiments.bert_probe import PosProbe, SideBySide, best_rate, world_probe
from course_lib.experiments.chapter7_joint import joint_accuracy
from course_lib.experiments.cue_sides import SIDES, cued, sense_accuracy
from course_lib.experiments.measurement import Measurement, claim
from course_lib.experiments.pos_probe import static_rows, window_word_rows
from course_lib.experiments.world_bert import RATE, new_bert, rise, train_bert, world_bert, world_rows
from course_lib.models.shipped import load

DEV_SEED = 1_000  # of the network that a learning rate is chosen with
OBJECTIVES = {
    "left-to-right": ("left-to-right", MASKED),
    "left-to-right, 15 % asked": ("left-to-right", Shares(predict=0.15)),
    "masked": ("masked", MASKED),
}


@claim("C7.5", full={"points": (25, 50, 100, 200, 400), "n_test": 200, "search": True})
def masked_converges_more_slowly(
    *, points: Sequence[int] = (25, 50, 100), n_test: int = 60, n_seeds: int = 5, search: bool = False
) -> Measurement:
    """Mean probe accuracy over the points of a curve, left-to-right minus masked, per seed.

    points  steps at which the probe is asked, each twice the one before. A step reads as many tokens for all.
    search  choose a learning rate for each objective by the curve's mean on dev; else all have the same
    """
    pos = world_probe(n_test=n_test)
    rates = {
        name: best_rate(lambda rate, name=name: curve(name, DEV_SEED, rate, points, pos)[1].mean()) if search else RATE
        for name in OBJECTIVES
    }
    curves = {
        name: np.stack([curve(name, seed, rates[name], points, pos)[0] for seed in range(n_seeds)])
        for name in OBJECTIVES
    }
    means = {name: found.mean(1) for name, found in curves.items()}
    both = [curves[name].mean(0) for name in ("masked", "left-to-right")]
    ahead = [step for step, ours, theirs in zip(points, *both, strict=True) if ours > theirs]
    sizes = [len(row.ids) for row in world_rows()]
    return Measurement(
        means["left-to-right"] - means["masked"],
        "points",
        seeds=True,
        control=Measurement(means["left-to-right, 15 % asked"] - means["masked"], "points", seeds=True),
        baselines={"the same network untrained, in %": pos.of(world_bert(0, steps=0)).score},
        parts={
            f"{name}, {tokens(step, sizes):,} tokens: probe, in %": float(score)
            for name, found in curves.items()
            for step, score in zip(points, found.mean(0), strict=True)
        }
        | {f"{name}: learning rate": rate for name, rate in rates.items()}
        | {
            "left-to-right minus left-to-right with 15 % asked": Measurement(
                means["left-to-right"] - means["left-to-right, 15 % asked"], "points", seeds=True
            ),
            "masked is ahead from": f"{tokens(ahead[0], sizes):,} tokens" if ahead else "no point of the curve",
        },
        data="sentences of the world",
    )


def tokens(steps: int, sizes: Sequence[int]) -> int:
    """Pieces that `steps` steps read, to two digits."""
    n = steps * BATCH * float(np.mean(sizes))
    return int(float(f"{n:.2g}"))


def curve(name: str, seed: int, rate: float, points: Sequence[int], pos: PosProbe) -> tuple[np.ndarray, np.ndarray]:
    """The probe's accuracy in % at each point, on test and on dev, in one training at a constant rate."""
    objective, shares = OBJECTIVES[name]
    model = new_bert(world_bert(0, steps=0).pieces, seed, objective=objective)
    found = []

    def ask(step: int, _: dict) -> None:
        if step in points:
            found.append(pos.of(model))

    rows, last = world_rows(), max(points)
    train_bert(
        model, rows, seed, steps=last, objective=objective, shares=shares, rate=rate, schedule=rise, watchers=[ask]
    )
    return np.array([one.score for one in found]), np.array([one.dev for one in found])


@claim("C7.6", full={"steps": 400, "n_test": 200, "search": True, "joint_steps": 400})
def both_sides_beat_one(
    *,
    steps: int = 120,
    n_test: int = 60,
    n_cued: int = 600,
    n_seeds: int = 5,
    search: bool = False,
    joint_steps: int = 0,
) -> dict[str, Measurement]:
    """Probe accuracy on parts of speech, per seed; each network's best layer on dev, its learning rate too.

    The two one-way networks side by side are each half as wide as the others. Parts: senses by the side of their cue.
    joint_steps  of fine-tuning on words whose cues must be read jointly (XOR), as parts; 0 leaves them out
    """
    pos, vectors = world_probe(n_test=n_test), load("skipgram-en").word_vectors()
    splits = {side: cued("en", side, n_cued) for side in SIDES}
    nets: dict[str, Callable] = {
        "bidirectional": lambda seed, rate: world_bert(seed, steps=steps, rate=rate),
        "left-to-right": lambda seed, rate: world_bert(seed, steps=steps, rate=rate, objective="left-to-right"),
        "both ways, half the width": lambda seed, rate: SideBySide(
            [world_bert(seed, steps=steps, rate=rate, objective=way, width=32) for way in WAYS]
        ),
    }
    score, parts = {}, {}
    for name, make in nets.items():
        rate = best_rate(lambda rate, make=make: pos.of(make(DEV_SEED, rate)).dev) if search else RATE
        models = [make(seed, rate) for seed in range(n_seeds)]
        score[name] = np.array([pos.of(model).score for model in models])
        parts[f"{name}: probe, in %"] = float(score[name].mean())
        parts[f"{name}: learning rate"] = rate
        for side, split in splits.items():
            label = "both sides jointly (XOR)" if side == "both" else f"the {side}"
            parts[f"{name}, cue on {label}: senses, in %"] = np.mean([sense_accuracy(m, *split) for m in models])
        if joint_steps:
            found = [joint_accuracy(m, *splits["both"], steps=joint_steps, seed=i) for i, m in enumerate(models[:2])]
            parts[f"{name}, fine-tuned on XOR cues: senses, in %"] = float(np.mean(found))
    untrained = world_bert(0, steps=0)
    baselines = {
        "static vectors, in %": pos.score(static_rows(vectors, pos.words)),
        "mean of the window's static vectors, in %": pos.score(window_word_rows(vectors, pos.words)),
        "the same network untrained, in %": pos.of(untrained).score,
    } | {f"untrained, cue {side}: senses, in %": sense_accuracy(untrained, *split) for side, split in splits.items()}
    shared = {"seeds": True, "data": f"sentences of the world, {steps} steps of {BATCH} sentences"}
    return {
        "over left-to-right": Measurement(
            score["bidirectional"] - score["left-to-right"], "points", baselines=baselines, parts=parts, **shared
        ),
        "over both ways": Measurement(score["bidirectional"] - score["both ways, half the width"], "points", **shared),
    }


WAYS = ("left-to-right", "right-to-left")
