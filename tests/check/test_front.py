import json
import linecache
import types

import pytest

import course.check.front as front
from course.check import answers, check, failing, hint, registry, restore, solution, store
from course.check.front import is_look
from course_lib.errors import CourseError
from course_lib.language import speaking


def right(counts, power):
    total = sum(n**power for n in counts.values())
    return {w: n**power / total for w, n in counts.items()}


def wrong(counts, power):
    return {w: n / sum(counts.values()) for w, n in counts.items()}


@pytest.fixture
def cells(monkeypatch):
    """The cells that are put into a running notebook."""
    cells = []
    shell = types.SimpleNamespace(set_next_input=lambda text, replace: cells.append((text, replace)))
    monkeypatch.setattr(front, "_shell", lambda: shell)
    return cells


def cell(source):
    """The function `answer` as if this source had been run in a notebook."""
    name = "<cell of a test>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space = {"__name__": "__main__", "check": lambda *_: None}
    exec(compile(source, name, "exec"), space)
    return space["answer"]


def test_check_keeps_each_version_once(answers_folder):
    assert [check("1.2", f).state for f in (wrong, wrong, right, right)] == ["mistake", "mistake", "right", "right"]
    items = json.loads((answers_folder / "1.2.json").read_text(encoding="utf-8"))["items"]
    assert [(item["state"], item["mistake"]) for item in items] == [("mistake", "the power is missing"), ("right", "")]
    assert "def right" in items[1]["source"]


def test_a_wrong_answer_is_told_and_a_call_without_one_raises():
    assert "the power is missing" in check("1.2", wrong)._repr_html_()
    with pytest.raises(CourseError, match=r'check\("1.2", negative_distribution\)'):
        check("1.2")


def test_the_call_that_failed_can_be_had(monkeypatch):
    monkeypatch.setattr(front, "_LAST", {})
    with pytest.raises(
        CourseError, match=r'failing\("1.2"\): nothing was checked .* First run check\("1.2", negative_di'
    ):
        failing("1.2")
    result = check("1.2", wrong)
    assert '`wrong(*failing("1.2"))` runs this call again' in repr(result)
    assert wrong(*failing("1.2")) == result.got
    assert right(*failing("1.2")) == pytest.approx(result.expected)
    failing("1.2")[0].clear()
    assert failing("1.2") == result.inputs == registry.find("1.2").probes[0].inputs
    for answer in (lambda counts, power: {}[1], lambda counts, power: print(end=""), lambda counts: 1):
        check("1.2", answer)
        assert failing("1.2") == result.inputs
    for answer in (right, ..., "no function"):
        title = check("1.2", answer).title
        with pytest.raises(CourseError, match="found no input that fails") as said:
            failing("1.2")
        assert title in str(said.value)
    with pytest.raises(CourseError, match="There is no exercise"):
        failing("1.99")


BODY = "answer(counts, power):\n    return {}"


@pytest.mark.parametrize(
    ("defined", "calls", "says"),
    [
        (f"def {BODY}", "", "What was judged is `answer` as another cell defines it."),
        (f"def {BODY}", "def mine(counts, power):\n    return 1\n", "`mine`, but `answer` of another cell was judged."),
        ("", f"def {BODY}\n", ""),
    ],
)
def test_an_answer_of_another_cell_is_said_to_be_one(cells, defined, calls, says):
    space = {"__name__": "__main__", "check": check}
    for n, source in enumerate([defined, f"{calls}found = check('1.2', answer)"]):
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name := f"<cell {n} of a test>")
        exec(compile(source, name, "exec"), space)
    assert (says or "another cell") in " ".join(repr(space["found"]).split()) or not says
    assert says or "another cell" not in repr(space["found"])


def test_a_notebook_s_exit_ends_the_call_and_not_the_kernel(cells):
    def leaves(counts, power):
        front._shell().ask_exit()  # as `exit` and `quit` of IPython do

    assert check("1.2", leaves).state == "error"
    assert not hasattr(front._shell(), "ask_exit")


def test_check_works_where_answers_cannot_be_kept(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "file" / "x"))
    result = check("1.2", right)
    assert result.right
    assert "not kept" in repr(result)
    assert "COURSE_ANSWERS_DIR" in repr(result)


def test_an_answer_without_source_is_judged_and_said_not_to_be_kept(answers_folder):
    result = check("1.2", types.FunctionType(right.__code__.replace(co_filename="<nowhere>"), {"sum": sum}))
    assert result.right
    assert "not kept" in repr(result)
    assert not answers_folder.exists()


