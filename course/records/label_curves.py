"""Label curves at full scale: task x system x number of labels x seed -> score, each kept as soon as it is measured.

    python -m course.records.label_curves                                 all that is missing, few labels first
    python -m course.records.label_curves --task imdb --labels 100 500    a part of it

The record is `data/recorded/curves.json`, one line for each training; chapters 5 and 8 show it. A run that was stopped
goes on: it loses only the training it was in. Several processes may add to the same file.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from course.ledger.records import provenance
from course.records import curve_tasks
from course.records.curve_tasks import (
    ALL,
    AWD,
    AWD_GENERAL,
    AWD_SCRATCH,
    AWD_TARGET,
    BASELINE,
    BERT,
    BERT_SCRATCH,
    MINILM,
    CurveTask,
    Labels,
)
from course.records.store import Store, in_a_sentence, markdown_table
from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, seed_interval
from course_lib.files import lock
from course_lib.language import key, t

COMMAND = "python -m course.records.label_curves"
LABELS: tuple[Labels, ...] = (100, 500, 2_000, ALL)
SEEDS = 3
Key = tuple[str, str, Labels, int]
Row = tuple[int, float, float, float]  # labels, mean, lowest, highest
NOT_RECORDED, NO_CURVE = key("not recorded yet"), "—"  # on a card
HEADING = "public tasks: fine-tuned / from scratch"
# chapter -> system -> its name in figures.STARTS; the baseline has the name of the task's own
SHOWN = {
    5: {AWD_SCRATCH: "from scratch", AWD_GENERAL: "general LM", AWD_TARGET: "general + target LM"},
    8: {BERT_SCRATCH: "from scratch", BERT: "pre-trained", MINILM: "MiniLM"},
}
# chapter -> (column, system, what is taken away)
GAINS = {
    5: (
        (key("general LM − from scratch"), AWD_GENERAL, AWD_SCRATCH),
        (key("target LM − general LM"), AWD_TARGET, AWD_GENERAL),
        (key("target LM − bag of words"), AWD_TARGET, BASELINE),
    ),
    8: (
        (key("pre-trained − from scratch"), BERT, BERT_SCRATCH),
        (key("pre-trained − baseline"), BERT, BASELINE),
        (key("MiniLM − pre-trained"), MINILM, BERT),
    ),
}


# What is kept


@dataclass(frozen=True)
class Cell:
    """One training: `score` of `system` on the test items of `task`, learned from `n_labels` labels that `seed` drew.

    labels  what was asked for: a number, or "all", which may stand for fewer than the public set has
    steps   of training; 0 for a baseline
    score   in the task's metric, in %; of the last step, nothing is chosen by it
    exact   exact match in %, of the same answers; None where the task has no answers
    run     place of command, date, device and commit in `Curves.runs`
    """

    task: str
    system: str
    labels: Labels
    seed: int
    n_labels: int
    steps: int
    score: float
    seconds: float
    run: int = 0
    exact: float | None = None

    @property
    def key(self) -> Key:
        return self.task, self.system, self.labels, self.seed


@dataclass(frozen=True)
class Curves:
    """tasks: {name: metric, n_test, baseline and all settings}; runs: where the cells come from."""

    tasks: Mapping[str, Mapping] = field(default_factory=dict)
    runs: tuple[Mapping[str, str], ...] = ()
    cells: tuple[Cell, ...] = ()

    @property
    def keys(self) -> set[Key]:
        return {cell.key for cell in self.cells}

    def scores(self, task: str, system: str, *, exact: bool = False) -> dict[int, dict[int, float]]:
        """{number of labels: {seed: score in %}}, fewest labels first. exact: exact match, where it was measured."""
        scores: dict[int, dict[int, float]] = {}
        for cell in sorted(self.cells, key=lambda cell: (cell.n_labels, cell.seed)):
            value = cell.exact if exact else cell.score
            if (cell.task, cell.system) == (task, system) and value is not None:
                scores.setdefault(cell.n_labels, {})[cell.seed] = value
        return scores

    def rows(self, task: str, system: str) -> list[Row]:
        """(labels, mean, lowest, highest) over the seeds: a line of `figures.curve_panels`."""
        by_size = {n: list(seeds.values()) for n, seeds in self.scores(task, system).items()}
        return [(n, fmean(values), min(values), max(values)) for n, values in by_size.items()]

    def gains(self, task: str, system: str, other: str, *, exact: bool = False) -> dict[int, Interval | float]:
        """{labels: `system` minus `other` in points, mean and t interval over the seeds that both have}.

        A number where they share one seed only: one difference has no interval.
        """
        ours, theirs = (self.scores(task, name, exact=exact) for name in (system, other))
        gains: dict[int, Interval | float] = {}
        for n in ours:
            both = [score - theirs[n][seed] for seed, score in ours[n].items() if seed in theirs.get(n, {})]
            if both:
                gains[n] = seed_interval(both) if len(both) > 1 else both[0]
        return gains


def _check(curves: Curves) -> None:
    if len(curves.keys) < len(curves.cells):
        raise ValueError("a cell stands there twice")
    for cell in curves.cells:
        _ = curves.tasks[cell.task]["metric"], curves.tasks[cell.task]["n_test"]
        if not 0 <= cell.run < len(curves.runs):
            raise ValueError(f"the cell {cell.key} has run {cell.run} of {len(curves.runs)}")


STORE = Store("curves.json", Curves, COMMAND, _check, rows="cells")


def recorded_curves() -> Curves:
    """What was measured so far; empty if nothing was. Raises CourseError for a file that is damaged or newer."""
    return STORE.read() or Curves()


def add_cell(cell: Cell, description: Mapping, run: Mapping[str, str]) -> None:
    """Write one more cell, and its task as `Curves.tasks` keeps it; a cell that is there already stays as it is."""
    with lock(settings().cache_dir / "curves.lock"):
        curves = recorded_curves()
        same_settings(curves, cell.task, description)
        if cell.key in curves.keys:
            return
        runs = curves.runs if run in curves.runs else (*curves.runs, dict(run))
        cells = (*curves.cells, replace(cell, run=runs.index(run)))
        STORE.write(Curves({**curves.tasks, cell.task: dict(description)}, runs, cells))


def same_settings(curves: Curves, task: str, description: Mapping) -> None:
    """Raises CourseError if the record holds the task with other settings: such numbers belong on no common line."""
    old = curves.tasks[task] if task in {cell.task for cell in curves.cells} else description
    if changed := [name for name in {**old, **description} if old.get(name) != description.get(name)]:
        differences = "; ".join(f"{name} was {old.get(name)}, is {description.get(name)}" for name in changed)
        raise CourseError(
            f"{STORE.path} holds {task} with other settings ({differences}). "
            f"Take the lines of its cells out of that file and measure the whole task again: {COMMAND} --task {task}"
        )


# What is measured


@dataclass(frozen=True)
class Plan:
    """Which cells are wanted. systems: None for all that a task has, without those `on_request`."""

    tasks: Mapping[str, CurveTask]
    systems: Sequence[str] | None = None
    labels: Sequence[Labels] = LABELS
    seeds: int = SEEDS

    def __post_init__(self) -> None:
        known = dict.fromkeys(name for task in self.tasks.values() for name in (*task.systems, *task.on_request))
        if unknown := [system for system in self.systems or () if system not in known]:
            raise CourseError(f"There is no system {unknown[0]!r} in these tasks. There are: {', '.join(known)}.")

    def wanted(self) -> list[Key]:
        """All cells, fewest labels first, and of these the first seed of all tasks: a stopped run shows the most."""
        return [
            (name, system, n, seed)
            for n in sorted(dict.fromkeys(self.labels), key=lambda n: math.inf if n == ALL else n)
            for seed in range(self.seeds)
            for name, task in self.tasks.items()
            for system in (*task.systems, *task.on_request)
            if system in (task.systems if self.systems is None else self.systems)
        ]

    def missing(self, curves: Curves) -> list[Key]:
        there = curves.keys
        return [key for key in self.wanted() if key not in there]


def measure(plan: Plan, *, command: str = COMMAND, report: Callable[[str], None] = print) -> Curves:
    """Measure and record the cells that are missing; returns all that are recorded."""
    run, benches = {"command": command, **provenance()}, {}
    missing = plan.missing(recorded_curves())
    for number, wanted in enumerate(missing, start=1):
        name, system, labels, seed = wanted
        if wanted in recorded_curves().keys:
            continue  # another process was faster
        if name not in benches:
            benches[name] = plan.tasks[name].open()
        bench = benches[name]
        description = bench.description()
        same_settings(recorded_curves(), name, description)  # before the work, not after it
        n_labels, start = bench.n_labels(labels), time.perf_counter()
        scores = {metric: round(float(value), 3) for metric, value in bench.scores(system, n_labels, seed).items()}
        seconds = round(time.perf_counter() - start, 1)
        cell = Cell(*wanted, n_labels, bench.steps(system, n_labels), seconds=seconds, **scores)
        add_cell(cell, description, run)
        exact = "" if cell.exact is None else f" ({cell.exact:.1f} % exact)"
        place = f"{number}/{len(missing)} {name}, {system}, {n_labels:,} labels, seed {seed}"
        report(f"{place}: {cell.score:.1f} %{exact} in {seconds:.0f} s")
    return recorded_curves()


# How it is shown: figure and table in chapters 5 and 8, one cell on a checkpoint's card


def show_curves(
    chapter: int, *, only: Sequence[str] = (), but: Sequence[str] = (), figure: bool = True, missing: bool = True
) -> None:
    """In a notebook, all from the record: figure, table, and one line on what is missing.

    only, but  names of the tasks that are shown alone, and of those that are left out
    """
    from IPython.display import Markdown, display

    curves = recorded_curves()
    if any(cell.task in _tasks(chapter, only, but) for cell in curves.cells):
        if figure:
            display(curve_figure(chapter, curves, only, but))
        display(Markdown(curves_markdown(chapter, curves, only, but)))
    if missing:
        print(missing_cells(chapter, curves))


def curve_figure(chapter: int, curves: Curves, only: Sequence[str] = (), but: Sequence[str] = ()):
    """A panel for each task of the chapter, empty ones too: mean score over labels, and a band of the seeds."""
    from course.widgets import figures

    panels = []
    for name, task in _tasks(chapter, only, but).items():
        known = curves.tasks.get(name, {})
        lines = {label: rows for system, label in SHOWN[chapter].items() if (rows := curves.rows(name, system))}
        baseline = {known["baseline"]: rows} if (rows := curves.rows(name, BASELINE)) else {}
        unit = NOT_RECORDED
        if lines or baseline:
            unit = t("{metric}, {n} test items", metric=t(known["metric"]), n=f"{known['n_test']:,}")
        panels.append(figures.Panel(task.title, unit, lines, baseline))
    return figures.curve_panels(panels, x=t("labels (log scale)"), whole=bool(only))


def curves_markdown(chapter: int, curves: Curves, only: Sequence[str] = (), but: Sequence[str] = ()) -> str:
    """What each start brings in points, with 95 % t intervals over the seeds, by task and number of labels.

    Answers have two lines each: F1, and exact match. MiniLM has a column where somebody measured it on these tasks.
    """
    tasks, rows = _tasks(chapter, only, but), []
    measured = {cell.system for cell in curves.cells if cell.task in tasks} | set(_always(chapter))
    columns = [column for column in GAINS[chapter] if column[1] in measured]
    for name, task in tasks.items():
        name_said = t(task.title)
        for title, exact in ((name_said, False), (t("{task}, exact match", task=name_said), True)):
            gains = [curves.gains(name, system, other, exact=exact) for _, system, other in columns]
            sizes = sorted({n for column in gains for n in column})
            rows += [[title, f"{n:,}", *(_gain(column.get(n)) for column in gains)] for n in sizes]
    return "\n".join(markdown_table([t("task"), t("labels"), *(t(title) for title, *_ in columns)], rows)) + "\n"


def missing_cells(chapter: int, curves: Curves) -> str:
    """One sentence: how many cells of the chapter's curves are recorded, and how to get the others."""
    plan = Plan(_tasks(chapter), _always(chapter))
    n_wanted, n_missing = len(plan.wanted()), len(plan.missing(curves))
    if n_missing:
        values = {"n": n_wanted - n_missing, "all": n_wanted, "command": COMMAND}
        return t("{n} of {all} trainings are recorded. Command: {command}", **values)
    dates = sorted({run["date"] for run in curves.runs})
    when = dates[0] if len(dates) == 1 else t("{first} to {last}", first=dates[0], last=dates[-1])
    return t("All {n} trainings are recorded ({when}). Command: {command}", n=n_wanted, when=when, command=COMMAND)


