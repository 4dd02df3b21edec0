"""Figures: marks equal the numbers, systems keep their look, Hangul is drawn, bad shapes are named."""

import logging

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from course.figures import use_course_style
from course.widgets import figures
from tests.mistakes import mistakes


@pytest.fixture(autouse=True)
def _style():
    with matplotlib.rc_context():
        use_course_style()
        yield


def test_a_learning_curve_draws_the_numbers_in_its_systems_colour():
    rows = [(10, 0.5, 0.4, 0.6), (100, 0.7, 0.65, 0.75)]
    figure = figures.learning_curves(
        {"BERT": rows, "mine": rows}, x="labels", y="accuracy", title="t", baselines={"majority": 0.5}
    )
    bert = figure.axes[0].lines[0]
    np.testing.assert_array_equal(bert.get_xydata(), [row[:2] for row in rows])
    assert bert.get_color() == figures.SYSTEMS["BERT"].colour
    assert {text.get_text() for text in figure.axes[0].texts} == {"majority", "BERT", "mine"}


ENDS = {"BERT": [(100, 0.7)], "mine": [(100, 0.7)], "other": [(100, 0.705)], "far": [(100, 0.2)]}
LONG = {"left-to-right Transformer": [(24, 70.6)], "BERT": [(35, 70.7)], "skip-gram": [(153, 74)]}


@pytest.mark.parametrize("curves", [{name: [(10, 0.1), *end] for name, end in ENDS.items()}, LONG])
def test_names_stand_neither_on_each_other_nor_on_a_dot(curves):
    curves = {name: [(x, y, y, y) for x, y in rows] for name, rows in curves.items()}
    axes = figures.learning_curves(curves, x="labels", y="accuracy", title="t").axes[0]
    axes.figure.canvas.draw()
    boxes, dots = [text.get_window_extent() for text in axes.texts], [rows[-1][:2] for rows in curves.values()]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    assert not any(box.contains(*axes.transData.transform(dot)) for box in boxes for dot in dots)
    assert all(text.xyann == (7, 0) for text in axes.texts if text.get_text() == "far")


def test_systems_differ_in_colour_and_in_marker():
    styles = figures.SYSTEMS.values()
    assert len({style.colour for style in styles}) == len({style.marker for style in styles}) == len(styles)


test_wrong_shapes_are_named = mistakes(
    (lambda: figures.learning_curves({"a": [(1, 2, 3)]}, x="x", y="y", title="t"), "shape"),
    (lambda: figures.heat_map(np.ones((2, 3)), ["a"], ["b"], title="t", x="x", y="y", unit="u"), "values"),
)


def test_hangul_is_drawn_without_a_missing_glyph(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        figure = figures.heat_map(
            np.array([[0.2, 1]]), ["배 | 가"], ["사과", "눈"], title="밤", x="말", y="다리", unit="차"
        )
        figure.savefig(tmp_path / "hangul.png")  # a missing glyph is a warning, and warnings are errors here
        figures.course_timeline().savefig(tmp_path / "timeline.png")
    assert not caplog.records
