"""Builds: the reader's parts out of the kept answers, a machine of them, and what can go wrong in it."""

import inspect
import json
import time
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import count

import pytest
import torch
from torch import nn

from course import kept
from course.catalogue import catalogue
from course.check import answers, check, hint, limit, play, registry, restore, solution, store
from course.check import build as builds
from course.check import parts as parts_of_builds
from course.check.build import Build, Ran
from course.check.front import is_version
from course.check.limit import NoEnd, limited
from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.language import speaking

EVERY = [build for chapter in registry.chapters() for build in builds.of_chapter(chapter)]
SENTENCES = [[5, 6, 7, 8], [8, 7, 6], [5, 5, 5], [6, 7]]


def tiny(train, masked_loss, step_loss, depends_on):
    """A machine that trains one small table, on more sentences than any probe has."""
    network = nn.Linear(3, 3)
    ran = Ran({"tiny": network}, play=lambda *given: (network, *given))
    table, losses = torch.arange(27.0).reshape(9, 3).sin(), []
    for _ in range(3 if train else 0):
        states = lambda read, real: network(read[..., None] * torch.tensor([0.1, -0.2, 0.3]))  # noqa: E731
        loss = step_loss(SENTENCES, lambda ids: (ids, ids), states, table, torch.zeros(9))
        loss.backward()
        with torch.no_grad():
            for parameter in network.parameters():
                parameter -= 0.05 * parameter.grad
                parameter.grad = None
        losses.append(loss.item())
    if train:
        ran.prove("falls", losses[-1] < losses[0], first=f"{losses[0]:.1f}", last=f"{losses[-1]:.1f}")
        ran.shows = "a table"
    return ran


TINY = Build("9.B", ("7.5", "7.9", "7.6"), tiny, importance=1, minutes=1)
CALLS = "    return masked_loss(network(read, ids != 0), labels, table, bias)\n"
ALONE = "    return F.cross_entropy((network(read, ids != 0) @ table.T + bias).mT, labels)\n"


@pytest.fixture(autouse=True)
def the_tiny_build(monkeypatch):
    real = builds.find
    monkeypatch.setattr(builds, "find", lambda build_id: TINY if build_id == "9.B" else real(build_id))
    monkeypatch.setattr(builds, "_LAST", {})


def keep(part, source, state="right"):
    version = {"source": source, "state": state, "mistake": "", "time": "2026-11-25T10:00:00.000000+00:00"}
    assert store.update(part, is_version, lambda items: [*items, version]) == ""


def solved(part):
    """The solution as a cell of a reader."""
    exercise = registry.find(part)
    keep(part, f'{inspect.getsource(exercise.solution)}\n\ncheck("{part}", {exercise.solution.__name__})')


def step_loss(last=ALONE, first=""):
    """A cell with exercise 7.9 as another reader writes it."""
    return (
        "def step_loss(sentences, mask, network, table, bias):\n"
        + first
        + "    rows = [torch.tensor([2, *s, 3]) for s in sentences]\n"
        "    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)\n"
        "    read, labels = mask(ids)\n" + last + '\ncheck("7.9", step_loss)'
    )


def test_without_a_part_of_one_s_own_nothing_runs(answers_folder):
    result = check("9.B")
    assert result.state == "not attempted"
    assert (
        '○ 7.5 `masked_loss`: the course\'s. It becomes yours by `check("7.5", masked_loss)`.' in result.paragraphs[0]
    )
    assert not answers_folder.exists()
    assert "with the course's parts" in solution("9.B").title
    assert not answers_folder.exists()


def test_a_part_of_one_s_own_is_enough(answers_folder):
    solved("7.9")
    result = check("9.B")
    assert result.right
    assert "Yours: 1 of its 3 parts." in result.title
    assert "✓ 7.9 `step_loss`: yours, of 2026-11-25" in result.paragraphs[0]
    assert result.paragraphs[1].startswith("✓ The loss goes from")
    assert result.code == "a table"
    assert kept.restore("tiny", nn.Linear(3, 3))
    (item,) = json.loads((answers_folder / "9.B.json").read_text("utf-8"))["items"]
    assert (item["state"], item["yours"]) == ("right", "7.9")
    assert "9.B: built, the last time on" in repr(answers())
    for part in ("7.5", "7.6"):
        solved(part)
    assert "all of it is yours" in check("9.B").title
    assert "parts of yours in it: 7.5 7.9 7.6" in " ".join(repr(answers()).split())


def test_the_last_right_version_is_taken():
    keep("7.9", step_loss())
    keep("7.9", "def step_loss(*a):\n    return 0", state="wrong")
    assert "1 of its 3" in check("9.B").title
    keep("7.5", "def masked_loss(*a):\n    return 0", state="wrong")
    assert 'Yours is not right yet: `check("7.5", masked_loss)`.' in check("9.B").paragraphs[0]


