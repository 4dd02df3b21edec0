"""Recipe of four heads on one published body, from 500 labels each: chapter 8 shows them on the reader's own sentences.

Source: Devlin et al. 2019, arXiv:1810.04805, section 4 (one body, four heads); what moves below a head is said in
`course_lib.models.heads_on_body`. Labels, batches and steps are those of the label curves' first draw.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from course.lab.learning import learn
from course.lab.tasks import KINDS
from course.recipes.engine import Job, Recipe
from course.records.curve_tasks import TASKS, Bench
from course_lib.models.head_base import Head
from course_lib.models.heads_on_body import load_heads, own_numbers, save_heads, with_its_matrices
from course_lib.models.shipped import load
from course_lib.training.history import History


@dataclass(frozen=True)
class Settings:
    """rate: of the head, the biases and the gains; larger than where matrices move, too. labels: of each task."""

    rate: float = 5e-3
    labels: int = 500
    body: str = "minilm-en"
    tasks: tuple[str, ...] = ("sst2", "squad-pairs", "wnut17", "squad-spans")  # in the order of KINDS


def read(job: Job) -> dict[str, Bench]:
    return dict(zip(KINDS, (TASKS[name].open() for name in job.settings.tasks), strict=True))


def train(job: Job, benches: dict[str, Bench]) -> tuple[dict[str, Head], History]:
    started, body, heads = time.monotonic(), load(job.settings.body), {}
    for kind, bench in benches.items():
        task, recipe = bench.task, bench.effort.recipe.at(job.settings.rate)
        drawn = task.draw(job.settings.labels, job.seed)
        heads[kind] = learn(lambda task=task: task.head(with_its_matrices(body), job.seed), drawn, job.seed, recipe)
    return heads, History(seconds=time.monotonic() - started)


def save(job: Job, heads: dict[str, Head], folder: Path, card: str | None) -> None:
    save_heads(folder, job.settings.body, heads, card)


def evaluate(job: Job, benches: dict[str, Bench], heads: dict[str, Head], folder: Path) -> dict[str, str]:
    """As shipped, on the test items of the label curves; beside it what needs no network, from the same labels."""
    rows, shipped, body = {}, load_heads(folder), load(job.settings.body)
    for kind, bench in benches.items():
        task = bench.task
        alone = task.baseline(task.draw(job.settings.labels, job.seed))
        own = sum(numbers.numel() for numbers in own_numbers(shipped[kind], body).values())
        rows[f"{task.name}, {task.unit}"] = (
            f"{task.score(shipped[kind]):.1f} ({len(task.test):,} test items; {task.baseline_name} {alone:.1f}; "
            f"{own:,} numbers of its own)"
        )
    return rows


def describe(job: Job, benches: dict[str, Bench], history: History) -> dict[str, str]:
    return {
        "model": f"four heads on {job.settings.body}: a linear layer each, and for each the body's biases and layer "
        "norms; the matrices stay those of the body, which lies beside; float16",
        "data": "labelled training records of "
        + ", ".join(f"{bench.task.name} ({kind})" for kind, bench in benches.items()),
        "tokens": f"{job.settings.labels:,} labelled records for each head, drawn once",
    }


RECIPES = (
    Recipe(
        "heads-en",
        "Four heads on the published small BERT (English)",
        "four public sets",
        licence="SQuAD: CC BY-SA 4.0; WNUT-17: CC BY 4.0; SST-2: none stated for the phrases; no text is in this "
        "folder. Weights: CC BY-SA 4.0",
        profiles={"cpu": Settings()},
        family=__name__,
    ),
)
