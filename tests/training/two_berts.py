"""One of several processes that train a masked language model: `python -m tests.training.two_berts FOLDER`.

Started by test_two_berts.py. The batches ask for unequal numbers of pieces and of pairs, and of the fifth only one
process gets something.
"""

import sys
from pathlib import Path

import torch

from course_lib.models.bert import Bert, MaskedPairs
from course_lib.training import fit
from tests.models.small_berts import small_bert

SIZES = ((7, 2), (3, 29), (2, 11), (5, 5), (3, 17))  # pairs, and pieces asked for, per batch
LENGTH = 13
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
    for n_rows, asked in SIZES:
        ids = torch.randint(5, 131, (n_rows, LENGTH), generator=generator)
        follows = torch.randint(2, (n_rows,), generator=generator).bool()
        places = torch.randperm(n_rows * LENGTH, generator=generator)[:asked]
        rows, columns = places // LENGTH, places % LENGTH
        answers = ids[rows, columns]
        ids[rows, columns] = 4
        batches.append(MaskedPairs(ids, rows, columns, answers, next=follows))
    return batches


def main(folder: Path) -> None:
    from accelerate import PartialState

    bert = net()
    history = fit(bert, masked_batches(), seed=1, optimizer=adamw, **OPTIONS)
    found = {"weights": bert.state_dict(), "losses": history.losses, "parts": history.parts}
    torch.save(found, folder / f"{PartialState().process_index}.pt")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
