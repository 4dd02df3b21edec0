"""A learning rate that follows the clock: it reaches its floor when the minutes are used up, however fast the machine.

`fit` knows schedules over steps only. Here a hook sets the rate before each step of the optimizer, so `fit` is called
with `optimizer=budget.optimizer(...)` and its constant schedule; its history then shows the largest rate throughout.
A resumed training counts on from the seconds that its saved state has used.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import torch

from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.training.groups import Groups, adamw
from course_lib.training.history import History
from course_lib.training.resume import HISTORY, find_state
from course_lib.training.schedules import cosine

WARM_UP = 0.02  # share of the time in which the rate rises
FLOOR = 0.02  # smallest rate over largest


def seconds_used(folder: Path) -> float:
    """Seconds of training in the state that `fit` keeps in `folder`; 0 if there is none."""
    state = find_state(folder, resume=True)
    return 0.0 if state is None else History.from_json(state.files[HISTORY].read_text(encoding="utf-8")).seconds


def note_budget(path: Path, minutes: float, used: float) -> None:
    """Keep in `path` which budget was given after how many minutes of training.

    A training that has ended goes on when it is given more minutes: its rate then rises again.
    """
    given = _budgets(path)
    if not given or given[-1][0] != minutes:
        with atomic_file(path, "w") as file:
            json.dump([*given, [minutes, round(used, 1)]], file)


def budget_story(path: Path) -> str:
    """What a card says of the budgets in `path`; "" if there were not several."""
    given = _budgets(path)
    later = [f"from minute {start:g} on over {total:g}" for total, start in given[1:]]
    return f"laid over {given[0][0]:g} minutes at first, {', '.join(later)}" if later else ""


def _budgets(path: Path) -> list[list[float]]:
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    except ValueError as error:
        raise CourseError(f"{path} is damaged: {error}. Delete it: only a line of the card is lost.") from None


class TimeBudget:
    """minutes: all in all, over resumed runs. folder: where `fit` keeps the state."""

    def __init__(self, minutes: float, folder: Path):
        self.seconds = 60 * minutes
        self._began = time.monotonic() - seconds_used(folder)

    def factor(self) -> float:
        """Factor of the largest rate now: a short rise, then half a cosine wave down to the floor."""
        share = min(1.0, (time.monotonic() - self._began) / self.seconds)
        return max(FLOOR, min(1.0, share / WARM_UP) * cosine(round(1e6 * share), 1_000_000, floor=FLOOR))

    def optimizer(self, *, betas: tuple[float, float]) -> Callable[[Groups], torch.optim.Optimizer]:
        """AdamW for `fit(optimizer=...)` whose rates are multiplied by the factor of the moment."""

        def make(groups: Groups) -> torch.optim.Optimizer:
            optimizer = adamw(groups, weight_decay=0.0, betas=betas)

            def slow_down(optimizer: torch.optim.Optimizer, *_: object) -> None:
                now = _agreed(self.factor(), optimizer.param_groups[0]["params"][0].device)
                for group in optimizer.param_groups:  # `fit` sets them anew before the next step
                    group["lr"] *= now

            optimizer.register_step_pre_hook(slow_down)
            return optimizer

        return make


def _agreed(factor: float, device: torch.device) -> float:
    """The first process's factor: no two clocks agree, and equal weights need equal rates."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return factor
    shared = torch.tensor(factor, dtype=torch.float32, device=device)
    torch.distributed.broadcast(shared, src=0)
    return float(shared)
