"""A training that is killed and taken up again: `python -m tests.training.killable FOLDER` says each step done."""

import sys

import torch

from course_lib.training import History, fit
from tests.training.nets import LanguageModel, shuffled, texts

STEPS = 120


def train(folder, watchers=()) -> tuple[LanguageModel, History]:
    """One thread, so that this process and the others add in the same order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        torch.manual_seed(5)
        model = LanguageModel()
        history = fit(
            model,
            shuffled(texts(7)),
            steps=STEPS,
            learning_rate=0.01,
            seed=3,
            folder=folder,
            save_steps=3,
            watchers=watchers,
            evaluate=lambda model: {"drawn": float(torch.rand(()))},
            evaluate_every=11,
            device="cpu",
            show=False,
        )
    finally:
        torch.set_num_threads(threads)
    return model, history


if __name__ == "__main__":
    train(sys.argv[1], watchers=[lambda step, numbers: print(step, flush=True)])
