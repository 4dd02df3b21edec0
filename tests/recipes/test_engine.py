"""Stopped trainings go on bit for bit, lost ones from a checkpoint; pieces join to the whole; minutes are told."""

import itertools
import json
import shutil
import time
from dataclasses import replace

import pytest
import torch

from course.recipes import engine
from course.recipes.__main__ import RECIPES
from course.recipes.engine import FLOOR, TimeBudget, Training
from course_lib.checkpoints import save_checkpoint
from course_lib.errors import CourseError
from course_lib.models.shipped import load
from course_lib.training.schedules import cosine
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


def test_what_cannot_be_asked_and_other_settings_do_not_go_on_from_a_state(out):
    with pytest.raises(CourseError, match=r"skipgram-en has no time limit. Leave --minutes out"):
        engine.run(RECIPES["skipgram-en"], out, minutes=1)
    with pytest.raises(CourseError, match=r"skipgram-ko has no profile 'gpu'. It has: cpu"):
        engine.run(RECIPES["skipgram-ko"], out, profile="gpu")
    engine.run(small(RECIPES["awd-lstm-en"]), out)
    with pytest.raises(CourseError, match=r"belongs to another training. steps: 13 there, 17 here"):
        engine.run(small(RECIPES["awd-lstm-en"], steps=17), out)


@pytest.mark.parametrize("name", ["bilm-en", "bert-en"])
def test_a_training_that_lost_its_state_goes_on_from_the_checkpoint_of_a_wave(name, out, capsys):
    recipe, seen = small(RECIPES[name], waves=(4, 9), warm_up=2), []
    make_starts(recipe, out)
    with pytest.raises(Killed):
        engine.run(killed_after(recipe, 11), out)
    state, snapshot = out / f"{name}.training", out / f"{name}.snapshots" / "000009"
    for folder in (state, *out.glob(f"{name}.imitation")):
        shutil.rmtree(folder)
    kept = load(snapshot).state_dict()

    def watch(job, material, model):
        assert all(tensor.equal(kept[key]) for key, tensor in model.state_dict().items())
        return {"watchers": [lambda step, losses: seen.append(next(iter(losses["learning_rates"].values())))]}

    with pytest.raises(Killed):
        engine.run(killed_after(replace(recipe, watch=watch), 11), out)
    assert step_of(state) == 10
    assert f"there is no state in {state}, so it goes on from the checkpoint of step 9 " in capsys.readouterr().out
    assert not (out / f"{name}.imitation").exists()
    wave = [2e-2 * cosine(step, STEPS, floor=FLOOR) for step in (9, 10)]  # the one that follows
    assert seen == pytest.approx([wave[0] / 3, 2 * wave[1] / 3])  # it warms up again

    folder = engine.run(recipe, out)  # the new state is resumed like any other
    assert json.loads((state / "history.json").read_text())["steps"] == [10, 11, 12, 13]
    assert step_of(state) == STEPS
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert "went on from the checkpoint of step 9 with a fresh optimizer" in card
    assert (f"; {STEPS * 79:,} of them here |" if name == "bert-en" else f"| tokens | {STEPS * 55:,} ") in card
    assert "no state" not in capsys.readouterr().out


def test_waves_are_laid_one_after_the_other():
    rate = Training(1e-3, waves=(100,), steps=300).rate
    assert [rate(step, 300) for step in (0, 50, 99)] == [cosine(step, 100, floor=FLOOR) for step in (0, 50, 99)]
    assert [rate(step, 300) for step in (100, 299)] == [cosine(step, 300, floor=FLOOR) for step in (100, 299)]
    assert rate(100, 300) > 5 * rate(99, 300)


@pytest.fixture
def clock(monkeypatch):
    """time.monotonic, set by hand."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_the_rate_by_the_clock_rises_falls_and_stays_at_the_floor(clock):
    budget, factors = TimeBudget(minutes=10, used=0), {}
    for share in (0, 0.01, 0.02, 0.5, 1, 7):
        clock[0] = 100 + 600 * share
        factors[share] = budget.factor()
    assert factors[0] == FLOOR == factors[1] == factors[7]
    assert factors[0.01] == pytest.approx(0.5, abs=1e-3)
    assert factors[0.02] == pytest.approx(1, abs=2e-3)
    assert factors[0.5] == pytest.approx((1 + FLOOR) / 2)  # the middle of the wave


def test_the_optimizer_gets_the_rate_and_the_schedule_starts_from_the_base_each_step(clock):
    budget, weight = TimeBudget(minutes=10, used=120), torch.nn.Parameter(torch.ones(3))
    optimizer = budget.optimizer(betas=(0.7, 0.9))([{"name": "all", "params": [weight], "lr": 0.5}])
    clock[0] = 100 + 180  # and two minutes before: the middle of the wave
    weight.grad = torch.ones(3)
    optimizer.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.5 * (1 + FLOOR) / 2)
    assert optimizer.param_groups[0]["betas"] == (0.7, 0.9)
    # Adam's first step is as long as the rate
    torch.testing.assert_close(weight.detach(), torch.full((3,), 1 - 0.5 * (1 + FLOOR) / 2))


def test_more_minutes_are_told(tmp_path):
    path = tmp_path / "bert.budgets.json"
    assert engine.budget_story(path) == ""
    for used in (0, 50.04):
        engine.note_budget(path, 106, used)
        assert engine.budget_story(path) == ""
    engine.note_budget(path, 245, 106)
    engine.note_budget(path, 280, 150.26)
    expected = "laid over 106 minutes at first, from minute 106 on over 245, from minute 150.3 on over 280"
    assert engine.budget_story(path) == expected


def write_state(folder, step, size):
    files = {"history.json": engine.History().to_json()}
    tensors = {"weight": torch.arange(float(size))}
    save_checkpoint(folder, kind="training state", config={"step": step}, tensors=tensors, files=files)
    return folder


@pytest.fixture
def state(tmp_path):
    return write_state(tmp_path / "state", 5, 251)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_no_part_is_too_large_and_all_come_back_without_older_ones(state, tmp_path):
    target, back = tmp_path / "parts", tmp_path / "back"
    for step, size in ((5, 251), (7, 3)):
        write_state(state, step, size)
        engine.split(state, target, size=101)
        assert max(len(content) for content in files(target).values()) == 101
        engine.join(target, back)
        assert files(back) == files(state)


@pytest.mark.parametrize(("step", "replaced"), [(3, True), (5, False), (11, False)])
def test_what_is_further_stays(state, tmp_path, step, replaced):
    engine.split(state, tmp_path / "parts")
    other = write_state(tmp_path / "other", step, 7)
    before = files(other)
    engine.join(tmp_path / "parts", other)
    assert files(other) == (files(state) if replaced else before)
    engine.join(tmp_path / "none", tmp_path / "back")
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize("harm", [lambda p: p.unlink(), lambda p: p.write_bytes(b"x" + p.read_bytes()[1:])])
@pytest.mark.parametrize("part", ["model.safetensors.002", "config.json.000"])
def test_missing_and_damaged_parts(state, tmp_path, harm, part):
    target, back = tmp_path / "parts", tmp_path / "back"
    engine.split(state, target, size=101)
    harm(target / part)
    with pytest.raises(CourseError, match=r"parts do not make a whole state.*Bring the folder over again"):
        engine.join(target, back)
    assert not back.exists()
