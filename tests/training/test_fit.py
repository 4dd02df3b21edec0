import signal
import threading
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.errors import CourseError
from course_lib.training import adamw, fit, schedules
from tests.mistakes import mistakes
from tests.training.nets import QUIET, Classifier, LanguageModel, Text, rows, shuffled, texts, weights


def test_the_loss_falls_and_the_history_tells_each_step():
    history = fit(Classifier(), rows(), epochs=20, learning_rate=0.03, **QUIET)
    assert history.steps == list(range(1, 61))
    assert sum(history.losses[-3:]) < 0.5 * sum(history.losses[:3])
    assert history.parts["double"] == pytest.approx([2 * loss for loss in history.losses])
    assert history.parts["size"][:4] == [11, 13, 11, 11]
    assert history.learning_rates == {"all": [0.03] * 60}
    assert history.seconds > 0


def test_the_default_is_adamw():
    ours, theirs = Classifier(), Classifier()
    theirs.load_state_dict(ours.state_dict())
    reference = torch.optim.AdamW(theirs.parameters(), lr=0.01, betas=(0.8, 0.95), weight_decay=0.1)
    for batch in rows():
        reference.zero_grad()
        theirs.loss(batch)["loss"].backward()
        nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        reference.step()
    given = {"optimizer": partial(adamw, betas=(0.8, 0.95), weight_decay=0.1)}
    fit(ours, rows(), epochs=1, learning_rate=0.01, **given, **QUIET)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine, other, rtol=0, atol=1e-6)


def test_each_group_has_its_rate_and_the_schedule_multiplies_all():
    model = Classifier()
    before = weights(model)
    groups = [("upper", list(model.upper.parameters())), ("lower", model.lower.parameters(), 0.1)]
    history = fit(model, rows(), steps=4, learning_rate=0.5, schedule=schedules.linear_decay, groups=groups, **QUIET)
    assert history.learning_rates["upper"] == pytest.approx([0.5, 0.375, 0.25, 0.125])
    assert history.learning_rates["lower"] == pytest.approx([0.05, 0.0375, 0.025, 0.0125])
    assert not any(tensor.equal(before[name]) for name, tensor in weights(model).items())
    before, groups[1] = weights(model), ("lower", model.lower.parameters(), 0)  # a rate of zero moves nothing
    fit(model, rows(), steps=2, groups=groups, **QUIET)
    moved = [name for name, tensor in weights(model).items() if not tensor.equal(before[name])]
    assert moved == ["upper.weight", "upper.bias"]


@pytest.mark.parametrize(
    ("lengths", "total"), [({"epochs": 4}, 12), ({"steps": 7}, 7), ({"steps": 20, "epochs": 2}, 6)]
)
def test_the_schedule_hears_the_total(lengths, total):
    heard = []
    schedule = lambda *place: heard.append(place) or 1.0  # noqa: E731
    history = fit(Classifier(), rows(), schedule=schedule, **lengths, **QUIET)
    assert heard == [(step, total) for step in range(total)]
    assert len(history.steps) == total


def test_a_step_is_no_longer_than_clipping_lets_it():
    model = Classifier()
    nn.init.constant_(model.upper.weight, 9.0)
    model.upper.weight.data[0] *= -1
    before = nn.utils.parameters_to_vector(model.parameters()).detach()
    model.loss(rows()[0])["loss"].backward()
    assert nn.utils.parameters_to_vector(p.grad for p in model.parameters()).norm() > 1.5
    fit(model, rows(), steps=1, learning_rate=0.01, optimizer=torch.optim.SGD, **QUIET)
    moved = float((nn.utils.parameters_to_vector(model.parameters()).detach() - before).norm())
    assert moved == pytest.approx(0.01, rel=1e-3)


def test_the_carry_is_handed_on_detached_and_ends_with_the_epoch():
    model, ends = LanguageModel(), []
    model.gru.register_forward_hook(lambda module, inputs, output: ends.append(output[1].detach()))
    begin = (torch.ones(1, 3, 7), None)  # a batch's own carry stands where the batch before gave none
    history = fit(model, texts(3), epochs=2, **QUIET)
    assert [given is None for given in model.carries] == [True, False, False] * 2
    for given, end in zip(model.carries[1:3], ends, strict=False):
        assert given[0].equal(end)  # the state after the batch before
        assert not given[0].requires_grad
        assert given[1] == {"seen": 1}
    assert history.parts == {}
    fit(model, [Text(texts(1)[0].ids, begin), *texts(2)], epochs=1, **QUIET)
    assert model.carries[-3] is begin
    assert model.carries[-2] is not None


