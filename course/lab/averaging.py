"""Checkpoint averaging: the mean of the last few weights of a training often does better than the last alone.

    last = LastCheckpoints(model, folder, keep=5, every=50)
    fit(model, batches, steps=1000, watchers=[last])
    model.load_state_dict(last.mean())

They lie on disk, so that their mean can be taken although the training was interrupted.
Source: Vaswani et al. 2017, arXiv:1706.03762, section 6.1: the last 5 checkpoints, written every 10 minutes.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import torch
from torch import Tensor, nn

from course_lib.checkpoints import load_checkpoint, save_checkpoint
from course_lib.files import given_path


class LastCheckpoints:
    """A watcher for `fit`: the weights go to `folder`/step-000150 every `every` steps; the last `keep` stay.

    `folder` is for these checkpoints only.
    """

    def __init__(self, model: nn.Module, folder: str | Path, *, keep: int = 5, every: int):
        assert keep >= 1
        self.model, self.folder, self.keep, self.every = model, given_path(folder), keep, every

    def __call__(self, step: int) -> None:
        if step % self.every:
            return
        save_checkpoint(self.folder / f"step-{step:06d}", kind="weights", config={}, tensors=self.model.state_dict())
        # One beyond this step was left by a training that was killed, or started anew: it is not of this one's past.
        past = [saved for saved in self.steps() if saved <= step]
        for old in set(self.steps()) - set(past[-self.keep :]):
            shutil.rmtree(self.folder / f"step-{old:06d}")

    def steps(self) -> list[int]:
        """The steps whose weights are kept, in order."""
        return sorted(int(path.name[5:]) for path in self.folder.glob("step-*") if path.name[5:].isdecimal())

    def mean(self) -> dict[str, Tensor]:
        """Of each tensor, for `model.load_state_dict`."""
        saved = [load_checkpoint(self.folder / f"step-{step:06d}").tensors for step in self.steps()]
        return {name: torch.stack([weights[name] for weights in saved]).mean(0) for name in saved[0]}
