"""One of several processes that train together: `python -m tests.training.two_processes FOLDER [STOP]`.

Started by test_processes.py. The batches are of unequal sizes, and of the fifth only one process gets something. With
STOP, Ctrl-C reaches the second process alone after that many steps.
"""

import signal
import sys
from pathlib import Path

import torch

from course_lib.models.bert import MaskedPairs
from course_lib.training import fit
from tests.models.small_berts import small_bert

LENGTH = 13


def masked(n_rows: int, asked: int) -> MaskedPairs:
    """A batch of `n_rows` pairs that asks for `asked` pieces."""
    ids = torch.randint(5, 131, (n_rows, LENGTH))
    places = torch.randperm(n_rows * LENGTH)[:asked]
    rows, columns = places // LENGTH, places % LENGTH
    answers = ids[rows, columns]
    ids[rows, columns] = 4
    return MaskedPairs(ids, rows, columns, answers, is_next=torch.randint(2, (n_rows,)).bool())


def train(join=list, **more):
    """The trained model and its history; `join` makes other batches of those that all processes would share.

    Without dropout: processes draw different masks.
    """
    torch.manual_seed(11)
    model = small_bert(dropout=0.0, attention_dropout=0.0, max_units=LENGTH)
    batches = join([masked(*sizes) for sizes in ((7, 2), (3, 29), (2, 11), (5, 5), (3, 17))])
    options = {"epochs": 2, "learning_rate": 0.1, "optimizer": torch.optim.SGD, "device": "cpu", "show": False, **more}
    return model, fit(model, batches, **options)


def main(folder: Path, stop: int | None) -> None:
    from accelerate import PartialState

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in what it runs in the background

    def press(step):
        if step == stop and PartialState().process_index == 1:
            signal.raise_signal(signal.SIGINT)

    found = {}
    try:
        model, history = train(seed=1, folder=folder / "state", watchers=[press])
        found = {"weights": model.state_dict(), "losses": history.losses, "parts": history.parts}
    except KeyboardInterrupt:
        pass
    torch.save(found, folder / f"{PartialState().process_index}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
