"""Claim C8.4: the same settings for four tasks, each above the baseline that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from course_lib.experiments.four_tasks import FourTask, four_tasks
from course_lib.experiments.head_recipe import Recipe, fine_tune, opened, rate_scores
from course_lib.experiments.measurement import Measurement, claim
from course_lib.models.encoder import ContextEncoder


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
    on_dev = {kind: rate_scores(task, model, n_labels, rates, recipe) for kind, task in tasks.items()}
    shared = best_for_all(on_dev)

    def scores(task: FourTask, rate: float) -> np.ndarray:
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
