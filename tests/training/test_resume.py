import json
import random

import numpy as np
import pytest
import torch

from course_lib.errors import CourseError
from course_lib.training import fit, schedules
from course_lib.training.resume import RandomState
from tests.training.nets import Classifier, LanguageModel, rows, shuffled, texts

QUIET = {"show": False, "device": "cpu"}


class Stop(Exception):
    """Ends a training from outside, as a crash would."""


def crash(at):
    def watch(step, numbers):
        if step == at:
            raise Stop

    return watch


def press(at):
    def watch(step, numbers):
        if step == at:
            raise KeyboardInterrupt

    return watch


def mixed(epoch):
    """An order from two generators. Python's own is tested apart: the type checks of these tests draw from it."""
    batches = rows()
    return [batches[i] for i in np.random.permutation(torch.randperm(3).tolist())]


def sgd(groups):
    return torch.optim.SGD(groups, momentum=0.9, nesterov=True)


CASES = {
    "dropout, adam, mixed shuffles": (lambda: Classifier(dropout=0.5), mixed, {"weight_decay": 0.1}),
    "momentum": (lambda: Classifier(dropout=0.5), shuffled(rows()), {"optimizer": sgd}),
    "carry": (LanguageModel, shuffled(texts()), {"schedule": schedules.slanted_triangular}),
}


def build(make):
    torch.manual_seed(7)
    return make()


def test_all_three_generators_are_put_back():
    def draw():
        return [random.random(), random.gauss(0, 1), np.random.normal(), float(torch.rand(()))]

    draw()  # each normal number leaves a second one behind
    state, tensors = RandomState.take(torch.device("cpu")), {}
    expected = draw()
    assert draw() != expected
    for stored in (state, RandomState.unpack("now.", tensors, state.pack("now.", tensors))):
        stored.put_back(torch.device("cpu"))
        assert draw() == expected


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("at", [1, 3, 5, 11])  # the first step, the end of an epoch, within one
def test_resumed_equals_uninterrupted_bit_for_bit(tmp_path, case, at):
    make, batches, options = CASES[case]
    options = {"steps": 17, "learning_rate": 0.05, "seed": 3, "save_steps": 2, **QUIET, **options}
    options |= {"evaluate": lambda model: {"drawn": float(torch.rand(()))}, "evaluate_every": 4}
    whole, broken = build(make), build(make)
    expected = fit(whole, batches, **options)
    with pytest.raises(Stop):
        fit(broken, batches, folder=tmp_path / "state", watchers=[crash(at)], **options)
    resumed = build(make)
    torch.rand(at)  # other generators than then
    history = fit(resumed, batches, folder=tmp_path / "state", **options)
    assert history.losses == expected.losses
    assert history.parts == expected.parts
    assert history.learning_rates == expected.learning_rates
    assert history.evaluations == expected.evaluations
    for name, tensor in whole.state_dict().items():
        assert resumed.state_dict()[name].equal(tensor), name


@pytest.mark.parametrize("where", ["watcher", "loss", "batches", "evaluate"])
def test_interrupted_anywhere_and_resumed_equals_uninterrupted(tmp_path, where):
    interrupts = [True]

    def interrupt(place, now):
        if place == where and now and interrupts:
            interrupts.pop()
            raise KeyboardInterrupt

    class Interrupted(Classifier):
        calls = 0

        def loss(self, batch):
            self.calls += 1
            losses = super().loss(batch)
            interrupt("loss", self.calls == 5)
            return losses

    def batches(epoch):
        for number, batch in enumerate(shuffled(rows())(epoch)):
            interrupt("batches", epoch == 1 and number == 1)
            yield batch

    def evaluate(model):
        interrupt("evaluate", True)
        return {"drawn": float(torch.rand(()))}

    def run(model, folder):
        watchers = [lambda step, numbers: interrupt("watcher", step == 4)]
        options = {"steps": 11, "seed": 3, "evaluate": evaluate, "evaluate_every": 4, **QUIET}
        return fit(model, batches, folder=folder, watchers=watchers, keep_interrupted=True, **options)

    broken = build(lambda: Interrupted(dropout=0.5))
    history = run(broken, tmp_path / "state")
    assert history.interrupted
    assert history.steps == [1, 2, 3, 4]
    resumed = build(lambda: Interrupted(dropout=0.5))
    resumed.calls = 99
    history = run(resumed, tmp_path / "state")
    assert not history.interrupted
    whole = build(lambda: Interrupted(dropout=0.5))
    whole.calls = 99
    expected = run(whole, None)
    assert history.losses == expected.losses
    assert history.evaluations == expected.evaluations
    assert resumed.lower.weight.equal(whole.lower.weight)


