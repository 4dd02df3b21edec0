import signal
import threading

import pytest

from course_lib.training import fit
from tests.training.nets import Classifier, rows

QUIET = {"show": False, "device": "cpu"}


def press(step, numbers):
    if step == 4:
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_goes_on_to_the_caller():
    """A claim that trains without a bar must not take a half-trained network for a trained one."""
    steps = []
    with pytest.raises(KeyboardInterrupt):
        fit(Classifier(), rows(), steps=99, watchers=[press, lambda step, numbers: steps.append(step)], **QUIET)
    assert steps == [1, 2, 3, 4]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_ends_after_the_step(capsys):
    model = Classifier()
    history = fit(model, rows(), steps=99, watchers=[press], device="cpu", keep_interrupted=True)
    assert history.interrupted
    assert history.steps == [1, 2, 3, 4]
    assert "Training stopped after step 4 of 99." in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    model.loss(rows()[0])["loss"].backward()


def test_a_second_ctrl_c_does_not_wait():
    class Hangs(Classifier):
        def loss(self, batch):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("the second one should have left")

    with pytest.raises(KeyboardInterrupt):
        fit(Hangs(), rows(), steps=9, **QUIET, keep_interrupted=True)


def test_it_trains_outside_the_main_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(fit(Classifier(), rows(), steps=2, **QUIET)))
    thread.start()
    thread.join()
    assert found[0].steps == [1, 2]
