"""From raw text to a checked checkpoint: what all recipes have in common. A recipe declares the rest (`Recipe`).

Read `run`: read the text, build the model, train it, save it, score what was saved, write the card. In the working
folder a recipe keeps

    NAME.training        the state of the training: stopped, also by `kill -9`, it goes on from there, bit for bit
    NAME.snapshots/STEP  checkpoints on the way, as they would ship: where a wave of the learning rate ends, and where
                         the recipe says. Where the state is lost, the training goes on from the newest of them
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from course.ledger.records import provenance
from course.recipes import card
from course_lib.checkpoints import CARD, TENSORS, load_checkpoint, load_weights
from course_lib.config import settings as course_settings
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.training import History, adamw, fit
from course_lib.training.fit import Groups
from course_lib.training.schedules import cosine
from course_lib.training.state import read_state

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
class Job:
    """One run of a recipe. settings: of the profile. processes: how many train together."""

    recipe: Recipe
    settings: Any
    out: Path
    seed: int
    processes: int = 1
    is_first: bool = True  # of these processes
    start: int = 0  # steps of a training whose state was lost, up to the checkpoint that this one goes on from

    def place(self, what: str) -> Path:
        """`out`/NAME.WHAT"""
        return self.out / f"{self.recipe.name}.{what}"


@dataclass(frozen=True)
class Recipe:
    """One checkpoint, declared. `material` is whatever `read` gives: texts and their vocabulary.

    family      the name of the module whose functions of these names are taken where none is given here:
    read        job -> material
    save        job, model, folder -> the checkpoint as it ships; `six_bits` where there is none
    evaluate    job, material, model, folder of the checkpoint as saved -> scores for the card
    describe    job, material, history -> the first rows of the card: model, corpus or data, tokens
    build       job, material -> the untrained model; the random generators were seeded just before
    batches     job, material, model -> what `fit` takes
    watch       job, material, model -> arguments of `fit` that evaluate on the way; may be missing
    train       where `fit` does not train, instead of the last three: job, material -> model, history

    profiles    settings by profile, frozen dataclasses; `training` in them says how `fit` is called
    snapshots   shares of all steps at which a checkpoint is kept, as where a wave ends
    """

    name: str
    title: str
    corpus: str
    licence: str
    profiles: Mapping[str, Any]
    family: str
    snapshots: tuple[float, ...] = ()
    read: Callable[[Job], Any] | None = None
    save: Callable[[Job, Any, Path], None] | None = None
    evaluate: Callable[[Job, Any, Any, Path], dict[str, str]] | None = None
    describe: Callable[[Job, Any, History], dict[str, str]] | None = None
    build: Callable[[Job, Any], Any] | None = None
    batches: Callable[[Job, Any, Any], Any] | None = None
    watch: Callable[[Job, Any, Any], dict[str, Any]] | None = None
    train: Callable[[Job, Any], tuple[Any, History]] | None = None

    def __post_init__(self) -> None:
        for step in ("read", "save", "evaluate", "describe", "build", "batches", "watch", "train"):
            if getattr(self, step) is None:
                usual = six_bits if step == "save" else None
                object.__setattr__(self, step, getattr(sys.modules[self.family], step, usual))

    def settings(self, profile: str = "cpu") -> Any:
        if profile not in self.profiles:
            raise CourseError(f"The recipe {self.name} has no profile {profile!r}. It has: {', '.join(self.profiles)}.")
        return self.profiles[profile]


def profiles(cpu: Any, on_gpu: Training, **changes: Any) -> dict[str, Any]:
    """Settings of both profiles."""
    return {"cpu": cpu, "gpu": replace(cpu, training=on_gpu, **changes)}


def six_bits(job: Job, model: Any, folder: Path) -> None:
    """As a checkpoint that ships: matrices with six bits a number, the rest float16."""
    model.save(folder, half=True, int6=True)


def run(recipe: Recipe, out: Path, *, profile: str = "cpu") -> Path | None:
    """Make the checkpoint `out`/NAME with its card; all processes but the first return None."""
    is_first, processes = os.environ.get("RANK", "0") == "0", int(os.environ.get("WORLD_SIZE", "1"))
    job = Job(recipe, recipe.settings(profile), out, course_settings().seed, processes, is_first)
    material = recipe.read(job)
    job, model, history = _fit(job, material) if recipe.train is None else (job, *recipe.train(job, material))
    if not is_first:
        return None
    folder = out / recipe.name
    if isinstance(model, torch.nn.Module):
        model.eval()
    (folder / CARD).unlink(missing_ok=True)  # of an earlier run
    recipe.save(job, model, folder)
    described = recipe.describe(job, material, history)
    if job.start:
        lost = f"went on from the checkpoint of step {job.start:,} with a fresh optimizer; minutes are those since"
        described["start"] = "; ".join(filter(None, (described.get("start"), lost)))
    option = "" if profile == "cpu" else f" --profile {profile}"
    rows = {
        **described,
        "settings": ", ".join(f"{name} {value}" for name, value in flatten(asdict(job.settings))),
        "device": described.get("device", provenance()["device"]),
        "minutes": described.get("minutes", f"{history.seconds / 60:.1f}"),
        **recipe.evaluate(job, material, model, folder),
        "licence": recipe.licence,
        "command": f"`python -m course.recipes {recipe.name}{option}`",
    }
    with atomic_file(folder / CARD, "w") as file:
        file.write(card.render(recipe.title, rows))
    return folder


def _fit(job: Job, material: Any) -> tuple[Job, Any, History]:
    """The job as its state has it, the model, and its history."""
    recipe, given, folder = job.recipe, job.settings.training, job.place("training")
    state = read_state(folder)
    snapshot = None if state else newest_snapshot(job)
    job = replace(job, start=int(snapshot.name) if snapshot else 0 if state is None else state["place"].start)
    torch.manual_seed(job.seed)
    model = recipe.build(job, material)
    if snapshot is not None:
        load_weights(model, load_checkpoint(snapshot).tensors, source=snapshot)
        if job.is_first:
            print(
                f"{recipe.name}: there is no state in {folder}, so it goes on from the checkpoint of step "
                f"{job.start:,} with a fresh optimizer. To start anew, delete {snapshot.parent}."
            )
    if given.minutes is None:
        pace = {
            "schedule": lambda step, total: given.rate(step, total, job.start),
            "optimizer": partial(adamw, betas=given.betas),
        }
    else:
        pace = {"optimizer": by_the_clock(given, state["history"].seconds if state else 0.0)}
    watch = recipe.watch(job, material, model) if recipe.watch else {}
    shares = () if given.steps is None else recipe.snapshots
    steps = {*given.waves, *(max(1, round(share * given.steps)) for share in shares)}

    def keep(step: int, losses: dict) -> None:
        if step in steps and job.is_first:
            with torch.random.fork_rng(devices=[]):  # to build what is saved may draw numbers
                recipe.save(job, model, job.place("snapshots") / f"{step:06d}")

    # who goes on from a checkpoint does not read the same texts first again
    seed = job.seed + job.start
    history = fit(
        model,
        recipe.batches(replace(job, seed=seed), material, model),
        steps=given.steps,
        epochs=given.epochs,
        minutes=given.minutes,
        learning_rate=given.learning_rate,
        seed=seed,
        folder=folder,
        save_every=given.save_every,
        start=job.start,
        label=recipe.name,
        **pace,
        **{**watch, "watchers": [*watch.get("watchers", ()), keep]},
    )
    return job, model, history


def starting_point(job: Job, name: str) -> Path:
    """The checkpoint that a recipe goes on from."""
    folder = job.out / name
    if not (folder / TENSORS).exists():
        raise CourseError(
            f"{job.recipe.name} goes on from {name}, and {folder} is not there. Make it first "
            f"(`python -m course.recipes {name}`), or copy a checkpoint that was made so to that place."
        )
    return folder


def steps_done(history: History) -> int:
    """Not the length of the history: that of a training that went on from a checkpoint begins there."""
    return history.steps[-1] if history.steps else 0


def newest_snapshot(job: Job) -> Path | None:
    """The last checkpoint on the way to the job's steps; None if there is none, or the clock ends the training."""
    steps = job.settings.training.steps or 0
    folders = [path.parent for path in job.place("snapshots").glob(f"*/{TENSORS}") if path.parent.name.isdecimal()]
    return max((f for f in folders if int(f.name) < steps), key=lambda f: int(f.name), default=None)


def flatten(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and values of nested settings, without those that are None."""
    rows = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            rows += [(part if name == "training" else f"{name} {part}", inner) for part, inner in flatten(value)]
        elif value not in (None, ()) and name not in ("save_every", "texts"):  # the card's corpus row tells the texts
            rows.append((name, value))
    return rows


def by_the_clock(training: Training, used: float) -> Callable[[Groups], torch.optim.Optimizer]:
    """AdamW for `fit(optimizer=...)` whose rate is at its floor when the minutes are used up, however fast the machine.

    `fit` knows schedules over steps only: here a hook sets the rate before each step of the optimizer, and the history
    shows the largest rate throughout. used: seconds of training before this run.
    """
    began = time.monotonic() - used

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
