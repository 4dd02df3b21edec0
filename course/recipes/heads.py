"""How four heads on one published body are made, from 500 labels each. Chapter 8 shows them to the reader.

Source: Devlin et al. 2019, arXiv:1810.04805, section 4 (one body, four heads); what moves below a head is said in
`course.lab.heads_on_body`. The labels are those of the label curves' first draw; one recipe serves all four.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from course.lab.heads_on_body import load_heads, own_numbers, save_heads, with_its_matrices
from course.lab.learning import Recipe as Training
from course.lab.learning import learn
from course.lab.tasks import KINDS
from course.recipes.job import Job, Recipe
from course.records.curve_tasks import TASKS
from course_lib.models.shipped import load


@dataclass(frozen=True)
class Settings:
    rate: float = 5e-3  # of the head, the biases and the gains; larger than where matrices move, too
    steps: int = 150
    batch_size: int = 16
    labels: int = 500  # of each task
    n_test: int = 400  # items that the card's scores are of
    body: str = "minilm-en"
    tasks: tuple[str, ...] = ("sst2", "squad-pairs", "wnut17", "squad-spans")  # in the order of KINDS


def train(job: Job) -> None:
    settings = job.settings
    tasks = {}
    for kind, name in zip(KINDS, settings.tasks, strict=True):
        task = TASKS[name].open().task
        tasks[kind] = replace(task, test=task.test[: settings.n_test])

    started, body, heads = time.monotonic(), load(settings.body), {}
    steps = settings.steps
    recipe = Training(settings.rate, min_steps=steps, max_steps=steps, batch_size=settings.batch_size)
    for kind, task in tasks.items():
        drawn = task.draw(settings.labels, job.seed)
        heads[kind] = learn(lambda task=task: task.head(with_its_matrices(body), job.seed), drawn, job.seed, recipe)
    seconds = time.monotonic() - started
    save_heads(folder := job.new_folder(), settings.body, heads)

    # The card: as shipped, on the test items of the label curves; beside it what needs no network, from the same labels
    scores, shipped, body = {}, load_heads(folder), load(settings.body)
    for kind, task in tasks.items():
        alone = task.baseline(task.draw(settings.labels, job.seed))
        own = sum(numbers.numel() for numbers in own_numbers(shipped[kind], body).values())
        scores[f"{task.name}, {task.unit}"] = (
            f"{task.score(shipped[kind]):.1f} ({len(task.test):,} test items; {task.baseline_name} {alone:.1f}; "
            f"{own:,} numbers of its own)"
        )
    facts = {
        "model": f"four heads on {settings.body}: a linear layer each, and for each the body's biases and layer "
        "norms; the matrices stay those of the body, which lies beside; float16",
        "data": "labelled training records of " + ", ".join(f"{task.name} ({kind})" for kind, task in tasks.items()),
        "tokens": f"{settings.labels:,} labelled records for each head, drawn once",
    }
    job.write_card(facts, scores, seconds)


RECIPES = (
    Recipe(
        "heads-en",
        "Four heads on the published small BERT (English)",
        "SQuAD: CC BY-SA 4.0; WNUT-17: CC BY 4.0; SST-2: none stated for the phrases; no text is in this folder. "
        "Weights: CC BY-SA 4.0",
        {"cpu": Settings()},
        train,
    ),
)
