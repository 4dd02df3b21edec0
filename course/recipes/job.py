"""What all recipes share: a folder to work in, a training that goes on where it stopped, and a card.

A recipe is a script: its `train(job)` reads the text, builds the model, calls `job.fit`, saves, scores what it saved,
and writes the card. In the folder there lie

    NAME                 the checkpoint; its card is written last
    NAME.training        the state of the training: stopped, also by `kill -9`, it goes on from there, bit for bit
    NAME.snapshots/STEP  checkpoints on the way, as they would ship: where a wave of the learning rate ends. Where the
                         state is lost, the training goes on from the newest of them; where there is none, from the
                         newest in the project's `data/unfinished`
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from course.ledger.records import provenance
from course.recipes import card
from course.settings import seed
from course_lib.checkpoints import CARD, TENSORS, load_checkpoint, load_weights
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.training import History, adamw, fit
from course_lib.training.fit import Groups
from course_lib.training.schedules import cosine
from course_lib.training.state import FILE as STATE
from course_lib.training.state import read_state

NOT_TOLD = ("save_every", "corpus", "texts")  # in the card's settings: its corpus row tells the texts
Save = Callable[[Any, Path], None]  # model, folder
PROFILES = ("cpu", "gpu")
FLOOR = 0.02  # smallest rate over largest
WARM_UP = 0.02  # where the rate follows the clock: share of the time in which it rises


@dataclass(frozen=True)
class Training:
    """How `fit` is called: AdamW, half a cosine wave down to 2 % of the rate.

    steps, epochs  the training ends there, and the wave is laid over them: resumed, it is the same bit for bit
    waves          steps at which a session may end: the wave is laid over each of them, then over steps
    warm_up        steps in which the rate rises at the beginning
    minutes        instead of them: the wave follows the clock and ends when the minutes are used up
    """

    learning_rate: float
    betas: tuple[float, float] = (0.9, 0.999)
    steps: int | None = None
    epochs: int | None = None
    waves: tuple[int, ...] = ()
    warm_up: int = 0
    minutes: float | None = None
    save_every: float = 600  # seconds

    def rate(self, step: int, total: int, start: int = 0) -> float:
        """Factor of the learning rate, as a schedule of `fit`. start: it went on there, and rises there again."""
        since = step - start if step >= start else step
        rise = min(1.0, (since + 1) / (self.warm_up + 1))
        return rise * cosine(step, next((end for end in self.waves if step < end), total), floor=FLOOR)


@dataclass(frozen=True)
class Recipe:
    """A checkpoint by its name, and the script that makes it.

    profiles  settings by profile, frozen dataclasses; where `job.fit` trains, `training` in them says how
    """

    name: str
    title: str
    licence: str
    profiles: Mapping[str, Any]
    train: Callable[[Job], None]

    def settings(self, profile: str = "cpu") -> Any:
        if profile not in self.profiles:
            raise CourseError(f"The recipe {self.name} has no profile {profile!r}. It has: {', '.join(self.profiles)}.")
        return self.profiles[profile]


def profiles(cpu: Any, on_gpu: Training, **changes: Any) -> dict[str, Any]:
    """Settings of both profiles."""
    return {"cpu": cpu, "gpu": replace(cpu, training=on_gpu, **changes)}


def run(recipe: Recipe, out: Path, *, profile: str = "cpu") -> Path | None:
    """Make the checkpoint `out`/NAME with its card; all processes but the first return None."""
    is_first, processes = os.environ.get("RANK", "0") == "0", int(os.environ.get("WORLD_SIZE", "1"))
    job = Job(recipe, recipe.settings(profile), out, seed(), profile, processes, is_first)
    recipe.train(job)
    return out / recipe.name if is_first else None


@dataclass(frozen=True)
class Job:
    """One run of a recipe. settings: of the profile. processes: how many train together."""

    recipe: Recipe
    settings: Any
    out: Path
    seed: int
    profile: str = "cpu"
    processes: int = 1
    is_first: bool = True  # of these processes

    def place(self, what: str) -> Path:
        """`out`/NAME.WHAT"""
        return self.out / f"{self.recipe.name}.{what}"

    def starting_point(self, name: str) -> Path:
        """The checkpoint that a recipe goes on from."""
        if folder := made(name, self.out, TENSORS):
            return folder
        raise CourseError(
            f"{self.recipe.name} goes on from {name}, and {self.out / name} is not there. Make it first "
            f"(`python -m course.recipes {name}`), or copy a checkpoint that was made so to that place."
        )

    @cached_property
    def snapshot(self) -> Path | None:
        """Where there is no state: the last checkpoint on the way to the training's steps, if there is one."""
        if (self.place("training") / STATE).exists():
            return None
        for place in (self.out, data_dir("unfinished")):
            folders = [path.parent for path in place.glob(f"{self.recipe.name}.snapshots/*/{TENSORS}")]
            by_step = {int(folder.name): folder for folder in folders if folder.name.isdecimal()}
            if steps := [step for step in by_step if step < (self.settings.training.steps or 0)]:
                return by_step[max(steps)]
        return None

    @cached_property
    def start(self) -> int:
        """Steps of a training whose state was lost, up to the snapshot that this one went on from."""
        if self.snapshot is not None:
            return int(self.snapshot.name)
        state = read_state(self.place("training"))
        return state["place"].start if state else 0

    @property
    def reading_seed(self) -> int:
        """Of batches to train on: who goes on from a snapshot does not read the same texts first again."""
        return self.seed + self.start

    def fit(self, model: nn.Module, batches: Any, save: Save, **on_the_way: Any) -> History:
        """Train as the settings say, from the state or the snapshot where there is one; then to eval mode.

        save        writes a checkpoint as it ships
        on_the_way  `evaluate` and `evaluate_every`, as for `fit`
        """
        given, folder = self.settings.training, self.place("training")
        if self.snapshot is not None:
            load_weights(model, load_checkpoint(self.snapshot).tensors, source=self.snapshot)
            if self.is_first:
                print(
                    f"{self.recipe.name}: there is no state in {folder}, so it goes on from the checkpoint of step "
                    f"{self.start:,} with a fresh optimizer. To start anew, move {self.snapshot.parent} away."
                )
        if given.minutes is None:
            pace = {
                "schedule": lambda step, total: given.rate(step, total, self.start),
                "optimizer": partial(adamw, betas=given.betas),
            }
        else:
            pace = {"optimizer": by_the_clock(given, folder)}

        def keep(step: int) -> None:
            if step in given.waves and self.is_first:
                with torch.random.fork_rng(devices=[]):  # to build what is saved may draw numbers
                    save(model, self.place("snapshots") / f"{step:06d}")

        history = fit(
            model,
            batches,
            steps=given.steps,
            epochs=given.epochs,
            minutes=given.minutes,
            learning_rate=given.learning_rate,
            seed=self.reading_seed,
            folder=folder,
            save_every=given.save_every,
            start=self.start,
            show=self.recipe.name,
            watchers=[keep],
            **pace,
            **on_the_way,
        )
        model.eval()
        return history

    def new_folder(self) -> Path:
        """Of the checkpoint, without the card of an earlier run."""
        folder = self.out / self.recipe.name
        (folder / CARD).unlink(missing_ok=True)
        return folder

    def write_card(self, facts: dict[str, str], scores: dict[str, str], seconds: float) -> None:
        """facts: model, corpus or data, tokens, and what else comes before the settings. seconds: of training."""
        if self.start:
            lost = f"went on from the checkpoint of step {self.start:,} with a fresh optimizer; minutes are those since"
            facts = {**facts, "start": "; ".join(filter(None, (facts.get("start"), lost)))}
        option = "" if self.profile == "cpu" else f" --profile {self.profile}"
        rows = {
            **facts,
            "settings": ", ".join(f"{name} {value}" for name, value in flatten(asdict(self.settings))),
            "device": facts.get("device", provenance()["device"]),
            "minutes": facts.get("minutes", f"{seconds / 60:.1f}"),
            **scores,
            "licence": self.recipe.licence,
            "command": f"`python -m course.recipes {self.recipe.name}{option}`",
        }
        with atomic_file(self.out / self.recipe.name / CARD, "w") as file:
            file.write(card.render(self.recipe.title, rows))


