"""Exercises, builds and recall questions: `from course.check import check, failing, hint, solution, play, ...`.

In a chapter's folder, `course/chapters/chNN/`: an exercise is one file `ex_N_M_topic.py` with one `EXERCISE` (copy
ch01/ex_1_2_negatives.py), its words under its id in `texts.toml`; recall questions are `recall.toml`. Wrong answers
stand in tests/chapters/wrongN.py. A build, a machine of the reader's own answers, is `build.py`.
"""

from course.check.front import answers, check, failing, hint, play, recall, restore, solution

__all__ = ["answers", "check", "failing", "hint", "play", "recall", "restore", "solution"]
