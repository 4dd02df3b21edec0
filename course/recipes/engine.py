"""From raw text to a checked checkpoint: what all recipes have in common. A recipe declares the rest (`Recipe`).

Read `run`: read the text, build the model, train it, save it, score what was saved, write the card. A training that
was stopped, also by `kill -9`, goes on when the same command is given again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from course.ledger.records import provenance
from course.recipes import card, parts
from course.recipes.time_budget import FLOOR, TimeBudget, budget_story, note_budget, seconds_used
from course_lib.checkpoints import CONFIG
from course_lib.config import settings as course_settings
from course_lib.errors import CourseError
from course_lib.files import lock
from course_lib.training import fit
from course_lib.training.history import History
from course_lib.training.schedules import cosine

PROFILES = ("cpu", "gpu")


@dataclass(frozen=True)
class Training:
    """How `fit` is called: AdamW, half a cosine wave down to 2 % of the rate.

    steps, epochs  the training ends there, and the wave is laid over them: resumed, it is the same bit for bit
    waves          a training that ended at these steps and went on: the wave is laid over each of them, then over steps
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

    def rate(self, step: int, total: int) -> float:
        """Factor of the learning rate, as a schedule of `fit`."""
        rise = min(1.0, (step + 1) / (self.warm_up + 1))
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


@dataclass(frozen=True)
class Recipe:
    """One checkpoint, declared. `material` is whatever `read` gives: texts and their vocabulary.

    profiles    settings by profile, frozen dataclasses; `training` in them says how `fit` is called
    read        job -> material
    save        job, model, folder, card -> the checkpoint as it ships
    evaluate    job, material, model, folder of the checkpoint as saved -> scores for the card
    describe    job, material, history -> the first rows of the card: model, corpus or data, tokens
    build       job, material -> the untrained model; the random generators were seeded just before
    batches     job, material, model -> what `fit` takes
    watch       job, material, model -> arguments of `fit` that evaluate or keep something on the way
    train       instead of the last three, where `fit` does not train: job, material -> model, history
    """

    name: str
    title: str
    corpus: str
    licence: str
    profiles: Mapping[str, Any]
    read: Callable[[Job], Any]
    save: Callable[[Job, Any, Path, str | None], None]
    evaluate: Callable[[Job, Any, Any, Path], dict[str, str]]
    describe: Callable[[Job, Any, History], dict[str, str]]
    build: Callable[[Job, Any], Any] | None = None
    batches: Callable[[Job, Any, Any], Any] | None = None
    watch: Callable[[Job, Any, Any], dict[str, Any]] | None = None
    train: Callable[[Job, Any], tuple[Any, History]] | None = None

    def settings(self, profile: str = "cpu", minutes: float | None = None) -> Any:
        """Settings of a profile; with `minutes` the training lasts so long instead of as the recipe says."""
        if profile not in self.profiles:
            raise CourseError(f"The recipe {self.name} has no profile {profile!r}. It has: {', '.join(self.profiles)}.")
        found = self.profiles[profile]
        if minutes is None:
            return found
        if self.train is not None:
            raise CourseError(f"The recipe {self.name} has no time limit. Leave --minutes out.")
        by_clock = {"minutes": minutes, "steps": None, "epochs": None, "waves": (), "warm_up": 0}
        return replace(found, training=replace(found.training, **by_clock))


