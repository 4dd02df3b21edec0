"""Claims C8.2 and C8.4: the four tasks. Pre-trained against from scratch, and one recipe for all against baselines.

Sizes of heads and frozen networks have files of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float

from course.lab.controls import opened, untrained
from course.lab.learning import DEV_SEED, Recipe, best_rate, fine_tune
from course.lab.tasks import Task, four_tasks
from course.ledger import Measurement, claim
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder

PRE_TRAINED, SCRATCH, STATIC = "pre-trained", "from scratch", "static vectors"


@claim(
    "C8.2",
    full={
        "source": "public",
        "sizes": (200, 800),  # from fewer names no tagger learns anything, which leaves nothing to compare
        "rates": (3e-4, 1e-3),
        "static_rates": (1e-2, 1e-1),
        "recipe": Recipe(min_steps=60, max_steps=80),
        "static_recipe": Recipe(min_steps=200, max_steps=200),
        "n_dev": 100,
        "n_test": 300,
        "n_spans": 150,
    },
)
def pre_trained_beats_scratch(
    *,
    encoder: ContextEncoder | str = "bert-en",
    static: ContextEncoder | str = "skipgram-en",
    source: str = "handmade",
    language: str = "en",
    sizes: Sequence[int] = (16, 64),
    rates: Sequence[float] = (1e-3,),
    static_rates: Sequence[float] = (3e-2,),
    recipe: Recipe = Recipe(min_steps=8, max_steps=14, batch_size=8),  # noqa: B008 (frozen)
    static_recipe: Recipe = Recipe(min_steps=100, max_steps=100),  # noqa: B008
    n_dev: int = 30,
    n_test: int = 40,
    n_spans: int = 30,
    n_seeds: int = 5,
) -> dict[str, Measurement]:
    """Area under the curve of each task, pre-trained minus from scratch, by seed.

    A seed draws labels, head and, from scratch, the whole network. Each system has the best of `rates`, chosen on
    dev with the most labels. Static vectors stay frozen below the same head, take more (and cheaper) steps, and are
    scored with the most labels only.
    n_test, n_spans  test records; fewer spans, for they are read beside whole sentences
    """
    model, table = opened(encoder), opened(static)
    measured = {}
    for kind, whole in four_tasks(source, language, n_dev=n_dev, n_test=n_test).items():
        task = whole.fitting(model).limited(n_test=n_spans if kind == "span" else n_test)
        curves, chosen = {}, {}
        for system in (PRE_TRAINED, SCRATCH):
            curves[system], chosen[system] = curve(task, model, system, sizes, rates, recipe, n_seeds)
        curves[STATIC], _ = curve(task, table, STATIC, sizes[-1:], static_rates, static_recipe, n_seeds)
        measured[kind] = _measured(task, sizes, curves, chosen)
    return measured


def curve(
    task: Task,
    encoder: ContextEncoder,
    system: str,
    sizes: Sequence[int],
    rates: Sequence[float],
    recipe: Recipe,
    n_seeds: int,
) -> tuple[Float[np.ndarray, "size seed"], float]:
    """Test scores in %, and the rate of all these trainings: the best on dev with the most labels."""
    frozen = system == STATIC

    def start(seed: int) -> ContextEncoder:
        return untrained(encoder, seed) if system == SCRATCH else encoder

    def score(n_labels: int, seed: int, rate: float, part: str = "test") -> float:
        return task.score(fine_tune(task, start(seed), n_labels, seed, recipe.at(rate), frozen=frozen), part)

    rate = best_rate(rates, lambda rate: score(sizes[-1], DEV_SEED, rate, "dev"))
    return np.array([[score(n_labels, seed, rate) for seed in range(n_seeds)] for n_labels in sizes]), rate


def area(sizes: Sequence[int], scores: Float[np.ndarray, "size seed"]) -> Float[np.ndarray, " seed"]:
    """Area under the curve of scores over log2 of the labels, divided by its width: the mean score per doubling.

    Between two sizes the score grows evenly with the logarithm. Raises CourseError unless at least two sizes rise.
    """
    if len(sizes) < 2 or any(b <= a for a, b in pairwise(sizes)):
        raise CourseError(f"A learning curve needs at least two rising numbers of labels, not {list(sizes)}.")
    places = np.log2(np.asarray(sizes, dtype=np.float64))
    return np.trapezoid(scores, places, axis=0) / (places[-1] - places[0])


def _measured(task: Task, sizes: Sequence[int], curves: dict[str, np.ndarray], rates: dict[str, float]) -> Measurement:
    unit, kind, most = task.unit, task.kind, sizes[-1]
    drawn = [task.draw(most, seed) for seed in range(curves[PRE_TRAINED].shape[1])]
    return Measurement(
        area(sizes, curves[PRE_TRAINED]) - area(sizes, curves[SCRATCH]),
        "points",
        seeds=True,
        baselines={
            f"majority ({kind}): {unit}": task.majority(),
            f"{task.baseline_name} ({kind}), {most:,} labels: {unit}": float(np.mean(list(map(task.baseline, drawn)))),
            f"{STATIC} ({kind}), {most:,} labels: {unit}": float(curves[STATIC].mean()),
            f"{SCRATCH} ({kind}), {most:,} labels: {unit}": float(curves[SCRATCH][-1].mean()),
        },
        parts={
            f"the learning curves ({kind}): {system}, {n:,} labels: {unit}": float(row.mean())
            for system in (PRE_TRAINED, SCRATCH)
            for n, row in zip(sizes, curves[system], strict=True)
        }
        | {f"learning rate ({kind}), {system}": rate for system, rate in rates.items()},
        data=f"{task.name}, {sizes[0]:,} to {most:,} labels",
    )


@claim(
    "C8.4",
    full={
        "source": "public",
        "n_labels": 800,
        "recipe": Recipe(min_steps=50, max_steps=80),
        "n_dev": 150,
        "n_test": 400,
        "n_spans": 200,
    },
)
def one_recipe_serves_four_tasks(
    *,
    encoder: ContextEncoder | str = "bert-en",
    source: str = "handmade",
    language: str = "en",
    n_labels: int = 64,
    rates: Sequence[float] = (3e-4, 1e-3),
    recipe: Recipe = Recipe(min_steps=8, max_steps=14, batch_size=8),  # noqa: B008 (frozen)
    n_dev: int = 30,
    n_test: int = 40,
    n_spans: int = 30,
    n_seeds: int = 5,
) -> dict[str, Measurement]:
    """Per task the score of the one recipe minus its baseline, learned from the same labels, by seed.

    The one recipe has the rate with the best mean of the four scores on dev; a task's best settings have the rate that
    is best for it alone. Head, optimizer, schedule, batch size and epochs are the same for all.
    n_test, n_spans  test records; fewer spans, for they are read beside whole sentences
    """
    model = opened(encoder)
    tasks = {
        kind: task.fitting(model).limited(n_test=n_spans if kind == "span" else n_test)
        for kind, task in four_tasks(source, language, n_dev=n_dev, n_test=n_test).items()
    }
    on_dev = {
        kind: {rate: task.score(fine_tune(task, model, n_labels, DEV_SEED, recipe.at(rate)), "dev") for rate in rates}
        for kind, task in tasks.items()
    }
    shared = best_for_all(on_dev)

    def scores(task: Task, rate: float) -> np.ndarray:
        """[seed], in %."""
        trained = (fine_tune(task, model, n_labels, seed, recipe.at(rate)) for seed in range(n_seeds))
        return np.array([task.score(head) for head in trained])

    measured = {}
    for kind, task in tasks.items():
        baselines = np.array([task.baseline(task.draw(n_labels, seed)) for seed in range(n_seeds)])
        one = scores(task, shared)
        own = max(on_dev[kind], key=on_dev[kind].get)
        best = one if own == shared else scores(task, own)
        measured[kind] = Measurement(
            one - baselines,
            "points",
            seeds=True,
            baselines={f"{task.baseline_name} ({kind}): {task.unit}": float(baselines.mean())},
            parts={
                f"the one recipe ({kind}), rate {shared:g}: {task.unit}": float(one.mean()),
                f"best settings per task ({kind}), rate {own:g}: {task.unit}": float(best.mean()),
                f"best settings per task against the one recipe ({kind}): points": float((best - one).mean()),
            },
            data=f"{task.name}, {n_labels:,} labels",
        )
    return measured


def best_for_all(on_dev: Mapping[str, Mapping[float, float]]) -> float:
    """The rate with the highest mean score over the tasks; of equal ones the first. on_dev: {task: {rate: score}}."""
    rates = list(next(iter(on_dev.values())))
    return max(rates, key=lambda rate: np.mean([scores[rate] for scores in on_dev.values()]))
