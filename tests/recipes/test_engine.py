"""Stopped trainings go on bit for bit, pieces join to the whole, minutes and profiles are understood."""

import itertools
import json
import shutil
import time
from dataclasses import replace

import pytest

from course.recipes import engine
from course.recipes.__main__ import RECIPES
from course_lib.errors import CourseError
from tests.recipes.small import STEPS, make_starts, small, write_corpora

TRAINED = [name for name, recipe in RECIPES.items() if recipe.train is None]


class Killed(Exception):
    pass


def killed_after(recipe, step):
    """The recipe, whose training dies without a word at the given step; states are saved after every second step."""

    def watch(job, material, model):
        def die(done, losses):
            if done == step:
                raise Killed

        given = recipe.watch(job, material, model) if recipe.watch else {}
        return {**given, "watchers": [*given.get("watchers", ()), die], "save_steps": 2}

    return replace(recipe, watch=watch)


def step_of(folder):
    return json.loads((folder / "config.json").read_text())["config"]["step"]


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize("name", TRAINED)
def test_killed_and_resumed_equals_uninterrupted(name, out, tmp_path):
    recipe, again = small(RECIPES[name]), tmp_path / "again"
    write_corpora(again)
    for folder in (out, again):
        make_starts(recipe, folder)
    whole = engine.run(recipe, out)

    with pytest.raises(Killed):
        engine.run(killed_after(recipe, 6), again)
    assert step_of(again / f"{name}.training") == 4  # the steps after the last state are lost
    assert not (again / name).exists()
    assert weights(engine.run(recipe, again)) == weights(whole)


def test_pieces_travel_and_join_to_the_whole(out, tmp_path):
    recipe = small(RECIPES["awd-lstm-en"])
    whole = engine.run(recipe, out)
    here, steps = tmp_path / "here", [0]
    write_corpora(here)
    while (folder := engine.run(recipe, here, piece=1e-4)) is None:  # 6 ms: a step or a few
        steps.append(step_of(here / "awd-lstm-en.training"))
        assert steps[-1] > steps[-2]
        assert not (here / "awd-lstm-en").exists()
        there = tmp_path / f"machine {len(steps)}"  # only the parts are carried over
        write_corpora(there)
        shutil.copytree(here / "awd-lstm-en.parts", there / "awd-lstm-en.parts")
        here = there
    assert 2 <= len(steps) <= STEPS
    assert weights(folder) == weights(whole)


def test_minutes_end_the_training_at_the_lowest_rate(out, monkeypatch):
    rates, recipe = [], small(RECIPES["awd-lstm-en"])
    budget = engine.TimeBudget.factor
    monkeypatch.setattr(engine.TimeBudget, "factor", lambda self: rates.append(budget(self)) or rates[-1])
    ticks = itertools.count(0, 0.005)  # a clock that goes on with each look at it: machines are noisy
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    folder = engine.run(recipe, out, minutes=0.01)
    assert max(rates) > 0.9
    assert rates[-1] < 0.1
    assert rates[len(rates) // 2 :] == sorted(rates[len(rates) // 2 :], reverse=True)
    assert "--minutes 0.01`" in (folder / "card.md").read_text()
    assert len(rates) != STEPS  # the clock decides, not the steps


def test_what_cannot_be_asked(out):
    with pytest.raises(CourseError, match=r"skipgram-en has no time limit. Leave --minutes out"):
        engine.run(RECIPES["skipgram-en"], out, minutes=1)
    with pytest.raises(CourseError, match=r"skipgram-ko has no profile 'gpu'. It has: cpu"):
        engine.run(RECIPES["skipgram-ko"], out, profile="gpu")


def test_other_settings_do_not_go_on_from_a_state(out):
    engine.run(small(RECIPES["awd-lstm-en"]), out)
    with pytest.raises(CourseError, match=r"belongs to another training. steps: 13 there, 17 here"):
        engine.run(small(RECIPES["awd-lstm-en"], steps=17), out)
