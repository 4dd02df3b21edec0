"""The card of a checkpoint: one table of what it is, what it learned from, on what, for how long, and how well.

All cards have the same first rows, so that one table over all checkpoints can be made from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from course.records.label_curves import HEADING, Curves, downstream, recorded_curves
from course_lib.checkpoints import CARD, TENSORS
from course_lib.errors import CourseError

FACTS = ("model", "tokens", "settings", "device", "minutes", "licence", "command")  # on every card
SOURCES = ("corpus", "data")  # one of these too; every other row is a score, or the loss
_ROW = re.compile(r"\| (.+?) \| (.+) \|")
_HEAD = "| | |\n| --- | --- |\n"


def render(title: str, rows: Mapping[str, object]) -> str:
    """The card as Markdown."""
    return f"# {title}\n\n{_HEAD}" + "".join(f"| {name} | {value} |\n" for name, value in rows.items())


def parse(text: str, source: str | Path) -> tuple[str, dict[str, str]]:
    """Title and rows of a card."""
    title, _, table = text.partition(f"\n\n{_HEAD}")
    rows = [_ROW.fullmatch(line) for line in table.splitlines()]
    found = {row[1]: row[2] for row in rows if row}
    if not (title.startswith("# ") and len(found) == len(rows) and {*FACTS} < {*found} and {*SOURCES} & {*found}):
        raise CourseError(f"{source} is not a card: a title, a table with the rows of each. Make it anew: its recipe.")
    return title[2:], found


def overview(folder: Path, curves: Curves | None = None) -> str:
    """One table over the cards of all checkpoints in `folder`, with figures of the label curves, as Markdown."""
    curves = recorded_curves() if curves is None else curves
    lines = [
        "# The checkpoints of the course",
        "",
        "Made by `python -m course.recipes table` from the card in each folder: do not edit it by hand.",
        "`course_lib.load(NAME)` opens an encoder; `reviews-en` (`course predict`), `heads-en` (chapter 8) are none.",
        "The card tells its settings and how to make it again.",
        "Figures on public tasks: means at the most labels of the recorded label curves (`data/recorded/curves.json`).",
        '"From scratch" is the same network without pre-training. No curve starts from a checkpoint marked —.',
        "",
        "| name | what it is | learned from | tokens | device, minutes | scores | " + HEADING + " | MB | licence |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for tensors in sorted(folder.glob(f"*/{TENSORS}")):
        path = tensors.with_name(CARD)
        if not path.exists():
            raise CourseError(f"{path} is missing. Make the checkpoint anew with its recipe, which writes its card.")
        title, rows = parse(path.read_text(encoding="utf-8"), path)
        megabytes = sum(file.stat().st_size for file in path.parent.iterdir()) / 1e6
        scores = "; ".join(f"{name}: {value}" for name, value in rows.items() if name not in (*FACTS, *SOURCES))
        cells = (
            f"[{path.parent.name}]({path.parent.name}/{CARD})",
            title,
            next(rows[name] for name in SOURCES if name in rows),
            rows["tokens"],
            f"{rows['device']}, {rows['minutes']}",
            scores,
            downstream(path.parent.name, curves),
            f"{megabytes:.1f}",
            rows["licence"],
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
