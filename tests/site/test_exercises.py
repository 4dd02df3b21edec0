"""Exercises that a page checks itself: what it brings of the course is enough, with Python's own library alone."""

import base64
import gzip
import inspect
import io
import json
import subprocess
import sys
import zipfile

import pytest

from course.check import registry
from course.site.exercises import checked, runnable, scripts, stopped
from course_lib.language import speaking

RUN = "import json, sys; from course.check.in_page import run; print(json.dumps([*map(run, json.load(sys.stdin))]))"


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """alone(cells, language) -> what each shows, in a Python that has no package besides the page's course."""
    folder = tmp_path_factory.mktemp("page")
    packed = gzip.decompress(base64.b64decode(scripts()["course.zip"].split('"')[3]))
    zipfile.ZipFile(io.BytesIO(packed)).extractall(folder)

    def run(cells, language="en"):
        given = {"input": json.dumps(cells), "cwd": folder, "env": {"COURSE_LANGUAGE": language}}
        done = subprocess.run([sys.executable, "-S", "-c", RUN], **given, capture_output=True, text=True, check=True)
        return [json.loads(shown) for shown in json.loads(done.stdout)]

    return run


def cell(exercise):
    """Solution and check; the functions of its module that the solution calls stand before it."""
    source = inspect.getsource(inspect.getmodule(exercise.solution)).partition("EXERCISE =")[0]
    return f'{source}\ncheck("{exercise.id}", {exercise.solution.__name__})'


def test_each_exercise_that_needs_no_package_is_checked_in_either_language(alone):
    exercises = [registry.find(exercise_id) for exercise_id in runnable()]
    assert len({exercise.id.partition(".")[0] for exercise in exercises}) >= 7  # chapters
    states = [shown["state"] for shown in alone([cell(exercise) for exercise in exercises])]
    assert states == ["right"] * len(exercises)
    for language, says in (("en", "not attempted yet"), ("ko", "아직 풀지 않았습니다")):
        with speaking(language):
            starters = [exercise.starter for exercise in exercises]
        assert all(says in shown["html"] for shown in alone(starters, language))


CELLS = [  # source, what it shows, the state of its exercise
    ('def f(counts, power): return {}\ncheck("1.2", f)', "lacks 3 of 3 keys", "wrong"),
    ('f(*failing("1.2"))', "<pre>{}</pre>", ""),
    ('hint("1.2", level=2)', "hint 2 of 3", ""),
    ('solution("1.2")', "def negative_distribution", ""),
    ('print("<b>")\nmath.pi', "<pre>&lt;b&gt;\n</pre><pre>3.14159", ""),
    ("x = 1\n1 / 0", "Line 2 of your cell: 1 / 0", ""),
    ("def f(:", "SyntaxError", ""),
    ("raise SystemExit", "stopped with an error", ""),
    ('check("1.2")', "check needs your function as well", ""),
    ("", "", ""),
]


def test_a_cell_shows_what_it_shows_in_a_notebook(alone):
    found = alone([source for source, _, _ in CELLS])
    assert [
        row for row, it in zip(CELLS, found, strict=True) if row[1] not in it["html"] or row[2] != it["state"]
    ] == []


def test_a_cell_is_known_by_its_check():
    assert checked('f = 1\ncheck("1.2", f)') == ("1", "1.2")
    assert checked('check("7.B")') == ("7", "7.B")
    assert checked('says = """check("1.2", f)"""') is None
    assert "no end after 6 s" in stopped("1.2")
