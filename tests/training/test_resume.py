"""A state that is taken up again goes on bit for bit; which states `fit` refuses."""

import itertools
import random
import signal
import time

import numpy as np
import pytest
import torch

from course_lib.device import generators, put_back
from course_lib.errors import CourseError
from course_lib.training import fit, schedules
from course_lib.training.state import FILE, read_state
from tests.training.nets import QUIET, Classifier, LanguageModel, Stop, build, crash, rows, shuffled, texts, weights


def mixed(epoch):
    """An order from two generators. Python's own is tested apart: the type checks of these tests draw from it."""
    batches = rows()
    return [batches[i] for i in np.random.permutation(torch.randperm(3).tolist())]


def sgd(groups):
    return torch.optim.SGD(groups, momentum=0.9, nesterov=True)


CASES = {
    "dropout, adam, mixed shuffles": (lambda: Classifier(dropout=0.5), mixed, {}),
    "momentum": (lambda: Classifier(dropout=0.5), shuffled(rows()), {"optimizer": sgd}),
    "carry": (LanguageModel, shuffled(texts()), {"schedule": schedules.slanted_triangular}),
}


def test_all_three_generators_are_put_back(tmp_path):
    def draw():
        return [random.random(), random.gauss(0, 1), np.random.normal(), float(torch.rand(()))]

    draw()  # each normal number leaves a second one behind
    state = generators(torch.device("cpu"))
    torch.save(state, tmp_path / "state")
    expected = draw()
    assert draw() != expected
    for stored in (state, torch.load(tmp_path / "state", weights_only=True)):
        put_back(stored, torch.device("cpu"))
        assert draw() == expected


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("at", [1, 3, 5, 11])  # the first step, the end of an epoch, within one
def test_resumed_equals_uninterrupted_bit_for_bit(tmp_path, case, at):
    make, batches, options = CASES[case]
    options = {"steps": 17, "learning_rate": 0.05, "seed": 3, "save_every": 1e-9, **QUIET, **options}
    options |= {"evaluate": lambda model: {"drawn": float(torch.rand(()))}, "evaluate_every": 4}
    whole, broken = build(make), build(make)
    expected = fit(whole, batches, **options)
    with pytest.raises(Stop):
        fit(broken, batches, folder=tmp_path / "state", watchers=[crash(at)], **options)
    resumed = build(make)
    torch.rand(at)  # other generators than then
    history = fit(resumed, batches, folder=tmp_path / "state", **options)
    for part in ("losses", "parts", "learning_rates", "evaluations"):
        assert getattr(history, part) == getattr(expected, part)
    torch.testing.assert_close(resumed.state_dict(), whole.state_dict(), rtol=0, atol=0)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize(("where", "done"), [("watcher", 4), ("evaluate", 4), ("last evaluate", 11)])
def test_ctrl_c_and_resumed_equals_uninterrupted(tmp_path, where, done):
    presses, steps = [1], []

    def press(place, now):
        if place == where and now and presses:
            presses.pop()
            signal.raise_signal(signal.SIGINT)

    def evaluate(model):
        press("evaluate", True)
        press("last evaluate", steps[-1] == 11)
        return {"drawn": float(torch.rand(()))}

    def run(folder):
        model = build(lambda: Classifier(dropout=0.5))
        watchers = [steps.append, lambda step: press("watcher", step == 4)]
        options = {"steps": 11, "seed": 3, "evaluate": evaluate, "evaluate_every": 4, **QUIET}
        return model, fit(model, shuffled(rows()), folder=folder, watchers=watchers, **options)

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "state")
    assert read_state(tmp_path / "state")["place"].step == done
    resumed, history = run(tmp_path / "state")
    whole, expected = run(None)
    assert history.losses == expected.losses
    assert history.evaluations == expected.evaluations
    assert resumed.lower.weight.equal(whole.lower.weight)


def test_an_interruption_within_the_optimizers_step_leaves_the_last_state(tmp_path):
    calls = []

    class Half(torch.optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            calls.append(1)
            if len(calls) == 4:
                raise KeyboardInterrupt

    def run(folder):
        model = build(Classifier)
        fit(model, rows(), steps=7, folder=folder, save_every=1e-9, optimizer=Half, **QUIET)
        return model

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "state")
    assert run(tmp_path / "state").lower.weight.equal(run(None).lower.weight)
    assert len(calls) == 4 + 4 + 7


