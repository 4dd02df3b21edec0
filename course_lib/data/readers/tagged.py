"""Tagged sentences: CoNLL's columns, a word and its tags a line; KLUE's form, a character a line; CoNLL-U.

CoNLL-U (universaldependencies.org/format.html) is read here and not by the package conllu, which lacks spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from course_lib.data.readers.lines import numbered_lines
from course_lib.data.records import Sentence, TaggedSentence
from course_lib.errors import CourseError

LAYERS = {"lemma": 2, "upos": 3, "xpos": 4, "deprel": 7}  # name -> column
_CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_FORM, _HEAD = 1, 6
_BORDER = re.compile(r"\s*(?:(?:\d+\W)?-DOCSTART-.*)?", re.DOTALL)  # an empty line, or CoNLL's between documents


def read_columns(
    path: str | Path, layers: Sequence[str], split: str | None = None, *, skip: int = 0, separator: str = "\t"
) -> list[TaggedSentence]:
    """Sentences from columns: `skip` columns to pass over, the word, then one tag for each of `layers`.

    A line `# split = train` says where the sentences after it belong; `split` keeps those only. Lines that begin with
    -DOCSTART- (CoNLL-2003: a new document) end a sentence and are none.
    """
    sentences, current = [], None
    for block in _blocks(path):
        rows = []
        for number, line in block:
            if line.startswith("# split ="):
                current = line.partition("=")[2].strip()
                continue
            cells = line.split(separator)
            if len(cells) != skip + 1 + len(layers) or "" in cells[skip:]:
                between = {"\t": "single tabs", " ": "single spaces"}.get(separator, repr(separator))
                raise CourseError(
                    f"{path}, line {number}: {line[:60]!r} has not {skip + 1 + len(layers)} columns, none empty. "
                    f"Write {'what is skipped, ' * (skip > 0)}the word and its tags ({', '.join(layers)}), with "
                    f"{between} between."
                )
            rows.append(cells[skip:])
        if rows and split in (None, current):
            words, *tags = zip(*rows, strict=True)
            sentences.append(TaggedSentence(Sentence.of(words), dict(zip(layers, tags, strict=True))))
    return sentences


def read_characters(path: str | Path) -> list[TaggedSentence]:
    """KLUE's tagged characters: `character<TAB>tag` a line, spaces included, `##` lines are comments.

    `sentence.text` is the text with its spaces; the words are its characters without them, each with its span, for
    names end inside an eojeol (경찰|은). A space inside a name has a tag too, which adds nothing to B and I beside it.
    """
    sentences = []
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
            sentences.append(TaggedSentence(Sentence(text, tuple(words), tuple(spans)), {"ner": tuple(tags)}))
    return sentences


def _blocks(path: str | Path) -> Iterator[list[tuple[int, str]]]:
    """Numbered lines up to each border. A block may be comments only."""
    for border, block in groupby(numbered_lines(path), key=lambda row: bool(_BORDER.fullmatch(row[1]))):
        if not border:
            yield list(block)


def read_conllu(path: str | Path) -> list[TaggedSentence]:
    """Sentences with the layers lemma, upos, xpos and deprel, and heads (0: root; else the number of a word, from 1).

    Words are the syntactic ones (do, n't); lines of joined tokens (`1-2`) and of empty nodes (`1.1`) are passed over.
    `sentence.text` is the text as printed where it holds all words in order, else the words with spaces between.
    """
    sentences = []
    for block in _blocks(path):
        lines, rows, text = [], [], None
        for number, line in block:
            if line.startswith("# text ="):
                text = line.partition("=")[2].strip()
            cells = line.split("\t")
            if not line.startswith("#") and not (len(cells) == len(_CONLLU) and re.search("[-.]", cells[0])):
                lines.append((number, line))
                rows.append(cells)
        if not rows:
            continue
        allowed = {"_", *map(str, range(len(rows) + 1))}
        for word, ((number, line), cells) in enumerate(zip(lines, rows, strict=True), 1):
            sound = len(cells) == len(_CONLLU) and cells[0] == str(word) and cells[_FORM] != ""
            if not sound or cells[_HEAD] not in allowed:
                raise CourseError(
                    f"{path}, line {number}: {line[:60]!r} is no line of CoNLL-U. Expected {len(_CONLLU)} columns with "
                    f"single tabs between: number {word}, a word, and a head that is _ or 0 to {len(rows)}."
                )
        heads = None if any(row[_HEAD] == "_" for row in rows) else tuple(int(row[_HEAD]) for row in rows)
        tags = {name: tuple(row[column] for row in rows) for name, column in LAYERS.items()}
        sentences.append(TaggedSentence(align(text, tuple(row[_FORM] for row in rows)), tags, heads))
    return sentences


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