def test_an_interruption_within_the_optimizers_step_leaves_the_last_state(tmp_path):
    calls = []

    class Half(torch.optim.SGD):
        def step(self, closure=None):
            super().step(closure)
            calls.append(1)
            if len(calls) == 4:  # steps 1 and 2 are saved by now, 3 is not
                raise KeyboardInterrupt

    def run(folder):
        model = build(Classifier)
        options = {"save_steps": 2, "optimizer": Half, "keep_interrupted": True, **QUIET}
        return model, fit(model, rows(), steps=7, folder=folder, **options)

    assert run(tmp_path / "state")[1].interrupted
    assert run(tmp_path / "state")[0].lower.weight.equal(run(None)[0].lower.weight)
    assert len(calls) == 4 + 5 + 7


def test_a_last_evaluation_still_to_come_is_the_same(tmp_path):
    def run(folder, broken):
        def evaluate(model):
            if broken:
                raise Stop
            return {"drawn": float(torch.rand(()))}

        return fit(build(Classifier), rows(), steps=4, seed=3, folder=folder, save_steps=4, evaluate=evaluate, **QUIET)

    with pytest.raises(Stop):
        run(tmp_path / "state", broken=True)
    torch.rand(5)
    assert run(tmp_path / "state", broken=False).evaluations == run(None, broken=False).evaluations


def test_a_finished_training_is_not_done_again(tmp_path):
    first, second = build(Classifier), Classifier()
    history = fit(first, rows(), epochs=3, folder=tmp_path / "state", **QUIET)
    stamp = (tmp_path / "state" / "config.json").stat().st_mtime_ns
    again = fit(second, rows(), epochs=3, folder=tmp_path / "state", watchers=[crash(10)], **QUIET)
    assert again.losses == history.losses
    assert second.lower.weight.equal(first.lower.weight)
    assert (tmp_path / "state" / "config.json").stat().st_mtime_ns == stamp


def test_minutes_count_over_all_runs(tmp_path):
    options = {"minutes": 0.1 / 60, "folder": tmp_path / "state", **QUIET}
    first = fit(build(Classifier), rows(), **options)
    second = fit(build(Classifier), rows(), **options)
    assert second.steps == first.steps
    longer = fit(build(Classifier), rows(), **{**options, "minutes": (second.seconds + 0.1) / 60})
    assert len(longer.steps) > len(first.steps)


def test_resume_false_starts_anew(tmp_path):
    options = {"steps": 3, "folder": tmp_path / "state", **QUIET}
    fit(build(Classifier), rows(), **options)
    model = build(Classifier)
    losses = []
    fit(model, rows(), resume=False, watchers=[lambda step, numbers: losses.append(step)], **options)
    assert losses == [1, 2, 3]


def test_a_save_is_due_by_the_clock_too(tmp_path):
    model = build(Classifier)
    with pytest.raises(Stop):
        fit(model, rows(), steps=9, folder=tmp_path / "state", save_every=1e-9, watchers=[crash(6)], **QUIET)
    assert json.loads((tmp_path / "state" / "config.json").read_text())["config"]["step"] == 5


def test_the_state_before_not_a_number_stays(tmp_path):
    class Breaks(Classifier):
        def loss(self, batch):
            losses = super().loss(batch)
            return losses if seen[-1] < 4 else {**losses, "loss": losses["loss"] * float("inf")}

    seen = [0]
    with pytest.raises(CourseError, match="inf at step 5"):
        fit(
            build(Breaks),
            rows(),
            steps=9,
            folder=tmp_path / "state",
            save_steps=2,
            watchers=[lambda step, numbers: seen.append(step)],
            **QUIET,
        )
    healed = build(Classifier)
    history = fit(healed, rows(), steps=9, folder=tmp_path / "state", save_steps=2, **QUIET)
    whole = build(Classifier)
    fit(whole, rows(), steps=9, **QUIET)
    assert len(history.steps) == 9
    assert healed.lower.weight.equal(whole.lower.weight)
