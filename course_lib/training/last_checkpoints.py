"""The last few weights of a training on disk, so that their mean can be taken although the training was interrupted.

    last = LastCheckpoints(model, folder, keep=5, every=150)
    fit(model, batches, steps=3000, folder=state, watchers=[last])
    model.load_state_dict(last.mean())

`LastWeights` (averaging.py) keeps them in memory and is enough for a training that runs through.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from torch import Tensor

from course_lib.checkpoints import load_checkpoint
from course_lib.errors import CourseError
from course_lib.training.averaging import mean_of


class LastCheckpoints:
    """A watcher for `fit`: `model.save` writes `folder`/step-000150 every `every` steps; the last `keep` stay."""

    def __init__(self, model: Any, folder: str | Path, *, keep: int = 5, every: int):
        """`folder` is for these checkpoints only. Raises CourseError for numbers below 1."""
        if keep < 1 or every < 1:
            raise CourseError(f"LastCheckpoints: keep={keep}, every={every}. Use 1 or more.")
        self.model, self.folder, self.keep, self.every = model, Path(folder), keep, every

    def __call__(self, step: int, losses: dict) -> None:
        if step % self.every:
            return
        self.model.save(self.folder / f"step-{step:06d}")
        found = self.steps()
        # One beyond this step was left by a training that was killed, or started anew: it is not of this one's past.
        for old in [other for other in found if other > step] + [o for o in found if o <= step][: -self.keep]:
            shutil.rmtree(self.folder / f"step-{old:06d}")

    def steps(self) -> list[int]:
        """The steps whose weights are kept, in order."""
        return sorted(int(path.name[5:]) for path in self.folder.glob("step-*") if path.name[5:].isdecimal())

    def mean(self) -> dict[str, Tensor]:
        """For `model.load_state_dict`. Raises CourseError if fewer than `every` steps were done."""
        return mean_of(load_checkpoint(self.folder / f"step-{step:06d}").tensors for step in self.steps())
