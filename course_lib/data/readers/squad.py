"""Passages with questions whose answers stand in the text: SQuAD's JSON (version 1.1 and 2.0), also KorQuAD's."""

from __future__ import annotations

import json
from pathlib import Path

from course_lib.data.readers.lines import DAMAGE, open_text
from course_lib.data.records import Passage, Question
from course_lib.errors import CourseError


def read_squad(path: str | Path, split: str | None = None, *, left_out: list[str] | None = None) -> list[Passage]:
    """One Passage per paragraph. Questions that SQuAD 2.0 calls impossible have no answers.

    split     keep the articles whose key "split" says so (the handmade sets have one)
    left_out  None: an answer that does not stand where it should is an error. A list: such questions are left out of
              the passages, and their ids are added to it
    """
    try:
        with open_text(path) as file:
            articles = json.load(file)["data"]
        return [
            _passage(f"{path}, article {a}, paragraph {p}", article.get("title", ""), paragraph, left_out)
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


def _passage(place: str, title: str, paragraph: dict, left_out: list[str] | None) -> Passage:
    context, questions = paragraph["context"], []
    if not all(isinstance(text, str) for text in (title, context, *(row["question"] for row in paragraph["qas"]))):
        raise TypeError("title, context and question are texts")
    for row in paragraph["qas"]:
        answers = tuple((answer["text"], answer["answer_start"]) for answer in row["answers"])
        wrong = [(a, n) for a, n in answers if n < 0 or not a or context[n : n + len(a)] != a]
        if wrong and left_out is None:
            text, start = wrong[0]
            raise CourseError(
                f"{place}, question {row['id']!r}: the answer {text[:60]!r} does not stand at character {start}. Count "
                "characters from 0 in the context, or leave such questions out: read_squad(path, left_out=[])."
            )
        if wrong:
            left_out.append(str(row["id"]))
        else:
            questions.append(Question(str(row["id"]), row["question"], answers))
    return Passage(context, tuple(questions), title)
