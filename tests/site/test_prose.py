"""Markdown -> HTML: addresses, links, formulas, and text that stays text."""

import pytest

from course.site.prose import Prose


@pytest.fixture
def prose():
    return Prose({"04_elmo", "05_ulmfit"})


def test_headings_get_addresses_of_their_own(prose):
    prose.render("# 4 · ELMo\n\n## 4.1 Why $d_k$?\n\n## Notice\n\ntext\n\n## Notice")
    assert [(h.level, h.address) for h in prose.headings] == [
        (1, "4-elmo"),
        (2, "4.1-why-dk"),
        (2, "notice"),
        (2, "notice-2"),
    ]


def test_headings_are_remembered_over_cells(prose):
    assert 'id="one"' in prose.render("## One")
    assert 'id="one-2"' in prose.render("## One")


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[ELMo](04_elmo.ipynb)", '<a href="04_elmo.html">ELMo</a>'),
        ("[ELMo](notebooks/04_elmo.ipynb#4.1)", '<a href="04_elmo.html#4.1">ELMo</a>'),
        ("[a card](../data/README.md)", "a card (../data/README.md)"),
        ("[LICENSE](LICENSE)", "LICENSE"),
        ("[other](09_other.ipynb)", "other (09_other.ipynb)"),
        ("[below](#notice)", '<a href="#notice">below</a>'),
        ("[paper](https://arxiv.org/abs/1706.03762)", '<a href="https://arxiv.org/abs/1706.03762">paper</a>'),
        ("see arXiv:1706.03762.", 'see <a href="https://arxiv.org/abs/1706.03762">arXiv:1706.03762</a>.'),
        (
            "[arXiv:1706.03762](https://arxiv.org/abs/1706.03762)",
            '<a href="https://arxiv.org/abs/1706.03762">arXiv:1706.03762</a>',
        ),
    ],
)
def test_links_lead_into_the_site_or_to_the_web(prose, markdown, expected):
    assert prose.render(markdown).strip() == f"<p>{expected}</p>"


def test_html_in_a_chapter_is_text_but_for_a_line_break(prose):
    shown = prose.render("a <img src=x onerror=alert(1)> b<br>c\n\n<script>alert(2)</script>")
    assert "<img" not in shown
    assert "<script" not in shown
    assert "b<br>c" in shown
    assert "<a" not in prose.render("[x](javascript:alert(1))")


def test_html_goes_through_where_it_is_asked_for():
    assert "<details>" in Prose(set(), raw_html=True).render("<details><summary>s</summary>\n\nx\n\n</details>")


def test_no_line_begins_with_the_comma_after_a_formula(prose):
    shown = prose.render("by $q$, and $k$ too")
    assert shown.count('<span class="keep">') == 1
    assert '</math>,</span> and <math display="inline">' in shown


def test_a_dollar_in_code_is_no_formula(prose):
    assert prose.render("`$x$`").strip() == "<p><code>$x$</code></p>"
