"""Running text as a stream of articles, between `<doc ...>` and `</doc>`; plain or compressed files."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from course_lib.data.readers.lines import numbered_lines
from course_lib.errors import CourseError

_DOC = re.compile(r'<doc\b(?:[^>]*\btitle="([^"]*)")?[^>]*>')

# What WikiExtractor leaves behind: numbered formulas, brackets whose content was a template, entities, wiki marks.
_FORMULA = re.compile(r"\bformula_\d+\b")
_EMPTY_BRACKETS = re.compile(r"\(\s*[,;:·~\s]*\)|\[\s*\]|\{\{[^{}]*\}\}|\{\{|\}\}|\[\[|\]\]")
_AFTER_BRACKET = re.compile(r"([(\[])\s*[,;:]\s*")  # "(, born 1924)": the first item was a template
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True)
class Article:
    """A document: its title and its paragraphs, each one line of the source, without headings."""

    title: str
    paragraphs: tuple[str, ...]


def clean(paragraph: str) -> str:
    """A paragraph without the extractor's leftovers: `formula_1`, `()`, `(, 1924)`, `&lt;`, doubled spaces."""
    text = html.unescape(html.unescape(paragraph))  # some text was escaped twice: &amp;lt;
    text = _FORMULA.sub(" ", text)
    text = _AFTER_BRACKET.sub(r"\1", text)
    text = _EMPTY_BRACKETS.sub(" ", text)
    return _SPACES.sub(" ", text).strip()


def read_articles(paths: Iterable[str | Path], *, min_words: int = 5) -> Iterator[Article]:
    """The articles of one or several files, cleaned, in order; one article is in memory at a time.

    Paragraphs under `min_words` words (headings, list leftovers) are dropped, articles without a paragraph too.
    """
    for article in read_raw_articles(paths):
        cleaned = (clean(line) for line in article.paragraphs)
        if paragraphs := tuple(text for text in cleaned if text.count(" ") >= min_words - 1):
            yield Article(article.title, paragraphs)


def read_raw_articles(paths: Iterable[str | Path]) -> Iterator[Article]:
    """The articles as the files have them: every line that is not empty, the title's line first."""
    for path in paths:
        title, lines, number, seen = None, [], 0, 0
        for number, line in numbered_lines(path):  # noqa: B007 (the error names it)
            if start := _DOC.match(line):
                title, lines, seen = html.unescape(start[1] or ""), [], seen + 1
            elif line.startswith("</doc>"):
                if title is not None:
                    yield Article(title, tuple(lines))
                title = None
            elif title is not None and line.strip():
                lines.append(line)
        if title is not None or not seen:
            raise CourseError(
                f"{path}, line {number}: no <doc ...>, or the last one is not closed. It is cut short: fetch it again."
            )
