"""The one table at full scale: measured on public sets by `python -m course.records.one_table --record`.

`recorded_table()` reads what was kept. One file, `data/recorded/table.json`, written whole or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from course.ledger.records import provenance
from course.records.one_table import Table, one_table
from course.records.recorded import read_recorded, write_recorded
from course_lib.config import data_dir
from course_lib.errors import CourseError

FORMAT = 1
COMMAND = "python -m course.records.one_table --record"
FULL = {"source": "public", "n_labels": 2_000, "n_test": 1_000, "steps": 600}
_TUPLES = ("systems", "columns", "labels", "tests", "data", "parameters", "tokens", "seconds")


def table_path() -> Path:
    return data_dir("recorded", "table.json")


def recorded_table() -> Table | None:
    """What was measured at full scale; its `run` says when and on what. None if nothing was.

    Raises CourseError for a file that is damaged or of a newer format.
    """
    return read_recorded(table_path(), FORMAT, COMMAND, _table)


def _table(document: dict) -> Table:
    rows = {key: tuple(document.pop(key)) for key in _TUPLES}
    table = Table(**rows, scores=np.array(document.pop("scores"), dtype=float), **document)
    sizes = [len(table.systems), len(table.columns)]
    per_system = (table.parameters, table.tokens, table.seconds)
    if [*table.scores.shape[:2]] != sizes or any(len(values) != sizes[0] for values in per_system):
        raise ValueError(f"scores of shape {table.scores.shape} for {sizes[0]} systems, {sizes[1]} columns")
    if not np.isfinite(table.scores).all():
        raise ValueError("a score is no number")
    table.to_markdown()  # a record that cannot be shown is damaged
    return table


def record(systems: Sequence[str] | None = None, **settings) -> Table:
    """Measure at full scale (`settings` change FULL) and replace the file. Nothing is written if measuring fails."""
    origin, start = provenance(), time.perf_counter()  # of the code as it is when the measurement starts
    table = one_table(systems, **(FULL | settings))
    document = asdict(table) | {"format": FORMAT, "scores": np.round(table.scores, 2).tolist()}
    document["seconds"] = [round(seconds, 2) for seconds in table.seconds]
    document["run"] = {"command": COMMAND, **origin, "seconds": f"{time.perf_counter() - start:.0f}"}
    write_recorded(table_path(), document)
    return recorded_table()


def main() -> None:
    """The live table, or with --record the full one, printed as Markdown."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="python -m course.records.one_table", description=main.__doc__)
    parser.add_argument("--record", action="store_true", help="measure on the public sets and keep the result")
    try:
        print((record() if parser.parse_args().record else one_table()).to_markdown())
    except CourseError as error:
        raise SystemExit(str(error)) from None
