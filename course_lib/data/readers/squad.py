"""Passages with questions whose answers stand in the text: SQuAD's JSON (version 1.1 and 2.0), also KorQuAD's."""

from __future__ import annotations

import io
import json
from pathlib import Path

from course_lib.data.readers.lines import DAMAGE, unpacked
from course_lib.data.records import Passage, Question
from course_lib.errors import CourseError
from course_lib.language import key, t


def read_squad(path: str | Path, split: str | None = None) -> list[Passage]:
    """One Passage per paragraph. Questions that SQuAD 2.0 calls impossible have no answers.

    split: keep the articles whose key "split" says so (the handmade sets have one).
    A question whose answer does not stand where the file says is left out, which is said (KLUE-MRC is published with
    such); half of them or more are an error.
    """
    misplaced: list[str] = []
    try:
        with io.TextIOWrapper(unpacked(path), "utf-8-sig") as file:
            articles = json.load(file)["data"]
        passages = [
            _passage(f"{path}, article {a}, paragraph {p}", article.get("title", ""), paragraph, misplaced)
            for a, article in enumerate(articles, 1)
            if split in (None, article.get("split"))
            for p, paragraph in enumerate(article["paragraphs"], 1)
        ]
    except (*DAMAGE, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CourseError(
            f"{path} is damaged, not UTF-8 or not in SQuAD's format: {error!r:.200}. Fetch it again. It needs data / "
            "paragraphs / context and qas / id, question, answers / text, answer_start."
        ) from error
    n, kept = len(misplaced), sum(len(passage.questions) for passage in passages)
    if n and n >= kept:
        raise CourseError(misplaced[0])
    if n:
        says = key("{n} of {all} questions are left out. The first: {why}")
        print(t(says, n=n, all=n + kept, why=misplaced[0]))
    return passages


def _passage(place: str, title: str, paragraph: dict, misplaced: list[str]) -> Passage:
    context, questions = paragraph["context"], []
    if not all(isinstance(text, str) for text in (title, context, *(row["question"] for row in paragraph["qas"]))):
        raise TypeError("title, context and question are texts")
    for row in paragraph["qas"]:
        answers = tuple((answer["text"], answer["answer_start"]) for answer in row["answers"])
        name = row["guid" if "guid" in row else "id"]  # KLUE's; SQuAD's
        question = Question(str(name), row["question"], answers)
        try:
            Passage(context, (question,))
        except CourseError as error:
            misplaced.append(f"{place}: {error}")
        else:
            questions.append(question)
    return Passage(context, tuple(questions), title)
