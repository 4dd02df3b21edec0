"""Where the English says a term of notebooks/ko/GLOSSARY.md and the Korean does not. A list to read, not a test: Korean
often says a thing without its name.

    python -m tests.notebooks.terms NAME
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from course.catalogue import entries
from tests.notebooks import catalogue
from tests.notebooks.environment import ROOT
from tests.notebooks.korean import edition_of

GLOSSARY = ROOT / "notebooks" / "ko" / "GLOSSARY.md"
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|[^|]*\|$", re.MULTILINE)

Terms = list[tuple[re.Pattern, list[str]]]


def terms(glossary: str) -> Terms:
    """English as a pattern, and the Korean forms that may stand for it; longer terms first."""
    found = []
    for row in _ROW.findall(glossary):
        if row[0] in ("English", "---"):
            continue
        english, korean = (re.sub(r"\s*\([^)]*\)", "", cell) for cell in row)
        one, other = (re.split(r",\s+", cell) for cell in (english, korean))
        for name, word in zip(one, other, strict=True) if len(one) == len(other) else [(english, korean)]:
            words = [w.removesuffix("하다").removesuffix("다") for w in re.split(r" / |, ", word)]
            for form in name.split(" / "):
                pattern = rf"(?<![\w-]){re.escape(form.strip())}(?:e?s)?(?![\w-])"
                found.append((re.compile(pattern, re.IGNORECASE), words))
    return sorted(found, key=lambda item: -len(item[0].pattern))


def missing(english: str, korean: str, known: Terms) -> Iterator[tuple[str, str]]:
    """(English term, its Korean) that `english` has and `korean` has not."""
    english = re.sub(r"`[^`]*`", " ", english)
    for pattern, words in known:
        if found := pattern.search(english):
            english = pattern.sub(" ", english)  # "word embedding" is no "embedding" any more
            if not any(word in korean for word in words):
                yield found.group(), words[0]


def main(name: str) -> None:
    known = terms(GLOSSARY.read_text(encoding="utf-8"))
    notebook, edition = edition_of(name)
    cells = {cell.id: cell.source for cell in notebook.cells}
    said = [(f"{name}, line {c.line}", cells[c.of], c.source) for c in edition.done if c.of in cells]
    path = catalogue.file_of(int(name[:2])) if name[:2].isdecimal() else None
    if path is not None and path.exists():
        said += [(f"ko.toml, {en[:40]!r}", en, ko) for en, ko in entries(path) if ko]
    for where, english, korean in said:
        for term, word in missing(english, korean, known):
            print(f"{where}: {term} -> {word}?")


if __name__ == "__main__":
    main(sys.argv[1])
