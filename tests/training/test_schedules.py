"""Schedules: values a reader can compute by hand, and the shape each promises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.training.schedules import (
    constant,
    cosine,
    inverse_sqrt_warmup,
    linear_decay,
    slanted_triangular,
    warmup_linear,
)

SCHEDULES = {
    "constant": constant,
    "linear_decay": linear_decay,
    "cosine": cosine,
    "warmup_linear": lambda step, total: warmup_linear(step, total, warmup=total // 3),
    "slanted_triangular": slanted_triangular,
}


@pytest.mark.parametrize(
    ("step", "factor"),
    [(0, 1 / 32), (1, (1 + 3.1) / 32), (5, (1 + 15.5) / 32), (10, 1), (55, 16.5 / 32), (99, (1 + 31 / 90) / 32)],
)
def test_slanted_triangular(step, factor):
    assert slanted_triangular(step, 100) == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize(
    ("step", "total", "cut_frac", "ratio", "factor"),
    [
        (0, 7, 0.1, 32, 1),  # cut = 0: only a fall
        (6, 7, 0.1, 32, (1 + 31 / 7) / 32),
        (0, 11, 0.0, 32, 1),
        (3, 8, 0.5, 4, (1 + 9 / 4) / 4),
        (6, 8, 0.5, 4, 2.5 / 4),
        (10, 19, 0.1, 32, 1 / 32),  # cut = 1, the paper's fall ends at step 10 of 19 ...
        (18, 19, 0.1, 32, 1 / 32),  # ... and would be negative here
        (5, 19, 0.1, 32, (1 + 31 * 5 / 9) / 32),
        (3, 11, 0.1, 1, 1),
    ],
)
def test_slanted_triangular_other_shapes(step, total, cut_frac, ratio, factor):
    assert slanted_triangular(step, total, cut_frac, ratio) == pytest.approx(factor, rel=1e-12)


@given(st.integers(1, 500), st.floats(0, 0.99), st.floats(1, 100))
def test_slanted_triangular_rises_then_falls(total, cut_frac, ratio):
    factors = [slanted_triangular(step, total, cut_frac, ratio) for step in range(total)]
    top = int(total * cut_frac)
    assert factors[top] == pytest.approx(1)
    assert factors[: top + 1] == sorted(factors[: top + 1])
    assert factors[top:] == sorted(factors[top:], reverse=True)
    assert min(factors) >= 1 / ratio - 1e-12


@pytest.mark.parametrize(
    ("step", "d_model", "warmup", "rate"),
    [(1, 4, 100, 0.5 / 1000), (50, 4, 100, 0.025), (100, 4, 100, 0.05), (400, 4, 100, 0.025), (1, 1, 1, 1)],
)
def test_inverse_sqrt_warmup(step, d_model, warmup, rate):
    assert inverse_sqrt_warmup(step, d_model, warmup) == pytest.approx(rate, rel=1e-12)


@given(st.integers(1, 1000), st.integers(1, 2048))
def test_inverse_sqrt_warmup_peaks_at_warmup(warmup, d_model):
    peak = inverse_sqrt_warmup(warmup, d_model, warmup)
    assert peak == pytest.approx((d_model * warmup) ** -0.5)
    assert inverse_sqrt_warmup(warmup + 1, d_model, warmup) < peak
    if warmup > 1:
        assert inverse_sqrt_warmup(warmup - 1, d_model, warmup) < peak


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("constant", [1, 1, 1, 1, 1, 1]),
        ("linear_decay", [1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]),
        ("warmup_linear", [0, 1 / 2, 1, 3 / 4, 2 / 4, 1 / 4]),
        ("cosine", [1, 0.9330127018922193, 0.75, 0.5, 0.25, 0.0669872981077807]),
    ],
)
def test_by_hand(name, values):
    assert [SCHEDULES[name](step, 6) for step in range(6)] == pytest.approx(values)


def test_cosine_ends_on_its_floor_and_stays():
    assert cosine(6, 6, floor=0.1) == pytest.approx(0.1)
    assert cosine(9, 6, floor=0.1) == pytest.approx(0.1)
    assert linear_decay(9, 6) == warmup_linear(9, 6, warmup=2) == 0


@pytest.mark.parametrize("name", SCHEDULES)
@given(total=st.integers(1, 300), step=st.integers(0, 299))
def test_all_are_factors(name, total, step):
    assert 0 <= SCHEDULES[name](step, total) <= 1 + 1e-12


@pytest.mark.parametrize("name", SCHEDULES)
def test_steps_and_totals_are_checked(name):
    with pytest.raises(CourseError, match=r"total=0 steps\. Use 1 or more"):
        SCHEDULES[name](0, 0)
    with pytest.raises(CourseError, match=r"step=-1\. Steps count from 0"):
        SCHEDULES[name](-1, 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: slanted_triangular(0, 5, cut_frac=1.0), r"cut_frac=1\.0 is not a share"),
        (lambda: slanted_triangular(0, 5, cut_frac=float("nan")), "cut_frac=nan is not a share"),
        (lambda: slanted_triangular(0, 5, ratio=0.5), r"ratio=0\.5 would turn"),
        (lambda: inverse_sqrt_warmup(0, 5, 7), r"step=0\. The paper counts steps from 1: pass step \+ 1"),
        (lambda: inverse_sqrt_warmup(1, 5, 0), r"warmup=0\. Use 1 or more"),
        (lambda: inverse_sqrt_warmup(1, 0, 5), r"d_model=0\. Use 1 or more"),
        (lambda: warmup_linear(0, 5, warmup=5), r"warmup=5 steps of 5\. Use 0 to 4"),
        (lambda: cosine(0, 5, floor=2), r"floor=2 is not a factor"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(CourseError, match=message):
        call()