def test_a_part_may_call_the_parts_before_it():
    keep("7.9", step_loss(CALLS))
    assert check("9.B").right  # the course's masked_loss
    solved("7.5")
    assert "2 of its 3" in check("9.B").title


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (step_loss("    return helper(read, labels)\n"), "NameError: name 'helper' is not defined"),
        ("x = 1 +", "SyntaxError"),
        ("while True:\n    pass", "it computed for 0.5 seconds and was stopped"),
        ("x = []\nwhile True:\n    x += [0] * 9_999_999", "it took 500 MB of memory and was stopped"),
        ("import sys\nif True:\n    sys.exit()", "SystemExit"),
        ("step = 1", "it defines no function `step_loss`"),
        (step_loss("    return 3.0\n"), "fails on"),
        (step_loss(ALONE.replace("ids != 0)", "ids != 0).detach()")), "no gradient reaches `network(...)`"),
    ],
    ids=["other cell", "no Python", "no end", "memory", "exit", "no function", "not right any more", "detached"],
)
def test_a_part_that_cannot_be_run_alone_is_replaced_and_said(source, says, monkeypatch):
    monkeypatch.setattr(parts_of_builds, "LIMIT", 0.5)
    monkeypatch.setattr(limit, "MEMORY", 100_000_000)
    keep("7.9", source)
    solved("7.6")
    result = check("9.B")
    said = next(line for line in result.paragraphs[0].splitlines() if "7.9" in line)
    assert says.lower() in said.lower()
    assert '`restore("7.9")` brings its cell back' in said
    assert result.right
    keep("7.9", "later = 1", state="wrong")
    assert '`restore("7.9", 1)` brings its cell back' in check("9.B").paragraphs[0]


def test_calls_of_the_cell_and_what_it_prints_are_left_out(capsys):
    cell = step_loss(first="    print(1)\n")
    keep("7.9", f"import os\nfrom course.check import check\n{cell}\nos._exit(3)\nprint(2)\ninput()")
    assert check("9.B").right
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("first", "says", "line"),
    [
        ("if len(sentences) > 3:\n        return {}[len(sentences)]", "KeyError: 4", "Line 3 of your"),
        ("while len(sentences) > 3:\n        pass", "computed for 0.5 seconds", "of your cell: "),
        ("table = table * (1 if len(sentences) < 4 else 2)", "although all probes are right", ""),
    ],
    ids=["error", "no end", "another result"],
)
def test_what_no_probe_has_shown_is_told_with_its_part(first, says, line, monkeypatch):
    monkeypatch.setattr(parts_of_builds, "_LONGEST", 0.5)
    keep("7.9", step_loss(first=f"    {first}\n"))
    result = check("9.B")
    assert (result.state, result.title) == ("error", "Build 9.B: it stopped in your part 7.9.")
    said = " ".join(result.paragraphs)
    assert says in said
    assert line in said
    assert 'restore("7.9")' in said
    assert not (kept.folder() / "tiny.safetensors").exists()


def test_what_a_slow_part_costs_more_is_said_until_the_course_s_stands_in(capsys, monkeypatch):
    """By what it has taken in all: of no call could it be said. What the course's costs as well is not said."""
    exercise, now, taken = registry.find("3.2"), [0.0], []
    monkeypatch.setattr(parts_of_builds.time, "process_time", lambda: now[0])
    says = [says for _, says in parts_of_builds._COST]
    monkeypatch.setattr(parts_of_builds, "_COST", list(zip((2, 5), says, strict=True)))

    def taking(cost, log_probs):
        now[0] += cost
        taken.append(cost)
        return exercise.solution(log_probs)

    def run(own, of_the_course_s):
        part = replace(exercise, solution=partial(taking, of_the_course_s))
        part, replaced = parts_of_builds.Part(part, partial(taking, own), since="today"), []
        call = parts_of_builds.guarded(part, [""], replaced)
        assert {call([[-0.5, -1.5]]) for _ in range(900)} == {exercise.solution([[-0.5, -1.5]])}
        return replaced, capsys.readouterr().out.splitlines()

    assert run(1.0, 1.0) == ([], [])
    replaced, (first, last) = run(0.01, 0.0)
    assert replaced == ["3.2"]
    assert "alone has computed for 2 seconds so far, " in first
    assert "does the rest" in last
    assert 500 <= taken.count(0.01) < 510


def test_what_the_course_s_part_did_is_not_called_the_reader_s(monkeypatch):
    monkeypatch.setattr(parts_of_builds.time, "process_time", count().__next__)
    monkeypatch.setattr(parts_of_builds, "_COST", [(-2, ""), (-1, "")])
    solved("7.9")
    assert "Yours: 1 of its 3 parts; the course's did the rest of 7.9." in check("9.B").title


KEPT = {}


def by_heart(x):
    """Knows eight rows, and returns the others as they are."""
    return torch.cat([2 * x[:8], x[8:]])


def remembers(x):
    return KEPT.setdefault(tuple(x.shape), 2 * x)


