"""BertViz without a network: nothing to load, no token that can end the script, errors. Drawn: tests/browser."""

import numpy as np
import pytest

from course.widgets import bertviz_view
from course.widgets.bertviz_page import MOST, VENDOR
from tests.mistakes import mistakes
from tests.widgets.gallery import weights

TOKENS = ["[CLS]", "배", "is", "</script><img src=x onerror=alert(2)>", "[SEP]"]


@pytest.mark.parametrize("view", ["head", "model", "neuron"])
def test_every_view_is_one_closed_frame_that_loads_nothing(view):
    parts = np.random.default_rng(6).normal(size=(2, 3, 5, 7))
    page = bertviz_view(weights(), TOKENS, view, queries=parts, keys=parts)._repr_html_()
    assert "default-src &#x27;none&#x27;" in page
    assert "require.min.js" not in page
    assert page.count("<iframe") == 1
    assert page.count("<script") == 0  # all scripts stand escaped inside the frame


def test_a_token_cannot_end_the_script():
    page = bertviz_view(weights(), TOKENS)._repr_html_()
    assert "onerror=alert" not in page.replace("&lt;", "<").replace("</scrip…", "")
    short = bertviz_view(weights(), ["[CLS]", "</script>", "<b>", "is", "[SEP]"])._repr_html_()
    assert "\\u003c/script>" in short.replace("&gt;", ">")


def test_long_sentences_are_cut_and_it_says_so():
    shown = bertviz_view(weights(1, 1, 47, 47), [f"t{i}" for i in range(47)])
    assert repr(shown) == f"BertViz, head view of {MOST} tokens. The first 40 of 47 tokens are shown."
    assert "The first 40 of 47 tokens are shown." in shown._repr_html_()
    assert "t40" not in shown._repr_html_()


test_input_that_cannot_be_shown_is_named = mistakes(
    ((weights(keys=3), {}), "for 5 tokens"),
    (([], {}), "of nothing"),
    ((weights() * np.nan, {}), "not finite"),
    ((weights(), {"view": "all"}), "Use one of: head, model, neuron"),
    ((weights(), {"view": "neuron"}), "queries and keys"),
    ((weights(), {"layer": 2}), "there are 2 layers of 3"),
    of=lambda row: bertviz_view(row[0], TOKENS, **row[1]),
)


def test_the_libraries_come_with_their_licences():
    assert {path.name for path in VENDOR.iterdir()} == {
        f"{name}.{end}" for name in ("d3", "jquery") for end in ("min.js", "LICENSE.txt")
    }
