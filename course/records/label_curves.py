"""Label curves at full scale: task x system x number of labels x seed -> score, each kept as soon as it is measured.

    python -m course.records.label_curves                                 all that is missing, few labels first
    python -m course.records.label_curves --task imdb --labels 100 500    a part of it

The record is `data/recorded/curves.json`; chapters 5 and 8 show it (curve_page.py). A run that was stopped goes on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course.ledger.records import provenance
from course.records.curve_record import (
    ALL,
    COMMAND,
    Cell,
    Curves,
    Key,
    Labels,
    add_cell,
    recorded_curves,
    remove_task,
    same_settings,
)
from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course.records.curve_tasks import CurveTask

LABELS: tuple[Labels, ...] = (100, 500, 2_000, ALL)
SEEDS = 3


@dataclass(frozen=True)
class Plan:
    """Which cells are wanted. systems: None for all that a task has, without those `on_request`."""

    tasks: Mapping[str, CurveTask]
    systems: Sequence[str] | None = None
    labels: Sequence[Labels] = LABELS
    seeds: int = SEEDS

    def __post_init__(self) -> None:
        """Raises CourseError for unknown systems, and for numbers below 1."""
        known = dict.fromkeys(name for task in self.tasks.values() for name in (*task.systems, *task.on_request))
        if unknown := [system for system in self.systems or () if system not in known]:
            raise CourseError(f"There is no system {unknown[0]!r} in these tasks. There are: {', '.join(known)}.")
        if self.seeds < 1 or any(labels != ALL and labels < 1 for labels in self.labels):
            raise CourseError(f"Label curves: labels {list(self.labels)}, seeds={self.seeds}. Use 1 or more.")

    def wanted(self) -> list[Key]:
        """All cells, fewest labels first, and of these the first seed of all tasks: a stopped run shows the most."""
        labels = sorted(dict.fromkeys(self.labels), key=lambda n: math.inf if n == ALL else n)
        systems = {
            name: task.systems
            if self.systems is None
            else [system for system in (*task.systems, *task.on_request) if system in self.systems]
            for name, task in self.tasks.items()
        }
        return [
            (name, system, n, seed)
            for n in labels
            for seed in range(self.seeds)
            for name in self.tasks
            for system in systems[name]
        ]

    def missing(self, curves: Curves) -> list[Key]:
        kept = {cell.key for cell in curves.cells}
        return [key for key in self.wanted() if key not in kept]


def measure(plan: Plan, *, command: str = COMMAND, report: Callable[[str], None] = print) -> Curves:
    """Measure and record the cells that are missing; returns all that are recorded.

    Raises CourseError where a task cannot be opened, or is recorded with other settings than it has now.
    """
    run, opened = {"command": command, **provenance()}, {}
    missing = plan.missing(recorded_curves())
    for number, key in enumerate(missing, start=1):
        name, system, labels, seed = key
        if key in {cell.key for cell in recorded_curves().cells}:
            continue  # another process was faster
        if name not in opened:
            opened[name] = plan.tasks[name].open()
        bench = opened[name]
        description = bench.description()
        same_settings(recorded_curves(), name, description)  # before the work, not after it
        n_labels, start = bench.n_labels(labels), time.perf_counter()
        scores = {metric: round(float(value), 3) for metric, value in bench.scores(system, n_labels, seed).items()}
        seconds = round(time.perf_counter() - start, 1)
        steps = bench.steps(system, n_labels)
        cell = Cell(name, system, labels, seed, n_labels, steps, seconds=seconds, **scores)
        add_cell(cell, description, run)
        place = f"{number}/{len(missing)} {name}, {system}, {n_labels:,} labels, seed {seed}"
        exact = "" if cell.exact is None else f" ({cell.exact:.1f} % exact)"
        report(f"{place}: {cell.score:.1f} %{exact} in {seconds:.0f} s")
    return recorded_curves()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing of the label curves, and print them."""
    import sys
    from argparse import ArgumentParser

    from course.records.curve_page import curves_markdown
    from course.records.curve_tasks import TASKS

    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = ArgumentParser(prog=COMMAND, description=main.__doc__)
    parser.add_argument("--task", nargs="+", choices=list(TASKS), help="default: all whose checkpoints ship")
    parser.add_argument("--system", nargs="+", help="default: all of the task")
    parser.add_argument("--labels", nargs="+", type=_labels, default=LABELS, help=f"numbers, or {ALL}")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--anew", action="store_true", help="forget their record (of --system) first")
    asked = parser.parse_args(arguments)
    try:
        tasks = {name: TASKS[name] for name in asked.task or TASKS}
        for name, task in list(tasks.items()):
            if lacking := ", ".join(task.missing_checkpoints):
                if asked.task:
                    raise CourseError(
                        f"{name} needs {lacking}, which does not ship with this version. "
                        f"Train it (python -m course.recipes {task.missing_checkpoints[0]}), or name other tasks."
                    )
                print(f"{name} is left out: it needs {lacking}, which does not ship with this version.")
                del tasks[name]
        plan = Plan(tasks, asked.system, asked.labels, asked.seeds)
        if asked.anew and not asked.task:
            raise CourseError("--anew forgets recorded values. Name the tasks: --task imdb --anew")
        for name in asked.task if asked.anew else ():
            remove_task(name, asked.system)
        measure(plan, command=" ".join([COMMAND, *arguments]), report=lambda line: print(line, flush=True))
        print(curves_markdown(5), curves_markdown(8), sep="\n")
        print("The table of the checkpoints shows these values: python -m course.recipes table")
    except CourseError as error:
        raise SystemExit(str(error)) from None


def _labels(text: str) -> Labels:
    return ALL if text == ALL else int(text)


if __name__ == "__main__":
    main()
