"""CoNLL columns: a word and its tags a line, an empty line after each sentence; and KLUE's form, a character a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from course_lib.data.readers.lines import numbered_lines
from course_lib.data.records import Sentence, TaggedSentence
from course_lib.errors import CourseError


def read_columns(
    path: str | Path, layers: Sequence[str], split: str | None = None, *, skip: int = 0, separator: str = "\t"
) -> list[TaggedSentence]:
    """Sentences from columns: `skip` columns to pass over, the word, then one tag for each of `layers`.

    A line `# split = train` says where the sentences after it belong; `split` keeps those only.
    Raises CourseError naming file, line and remedy.
    """
    found, current, n_columns = [], None, skip + 1 + len(layers)
    for block in _blocks(path):
        rows = []
        for number, line in block:
            if line.startswith("# split ="):
                current = line.partition("=")[2].strip()
                continue
            cells = line.split(separator)
            if len(cells) != n_columns or not all(cells):
                raise CourseError(
                    f"{path}, line {number}: {len(cells)} columns instead of {n_columns}. "
                    f"Write the word and its tags ({', '.join(layers)}), with single "
                    f"{'tabs' if separator == chr(9) else 'spaces'} between."
                )
            rows.append(cells[skip:])
        if rows and split in (None, current):
            words, *tags = zip(*rows, strict=True)
            found.append(TaggedSentence(Sentence.of(words), dict(zip(layers, tags, strict=True))))
    return found


def read_characters(path: str | Path, layer: str = "ner") -> list[TaggedSentence]:
    """KLUE's tagged characters: `character<TAB>tag` a line, spaces included, `##` lines are comments.

    `sentence.text` is the text with its spaces; the words are its characters without them, each with its span, for
    names end inside an eojeol (경찰|은). A space inside a name has a tag too, which adds nothing to B and I beside it.
    """
    found = []
    for block in _blocks(path):
        text, words, spans, tags = "", [], [], []
        for number, line in block:
            if line.startswith("##"):
                continue
            character, tab, tag = line.partition("\t")
            if not (character and tab and tag) or "\t" in tag:
                raise CourseError(f"{path}, line {number}: {line[:40]!r} is not one character, a tab and its tag.")
            if not character.isspace():
                words.append(character)
                spans.append((len(text), len(text) + len(character)))
                tags.append(tag)
            text += character
        if words:
            found.append(TaggedSentence(Sentence(text, tuple(words), tuple(spans)), {layer: tuple(tags)}))
    return found


def _blocks(path: str | Path) -> Iterator[list[tuple[int, str]]]:
    """Numbered lines up to each empty one. A block may be comments only."""
    block: list[tuple[int, str]] = []
    for number, line in numbered_lines(path):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block
