import html
import json
import re

import pytest

from course.check import recall, registry
from course.check.questions import questions
from course.check.recall_widget import Recall
from course_lib.errors import CourseError

HOSTILE = """</script><img src=x onerror=alert(1)>' " & <!--"""
HOSTILE_FILE = f"""
[[question]]
key = "k"
chapter = 0
text = '''{HOSTILE}'''
option = [{{ text = '''{HOSTILE}''', because = '''{HOSTILE}''', right = true }}]
"""


def test_choices_are_kept_and_come_back():
    first = recall(1)
    assert first.chosen == [-1] * 10
    first.chosen = [1, *[-1] * 9]
    assert recall(1).chosen == [1, *[-1] * 9]
    assert first.note == ""


@pytest.mark.parametrize("chosen", [[], [0] * 11, [4, *[-1] * 9], [-2, *[-1] * 9]])
def test_choices_that_do_not_fit_are_refused(chosen):
    widget = recall(1)
    with pytest.raises(CourseError, match="Give 10 options"):
        widget.chosen = chosen
    assert widget.chosen == [-1] * 10


def test_choices_that_cannot_be_kept_say_so_and_stay(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "file" / "x"))
    widget = recall(1)
    widget.chosen = [2] * 10
    assert widget.chosen == [2] * 10
    assert "not kept" in widget.note


def test_what_is_stored_in_a_notebook_never_holds_the_readers_choices():
    before = recall(1)._repr_mimebundle_()[0]
    widget = recall(1)
    widget.chosen = [0] * 10
    after = recall(1)._repr_mimebundle_()[0]
    assert recall(1).chosen == [0] * 10
    for kind in ("text/html", "text/plain"):
        assert before[kind] == after[kind]
    assert len(after["text/html"].encode()) < 60_000
    assert "✓" not in after["text/plain"]


def test_the_list_for_notebooks_without_trust_holds_all_texts():
    """What Lab's sanitiser leaves of the output: frames and styles go, `details` stay."""
    shown = re.sub(r"<style>.*?</style>|<iframe.*?</iframe>", "", recall(1).page(), flags=re.DOTALL)
    for question in questions(1):
        assert html.escape(question.text) in shown
        for option in question.options:
            assert f"<summary>{html.escape(option.text)}</summary>" in shown
            assert html.escape(option.because) in shown
    assert shown.count("✓ Right.") == 10


def test_hostile_text_stays_text(tmp_path, monkeypatch):
    file = tmp_path / "recall.toml"
    file.write_text(HOSTILE_FILE, encoding="utf-8")
    monkeypatch.setattr(registry, "recall_file", lambda chapter: file)
    page = Recall(0).page()
    assert "<img" not in page
    inner = html.unescape(re.search(r'srcdoc="([^"]*)"', page)[1])
    assert "<img" not in inner
    assert inner.count("</script>") == 1
    state = json.loads(re.search(r"const state = (\{.*?\}), heard", inner)[1])
    assert state["questions"][0]["text"] == HOSTILE


def test_nothing_off_the_page_is_asked_for():
    page = html.unescape(recall(1).page())
    assert re.findall(r"https?://[^\s\"']+", page) == []
    assert "default-src 'none'" in page
