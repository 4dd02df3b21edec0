"""Exercises and recall questions: `from course_lib.exercises import check, hint, solution, recall, restore, answers`.

A new exercise is one file, `chapterN/topic.py`, with one `EXERCISE` (copy chapter1/negatives.py), and wrong answers in
tests/exercises/chapterN/topic.py. A chapter's recall questions are `chapterN/recall.toml`.
"""

from course_lib.exercises.front import answers, check, hint, recall, restore, solution

__all__ = ["answers", "check", "hint", "recall", "restore", "solution"]
