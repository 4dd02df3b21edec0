"""Recorded label curves as they are shown: figure and table in chapters 5 and 8, one cell on a checkpoint's card."""

from __future__ import annotations

from course.records.curve_bench import (
    AWD_GENERAL,
    AWD_SCRATCH,
    AWD_TARGET,
    BASELINE,
    BERT,
    BERT_SCRATCH,
    MINILM,
)
from course.records.curve_record import ALL, COMMAND, Curves, recorded_curves
from course.records.curve_tasks import AWD, TASKS, CurveTask
from course.records.label_curves import LABELS, Plan
from course_lib.evaluation.intervals import Interval

NOT_RECORDED, NO_CURVE = "not recorded yet", "—"  # on a card
HEADING = "public tasks: fine-tuned / from scratch"
# chapter -> system -> its name in figures.STARTS; the baseline has the name of the task's own
SHOWN = {
    5: {AWD_SCRATCH: "from scratch", AWD_GENERAL: "general LM", AWD_TARGET: "general + target LM"},
    8: {BERT_SCRATCH: "from scratch", BERT: "pre-trained", MINILM: "MiniLM"},
}
# chapter -> (column, system, what is taken away)
GAINS = {
    5: (
        ("general LM − from scratch", AWD_GENERAL, AWD_SCRATCH),
        ("target LM − general LM", AWD_TARGET, AWD_GENERAL),
        ("target LM − bag of words", AWD_TARGET, BASELINE),
    ),
    8: (
        ("pre-trained − from scratch", BERT, BERT_SCRATCH),
        ("pre-trained − baseline", BERT, BASELINE),
        ("MiniLM − pre-trained", MINILM, BERT),
    ),
}


def curve_figure(chapter: int, curves: Curves | None = None):
    """A panel for each task of the chapter: mean score over labels, the band from the lowest to the highest seed.

    A task without a value keeps its empty panel, which says so.
    """
    from course_lib.widgets import figures

    curves = recorded_curves() if curves is None else curves
    panels = []
    for name, task in _tasks(chapter).items():
        known = curves.tasks.get(name, {})
        systems = {system: label for system, label in SHOWN[chapter].items() if curves.rows(name, system)}
        lines = {label: curves.rows(name, system) for system, label in systems.items()}
        baseline = {known["baseline"]: rows} if (rows := curves.rows(name, BASELINE)) else {}
        unit = f"{known['metric']}, {known['n_test']:,} test items" if lines or baseline else "not recorded yet"
        panels.append(figures.Panel(task.title, unit, lines, baseline))
    return figures.curve_panels(panels, x="labels (log scale)")


def missing_cells(chapter: int, curves: Curves | None = None) -> str:
    """One sentence: how many cells of the chapter's curves are recorded, and how to get the others."""
    curves = recorded_curves() if curves is None else curves
    wanted = [key for name in _tasks(chapter) for key in _plan(chapter, name).wanted()]
    lacking = [key for name in _tasks(chapter) for key in _plan(chapter, name).missing(curves)]
    if not lacking:
        dates = sorted({run["date"] for run in curves.runs})
        when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
        return f"All {len(wanted)} trainings are recorded ({when}). Command: {COMMAND}"
    titles: dict[str, list[str]] = {}  # of the tasks that lack the same label counts
    for name, task in _tasks(chapter).items():
        counts = dict.fromkeys("all" if n == ALL else f"{n:,}" for key, _, n, _ in lacking if key == name)
        if counts:
            which = f" with {' and '.join(counts)} labels" if len(counts) < len(LABELS) else ""
            titles.setdefault(which, []).append(task.title)
    missing = "; ".join(f"missing{which}: {'; '.join(tasks)}" for which, tasks in titles.items())
    return f"{len(wanted) - len(lacking)} of {len(wanted)} trainings are recorded; {missing}. Command: {COMMAND}"


def curves_markdown(chapter: int, curves: Curves | None = None) -> str:
    """What each start brings in points, with 95 % t intervals over the seeds, by task and number of labels.

    Answers have two lines each: F1, and exact match.
    """
    curves = recorded_curves() if curves is None else curves
    measured = {cell.system for cell in curves.cells} | set(_always(chapter))
    columns = [column for column in GAINS[chapter] if column[1] in measured]
    lines = [
        f"| task | labels | {' | '.join(title for title, *_ in columns)} |",
        f"| --- |{' ---: |' * (len(columns) + 1)}",
    ]
    for name, task in _tasks(chapter).items():
        for title, exact in ((task.title, False), (f"{task.title}, exact match", True)):
            gains = [curves.gains(name, system, other, exact=exact) for _, system, other in columns]
            for n in sorted({n for column in gains for n in column}):
                cells = " | ".join(_gain(column.get(n)) for column in gains)
                lines.append(f"| {title} | {n:,} | {cells} |")
    return "\n".join(lines) + "\n"


def show_curves(chapter: int) -> None:
    """In a notebook: figure, table and what is missing, all from the record."""
    from IPython.display import Markdown, display

    curves = recorded_curves()
    if any(cell.task in _tasks(chapter) for cell in curves.cells):
        display(curve_figure(chapter, curves))
        display(Markdown(curves_markdown(chapter, curves)))
    print(missing_cells(chapter, curves))


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


def _tasks(chapter: int) -> dict:
    return {name: task for name, task in TASKS.items() if chapter in task.chapters}


def _plan(chapter: int, name: str) -> Plan:
    return Plan({name: TASKS[name]}, _always(chapter))


def _always(chapter: int) -> list[str]:
    """The systems that have to be there; MiniLM is shown where somebody measured it."""
    return [system for system in (BASELINE, *SHOWN[chapter]) if system != MINILM]


def _gain(gain: Interval | float | None) -> str:
    if isinstance(gain, Interval):
        return f"{gain.estimate:+.1f} [{gain.low:.1f}, {gain.high:.1f}]"
    return "" if gain is None else f"{gain:+.1f} (one seed)"


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
