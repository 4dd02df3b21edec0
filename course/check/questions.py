"""Recall questions: read from a chapter's `recall.toml`; the reader's choices are kept under answers/."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from course.check import registry, store


@dataclass(frozen=True)
class Option:
    text: str
    because: str  # feedback: why this is right, or what it mistakes
    right: bool = False


@dataclass(frozen=True)
class Question:
    key: str  # a name that stays when the wording or the order changes
    chapter: int  # where it was taught
    text: str
    options: tuple[Option, ...]


def questions(chapter: int) -> tuple[Question, ...]:
    """A chapter's questions in their order. Raises CourseError if it has none."""
    with open(registry.recall_file(chapter), "rb") as file:
        content = tomllib.load(file)
    return tuple(
        Question(q["key"], q["chapter"], q["text"], tuple(Option(**option) for option in q["option"]))
        for q in content["question"]
    )


def kept_choices(chapter: int) -> list[int]:
    """Per question the option chosen earlier, or -1. A question or option that no longer exists is left open."""
    items, _ = store.read(f"recall-{chapter}", _is_choice)
    kept = {item["question"]: item["option"] for item in items}
    texts = [(q.key, [option.text for option in q.options]) for q in questions(chapter)]
    return [options.index(kept[key]) if kept.get(key) in options else -1 for key, options in texts]


def keep_choices(chapter: int, before: list[int], after: list[int]) -> str:
    """Keep what changed from `before` to `after` (another kernel may have kept the rest); returns a note, or ""."""
    changed = {
        q.key: q.options[new].text if new >= 0 else None
        for q, old, new in zip(questions(chapter), before, after, strict=True)
        if old != new
    }

    def merge(items: list) -> list:
        kept = {item["question"]: item["option"] for item in items} | changed
        return [{"question": key, "option": option} for key, option in kept.items() if option is not None]

    return store.update(f"recall-{chapter}", _is_choice, merge)


def _is_choice(item: Any) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(key), str) for key in ("question", "option"))
