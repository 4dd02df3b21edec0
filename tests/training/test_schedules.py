"""Schedules: values a reader can compute by hand, and the shape each promises."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.lab.unfreezing import Stage, gradual
from course_lib.models.encoder import RandomEncoder
from course_lib.training import fit
from course_lib.training.schedules import (
    constant,
    cosine,
    inverse_sqrt_warmup,
    linear_decay,
    slanted_triangular,
    warmup_linear,
)
from tests.models.awd_lstms import small_awd_lstm

SCHEDULES = {
    "constant": constant,
    "linear_decay": linear_decay,
    "cosine": cosine,
    "warmup_linear": lambda step, total: warmup_linear(step, total, warmup=total // 3),
    "slanted_triangular": slanted_triangular,
}


@pytest.mark.parametrize(
    ("step", "total", "cut_frac", "ratio", "factor"),
    [
        *[(0, 100, 0.1, 32, 1 / 32), (1, 100, 0.1, 32, (1 + 3.1) / 32), (10, 100, 0.1, 32, 1)],
        (99, 100, 0.1, 32, (1 + 31 / 90) / 32),
        *[(0, 7, 0.1, 32, 1), (6, 7, 0.1, 32, (1 + 31 / 7) / 32)],  # cut = 0: only a fall
        *[(3, 8, 0.5, 4, (1 + 9 / 4) / 4), (5, 19, 0.1, 32, (1 + 31 * 5 / 9) / 32)],
        (10, 19, 0.1, 32, 1 / 32),  # cut = 1, the paper's fall ends at step 10 of 19 ...
        (18, 19, 0.1, 32, 1 / 32),  # ... and would be negative here
    ],
)
def test_slanted_triangular_by_hand(step, total, cut_frac, ratio, factor):
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
    assert cosine(6, 6, floor=0.1) == cosine(9, 6, floor=0.1) == pytest.approx(0.1)
    assert linear_decay(9, 6) == warmup_linear(9, 6, warmup=2) == 0


@pytest.mark.parametrize("name", SCHEDULES)
@given(total=st.integers(1, 300), step=st.integers(0, 299))
def test_all_are_factors(name, total, step):
    assert 0 <= SCHEDULES[name](step, total) <= 1 + 1e-12


# -- Gradual unfreezing and discriminative rates: the plan, its table, and what it does to a model in `fit`
NAMES = ("word", "LSTM 1", "LSTM 2", "LSTM 3", "softmax")


def test_one_more_group_opens_with_every_epoch_and_moves_2_6_times_slower_than_the_one_above():
    plan = gradual(small_awd_lstm(), epochs=7)
    assert plan.names == NAMES
    assert plan.stages == (*(Stage(epoch, 1, NAMES[4 - epoch :]) for epoch in range(4)), Stage(4, 3, NAMES))
    assert list(plan.rates(plan.stages[4]).values()) == pytest.approx([2.6**-4, 2.6**-3, 2.6**-2, 1 / 2.6, 1])
    assert list(plan.rates(plan.stages[1]).values()) == pytest.approx([0, 0, 0, 1 / 2.6, 1])
    alike = gradual(small_awd_lstm(), epochs=5, factor=1)
    assert set(alike.rates(alike.stages[4]).values()) == {1.0}
    printed = str(gradual(RandomEncoder(2, n_layers=2, buckets=3), epochs=4)).splitlines()
    assert printed == [
        "epoch         1      2    3-4",
        "biLSTM 2  1.000  1.000  1.000",
        "biLSTM 1      .  0.385  0.385",
        "word          .      .  0.148",
    ]


def test_in_fit_only_the_open_groups_move_and_at_their_rates():
    model = small_awd_lstm()
    streams = model.streams([[*"abcdefghij"] * 4], 2, 11)
    plan = gradual(model, epochs=6)
    moved = []
    for stage in plan.stages:
        before = [[p.detach().clone() for p in parameters] for _, parameters in model.layer_groups()]
        groups = plan.start(model, stage)
        history = fit(model, streams, epochs=stage.epochs, groups=groups, learning_rate=0.01, show=False)
        assert len(history.steps) == stage.epochs * len(streams)
        after = [parameters for _, parameters in model.layer_groups()]
        pairs = zip(before, after, strict=True)
        moved.append([any(not p.equal(q) for p, q in zip(*pair, strict=True)) for pair in pairs])
        assert model.frozen == tuple(name for name in NAMES if name not in stage.open)
    assert moved == [[number >= 4 - stage for number in range(5)] for stage in range(5)]
    assert [(name, factor) for name, _, factor in groups] == list(plan.rates(stage).items())