def made(name: str, out: Path, file: str = CARD) -> Path | None:
    """The folder of a checkpoint that has this file: in `out`, or in `data/unfinished` until it is measured."""
    return next((folder for folder in (out / name, data_dir("unfinished") / name) if (folder / file).exists()), None)


def six_bits(model: Any, folder: Path) -> None:
    """As a checkpoint that ships: matrices with six bits a number, the rest float16."""
    model.save(folder, half=True, int6=True)


def flatten(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and values of nested settings, without those that are None."""
    rows = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            rows += [(part if name == "training" else f"{name} {part}", inner) for part, inner in flatten(value)]
        elif value not in (None, ()) and name not in NOT_TOLD:
            rows.append((name, value))
    return rows


def by_the_clock(training: Training, folder: Path) -> Callable[[Groups], torch.optim.Optimizer]:
    """AdamW for `fit(optimizer=...)` whose rate is at its floor when the minutes are used up, however fast the machine.

    `fit` knows schedules over steps only: here a hook sets the rate before each step of the optimizer, and the history
    shows the largest rate throughout. folder: its state says how many seconds were used before.
    """
    state = read_state(folder)
    began = time.monotonic() - (state["history"].seconds if state else 0.0)

    def make(groups: Groups) -> torch.optim.Optimizer:
        optimizer = adamw(groups, betas=training.betas)

        def slow_down(optimizer: torch.optim.Optimizer, *_: object) -> None:
            share = (time.monotonic() - began) / (60 * training.minutes)
            now = _agreed(clock_factor(share), optimizer.param_groups[0]["params"][0].device)
            for group in optimizer.param_groups:  # `fit` sets them anew before the next step
                group["lr"] *= now

        optimizer.register_step_pre_hook(slow_down)
        return optimizer

    return make


def clock_factor(share: float) -> float:
    """Factor of the largest rate after this share of the time: a short rise, then half a cosine wave to the floor."""
    share = min(1.0, share)
    return max(FLOOR, min(1.0, share / WARM_UP) * cosine(round(1e6 * share), 1_000_000, floor=FLOOR))


def _agreed(factor: float, device: torch.device) -> float:
    """The first process's factor: no two clocks agree, and equal weights need equal rates."""
    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return factor
    shared = torch.tensor(factor, dtype=torch.float32, device=device)
    torch.distributed.broadcast(shared, src=0)
    return float(shared)
