"""Every function that takes a reader's arrays takes them as tensors of any kind, and says what is no array."""

import re

import numpy as np
import pytest
import torch

from course import widgets
from course.lab.linear_probe import mixed_probe, probe
from course.lab.similarity import word_similarity
from course.widgets.figures import heat_map, learning_curves
from course.widgets.word_stories import Stop, Story
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import bootstrap_interval, seed_interval
from course_lib.evaluation.metrics import accuracy, spearman
from course_lib.evaluation.probes import nearest_mean
from course_lib.models.word_vectors import WordVectors
from tests.device_mode import FAR, other_device

# Eighths: every type holds them exactly.
ROWS = np.random.default_rng(3).integers(-16, 17, size=(6, 8)) / 8
WEIGHTS = np.array([[[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0, 0, 1]]] * 2)
SENSES, SENTENCES, PLACES = ["one"] * 3 + ["two"] * 3, [["a", "b"]] * 6, [1] * 6
WORDS = list("abcdef")


def page(shown):
    return re.sub(
        "bertviz-[0-9a-f]{32}", "bertviz", shown._repr_html_() if hasattr(shown, "_repr_html_") else shown.page()
    )


def lines(figure):
    axes = figure.axes[0]
    return [line.get_xydata().tolist() for line in axes.lines], [image.get_array().tolist() for image in axes.images]


def story(given):
    return Story("b", [(["a", "b"], 1, sense) for sense in SENSES], [Stop("x", given(ROWS), given(ROWS[:, 0] > 0))], {})


def typed(given):
    layers = {"first": given(ROWS), "second": given(ROWS[::-1].copy())}
    return widgets.scalar_mix(layers, SENTENCES, PLACES, SENSES, read=lambda text: (["b"], 0, given(ROWS[:2])))


def neurons(tables, keys):
    return widgets.bertviz_view(tables, list("abc"), "neuron", queries=tables, keys=keys)


DOORS = {  # what a function makes of arrays that `given` has turned into something else
    "attention_heatmap": lambda given: page(widgets.attention_heatmap(given(WEIGHTS[None]), list("abc"))),
    "bertviz_view": lambda given: page(neurons([given(WEIGHTS)] * 2, given(np.stack([WEIGHTS] * 2)))),
    "embedding_map": lambda given: page(widgets.embedding_map({2: given(ROWS), 5: list(given(ROWS))}, WORDS)),
    "one_hot_row": lambda given: page(widgets.one_hot_row(given(ROWS), WORDS)),
    "scalar_mix": lambda given: page(typed(given)),
    "scalar_mix, typed": lambda given: (widget := typed(given)).set_trait("typed", "b") or widget.own,
    "span_explorer": lambda given: page(widgets.span_explorer(WORDS, *given(ROWS[:, :2]).T, null=given(ROWS[0, 2]))),
    "word_generations": lambda given: page(widgets.word_generations([story(given)])),
    "heat_map": lambda given: lines(heat_map(given(ROWS), WORDS, list("ABCDEFGH"), title="", x="", y="", unit="")),
    "learning_curves": lambda given: lines(learning_curves({"x": given(abs(ROWS[:, :4]) + 1)}, x="", y="", title="")),
    "bootstrap_interval": lambda given: bootstrap_interval(given(ROWS[:, 0]), n=100),
    "seed_interval": lambda given: seed_interval(list(given(ROWS[:, 0]))),
    "spearman": lambda given: spearman(given(ROWS[:, 0]), list(given(ROWS[:, 1]))),
    "probe": lambda given: probe(given(ROWS), SENSES, given(ROWS)),
    "mixed_probe": lambda given: mixed_probe(given(ROWS[None]), SENSES, given(ROWS[None])),
    "nearest_mean": lambda given: nearest_mean(given(ROWS), SENSES, given(ROWS), SENSES).tolist(),
    "WordVectors": lambda given: WordVectors(WORDS, list(given(ROWS))).vectors.tolist(),
    "word_similarity": lambda given: word_similarity(
        WordVectors(WORDS, given(ROWS)), list(zip("abcd", "bcde", given(ROWS[:4, 0]), strict=True))
    ),
}
KINDS = {
    "bfloat16": lambda array: torch.tensor(array).bfloat16(),
    "float16": lambda array: torch.tensor(array).half(),
    "requires grad": lambda array: torch.tensor(array, dtype=torch.float32, requires_grad=True) * 1,
    "float16 array": lambda array: array.astype(np.float16),
    "on another device": lambda array: torch.tensor(array).to(FAR),
}


@pytest.mark.parametrize("door", DOORS)
def test_tensors_of_any_kind_serve_as_arrays_do(door):
    expected = DOORS[door](np.asarray)
    with other_device():
        assert [kind for kind, given in KINDS.items() if DOORS[door](given) != expected] == []


@pytest.mark.parametrize("values", ["one", [["1", "x"]], [[1.0], [1.0, 2.0]], {"a": 1}, [object()]])
def test_what_is_no_table_of_numbers_is_named(values):
    with pytest.raises(CourseError, match="heat_map: the values are no table of numbers"):
        numbers("heat_map: the values", values)


LABELS = [0, 1, 0, 1, 0, 1]
SCORES = {  # what a function makes of labels that are no list of Python's numbers
    "accuracy": lambda given: accuracy(given(LABELS), [1] * 6),
    "clusters": lambda given: bootstrap_interval(ROWS[:, 0], clusters=given(LABELS), n=100),
    "probe": lambda given: probe(ROWS, given(LABELS), ROWS),
    "nearest_mean": lambda given: nearest_mean(ROWS, given(LABELS), ROWS, given(LABELS)).tolist(),
}


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("given", [torch.tensor, np.array, lambda labels: list(torch.tensor(labels))])
def test_labels_count_by_their_value(score, given):
    found, expected = SCORES[score](given), SCORES[score](list)
    assert (found, type(found)) == (expected, type(expected))


def test_iterables_and_numbers_are_read():
    assert numbers("", (number for number in (1, torch.tensor(2.5)))).tolist() == [1, 2.5]
    assert numbers("", 3).shape == ()
