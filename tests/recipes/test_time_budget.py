"""The rate that follows the clock."""

import pytest
import torch

from course.recipes import time_budget
from course.recipes.engine import Training
from course.recipes.time_budget import FLOOR, TimeBudget, budget_story, note_budget, seconds_used
from course_lib.training import fit
from course_lib.training.schedules import cosine


@pytest.fixture
def clock(monkeypatch):
    """time.monotonic for the budget, set by hand."""
    now = [100.0]
    monkeypatch.setattr(time_budget.time, "monotonic", lambda: now[0])
    return now


def test_more_minutes_are_told(tmp_path):
    path = tmp_path / "bert.budgets.json"
    assert budget_story(path) == ""
    for used in (0, 50.04):
        note_budget(path, 106, used)
        assert budget_story(path) == ""
    note_budget(path, 245, 106)
    assert budget_story(path) == "laid over 106 minutes at first, from minute 106 on over 245"
    note_budget(path, 280, 150.26)
    assert budget_story(path).endswith("from minute 106 on over 245, from minute 150.3 on over 280")


def test_it_rises_falls_and_stays_at_the_floor(tmp_path, clock):
    budget = TimeBudget(minutes=10, folder=tmp_path / "none")
    factors = {}
    for share in (0, 0.01, 0.02, 0.5, 1, 7):
        clock[0] = 100 + 600 * share
        factors[share] = budget.factor()
    assert factors[0] == FLOOR == factors[1] == factors[7]
    assert factors[0.01] == pytest.approx(0.5, abs=1e-3)
    assert factors[0.02] == pytest.approx(1, abs=2e-3)
    assert factors[0.5] == pytest.approx((1 + FLOOR) / 2)  # the middle of the wave


def test_the_optimizer_gets_the_rate_and_the_schedule_starts_from_the_base_each_step(clock, tmp_path):
    budget = TimeBudget(minutes=10, folder=tmp_path / "none")
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = budget.optimizer(betas=(0.7, 0.9))([{"name": "all", "params": [weight], "lr": 0.5}])
    clock[0] = 100 + 300
    weight.grad = torch.ones(3)
    optimizer.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.5 * (1 + FLOOR) / 2)
    assert optimizer.param_groups[0]["betas"] == (0.7, 0.9)
    # Adam's first step is as long as the rate
    torch.testing.assert_close(weight.detach(), torch.full((3,), 1 - 0.5 * (1 + FLOOR) / 2))


class Line(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = torch.nn.Parameter(torch.ones(1))

    def loss(self, batch):
        return {"loss": (self.slope * batch).square().mean(), "count": 1}


def test_a_resumed_training_counts_on(tmp_path):
    assert seconds_used(tmp_path / "state") == 0
    history = fit(Line(), [torch.ones(2)], epochs=5, folder=tmp_path / "state", show=False)
    assert 0 < seconds_used(tmp_path / "state") <= history.seconds


def test_a_training_in_two_goes_lays_the_wave_anew():
    rate = Training(1e-3, waves=(100,), steps=300).rate
    assert [rate(step, 300) for step in (0, 50, 99)] == [cosine(step, 100, floor=FLOOR) for step in (0, 50, 99)]
    assert [rate(step, 300) for step in (100, 299)] == [cosine(step, 300, floor=FLOOR) for step in (100, 299)]
    assert rate(100, 300) > 5 * rate(99, 300)
