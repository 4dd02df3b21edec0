"""One of several processes that train together: `python -m tests.training.two_processes FOLDER [STOP]`.

Started by test_processes.py. With STOP, Ctrl-C reaches the second process alone after that many steps.
"""

import signal
import sys
from pathlib import Path

import torch

from course_lib.training import fit
from tests.training.nets import Classifier, rows

SIZES = (3, 11, 7, 2, 5)  # of the fifth batch only one process gets something
OPTIONS = {"epochs": 2, "learning_rate": 0.5, "clip": 0.5, "optimizer": torch.optim.SGD, "device": "cpu", "show": False}


def net() -> Classifier:
    torch.manual_seed(11)
    return Classifier()


def main(folder: Path, stop: int | None) -> None:
    from accelerate import PartialState

    def press(step, numbers):
        if step == stop and PartialState().process_index == 1:
            signal.raise_signal(signal.SIGINT)

    model = net()
    history = fit(
        model, rows(SIZES), seed=1, folder=folder / "state", watchers=[press], keep_interrupted=True, **OPTIONS
    )
    found = {"weights": model.state_dict(), "losses": history.losses, "interrupted": history.interrupted}
    torch.save(found, folder / f"{PartialState().process_index}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
