"""Ambiguous words in sentences, each with its sense: the course's table, CoarseWSD-20's folders, Senseval-2's files."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

from course_lib.data.readers.lines import numbered_lines, text_files
from course_lib.data.readers.texts import read_table
from course_lib.data.records import SenseExample, Sentence
from course_lib.errors import CourseError

# Senseval's files look like XML and are not (`<wf pos=">">`, bare `&`), so no XML parser reads them.
_TAG = re.compile(r'<(lexelt|instance|answer)\b[^>]*\b(?:item|id|senseid)="([^"]*)"')
_WORD = re.compile(r"""<wf pos=(?:"[^"]*"|'[^']*')>([^<>]*)</wf>|(<head>)""")


def read_senses(path: str | Path, split: str | None = None) -> list[SenseExample]:
    """Occurrences from a table with the columns word, sense, split, sentence, index, and cue if it has one.

    The sentence is words between spaces; index counts them from 0.
    """
    examples = []
    for number, row in read_table(path, ("word", "sense", "split", "sentence", "index")):
        words = row["sentence"].split()
        index = _index(f"{path}, line {number}", row["index"], words)
        if split in (None, row["split"]):
            examples.append(SenseExample(Sentence.of(words), index, row["word"], row["sense"], row.get("cue", "")))
    return examples


def read_coarse_senses(path: str | Path, split: str | None = None) -> list[SenseExample]:
    """CoarseWSD-20: a folder or tar with WORD/{train,test}.{data,gold}.txt and WORD/classes_map.txt.

    A data line is the position of the word, a tab, the sentence as words between spaces; a gold line the number of
    its sense; the map (JSON) names the senses.
    """
    texts = {(name.parent.name, name.name): text for name, text in text_files(path) if name.parent.name}
    examples = []
    for word, file in texts:
        part = file.removesuffix(".data.txt")
        if part == file or split not in (None, part):
            continue
        place = f"{path}, {word}/{file}"
        try:
            names = json.loads(texts[word, "classes_map.txt"])
            senses = [names[number] for number in texts[word, f"{part}.gold.txt"].split()]
            lines = texts[word, file].removesuffix("\n").split("\n")
            if len(lines) != len(senses) or not all(isinstance(sense, str) for sense in senses):
                raise ValueError(f"{len(lines)} sentences and {len(senses)} senses, which the map names")
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise CourseError(f"{place}: its .gold.txt or classes_map.txt is missing or damaged ({error}).") from error
        for number, (line, sense) in enumerate(zip(lines, senses, strict=True), 1):
            index, _, sentence = line.partition("\t")
            words = sentence.split()
            position = _index(f"{place}, line {number}", index, words)
            examples.append(SenseExample(Sentence.of(words), position, word, sense))
    if not examples:
        raise CourseError(f"{path} holds no occurrence{f' of split {split!r}' if split else ''}. Check the path.")
    return examples


def read_senseval(path: str | Path) -> list[SenseExample]:
    """A Senseval-2 file (`hard.pos`): instances with an answer, a context of `<wf>` words, and the `<head>` word.

    What stands outside `<wf>` (mostly FRASL, a trace of lost markup) is no word.
    """
    examples, word, sense, words, position, number = [], "", "", [], None, 0
    for number, line in numbered_lines(path):
        if tag := _TAG.match(line.strip()):
            kind, value = tag.groups()
            if kind == "lexelt":
                word = value.rpartition("-")[0] or value
            elif kind == "answer":
                sense = value
            else:
                sense, words, position = "", [], None
        elif line.startswith("</instance>"):
            if not sense or position is None or position >= len(words):
                raise CourseError(
                    f"{path}, line {number}: this instance has no answer or no <head> word. "
                    "Give it <answer senseid=...> and <head><wf ...>word</wf></head>."
                )
            examples.append(SenseExample(Sentence.of(words), position, word, sense))
            words = []
        for text, head in _WORD.findall(line):
            if head:
                position = len(words)
            elif text.strip():
                words.append(html.unescape(text.strip()))
    if words or not examples:
        raise CourseError(f"{path}, line {number}: no <instance>, or the last one is not closed. It is cut short.")
    return examples


def _index(place: str, index: str, words: list[str]) -> int:
    if not (index.isascii() and index.isdecimal()) or len(index) > 9 or int(index) >= len(words):
        raise CourseError(
            f"{place}: index {index[:60]!r} does not point at one of the {len(words)} words. Count the words from 0."
        )
    return int(index)