def downstream(checkpoint: str, curves: Curves) -> str:
    """Mean test scores of each task that starts from the checkpoint, at the most labels that both starts have.

    "RTE, entailment: 55.0 / 53.1 accuracy in % (2,039 labels, 3 seeds)", several with ";" between. "not recorded yet"
    where no task has both values; "—" for a checkpoint that no label curve starts from.
    """
    tasks = {name: task for name, task in curve_tasks.TASKS.items() if checkpoint in task.checkpoints}
    if not tasks:
        return NO_CURVE
    pair = (AWD_TARGET, AWD_SCRATCH) if checkpoint == AWD else (BERT, BERT_SCRATCH)
    figures = []
    for name, task in tasks.items():
        tuned, scratch = (curves.scores(name, system) for system in pair)
        shared = {n: tuned[n].keys() & scratch.get(n, {}).keys() for n in tuned}  # of seeds those that both have
        if sizes := [n for n, seeds in shared.items() if seeds]:
            n, seeds = max(sizes), shared[max(sizes)]
            means = " / ".join(f"{fmean(line[n][seed] for seed in sorted(seeds)):.1f}" for line in (tuned, scratch))
            count = "1 seed" if len(seeds) == 1 else f"{len(seeds)} seeds"
            figures.append(f"{task.title}: {means} {curves.tasks[name]['metric']} ({n:,} labels, {count})")
    return "; ".join(figures) or NOT_RECORDED