def writes(x):
    return torch.mul(x, 2, out=KEPT.setdefault(x.shape, torch.empty(x.shape)))


def draws_near(x):
    """Of a hundred equally good numbers another one."""
    return (2 * x).index_fill(0, torch.tensor(0), 7.0) if len(x) == 100 else 2 * x


@pytest.mark.parametrize(
    ("answer", "sizes", "says"),
    [
        (by_heart, [2, 20], "At call 2 in the machine, with `x` [20], .* result.8. is .*smaller inputs"),
        (remembers, [2, 20, 2], "At call 3 in the machine, with `x` [2], .* result.0. is .*as large as these"),
        (remembers, [*range(29, 0, -1)] + 40 * [2], "At call 31 in the machine"),
        (writes, [2, 3, 2, 2], "written into the tensor that an earlier call"),
        (draws_near, [2, 100, 2], ""),
    ],
)
def test_a_part_is_compared_at_later_calls_too(answer, sizes, says):
    """Each call has other numbers. What is right at first may know a size, or be a memory of the first call."""
    KEPT.clear()
    exercise = replace(registry.find("3.2"), solution=lambda x: 2 * x)
    call = parts_of_builds.guarded(parts_of_builds.Part(exercise, answer, since="today"), [""], [])
    stops = pytest.raises(parts_of_builds.Fault, match=says.replace("[2", r"\[2")) if says else nullcontext()
    with stops:
        for n, size in enumerate(sizes):
            call(torch.arange(1.0, 1 + size) + n)


def test_a_part_that_calls_a_slow_one_has_a_limit_of_its_own(monkeypatch):
    monkeypatch.setattr(parts_of_builds, "_LONGEST", 0.6)
    exercise, calls = registry.find("3.2"), [""]

    def slow(log_probs):
        end = time.process_time() + 0.25
        while time.process_time() < end:
            pass
        return exercise.solution(log_probs)

    inner = parts_of_builds.guarded(parts_of_builds.Part(exercise, slow, since="2026-11-25"), calls, [])
    around = replace(exercise, solution=lambda s: exercise.solution(s))
    part = parts_of_builds.Part(around, lambda s: [inner(s) for _ in range(4)].pop(), since="2026-11-25")
    assert parts_of_builds.guarded(part, calls, [])([[-0.5]]) == exercise.solution([[-0.5]])


def test_a_fault_of_the_machine_itself_is_raised_or_said(monkeypatch):
    monkeypatch.setattr(builds, "find", lambda _: Build("9.B", ("7.6",), broken, importance=1, minutes=1))
    with pytest.raises(ZeroDivisionError):
        solution("9.B")
    solved("7.6")
    assert "ZeroDivisionError" in repr(check("9.B"))


def broken(train, depends_on):
    return 1 / 0


def test_play_takes_up_what_was_kept(monkeypatch):
    with pytest.raises(CourseError, match="nothing is kept yet"):
        play("9.B")
    solved("7.9")
    check("9.B")
    network, *given = play("9.B", "a")
    assert given == ["a"]
    monkeypatch.setattr(builds, "_LAST", {})
    again, _ = play("9.B", "a")
    assert again is not network
    assert all(torch.equal(*pair) for pair in zip(again.parameters(), network.parameters(), strict=True))
    with pytest.raises(CourseError, match="There is no build"):
        play("8.Z")


def test_a_network_that_cannot_be_kept_takes_no_proof_away():
    solved("7.9")
    kept.folder().parent.mkdir(parents=True)
    kept.folder().write_text("")  # where the folder should be
    result = check("9.B")
    assert result.state == "right"
    assert any("Could not write" in paragraph for paragraph in result.paragraphs)


def test_a_build_is_no_exercise():
    with pytest.raises(CourseError, match="without a function"):
        check("9.B", tiny)
    for call in (hint, restore):
        with pytest.raises(CourseError, match="is a build: run check"):
            call("7.B")
    with pytest.raises(CourseError, match="There is no exercise"):
        check("77.B")


def test_a_limit_inside_another_does_not_end_it():
    def loops():
        with limited(5):
            pass
        while True:
            pass

    with pytest.raises(NoEnd), limited(0.4):
        loops()


@pytest.mark.parametrize("build", EVERY, ids=lambda build: build.id)
def test_words_of_each_build_are_complete_and_stand_in_the_notebook(build):
    chapter = int(build.id.split(".")[0])
    assert list(inspect.signature(build.run).parameters) == ["train", *(e.solution.__name__ for e in build.exercises)]
    (path,) = (project_dir() / "notebooks" / "text").glob(f"{chapter:02}_*.md")
    assert [part for part in (build.markdown, build.starter) if part not in path.read_text("utf-8")] == []
    for words in (build.texts["title"], build.texts["question"].strip("\n"), *build.texts["says"].values()):
        assert words in catalogue()
    with speaking("ko"):
        assert "조립" in build.markdown
