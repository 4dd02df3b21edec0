"""Label curves that were measured once: `data/recorded/curves.json`, one line for each training.

A line is added as soon as it is measured, and the file is written whole or not at all: a run that is killed loses only
the training it was in. Several processes may add to the same file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from course.records.recorded import read_recorded
from course_lib.config import data_dir, settings
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, seed_interval
from course_lib.files import atomic_file, lock

FORMAT = 1
COMMAND = "python -m course.records.label_curves"
ALL = "all"
Labels = int | str  # a number, or ALL
Key = tuple[str, str, Labels, int]
Row = tuple[int, float, float, float]  # labels, mean, lowest, highest


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

    def scores(self, task: str, system: str, *, exact: bool = False) -> dict[int, dict[int, float]]:
        """{number of labels: {seed: score in %}}, fewest labels first. exact: exact match, where it was measured."""
        found: dict[int, dict[int, float]] = {}
        for cell in sorted(self.cells, key=lambda cell: (cell.n_labels, cell.seed)):
            value = cell.exact if exact else cell.score
            if (cell.task, cell.system) == (task, system) and value is not None:
                found.setdefault(cell.n_labels, {})[cell.seed] = value
        return found

    def rows(self, task: str, system: str) -> list[Row]:
        """(labels, mean, lowest, highest) over the seeds: a line of `figures.curve_panels`."""
        found = {n: list(seeds.values()) for n, seeds in self.scores(task, system).items()}
        return [(n, sum(values) / len(values), min(values), max(values)) for n, values in found.items()]

    def gains(self, task: str, system: str, other: str, *, exact: bool = False) -> dict[int, Interval | float]:
        """{labels: `system` minus `other` in points, mean and t interval over the seeds that both have}.

        A number where they share one seed only: one difference has no interval.
        """
        ours, theirs = (self.scores(task, name, exact=exact) for name in (system, other))
        found: dict[int, Interval | float] = {}
        for n in ours:
            both = [score - theirs[n][seed] for seed, score in ours[n].items() if seed in theirs.get(n, {})]
            if both:
                found[n] = seed_interval(both) if len(both) > 1 else both[0]
        return found


def curves_path() -> Path:
    return data_dir("recorded", "curves.json")


def recorded_curves() -> Curves:
    """What was measured so far; empty if nothing was. Raises CourseError for a file that is damaged or newer."""
    return read_recorded(curves_path(), FORMAT, COMMAND, _curves) or Curves()


def add_cell(cell: Cell, description: Mapping, run: Mapping[str, str]) -> Curves:
    """Write one more cell; one that is there already stays as it is. Returns the curves as they are now.

    description  of the cell's task, as `Curves.tasks` keeps it
    Raises CourseError if the record holds the task with other settings: such numbers do not belong on one line.
    """
    with lock(settings().cache_dir / "curves.lock"):
        curves = recorded_curves()
        same_settings(curves, cell.task, description)
        if any(kept.key == cell.key for kept in curves.cells):
            return curves
        runs = curves.runs if run in curves.runs else (*curves.runs, dict(run))
        added = Cell(**(asdict(cell) | {"run": runs.index(run)}))
        curves = Curves({**curves.tasks, cell.task: dict(description)}, runs, (*curves.cells, added))
        _write(curves)
    return curves


def remove_task(task: str, systems: Collection[str] | None = None) -> None:
    """Take a task's cells out of the record, all or those of some systems, to measure them anew."""
    with lock(settings().cache_dir / "curves.lock"):
        curves = recorded_curves()
        cells = [cell for cell in curves.cells if cell.task != task or (systems and cell.system not in systems)]
        left = {cell.task for cell in cells}
        tasks = {name: described for name, described in curves.tasks.items() if name in left}
        if len(cells) < len(curves.cells):
            _write(Curves(tasks, curves.runs, tuple(cells)))


def same_settings(curves: Curves, task: str, description: Mapping) -> None:
    """Raises CourseError if the record holds the task with other settings."""
    kept = curves.tasks.get(task, description)
    if changed := [name for name in {**kept, **description} if kept.get(name) != description.get(name)]:
        differences = "; ".join(f"{name} was {kept.get(name)}, is {description.get(name)}" for name in changed)
        raise CourseError(
            f"{curves_path()} holds {task} with other settings ({differences}). "
            f"Measure the whole task again: {COMMAND} --task {task} --anew"
        )


def _check(curves: Curves) -> None:
    """Raises ValueError or KeyError for what this module would not have written."""
    keys = [cell.key for cell in curves.cells]
    if len(set(keys)) < len(keys):
        raise ValueError("a cell stands there twice")
    for cell in curves.cells:
        _ = curves.tasks[cell.task]["metric"], curves.tasks[cell.task]["n_test"]
        finite = math.isfinite(cell.score) and (cell.exact is None or math.isfinite(cell.exact))
        if not (0 <= cell.run < len(curves.runs) and finite):
            raise ValueError(f"the cell {cell.key} has score {cell.score} and run {cell.run} of {len(curves.runs)}")


def _curves(document: dict) -> Curves:
    cells = tuple(Cell(**cell) for cell in document["cells"])
    curves = Curves(dict(document["tasks"]), tuple(document["runs"]), cells)
    _check(curves)
    return curves


def _write(curves: Curves) -> None:
    document = {"format": FORMAT, "tasks": curves.tasks, "runs": curves.runs, "cells": "CELLS"}
    head = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    rows = [{name: value for name, value in asdict(cell).items() if value is not None} for cell in curves.cells]
    lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows]
    with atomic_file(curves_path(), "w") as file:  # a cell is a line: readable, and small changes in git
        file.write(head.replace('"CELLS"', "[\n  " + ",\n  ".join(lines) + "\n ]") + "\n")
