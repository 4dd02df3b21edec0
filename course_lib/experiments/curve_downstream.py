"""What a checkpoint is worth on public tasks: one cell of the checkpoints' table, from the recorded label curves."""

from __future__ import annotations

from course_lib.experiments.curve_bench import AWD_SCRATCH, AWD_TARGET, BERT, BERT_SCRATCH
from course_lib.experiments.curve_record import Curves, recorded_curves
from course_lib.experiments.curve_tasks import AWD, TASKS, CurveTask

NOT_RECORDED, NO_CURVE = "not recorded yet", "—"
HEADING = "public tasks: fine-tuned / from scratch"


def downstream(checkpoint: str, curves: Curves | None = None) -> str:
    """Mean test scores of each task that starts from the checkpoint, at the most labels that both starts have.

    "RTE, entailment: 55.0 / 53.1 accuracy in % (2,039 labels, 3 seeds)", several with ";" between. "not recorded yet"
    where no task has both values; "—" for a checkpoint that no label curve starts from.
    """
    curves = recorded_curves() if curves is None else curves
    tasks = {name: task for name, task in TASKS.items() if checkpoint in task.checkpoints}
    if not tasks:
        return NO_CURVE
    return "; ".join(filter(None, (_figures(checkpoint, name, task, curves) for name, task in tasks.items()))) or (
        NOT_RECORDED
    )


def _figures(checkpoint: str, name: str, task: CurveTask, curves: Curves) -> str:
    """One task; "" if nothing can be compared. Of seeds only those count that both starts have."""
    tuned, scratch = (
        curves.scores(name, system)
        for system in ((AWD_TARGET, AWD_SCRATCH) if checkpoint == AWD else (BERT, BERT_SCRATCH))
    )
    shared = {n: sorted(tuned[n].keys() & scratch[n].keys()) for n in tuned.keys() & scratch.keys()}
    most = max((n for n, seeds in shared.items() if seeds), default=None)
    if most is None:
        return ""
    seeds = shared[most]
    means = " / ".join(f"{sum(line[most][seed] for seed in seeds) / len(seeds):.1f}" for line in (tuned, scratch))
    count = "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"
    return f"{task.title}: {means} {curves.tasks[name]['metric']} ({most:,} labels, {count})"
