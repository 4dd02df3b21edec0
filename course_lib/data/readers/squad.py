"""Passages with questions whose answers stand in the text: SQuAD's JSON (version 1.1 and 2.0), also KorQuAD's."""

from __future__ import annotations

import io
import json
from pathlib import Path

from course_lib.data.readers.lines import DAMAGE, unpacked
from course_lib.data.records import Passage, Question
from course_lib.errors import CourseError


def read_squad(path: str | Path, split: str | None = None) -> list[Passage]:
    """One Passage per paragraph. Questions that SQuAD 2.0 calls impossible have no answers.

    split: keep the articles whose key "split" says so (the handmade sets have one).
    """
    try:
        with io.TextIOWrapper(unpacked(path), "utf-8-sig") as file:
            articles = json.load(file)["data"]
        return [
            _passage(f"{path}, article {a}, paragraph {p}", article.get("title", ""), paragraph)
            for a, article in enumerate(articles, 1)
            if split in (None, article.get("split"))
            for p, paragraph in enumerate(article["paragraphs"], 1)
        ]
    except DAMAGE as error:
        raise CourseError(f"{path} is damaged or not UTF-8: {error}. Fetch it again, or save it as UTF-8.") from error
    except json.JSONDecodeError as error:
        raise CourseError(
            f"{path}, line {error.lineno}: not JSON ({error.msg}). Fetch it again, or mend it."
        ) from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CourseError(
            f"{path} is not in SQuAD's format: {error!r}. It needs data / paragraphs / context and qas / id, question, "
            "answers / text, answer_start."
        ) from error


def _passage(place: str, title: str, paragraph: dict) -> Passage:
    context, questions = paragraph["context"], []
    if not all(isinstance(text, str) for text in (title, context, *(row["question"] for row in paragraph["qas"]))):
        raise TypeError("title, context and question are texts")
    for row in paragraph["qas"]:
        answers = tuple((answer["text"], answer["answer_start"]) for answer in row["answers"])
        questions.append(Question(str(row["id"]), row["question"], answers))
    try:
        return Passage(context, tuple(questions), title)
    except CourseError as error:
        raise CourseError(f"{place}: {error}") from None
