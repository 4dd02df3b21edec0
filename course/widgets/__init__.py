"""What a reader touches: numbers in, picture out. Each widget is a Python file and an ES module of the same name.

`from course.widgets import embedding_map` loads that widget only; figures.py does without anywidget.
"""

from __future__ import annotations

import importlib

# function -> its file. A file never has the name of its function: importing it would hide the function.
_HOMES = {
    "ask_review": "course.widgets.typed_words",
    "ask_words": "course.widgets.typed_words",
    "attention_heatmap": "course.widgets.heads_map",
    "bertviz_view": "course.widgets.bertviz_page",
    "embedding_map": "course.widgets.word_map",
    "fill_mask": "course.widgets.mask_play",
    "one_hot_row": "course.widgets.one_row",
    "rate_designer": "course.widgets.rate_plan",
    "scalar_mix": "course.widgets.sense_mix",
    "token_strip": "course.widgets.strip",
    "softmax_saturation": "course.widgets.saturation",
    "span_explorer": "course.widgets.answer_spans",
    "word_generations": "course.widgets.word_stories",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
