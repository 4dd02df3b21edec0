"""What a setting may be: each check names the model, the setting, its value and what to use instead."""

from __future__ import annotations

from collections.abc import Iterable

from course_lib.errors import CourseError


def at_least(least: float | int, what: str, **settings: float | int) -> None:
    for name, value in settings.items():
        if not value >= least:  # NaN is not
            raise CourseError(f"{what}: {name}={value}. Use {least} or more.")


def shares(what: str, **settings: float | int) -> None:
    """Probabilities of dropout: something must be left."""
    for name, value in settings.items():
        if not 0 <= value < 1:
            raise CourseError(f"{what}: {name}={value}. Use a number from 0 to below 1.")


def one_of(choices: Iterable[str | None], what: str, **settings: str | None) -> None:
    for name, value in settings.items():
        if value not in choices:
            raise CourseError(f"{what}: {name}={value!r}. Use one of: {', '.join(filter(None, choices))}.")
