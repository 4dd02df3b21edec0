"""What a reader touches: numbers in, picture out. Each widget is a Python file and an ES module of the same name.

`from course_lib.widgets import embedding_map` loads that widget only; figures.py does without anywidget.
"""

from __future__ import annotations

import importlib

# function -> its file. A file never has the name of its function: importing it would hide the function.
_HOMES = {
    "ask_review": "course_lib.widgets.typed_words",
    "ask_words": "course_lib.widgets.typed_words",
    "attention_heatmap": "course_lib.widgets.heads_map",
    "bertviz_view": "course_lib.widgets.bertviz_page",
    "embedding_map": "course_lib.widgets.word_map",
    "fill_mask": "course_lib.widgets.mask_play",
    "occurrences": "course_lib.widgets.sense_pairs",
    "one_hot_row": "course_lib.widgets.one_row",
    "rate_designer": "course_lib.widgets.rate_plan",
    "scalar_mix": "course_lib.widgets.sense_mix",
    "token_strip": "course_lib.widgets.strip",
    "softmax_saturation": "course_lib.widgets.saturation",
    "span_explorer": "course_lib.widgets.answer_spans",
    "word_generations": "course_lib.widgets.word_stories",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