def test_frozen_parameters_stay_bit_for_bit_and_have_no_state():
    model, made = Classifier(), []
    model.lower.requires_grad_(False)
    before = weights(model)
    groups = [("lower", model.lower.parameters()), ("upper", model.upper.parameters())]
    optimizer = lambda groups: made.append(torch.optim.AdamW(groups, weight_decay=0.5)) or made[0]  # noqa: E731
    history = fit(model, rows(), epochs=1, groups=groups, optimizer=optimizer, **QUIET)
    after = weights(model)
    assert [name for name in after if after[name].equal(before[name])] == ["lower.weight", "lower.bias"]
    assert {id(p) for p in made[0].state} == {id(p) for p in model.upper.parameters()}
    assert list(history.learning_rates) == ["upper"]


@pytest.mark.parametrize("before", [True, False])
def test_modes_training_inside_as_before_outside_and_frozen_parts_left_alone(before):
    modes, seen = [], []

    class Watched(Classifier):
        def train(self, mode=True):
            super().train(mode)
            self.lower.eval()  # as encoders do for frozen groups
            return self

        def loss(self, batch):
            modes.append((self.training, self.lower.training))
            return super().loss(batch)

    model = Watched().train(before)
    fit(model, rows(), steps=3, evaluate=lambda model: seen.append(model.training) or {}, evaluate_every=2, **QUIET)
    assert modes == [(True, False)] * 3
    assert seen == [False, False]
    assert model.training is before


def test_watchers_and_evaluations_come_when_due():
    calls, model = [], Classifier()
    options = {"evaluate": lambda given: {"accuracy": 0.5, "same": given is model}, "evaluate_every": 3, **QUIET}
    history = fit(model, rows(), steps=7, watchers=[calls.append], **options)
    assert calls == history.steps
    assert history.evaluations == [{"step": step, "accuracy": 0.5, "same": True} for step in (3, 6, 7)]
    scores = {"a": np.float32(0.5), "b": torch.tensor(3), "c": float("nan"), "d": None}
    history = fit(Classifier(), rows(), steps=5, evaluate=lambda model: scores, **QUIET)  # without evaluate_every: once
    assert history.evaluations == [{"step": 5, "a": 0.5, "b": 3, "c": None, "d": None}]


def test_one_seed_one_result():
    def run(seed):
        torch.manual_seed(1)
        model = Classifier(dropout=0.5)
        return fit(model, shuffled(rows()), epochs=3, seed=seed, **QUIET).losses

    assert run(3) == run(3)
    assert run(3) != run(4)


# -- Ctrl-C


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_after_the_step_and_goes_on_to_the_caller(capsys):
    """A claim that trains without a bar must not take a half-trained network for a trained one."""
    model, steps = Classifier(), []
    press = lambda step: step == 4 and signal.raise_signal(signal.SIGINT)  # noqa: E731
    with pytest.raises(KeyboardInterrupt):
        fit(model, rows(), steps=99, watchers=[press, steps.append], device="cpu")
    assert steps == [1, 2, 3, 4]
    assert "Training stopped after step 4 of 99." in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    model.loss(rows()[0])["loss"].backward()


@pytest.mark.usefixtures("ctrl_c")
def test_a_second_ctrl_c_does_not_wait():
    class Hangs(Classifier):
        def loss(self, batch):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("the second one should have left")

    with pytest.raises(KeyboardInterrupt):
        fit(Hangs(), rows(), steps=9, **QUIET)


def test_it_trains_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(fit(Classifier(), rows(), steps=2, **QUIET)))
    thread.start()
    thread.join()
    assert found[0].steps == [1, 2]


# -- what cannot work
@pytest.mark.parametrize("part", ["loss", "gradient"])
def test_not_a_number_is_an_error_and_the_weights_stay(part):
    class Breaks(Classifier):
        def loss(self, batch):
            losses = super().loss(batch)
            if len(seen) == 2:
                # sqrt at 0: a finite value with an infinite gradient
                bad = torch.nan if part == "loss" else (self.upper.bias * 0).abs().sqrt().sum()
                losses["loss"] = losses["loss"] + bad
            return losses

    model, seen = Breaks(), []
    watchers = [lambda step: seen.append(weights(model))]
    with pytest.raises(CourseError, match=r"nan at step 3, learning rate 0.02.*after step 2.*0.002"):
        fit(model, rows(), steps=9, learning_rate=0.02, watchers=watchers, **QUIET)
    torch.testing.assert_close(weights(model), seen[-1], rtol=0, atol=0)


test_what_cannot_work_is_said_at_the_door = mistakes(
    ({}, "Give steps, epochs or minutes"),
    ({"steps": 1, "model": Classifier().requires_grad_(False)}, "no parameter to train"),
    of=lambda arguments: fit(**{"model": Classifier(), "batches": rows(), **QUIET, **arguments}),
)
