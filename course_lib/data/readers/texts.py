"""Texts with a label, pairs and translations, from tables, TREC's lines, folders of reviews, or two files.

The cells of a table have single tabs between, no quoting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from course_lib.data.readers.lines import numbered_lines, text_files
from course_lib.data.records import LabelledText, ParallelPair, Sentence, SentencePair
from course_lib.errors import CourseError


def read_table(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, row) for each row of a table whose header holds at least these columns. Empty lines are skipped."""
    lines = numbered_lines(path)
    header = next(lines, (1, ""))[1].split("\t")
    if missing := [name for name in columns if header.count(name) != 1]:
        found = "two columns" if missing[0] in header else "no column"
        raise CourseError(
            f"{path}, line 1, names {found} {missing[0]!r}. Name {', '.join(columns)}, with single tabs between."
        )
    for number, line in lines:
        if line:
            cells = line.split("\t")
            if len(cells) != len(header):
                raise CourseError(
                    f"{path}, line {number}: {len(header)} columns are named, but this line has {len(cells)}. Separate "
                    "them by single tabs."
                )
            yield number, dict(zip(header, cells, strict=True))


def read_labelled(
    path: str | Path, *, text: str = "text", split: str | None = None, names: Mapping[str, str] | None = None
) -> list[LabelledText]:
    """Texts from the column called `text` (SST-2: "sentence"; NSMC: "document"), with that of the column "label".

    names: the label to use for each one in the file, e.g. {"0": "neg", "1": "pos"}; others are then errors.
    split: keep the rows whose column "split" says so. Texts stay as they are, also empty ones (NSMC has a few).
    """
    columns = (text, "label") if split is None else (text, "label", "split")
    records = []
    for number, row in read_table(path, columns):
        if split in (None, row.get("split")):
            records.append(LabelledText(row[text], _label(path, number, row["label"], names)))
    return records


def read_pairs(path: str | Path, *, label: str = "label") -> list[SentencePair]:
    """Columns sentence1 and sentence2, with a label from the column of that name (XNLI: "gold_label"; STS: "score")."""
    return [
        SentencePair(row["sentence1"], row["sentence2"], _label(path, number, row[label], None))
        for number, row in read_table(path, ("sentence1", "sentence2", label))
    ]


def read_questions_by_class(path: str | Path) -> list[LabelledText]:
    """TREC's lines `COARSE:fine question`: labelled with the coarse class."""
    records = []
    for number, line in numbered_lines(path):
        label, _, question = line.partition(" ")
        coarse, colon, kind = label.partition(":")
        if not (coarse and colon and kind and question.strip()):
            raise CourseError(
                f"{path}, line {number}: {line[:60]!r} is not `CLASS:kind question`. Write both, and a space between."
            )
        records.append(LabelledText(question, coarse))
    return records


def _label(path: str | Path, number: int, label: str, names: Mapping[str, str] | None) -> str:
    if not label or (names is not None and label not in names):
        known = f"Use one of: {', '.join(names)}." if names else "Give each row its label."
        raise CourseError(f"{path}, line {number}: label {label!r}. {known}")
    return label if names is None else names[label]


def read_review_folders(path: str | Path, split: str | None = None) -> list[LabelledText]:
    """The Large Movie Review Dataset: a file each, in {train,test}/{pos,neg}/, folder or tar.

    A review is labelled by the folder it lies in; `split` keeps those below a folder of that name.
    `<br />` becomes a line end. Other folders (`unsup`) are passed over.
    """
    records = []
    for name, text in text_files(path):
        if name.parent.name in ("pos", "neg") and split in (None, name.parent.parent.name):
            records.append(LabelledText(text.replace("<br />", "\n"), name.parent.name))
    if missing := sorted({"neg", "pos"} - {record.label for record in records}):
        where = "" if split is None else f" below a folder {split!r}"
        raise CourseError(
            f"{path} holds no review{where} in a folder {missing[0]!r}. They must lie in folders called pos and neg, "
            "as .txt files."
        )
    return records


def read_aligned(source: str | Path, target: str | Path) -> list[ParallelPair]:
    """Line i of one file with line i of the other."""
    records = []
    for left, right in zip_longest(numbered_lines(source), numbered_lines(target)):
        if left is None or right is None:
            longer, (number, _) = (source, left) if right is None else (target, right)
            raise CourseError(
                f"{longer}, line {number}: no such line in {target if right is None else source}. "
                "The two files must have the same number of lines, each the translation of the other."
            )
        records.append(_pair(source, left[0], left[1], right[1]))
    return records


def read_translations(path: str | Path) -> list[ParallelPair]:
    """Rows with tabs between: a sentence, its translation, and whatever follows (Tatoeba: an attribution)."""
    records = []
    for number, line in numbered_lines(path):
        source, _, rest = line.partition("\t")
        records.append(_pair(path, number, source, rest.partition("\t")[0]))
    return records


def _pair(path: str | Path, number: int, source: str, target: str) -> ParallelPair:
    if not source.strip() or not target.strip():
        raise CourseError(f"{path}, line {number}: one side is empty. Drop the line on both sides.")
    return ParallelPair(Sentence.of(source.strip()), Sentence.of(target.strip()))
