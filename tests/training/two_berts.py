"""One of several processes that train a masked language model: `python -m tests.training.two_berts FOLDER`.

Started by test_two_berts.py. The batches ask for unequal numbers of pieces, and of the fifth only one process gets
something.
"""

import sys
from pathlib import Path

import torch

from course_lib.models.bert import Bert, MaskedPairs
from course_lib.training import fit
from tests.models.small_berts import small_bert

ASKED = (2, 29, 11, 5, 17)  # pieces per batch
N_ROWS, LENGTH = 3, 13
OPTIONS = {"epochs": 2, "learning_rate": 1e-2, "clip": 0.5, "device": "cpu", "show": False}


def net() -> Bert:
    """Without dropout: processes draw different masks. AdamW divides by tiny gradients; a larger eps calms rounding."""
    torch.manual_seed(5)
    return small_bert(dropout=0.0, attention_dropout=0.0, max_units=LENGTH)


def adamw(groups):
    return torch.optim.AdamW(groups, eps=1e-4)


def masked_batches() -> list[MaskedPairs]:
    generator = torch.Generator().manual_seed(3)
    batches = []
    for asked in ASKED:
        ids = torch.randint(5, 131, (N_ROWS, LENGTH), generator=generator)
        places = torch.randperm(N_ROWS * LENGTH, generator=generator)[:asked]
        rows, columns = places // LENGTH, places % LENGTH
        answers = ids[rows, columns]
        ids[rows, columns] = 4
        batches.append(MaskedPairs(ids, rows, columns, answers))
    return batches


def main(folder: Path) -> None:
    from accelerate import PartialState

    bert = net()
    history = fit(bert, masked_batches(), seed=1, optimizer=adamw, **OPTIONS)
    found = {"weights": bert.state_dict(), "losses": history.losses}
    torch.save(found, folder / f"{PartialState().process_index}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