def _tasks(chapter: int, only: Sequence[str] = (), but: Sequence[str] = ()) -> dict[str, CurveTask]:
    tasks = {name: task for name, task in curve_tasks.TASKS.items() if chapter in task.chapters}
    if unknown := [name for name in (*only, *but) if name not in tasks]:
        raise CourseError(f"Chapter {chapter} has no curves of {unknown[0]!r}. It has: {', '.join(tasks)}.")
    return {name: task for name, task in tasks.items() if name not in but and (not only or name in only)}


def _always(chapter: int) -> list[str]:
    """The systems that have to be there; MiniLM is shown where somebody measured it."""
    return [system for system in (BASELINE, *SHOWN[chapter]) if system != MINILM]


def _gain(gain: Interval | float | None) -> str:
    if isinstance(gain, Interval):
        return f"{gain.estimate:+.1f} [{gain.low:.1f}, {gain.high:.1f}]"
    return "" if gain is None else t("{gain} (one seed)", gain=f"{gain:+.1f}")


@in_a_sentence()
def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing of the label curves, and print them."""
    import sys
    from argparse import ArgumentParser

    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = ArgumentParser(prog=COMMAND, description=main.__doc__)
    known = curve_tasks.TASKS
    parser.add_argument("--task", nargs="+", choices=list(known), help="default: all")
    parser.add_argument("--system", nargs="+", help="default: all of the task")
    labels = {"type": lambda text: ALL if text == ALL else int(text), "help": f"numbers, or {ALL}"}
    parser.add_argument("--labels", nargs="+", default=LABELS, **labels)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args(arguments)
    plan = Plan({name: known[name] for name in given.task or known}, given.system, given.labels, given.seeds)
    curves = measure(plan, command=" ".join([COMMAND, *arguments]), report=lambda line: print(line, flush=True))
    print(curves_markdown(5, curves), curves_markdown(8, curves), sep="\n")
    print("The table of the checkpoints shows these values: python -m course.recipes table")


if __name__ == "__main__":
    main()
