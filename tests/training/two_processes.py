"""One of several processes that train together: `python -m tests.training.two_processes FOLDER KIND [STOP]`.

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
from tests.training.nets import Classifier, rows

LENGTH = 13


def classifier():
    return Classifier(), rows((3, 11, 7, 2, 5)), {"learning_rate": 0.5, "optimizer": torch.optim.SGD}


def bert():
    """Without dropout: processes draw different masks. AdamW divides by tiny gradients; a larger eps calms rounding."""
    model = small_bert(dropout=0.0, attention_dropout=0.0, max_units=LENGTH)
    batches = [masked(*sizes) for sizes in ((7, 2), (3, 29), (2, 11), (5, 5), (3, 17))]
    return model, batches, {"learning_rate": 1e-2, "optimizer": lambda groups: torch.optim.AdamW(groups, eps=1e-4)}


def masked(n_rows: int, asked: int) -> MaskedPairs:
    """A batch of `n_rows` pairs that asks for `asked` pieces."""
    ids = torch.randint(5, 131, (n_rows, LENGTH))
    places = torch.randperm(n_rows * LENGTH)[:asked]
    rows, columns = places // LENGTH, places % LENGTH
    answers = ids[rows, columns]
    ids[rows, columns] = 4
    return MaskedPairs(ids, rows, columns, answers, is_next=torch.randint(2, (n_rows,)).bool())


KINDS = {"classifier": classifier, "bert": bert}


def train(kind, join=None, **more):
    """The trained model and its history; `join` makes other batches of those that all processes would share."""
    torch.manual_seed(11)
    model, batches, options = KINDS[kind]()
    more = {"epochs": 2, "device": "cpu", "show": False, **options, **more}
    return model, fit(model, join(batches) if join else batches, **more)


def main(folder: Path, kind: str, stop: int | None) -> None:
    from accelerate import PartialState

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in what it runs in the background

    def press(step):
        if step == stop and PartialState().process_index == 1:
            signal.raise_signal(signal.SIGINT)

    found = {}
    try:
        model, history = train(kind, seed=1, folder=folder / "state", watchers=[press])
        found = {"weights": model.state_dict(), "losses": history.losses, "parts": history.parts}
    except KeyboardInterrupt:
        pass
    torch.save(found, folder / f"{PartialState().process_index}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None)
