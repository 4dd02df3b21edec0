"""The claims of chapter 8: one body, four heads. Each is in a file of its own; all are found here."""

from course_lib.experiments.chapter8_curves import pre_trained_beats_scratch
from course_lib.experiments.chapter8_frozen import fine_tuning_beats_frozen
from course_lib.experiments.chapter8_recipe import one_recipe_serves_four_tasks
from course_lib.experiments.chapter8_sizes import a_head_is_tiny

__all__ = [
    "a_head_is_tiny",
    "fine_tuning_beats_frozen",
    "one_recipe_serves_four_tasks",
    "pre_trained_beats_scratch",
]
