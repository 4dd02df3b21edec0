from course.check.messages import Message, Result

HOSTILE = '</pre><img src=x onerror="alert(1)"><script>alert(2)</script>'


def test_hostile_text_stays_text():
    html = Message(HOSTILE, (HOSTILE,), code=HOSTILE)._repr_html_()
    assert "<img" not in html
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3


def test_symbol_and_words_beside_colour():
    html = Result("Exercise 1.2: right.", tone="right", exercise="1.2", state="right")._repr_html_()
    assert 'role="status"' in html
    assert "✓ Exercise 1.2: right." in html


def test_text_keeps_code_lines_and_wraps_the_rest():
    text = repr(Message("Title", ("word " * 50,), code="def f():\n    return 1\n"))
    assert "    def f():\n        return 1" in text
    assert max(map(len, text.splitlines())) <= 96
