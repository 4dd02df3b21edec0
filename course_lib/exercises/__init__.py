"""Exercises and recall questions: `from course_lib.exercises import check, hint, solution, recall, restore, answers`.

A new exercise is one file, `chapterN/ex_N_M_topic.py`, with one `EXERCISE` (copy chapter1/ex_1_2_negatives.py); its
words, under its id in `chapterN/texts.toml`; and wrong answers in tests/exercises/chapterN/ex_N_M_topic.py.
A chapter's recall questions are `chapterN/recall.toml`.
"""

from course_lib.exercises.front import answers, check, hint, recall, restore, solution

__all__ = ["answers", "check", "hint", "recall", "restore", "solution"]