def test_the_whole_cell_is_kept_and_put_back(cells):
    source = "def half(x):\n    return x\n\ndef answer(counts, power):\n    return half(counts)\n\ncheck('1.2', answer)"
    assert check("1.2", cell(source)).state in ("wrong", "mistake")
    message = restore("1.2")
    assert cells == [(source, False)]
    assert source in message._repr_html_().replace("&#x27;", "'")


def test_of_a_decorated_answer_the_reader_s_cell_is_kept_and_named(cells, answers_folder):
    source = "import torch\n\n@torch.no_grad()\ndef answer(counts, power):\n    return {}[1]\n"
    result = check("1.2", cell(source))
    assert json.loads((answers_folder / "1.2.json").read_text("utf-8"))["items"][0]["source"] == source.rstrip()
    assert "Line 5 of your cell: return {}[1]" in repr(result)


def test_restore_takes_a_version_by_number(cells, answers_folder):
    assert "no answer is kept yet" in repr(restore("1.2"))
    check("1.2", wrong)
    check("1.2", right)
    restore("1.2")
    assert "def right" in cells[-1][0]
    assert "Version 1 of 2" in repr(restore("1.2", version=1))
    assert "def wrong" in cells[-1][0]
    assert "Version 1" in repr(restore("1.2", version=1.0))
    for version in (0, 3, -1, "1"):
        with pytest.raises(CourseError, match="has 2 kept"):
            restore("1.2", version=version)
    (answers_folder / "1.2.json").write_text("{")
    with pytest.raises(CourseError, match=r"1\.2\.json .*cannot be read"):
        restore("1.2")


def test_answers_lists_what_is_kept(answers_folder):
    assert f"No answers are kept yet in {answers_folder.name}/" in repr(answers())  # which may have been renamed
    check("1.2", wrong)
    check("1.2", right)
    check("1.3", wrong)
    (answers_folder / "1.5.json").write_text("{")
    text = repr(answers())
    assert "1.2: 2 version(s)" in text
    assert "1.5.json" in text
    assert "no update of the course touches them" in " ".join(text.split())


def test_a_mistake_kept_in_english_is_said_in_korean(answers_folder):
    item = {"source": "x", "state": "mistake", "mistake": "no end after 10 s", "time": "2026-01-02"}
    store.update("1.2", lambda _: True, lambda _: [item])
    with speaking("ko"):
        assert "no end" not in repr(answers()) + repr(restore("1.2"))


def test_looks_at_hints_and_solutions_are_kept_once_and_shown(answers_folder):
    for _ in range(2):
        hint("1.2", level=2)
        solution("1.2")
    check("1.2", right)
    items, note = store.read("hints", is_look)
    assert ([item["level"] for item in items], note) == ([2, 4], "")
    assert "1.2: 1 version(s)" in repr(answers())
    assert "looked at: hint 2, the solution" in " ".join(repr(answers()).split())
    assert "hints:" not in repr(answers())


def test_looks_after_the_first_right_version_are_no_help(answers_folder):
    hint("1.2", level=1)
    check("1.2", wrong)
    check("1.2", right)
    solution("1.2")
    hint("1.2", level=1)
    hint("1.2", level=3)
    assert "looked at: hint 1\n" in repr(answers()) + "\n"


def test_hints_rise_by_level_up_to_the_solution():
    texts = [repr(hint("1.3", level=level)) for level in (1, 2, 3)]
    assert "hint 1 of 3" in texts[0]
    assert repr(hint("1.3")) == texts[0]
    assert len(set(texts)) == 3
    assert "hint 1" in repr(hint("1.3", level=1.0))
    assert 'solution("1.3")' in texts[2]
    solved = repr(solution("1.2"))
    assert "    total = sum(count**power for count in counts.values())" in solved
    assert registry.find("1.2").texts.why.split(".")[0] in " ".join(solved.split())
    for level in (0, 4, "1"):
        with pytest.raises(CourseError, match="three levels"):
            hint("1.3", level=level)


def test_a_right_answer_says_at_once_whether_its_cell_is_enough_for_the_build(cells):
    body = "def answer(counts, power):\n    raised = {w: powered(n, power) for w, n in counts.items()}\n"
    body += "    return {w: n / sum(raised.values()) for w, n in raised.items()}\n\n\ncheck('1.2', answer)"
    helper = "def powered(n, power):\n    return n**power\n\n\n"
    for source, alone in ((body, False), (helper + body, True)):
        answer = cell(source)
        answer.__globals__.setdefault("powered", pow)  # as another cell of the notebook leaves it
        result = check("1.2", answer)
        assert result.right
        assert ("name 'powered' is not defined. Put its helpers" in " ".join(result.paragraphs)) is not alone
