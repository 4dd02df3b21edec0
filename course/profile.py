"""COURSE_PROFILE: how much a notebook computes: quick, the default, or full, at the recorded scale."""

from __future__ import annotations

import os

from course_lib.errors import CourseError

PROFILES = ("quick", "full")


def profile() -> str:
    """The one chosen now. Raises CourseError for a name that is none."""
    named = os.environ.get("COURSE_PROFILE", "quick")
    if named not in PROFILES:
        raise CourseError(f"COURSE_PROFILE is {named!r}. Set it to one of: {', '.join(PROFILES)}.")
    return named
