"""`course_lib.start`: same seeds each time, one calm line, no guessing about wrong settings."""

import importlib.util
import random
import subprocess
import sys
import tomllib
import types

import numpy as np
import pytest
import torch

import course_lib
from course.session import MOST_THREADS, chapter_name
from course_lib.config import project_dir
from course_lib.errors import CourseError


@pytest.fixture(autouse=True)
def themes(monkeypatch):
    """Calls of use_course_style; the tests' own matplotlib settings and threads stay."""
    calls = []
    figures = types.ModuleType("course.figures")
    figures.use_course_style = lambda: calls.append("style")
    monkeypatch.setitem(sys.modules, "course.figures", figures)
    for name in ("COURSE_PROFILE", "COURSE_SEED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_DEVICE", "cpu")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return calls


def test_it_says_one_line(capsys, monkeypatch, themes):
    session = course_lib.start(4)
    assert capsys.readouterr().out == "Chapter 4 · quick profile · seed 0 · device cpu\n"
    assert (session.device, session.profile, session.seed, session.chapter) == (torch.device("cpu"), "quick", 0, "4")
    assert (session.full, session.bert("bert-en")) == (False, "bert-en")
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setenv("COURSE_SEED", "17")
    monkeypatch.setenv("COURSE_BERT", "hub:klue/bert-base")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else find(name))
    session = course_lib.start()
    assert capsys.readouterr().out == "full profile · seed 17 · device cpu\n"
    assert (session.full, session.bert("bert-en")) == (True, "hub:klue/bert-base")
    assert themes == ["style"]  # once: the second start found no matplotlib


def test_a_second_start_draws_the_same_numbers_and_another_seed_others(monkeypatch):
    def draws(seed):
        monkeypatch.setenv("COURSE_SEED", str(seed))
        course_lib.start(1)
        return random.random(), np.random.rand(), torch.rand(3).tolist()

    first = draws(0)
    assert draws(0) == first
    assert all(one != other for one, other in zip(first, draws(1), strict=True))


@pytest.mark.parametrize("chapter", [10, "4.5", "A4", ""])
def test_an_unknown_chapter_lists_those_there_are(chapter):
    with pytest.raises(CourseError, match=f"no chapter {chapter!r}. Chapters: 0, 1, .*, 9, A1, A2, A3"):
        course_lib.start(chapter)
    assert [chapter_name(c) for c in (0, "9", "a1")] == ["0", "9", "A1"]


@pytest.mark.parametrize(
    ("setting", "value", "remedy"),
    [
        ("COURSE_PROFILE", "fast", "one of: quick, full"),
        ("COURSE_SEED", "-3", "whole number"),
        ("COURSE_SEED", "9" * 5_003, "at most 18 digits"),
        ("COURSE_CACHE_DIR", "~nobody-has-this/x", "no such home"),
        ("COURSE_DATA_DIR", "y" * 4_999, "not a folder"),
        ("COURSE_DEVICE", "tpu", "Use auto, cpu"),
    ],
)
def test_a_setting_without_meaning_is_an_error(monkeypatch, setting, value, remedy):
    monkeypatch.setenv(setting, value)
    with pytest.raises(CourseError, match=remedy):
        course_lib.start(1)


def test_threads_follow_the_cores_unless_the_reader_chose(monkeypatch):
    set_to = []
    monkeypatch.setattr(torch, "set_num_threads", set_to.append)
    monkeypatch.setattr("course.session.n_cores", lambda: 3)
    course_lib.start(1)
    assert set_to == []
    monkeypatch.delenv("OMP_NUM_THREADS")
    course_lib.start(1)
    monkeypatch.setattr("course.session.n_cores", lambda: 61)
    course_lib.start(1)
    assert set_to == [3, MOST_THREADS]


def test_the_package_opens_its_two_doors_lazily():
    code = "import sys, course_lib; assert 'torch' not in sys.modules; course_lib.start; assert 'torch' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=project_dir())
    assert {"start", "load"} <= set(dir(course_lib))
    assert not hasattr(course_lib, "stop")
    project = tomllib.loads((project_dir() / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert course_lib.__version__ == project["version"]


def test_a_name_that_is_missing_says_what_to_run():
    code = "from IPython.testing.globalipapp import start_ipython; shell = start_ipython(); import course\n"
    code += "for cell in ('found[0]', 'def f():\\n  x += 1\\nf()', '1 / 0'): shell.run_cell(cell); print('-- end')"
    run = subprocess.run([sys.executable, "-c", code], check=True, cwd=project_dir(), capture_output=True, text=True)
    *said, _ = run.stdout.split("-- end")
    assert ["Error" in words for words in said] == [True] * 3
    assert ["Run All Above Selected Cell" in words for words in said] == [True, False, False]
