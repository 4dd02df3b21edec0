"""Exercises and recall questions: `from course.check import check, failing, hint, solution, recall, restore, answers`.

In a chapter's folder, `course/chapters/chNN/`: an exercise is one file `ex_N_M_topic.py` with one `EXERCISE` (copy
ch01/ex_1_2_negatives.py), its words under its id in `texts.toml`; recall questions are `recall.toml`. Wrong answers
stand in tests/chapters/wrongN.py.
"""

from course.check.front import answers, check, failing, hint, recall, restore, solution

__all__ = ["answers", "check", "failing", "hint", "recall", "restore", "solution"]