def run(
    recipe: Recipe, out: Path, *, profile: str = "cpu", minutes: float | None = None, piece: float | None = None
) -> Path | None:
    """Make the checkpoint `out`/NAME with its card; the state of the training is kept in `out`/NAME.training.

    piece: end this call after so many minutes of training and leave the state in `out`/NAME.parts, in files small
    enough to travel; the same command goes on from there. None is returned if the training has not reached its end,
    and by all processes but the first. Raises CourseError if a text is not there or the state is of other settings.
    """
    is_first, processes = os.environ.get("RANK", "0") == "0", int(os.environ.get("WORLD_SIZE", "1"))
    job = Job(recipe, recipe.settings(profile, minutes), out, course_settings().seed, processes, is_first)
    material = recipe.read(job)
    if recipe.train is None:
        model, history, ended = _fit(job, material, piece)
    else:
        model, history = recipe.train(job, material)
        ended = True
    if not (ended and is_first):
        return None
    folder = out / recipe.name
    if isinstance(model, torch.nn.Module):
        model.eval()
    recipe.save(job, model, folder, None)
    described = recipe.describe(job, material, history)
    rows = {
        **described,
        "settings": ", ".join(f"{name} {value}" for name, value in flatten(asdict(job.settings))),
        "device": described.get("device", provenance()["device"]),
        "minutes": described.get("minutes", f"{history.seconds / 60:.1f}"),
        **({"rate": story} if (story := budget_story(_budgets_file(job))) else {}),
        **recipe.evaluate(job, material, model, folder),
        "licence": recipe.licence,
        "command": _command(recipe.name, profile, minutes),
    }
    recipe.save(job, model, folder, card.render(recipe.title, rows))
    return folder


def starting_point(job: Job, name: str) -> Path:
    """The checkpoint that a recipe goes on from. Raises CourseError if it has not been made."""
    folder = job.out / name
    if not (folder / CONFIG).exists():
        raise CourseError(
            f"{job.recipe.name} goes on from {name}, and {folder} is not there. Make it first "
            f"(`python -m course.recipes {name}`), or copy a checkpoint that was made so to that place."
        )
    return folder


def _budgets_file(job: Job) -> Path:
    return job.out / f"{job.recipe.name}.budgets.json"


def _fit(job: Job, material: Any, piece: float | None) -> tuple[Any, History, bool]:
    """The model, its history, and whether the training has reached its end."""
    recipe, given = job.recipe, job.settings.training
    torch.manual_seed(job.seed)
    model = recipe.build(job, material)
    folder, travelling = job.out / f"{recipe.name}.training", job.out / f"{recipe.name}.parts"
    with lock(job.out / f".{recipe.name}.join.lock"):  # of several processes the first one joins them
        parts.join(travelling, folder)
    before = seconds_used(folder) / 60
    limits = [limit for limit in (given.minutes, None if piece is None else before + piece) if limit is not None]
    if given.minutes is None:
        pace = {"schedule": given.rate, "betas": given.betas}
    else:
        pace = {"optimizer": TimeBudget(given.minutes, folder).optimizer(betas=given.betas)}
        if job.is_first:
            note_budget(_budgets_file(job), given.minutes, before)
    history = fit(
        model,
        recipe.batches(job, material, model),
        steps=given.steps,
        epochs=given.epochs,
        minutes=min(limits, default=None),
        learning_rate=given.learning_rate,
        seed=job.seed,
        folder=folder,
        save_every=given.save_every,
        label=recipe.name,
        **pace,
        **(recipe.watch(job, material, model) if recipe.watch else {}),
    )
    if piece is not None and job.is_first:
        parts.split(folder, travelling)
    out_of_time = given.minutes is not None and history.seconds >= 60 * given.minutes
    out_of_steps = given.steps is not None and len(history.steps) >= given.steps
    cut = piece is not None and history.seconds >= 60 * (before + piece)
    return model, history, out_of_time or out_of_steps or not cut


def flatten(settings: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Names and values of nested settings, without those that are None."""
    found = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            found += [(part if name == "training" else f"{name} {part}", own) for part, own in flatten(value)]
        elif value not in (None, ()) and name not in ("save_every", "texts"):  # the card's corpus row tells the texts
            found.append((name, value))
    return found


def _command(name: str, profile: str, minutes: float | None) -> str:
    options = (
        f"{'' if profile == 'cpu' else f' --profile {profile}'}{'' if minutes is None else f' --minutes {minutes:g}'}"
    )
    return f"`python -m course.recipes {name}{options}`"
