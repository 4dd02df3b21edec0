"""Reads the word tables (TSV) and the frame files (TOML) of the world; every error names file, line and remedy."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from course_lib.data.readers.lines import numbered_lines
from course_lib.errors import CourseError

_HEADER = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(r"\s*(?:\"([^\"]+)\"|([^\s=#\"\[]+))\s*=")


@dataclass(frozen=True)
class Entry:
    """One row of a table, or one [[block]] of a frame file: its values, and the line each value stands on."""

    path: Path
    line: int
    values: dict[str, str]
    lines: dict[str, int]

    def __getitem__(self, key: str) -> str:
        return self.values.get(key, "")

    def fault(self, message: str, remedy: str, key: str = "") -> NoReturn:
        """Raises the CourseError for this entry (or for the line of one of its values)."""
        raise fault(self.path, self.lines.get(key, self.line), message, remedy)


def fault(path: Path, line: int, message: str, remedy: str) -> CourseError:
    return CourseError(f"{path}, line {line}: {message} {remedy}")


def read_table(path: Path, columns: tuple[str, ...]) -> Iterator[Entry]:
    """Rows of a table with tabs between the cells. `#` starts a comment; the last cells may be missing."""
    for line, text in _lines(path):
        if not text.strip() or text.startswith("#"):
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        row = Entry(path, line, dict(zip(columns, cells, strict=False)), {})
        if len(cells) > len(columns):
            expected = f"the columns are {len(columns)}: {', '.join(columns)}."
            row.fault(f"{len(cells)} cells, but {expected}", "Remove the surplus tabs.")
        if not cells[0]:
            row.fault(f"the first cell ({columns[0]}) is empty.", "Fill it, or delete the row.")
        yield row


def read_blocks(path: Path, keys: tuple[str, ...], optional: tuple[str, ...] = ()) -> Iterator[Entry]:
    """The [[frame]] blocks of a TOML file. CAPITAL keys are roles; the others must be in `keys` or `optional`."""
    text = "\n".join(line for _, line in _lines(path))
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        number = int(line[1]) if line else text.count("\n") + 1
        raise fault(path, number, f"this is not TOML ({error}).", 'Write each value as KEY = "text".') from error
    places = _places(text)
    blocks = content.get("frame", [])
    if set(content) - {"frame"} or not isinstance(blocks, list) or len(blocks) != len(places):
        other = min(set(content) - {"frame"}, default="frame")
        raise fault(path, 1, f"unexpected {other!r}.", "A frame file holds only [[frame]] blocks.")
    for values, (start, lines) in zip(blocks, places, strict=True):
        entry = Entry(path, start, values, lines)
        for key, value in values.items():
            if not isinstance(value, str):
                entry.fault(f"{key} is not a text.", f'Write {key} = "..." on one line.', key)
            if not key.isupper() and key not in keys and key not in optional:
                known = ", ".join((*keys, *optional))
                entry.fault(f"unknown key {key!r}.", f"Known: {known}; roles are in CAPITALS.", key)
        if missing := [key for key in keys if key not in values]:
            entry.fault(f"this frame lacks {missing[0]!r}.", f'Add a line {missing[0]} = "...".')
        yield entry


def _places(text: str) -> list[tuple[int, dict[str, int]]]:
    """Per [[block]] its line and the line of each key: tomllib keeps no lines."""
    places: list[tuple[int, dict[str, int]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if _HEADER.match(line):
            places.append((number, {}))
        elif places and (key := _KEY.match(line)):
            places[-1][1][key[1] or key[2]] = number
    return places


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    return ((number, unicodedata.normalize("NFC", line)) for number, line in numbered_lines(path))
