"""Both curves in small: their starts, equal batches, going on after a stop, and what is kept."""

import math
from itertools import islice

import pytest
import torch

from course.recipes import bert, plateau
from course.recipes.engine import Job
from course.records import store
from course.records.plateau import STORE
from course_lib.errors import CourseError
from tests.recipes.small import small

STEPS = 43


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "data_dir", lambda *parts: tmp_path / parts[-1])
    return small(bert.RECIPES[0])


def test_the_plain_start_gives_nothing_away(out, recipe):
    job = Job(recipe, recipe.settings(), out, seed=0)
    model = bert.plain(job, bert.read(job))
    assert not model.mlm.bias.any()
    for name, weight in model.named_parameters():
        if weight.ndim == 2 and len(weight) > 2:
            assert weight.detach().std() == pytest.approx(0.02, rel=0.3), name


def test_both_starts_are_trained_on_the_same_batches(out, recipe):
    job = Job(recipe, recipe.settings(), out, seed=0)
    material = bert.read(job)
    rows = []
    for start in ("warm", "plain"):
        model = plateau.STARTS[start](job, material)
        torch.rand(len(start))  # what one start draws more than the other must not matter
        rows.append([batch.input_ids for batch in islice(bert.batches(job, material, model)(0), 9)])
    assert all(torch.equal(a, b) for a, b in zip(*rows, strict=True))


def test_both_curves_are_kept_beside_the_entropy_of_the_frequencies(out, recipe):
    curves = {start: plateau.measure(start, out, recipe=recipe, steps=STEPS) for start in plateau.STARTS}
    found = STORE.read()
    assert dict(found.curves) == curves
    assert found.curves["warm"].steps == [20, 40]  # the last 3 steps make no point
    assert found.setting["steps"] == STEPS
    assert found.curves["plain"].run["command"] == "python -m course.recipes.plateau --start plain"
    job = Job(recipe, recipe.settings(), out, seed=0)
    _, counts = bert.read(job).train.ids.unique(return_counts=True)
    shares = [count / int(counts.sum()) for count in counts.tolist()]
    by_hand = -sum(share * math.log(share) for share in shares)
    assert found.unigram == pytest.approx(by_hand, abs=1e-4)


def test_points_are_means_and_a_stopped_curve_goes_on_to_the_same_end(out, recipe, monkeypatch):
    whole = plateau.measure("plain", out, recipe=recipe, steps=STEPS)
    again = out / "again"
    again.mkdir()
    for file in out.glob("*.txt"):
        (again / file.name).write_bytes(file.read_bytes())
    assert plateau.measure("plain", again, recipe=recipe, steps=STEPS, minutes=1e-9) is None
    assert plateau.measure("plain", again, recipe=recipe, steps=STEPS).losses == whole.losses
    assert plateau._points([float(n) for n in range(45)]) == ([20, 40], [9.5, 29.5])


def test_the_rate_rises_and_falls_as_the_recipes():
    factors = [plateau.pace(step, 1_000) for step in range(1_000)]
    assert factors[0] < 0.1
    assert factors[19] == max(factors) > 0.99  # 2 % of the steps
    assert min(factors[20:]) == factors[-1] == pytest.approx(0.02, abs=1e-3)


def test_what_cannot_be_measured_is_named(out, recipe):
    with pytest.raises(CourseError, match=r"no start 'cold'\. Use one of: warm, plain"):
        plateau.measure("cold", out, recipe=recipe)
    with pytest.raises(CourseError, match="7 steps; a point of a curve is the mean of 20"):
        plateau.measure("warm", out, recipe=recipe, steps=7)
