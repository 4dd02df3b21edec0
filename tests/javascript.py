"""Our JavaScript in its one format: `python -m tests.javascript` (with `--check`: only say what is not in it).

JS Beautifier indents and keeps the line breaks; it does not fold lines, since what it folds it folds anew each time.
So a line that is too long is named, to be broken by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jsbeautifier

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(path for path in ROOT.glob("course*/**/*.js") if not {"vendor", ".ipynb_checkpoints"} & {*path.parts})
COLUMNS = 120
OPTIONS = {
    "indent_size": 2,
    "max_preserve_newlines": 2,
    "keep_array_indentation": True,
    "brace_style": "none,preserve-inline",
    "operator_position": "preserve-newline",
    "end_with_newline": True,
}


def faults(path: Path, write: bool) -> list[str]:
    """What is wrong with one file; with `write` all but its long lines is put right."""
    text = path.read_text(encoding="utf-8")
    formatted = jsbeautifier.beautify(text, OPTIONS)
    name = path.relative_to(ROOT).as_posix()
    found = [
        f"{name}:{number} has {len(line)} columns, at most {COLUMNS} are allowed: break it by hand"
        for number, line in enumerate(formatted.splitlines(), start=1)
        if len(line) > COLUMNS
    ]
    if formatted != text and write:
        path.write_text(formatted, encoding="utf-8")
    elif formatted != text:
        found.append(f"{name} is not in its format: run `make format`")
    return found


if __name__ == "__main__":
    found = [fault for path in FILES for fault in faults(path, write=sys.argv[1:] != ["--check"])]
    sys.exit("\n".join(found) or 0)
