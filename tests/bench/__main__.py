"""`python -m tests.bench [ROW ...]`: measure, print one table, put the rows into bench.json.

Every module of this folder that has `ROWS` (row id -> function of Options -> row) takes part. A row is a dict as
DESIGN 9 lists it. Run it when nothing else runs on the machine.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable

import tests.bench
from course_lib.config import project_dir, settings
from course_lib.errors import CourseError
from tests.bench.measure import Options
from tests.bench.report import merge, table


def all_rows() -> dict[str, Callable[[Options], dict]]:
    rows = {}
    for module in pkgutil.iter_modules(tests.bench.__path__):
        if module.name not in ("__main__", "latency", "live"):  # a machine with a GPU may lack what those import
            rows |= getattr(importlib.import_module(f"tests.bench.{module.name}"), "ROWS", {})
    return rows


def main() -> int:
    rows = all_rows()
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"default: all of {', '.join(rows)}")
    parser.add_argument("--pairs", type=int, default=Options.pairs, help="rounds; at least 5 for a result that counts")
    given = parser.parse_args()
    if unknown := sorted(set(given.rows) - set(rows)):
        parser.error(f"no such row: {', '.join(unknown)}. There are: {', '.join(rows)}")
    options = Options(settings().data_mirror or project_dir().parent / "shared" / "datasets", given.pairs)
    done, failed = [], []
    for name in given.rows or rows:
        print(name, flush=True)
        try:
            done.append({"id": name, **rows[name](options)})
        except CourseError as error:
            failed.append(name)
            print(f"  not measured: {error}", flush=True)
    if done:
        merge(project_dir() / "bench.json", done)
        print(table(done))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
