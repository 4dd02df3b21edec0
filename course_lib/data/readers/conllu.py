"""CoNLL-U, the format of Universal Dependencies (universaldependencies.org/format.html), as tagged sentences.

Our own, and not the package conllu: the course needs four layers and the heads, and spans, which that package lacks.
"""

from __future__ import annotations

from pathlib import Path

from course_lib.data.readers.lines import numbered_lines
from course_lib.data.records import Sentence, TaggedSentence
from course_lib.errors import CourseError

LAYERS = {"lemma": 2, "upos": 3, "xpos": 4, "deprel": 7}  # name -> column
_FORM, _HEAD, _N_COLUMNS = 1, 6, 10


def read_conllu(path: str | Path) -> list[TaggedSentence]:
    """Sentences with the layers lemma, upos, xpos and deprel, and heads (0: root; else the number of a word, from 1).

    Words are the syntactic ones (do, n't); lines of joined tokens (`1-2`) and of empty nodes (`1.1`) are passed over.
    `sentence.text` is the text as printed where it holds all words in order, else the words with spaces between.
    Raises CourseError naming file, line and remedy.
    """
    found, rows, text, number = [], [], None, 0
    for number, line in numbered_lines(path):
        if line.startswith("#"):
            if line.startswith("# text ="):
                text = line.partition("=")[2].strip()
        elif line:
            cells = line.split("\t")
            if len(cells) != _N_COLUMNS:
                raise CourseError(
                    f"{path}, line {number}: {len(cells)} columns. CoNLL-U has {_N_COLUMNS}, with single tabs between."
                )
            if "-" in cells[0] or "." in cells[0]:
                continue
            if (
                cells[0] != str(len(rows) + 1)
                or not cells[_FORM]
                or not (cells[_HEAD].isdecimal() or cells[_HEAD] == "_")
                or len(cells[_HEAD]) > 9
            ):
                raise CourseError(
                    f"{path}, line {number}: number {cells[0]!r}, word {cells[_FORM]!r}, head {cells[_HEAD]!r}. "
                    f"Expected number {len(rows) + 1}, a word, and a head that is a number or _."
                )
            rows.append(cells)
        else:
            if rows:
                found.append(_sentence(path, number, rows, text))
            rows, text = [], None
    if rows:
        found.append(_sentence(path, number, rows, text))
    return found


def _sentence(path: str | Path, number: int, rows: list[list[str]], text: str | None) -> TaggedSentence:
    words = tuple(row[_FORM] for row in rows)
    heads = None if any(row[_HEAD] == "_" for row in rows) else tuple(int(row[_HEAD]) for row in rows)
    if heads is not None and max(heads) > len(rows):
        raise CourseError(
            f"{path}, sentence that ends at line {number}: head {max(heads)}, but there are {len(rows)} words. "
            "Number the words of each sentence from 1."
        )
    tags = {name: tuple(row[column] for row in rows) for name, column in LAYERS.items()}
    return TaggedSentence(align(text, words), tags, heads)


def align(text: str | None, words: tuple[str, ...]) -> Sentence:
    """The words at their places in `text`; joined by spaces if anything but spaces would be left between them."""
    spans, end = [], 0
    for word in words if text else ():
        start = text.find(word, end)
        if start < 0 or text[end:start].strip():
            break
        end = start + len(word)
        spans.append((start, end))
    if text and len(spans) == len(words) and not text[end:].strip():
        return Sentence(text, words, tuple(spans))
    return Sentence.of(words)
