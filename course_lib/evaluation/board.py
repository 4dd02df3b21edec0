"""The recorded half of the board: what each system of the course gets on the roles of words, five seeds each."""

from __future__ import annotations

import json

from course_lib.config import data_dir
from course_lib.evaluation.intervals import Interval, seed_interval
from course_lib.language import language


def recorded_board(of: str | None = None) -> dict[str, tuple[int, dict[int, Interval]]]:
    """system -> (its chapter, number of labelled sentences -> F1 in %), in the course's order; empty if not recorded.

    of: "en" or "ko", the language of the text; None: the reader's
    """
    path = data_dir("recorded", "board.json")
    if not path.exists():
        return {}
    found: dict[str, tuple[int, dict[int, list[float]]]] = {}
    for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
        if row["language"] == (of or language()):
            found.setdefault(row["system"], (row["chapter"], {}))[1].setdefault(row["labels"], []).append(row["f1"])
    return {name: (chapter, {n: seed_interval(f1) for n, f1 in by.items()}) for name, (chapter, by) in found.items()}