def test_a_finished_training_is_not_done_again(tmp_path):
    first, second, options = build(Classifier), Classifier(), {"epochs": 3, "folder": tmp_path / "state", **QUIET}
    history = fit(first, rows(), **options)
    stamp = (tmp_path / "state" / FILE).stat().st_mtime_ns
    assert fit(second, rows(), watchers=[crash(10)], **options).losses == history.losses
    assert second.lower.weight.equal(first.lower.weight)
    assert (tmp_path / "state" / FILE).stat().st_mtime_ns == stamp
    assert [path.name for path in (tmp_path / "state").iterdir()] == [FILE]


def test_minutes_count_over_all_runs(tmp_path, monkeypatch):
    ticks = itertools.count(0, 0.01)  # a clock that goes on with each look at it: machines are noisy
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    options = {"minutes": 1 / 60, "folder": tmp_path / "state", **QUIET}
    first = fit(build(Classifier), rows(), **options)
    second = fit(build(Classifier), rows(), **options)
    assert second.steps == first.steps
    longer = fit(build(Classifier), rows(), **{**options, "minutes": (second.seconds + 1) / 60})
    assert len(longer.steps) > len(first.steps)


def test_the_state_before_not_a_number_stays(tmp_path):
    class Breaks(Classifier):
        def loss(self, batch):
            losses = super().loss(batch)
            return losses if seen[-1] < 4 else {**losses, "loss": losses["loss"] * float("inf")}

    seen = [0]
    options = {"steps": 9, "folder": tmp_path / "state", "save_every": 1e-9, **QUIET}
    with pytest.raises(CourseError, match="inf at step 5"):
        fit(build(Breaks), rows(), watchers=[lambda step: seen.append(step)], **options)
    healed = build(Classifier)
    history = fit(healed, rows(), **options)
    whole = build(Classifier)
    fit(whole, rows(), steps=9, **QUIET)
    assert len(history.steps) == 9
    assert healed.lower.weight.equal(whole.lower.weight)


# -- states that are refused
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"steps": 200}, "steps: 9 there, 200 here"),
        ({"learning_rate": 0.5}, r"learning rates: \[{'all': 0.001}.* there, \[{'all': 0.5}.* here"),
        ({"optimizer": sgd}, "optimizer: AdamW there, SGD here; all, betas: .*nothing here"),
        ({"schedule": schedules.cosine}, "learning rates"),
        ({"frozen": True}, "all, params"),
        ({"turn": -1}, "order of groups: lower, upper there"),
        ({"model": LanguageModel}, "all, params: lower.weight, "),
    ],
)
def test_another_training_is_refused_with_what_differs(tmp_path, changed, message):
    def start(watchers=(), model=Classifier, frozen=False, turn=None, **changed):
        net = build(model)
        if frozen:
            net.lower.requires_grad_(False)
        if "order" in message:
            changed["groups"] = [(name, part.parameters()) for name, part in net.named_children() if name != "dropout"]
            changed["groups"] = changed["groups"][::turn]
        started.append((net, weights(net)))
        fit(net, rows(), **{"steps": 9, "folder": tmp_path / "state", "watchers": watchers, **QUIET, **changed})

    started = []
    with pytest.raises(Stop):
        start([crash(5)])
    with pytest.raises(CourseError, match=rf"{message}.*delete the folder to start anew"):
        start(**changed)
    model, before = started[1]
    torch.testing.assert_close(weights(model), before, rtol=0, atol=0)


def test_fewer_batches_than_then_are_noticed(tmp_path):
    options = {"steps": 9, "folder": tmp_path / "state", "save_every": 1e-9, **QUIET}
    with pytest.raises(Stop):
        fit(build(Classifier), rows(), watchers=[crash(3)], **options)
    with pytest.raises(CourseError, match=r"epoch 1 had at least 2 steps .* now it has 1"):
        fit(build(Classifier), rows()[:1], **options)


def test_a_damaged_state_is_named_with_the_remedy(tmp_path):
    options = {"steps": 2, "folder": tmp_path / "state", **QUIET}
    model = build(Classifier)
    fit(model, rows(), **options)
    path = tmp_path / "state" / FILE
    content = path.read_bytes()
    place = content.index(model.lower.weight.detach().numpy().tobytes())
    for damaged in (content[:-20], content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :], b""):
        path.write_bytes(damaged)
        with pytest.raises(CourseError, match=rf"{FILE} is damaged.*delete the folder to start anew"):
            fit(build(Classifier), rows(), **options)
