"""Tables of labelled texts and of pairs: a header, then cells with single tabs between, no quoting. TREC's lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from course_lib.data.readers.lines import numbered_lines
from course_lib.data.records import LabelledText, SentencePair
from course_lib.errors import CourseError


def read_table(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, row) for each row of a table whose header holds at least these columns. Empty lines are skipped.

    Raises CourseError for a missing column, and for a row with another number of cells than the header.
    """
    header: list[str] | None = None
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if header is None:
            header = cells
            if missing := [name for name in columns if name not in header]:
                raise CourseError(
                    f"{path} has no column {missing[0]!r}. Its first line must name: {', '.join(columns)}."
                )
        elif line:
            if len(cells) != len(header):
                raise CourseError(
                    f"{path}, line {number}: {len(header)} columns are named, but this line has {len(cells)}. "
                    "Separate them by single tabs."
                )
            yield number, dict(zip(header, cells, strict=True))
    if header is None:
        raise CourseError(f"{path} is empty. Its first line must name: {', '.join(columns)}.")


def read_labelled(
    path: str | Path,
    *,
    text: str = "text",
    label: str = "label",
    split: str | None = None,
    names: Mapping[str, str] | None = None,
) -> list[LabelledText]:
    """Texts with a label, from the columns called `text` and `label` (SST-2: text="sentence"; NSMC: "document").

    names: the label to use for each one in the file, e.g. {"0": "neg", "1": "pos"}; others are then errors.
    split: keep the rows whose column "split" says so. Texts stay as they are, also empty ones (NSMC has a few).
    """
    columns = (text, label) if split is None else (text, label, "split")
    found = []
    for number, row in read_table(path, columns):
        if split in (None, row.get("split")):
            found.append(LabelledText(row[text], _label(path, number, row[label], names)))
    return found


def read_pairs(
    path: str | Path, *, first: str = "sentence1", second: str = "sentence2", label: str = "label"
) -> list[SentencePair]:
    """Pairs of sentences with a label, from the columns of these names (XNLI: label="gold_label"; STS: "score")."""
    return [
        SentencePair(row[first], row[second], _label(path, number, row[label], None))
        for number, row in read_table(path, (first, second, label))
    ]


def read_questions_by_class(path: str | Path) -> list[LabelledText]:
    """TREC's lines `COARSE:fine question`: labelled with the coarse class."""
    found = []
    for number, line in numbered_lines(path):
        label, _, question = line.partition(" ")
        coarse, colon, kind = label.partition(":")
        if not (coarse and colon and kind and question.strip()):
            raise CourseError(
                f"{path}, line {number}: {line[:60]!r} is not `CLASS:kind question`. Write both, and a space between."
            )
        found.append(LabelledText(question, coarse))
    return found


def _label(path: str | Path, number: int, label: str, names: Mapping[str, str] | None) -> str:
    if not label or (names is not None and label not in names):
        known = f"Use one of: {', '.join(names)}." if names else "Give each row its label."
        raise CourseError(f"{path}, line {number}: label {label!r}. {known}")
    return label if names is None else names[label]
