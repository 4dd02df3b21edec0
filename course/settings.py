"""What a reader can set of the course, beside what course_lib/config.py reads for the models.

COURSE_PROFILE      quick (default) or full: how much a notebook computes
COURSE_SEED         integer, default 0
COURSE_BERT         another BERT for chapters 7 and 8: what course_lib.load takes, such as hub:bert-base-uncased, or the
                    folder of your own, whoever saved it: this course or transformers (read in session.py)
COURSE_ANSWERS_DIR  where your answers and networks are kept (default: answers/ in the project)
"""

from __future__ import annotations

import os
from pathlib import Path

from course_lib import config
from course_lib.errors import CourseError

PROFILES = ("quick", "full")


def profile() -> str:
    """The one chosen now. Raises CourseError for a name that is none."""
    named = os.environ.get("COURSE_PROFILE", "quick")
    if named not in PROFILES:
        raise CourseError(f"COURSE_PROFILE is {named!r}. Set it to one of: {', '.join(PROFILES)}.")
    return named


def seed() -> int:
    """The one that everything drawn at random starts from. Raises CourseError for what is none."""
    named = os.environ.get("COURSE_SEED", "0")
    if not named.isdecimal() or len(named) > 18:  # PyTorch takes 64 bits
        raise CourseError(f"COURSE_SEED is {named!r}. Set it to a whole number, 0 or larger, of at most 18 digits.")
    return int(named)


def answers_dir() -> Path:
    return config.folder_named("COURSE_ANSWERS_DIR") or config.project_dir() / "answers"
