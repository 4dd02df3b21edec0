"""Gradual unfreezing and discriminative rates: the plan, its table, and what it does to a model in `fit`."""

import numpy as np
import pytest

from course_lib.errors import CourseError
from course_lib.models.baselines import RandomEncoder
from course_lib.training import fit
from course_lib.training.schedules import slanted_triangular
from course_lib.training.unfreezing import Stage, at_once, gradual
from tests.models.awd_lstms import small_awd_lstm

NAMES = ("word", "LSTM 1", "LSTM 2", "LSTM 3", "softmax")


def test_one_more_group_opens_with_every_epoch_from_the_last_down():
    plan = gradual(small_awd_lstm(), epochs=7)
    assert plan.names == NAMES
    assert plan.stages == (
        Stage(0, 1, NAMES[4:]),
        Stage(1, 1, NAMES[3:]),
        Stage(2, 1, NAMES[2:]),
        Stage(3, 1, NAMES[1:]),
        Stage(4, 3, NAMES),
    )
    assert [len(plan.stage_of(epoch).open) for epoch in range(7)] == [1, 2, 3, 4, 5, 5, 5]


def test_each_group_moves_2_6_times_slower_than_the_one_above():
    plan = gradual(small_awd_lstm(), epochs=5)
    assert list(plan.rates(4).values()) == pytest.approx([2.6**-4, 2.6**-3, 2.6**-2, 1 / 2.6, 1])
    assert list(plan.rates(1).values()) == pytest.approx([0, 0, 0, 1 / 2.6, 1])
    assert set(gradual(small_awd_lstm(), epochs=5, factor=1).rates(4).values()) == {1.0}


def test_the_printed_table():
    model = RandomEncoder(2, n_layers=2, buckets=3)
    assert str(gradual(model, epochs=4)) == "\n".join(
        [
            "epoch         1      2    3-4",
            "biLSTM 2  1.000  1.000  1.000",
            "biLSTM 1      .  0.385  0.385",
            "word          .      .  0.148",
        ]
    )
    assert str(at_once(model, epochs=3, factor=1)).splitlines()[0].split() == ["epoch", "1-3"]


def test_the_timeline_starts_the_schedule_anew_in_each_stage():
    plan = gradual(RandomEncoder(2, n_layers=1, buckets=3), epochs=3)
    line = plan.timeline(7, slanted_triangular)
    assert line.shape == (21, 2)
    assert not line[:7, 0].any()
    np.testing.assert_allclose(line[:7, 1], [slanted_triangular(step, 7) for step in range(7)])
    np.testing.assert_allclose(line[7:, 1], [slanted_triangular(step, 14) for step in range(14)])
    np.testing.assert_allclose(line[7:, 0], line[7:, 1] / 2.6)


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
        moved.append(
            [any(not p.equal(q) for p, q in zip(*pair, strict=True)) for pair in zip(before, after, strict=True)]
        )
        assert model.frozen == tuple(name for name in NAMES if name not in stage.open)
    assert moved == [[number >= 4 - stage for number in range(5)] for stage in range(5)]
    assert [(name, factor) for name, _, factor in groups] == list(plan.rates(5).items())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: gradual(small_awd_lstm(), epochs=4), "4 epochs cannot open 5 groups"),
        (lambda: at_once(small_awd_lstm(), epochs=0), "epochs=0"),
        (lambda: gradual(small_awd_lstm(), epochs=9, factor=0), "factor=0"),
        (lambda: gradual(small_awd_lstm(), epochs=5).stage_of(5), "0 to 4; there is no epoch 5"),
        (lambda: at_once(small_awd_lstm(), 1).start(RandomEncoder(2), Stage(0, 1, ())), "RandomEncoder has word"),
    ],
)
def test_mistakes_are_named(wrong, message):
    with pytest.raises(CourseError, match=message):
        wrong()
