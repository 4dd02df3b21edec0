"""Stopped trainings go on bit for bit, lost ones from a checkpoint; the rate follows steps, waves or the clock."""

import itertools
import shutil
import time

import pytest
import torch

from course.recipes import job
from course.recipes.__main__ import RECIPES
from course.recipes.job import FLOOR, Training, by_the_clock, clock_factor
from course_lib.errors import CourseError
from course_lib.models.shipped import load
from course_lib.training import History, fit
from course_lib.training.schedules import cosine
from course_lib.training.state import read_state
from tests.recipes.small import KINDS, STEPS, make_starts, small


class Killed(Exception):
    pass


@pytest.fixture
def watch(monkeypatch):
    """Each training is then watched so, too."""

    def watch(*others):
        monkeypatch.setattr(
            job, "fit", lambda *given, watchers, **more: fit(*given, watchers=[*watchers, *others], **more)
        )

    return watch


def dies_at(step):
    """A watcher that lets a training die without a word."""

    def die(done):
        if done == step:
            raise Killed

    return die


def step_of(folder):
    return read_state(folder)["place"].step


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.parametrize("name", [name for name in KINDS if hasattr(RECIPES[name].settings(), "training")])
def test_killed_and_resumed_equals_uninterrupted(name, out, tmp_path, watch):
    recipe, again = small(RECIPES[name], save_every=1e-9), tmp_path / "again"
    make_starts(recipe, out)
    shutil.copytree(out, again)
    whole = job.run(recipe, out)

    watch(dies_at(6))
    with pytest.raises(Killed):
        job.run(recipe, again)
    watch()
    assert step_of(again / f"{name}.training") == 5  # the step after the last state is lost
    assert not (again / name).exists()
    assert weights(job.run(recipe, again)) == weights(whole)


def test_minutes_end_the_training_at_the_lowest_rate(out, monkeypatch):
    rates, recipe = [], small(RECIPES["awd-lstm-en"], minutes=0.01, steps=None)
    factor = job.clock_factor
    monkeypatch.setattr(job, "clock_factor", lambda share: rates.append(factor(share)) or rates[-1])
    ticks = itertools.count(0, 0.005)  # a clock that goes on with each look at it: machines are noisy
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    job.run(recipe, out)
    assert max(rates) > 0.9
    assert rates[-1] < 0.1
    assert rates[len(rates) // 2 :] == sorted(rates[len(rates) // 2 :], reverse=True)


def test_what_cannot_be_asked_and_other_settings_do_not_go_on_from_a_state(out):
    with pytest.raises(CourseError, match=r"skipgram-ko has no profile 'gpu'. It has: cpu"):
        job.run(RECIPES["skipgram-ko"], out, profile="gpu")
    job.run(small(RECIPES["awd-lstm-en"]), out)
    with pytest.raises(CourseError, match=r"belongs to another training. steps: 13 there, 17 here"):
        job.run(small(RECIPES["awd-lstm-en"], steps=17), out)


@pytest.mark.parametrize("name", ["bilm-en", "bert-en"])
def test_a_training_that_lost_its_state_goes_on_from_the_checkpoint_of_a_wave(name, out, capsys, watch, monkeypatch):
    """That of bert-en lies in the project."""
    recipe = small(RECIPES[name], waves=(4, 9), warm_up=2, save_every=1e-9)
    monkeypatch.setattr(job, "data_dir", lambda *parts: out / parts[0])
    make_starts(recipe, out)
    watch(dies_at(11))
    with pytest.raises(Killed):
        job.run(recipe, out)
    state, snapshots = out / f"{name}.training", out / f"{name}.snapshots"
    for folder in (state, *out.glob(f"{name}.imitation")):
        shutil.rmtree(folder)
    if name == "bert-en":
        snapshots = shutil.move(snapshots, out / "unfinished" / snapshots.name)
    kept = load(snapshots / "000009").state_dict()

    def look(model, *given, watchers, **more):
        assert all(tensor.equal(kept[key]) for key, tensor in model.state_dict().items())
        return fit(model, *given, watchers=[*watchers, dies_at(11)], **more)

    monkeypatch.setattr(job, "fit", look)
    with pytest.raises(Killed):
        job.run(recipe, out)
    watch()
    assert step_of(state) == 10
    assert f"there is no state in {state}, so it goes on from the checkpoint of step 9 " in capsys.readouterr().out
    assert not (out / f"{name}.imitation").exists()
    folder = job.run(recipe, out)  # the new state is resumed like any other
    history = read_state(state)["history"]
    assert history.steps == [10, 11, 12, 13]
    wave = [2e-2 * cosine(step, STEPS, floor=FLOOR) for step in (9, 10)]  # the one that follows
    assert history.learning_rates["all"][:2] == pytest.approx([wave[0] / 3, 2 * wave[1] / 3])  # it warms up again
    assert step_of(state) == STEPS
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "went on from the checkpoint of step 9 with a fresh optimizer" in card
    assert (f"; {STEPS * 79:,} of them here |" if name == "bert-en" else f"| tokens | {STEPS * 55:,} ") in card
    assert "no state" not in capsys.readouterr().out


def test_waves_are_laid_one_after_the_other():
    rate, ends = Training(1e-3, waves=(100,), steps=300).rate, {0: 100, 50: 100, 99: 100, 100: 300, 299: 300}
    assert [rate(step, 300) for step in ends] == [cosine(step, end, floor=FLOOR) for step, end in ends.items()]


def test_the_rate_by_the_clock_rises_falls_and_stays_at_the_floor():
    factors = {0: FLOOR, 0.01: 0.5, 0.02: 1, 0.5: (1 + FLOOR) / 2, 1: FLOOR, 7: FLOOR}
    assert [clock_factor(share) for share in factors] == pytest.approx([*factors.values()], abs=2e-3)
    assert clock_factor(1) == clock_factor(7) == FLOOR


def test_the_optimizer_gets_the_rate_and_the_schedule_starts_from_the_base_each_step(monkeypatch, tmp_path):
    now, weight = [100.0], torch.nn.Parameter(torch.ones(3))
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(job, "read_state", lambda folder: {"history": History(seconds=120.0)})
    make = by_the_clock(Training(1e-3, betas=(0.7, 0.9), minutes=10), tmp_path)
    optimizer = make([{"name": "all", "params": [weight], "lr": 0.5}])
    now[0] += 180  # and two minutes before: the middle of the wave
    weight.grad = torch.ones(3)
    optimizer.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.5 * (1 + FLOOR) / 2)
    assert optimizer.param_groups[0]["betas"] == (0.7, 0.9)
    # Adam's first step is as long as the rate
    torch.testing.assert_close(weight.detach(), torch.full((3,), 1 - 0.5 * (1 + FLOOR) / 2))
