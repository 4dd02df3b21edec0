"""The one training loop of the course. It knows no model: only `loss(batch)`, names and parameters.

Read `_train` first: that is the training step, in the order in which things happen. Batches and what happens between
steps are in run.py, saved states in resume.py, several processes in processes.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.device import autocast, seed_everything
from course_lib.errors import CourseError
from course_lib.files import given_path
from course_lib.language import key
from course_lib.progress import Progress
from course_lib.training import resume as states
from course_lib.training.groups import Groups, make_groups, make_optimizer, set_rates
from course_lib.training.history import History
from course_lib.training.processes import Numbers, choose_processes
from course_lib.training.run import End, Feed, Interrupts, Run, Saving
from course_lib.training.schedules import constant

Watcher = Callable[[int, dict], object]
__all__ = ["History", "fit"]


def fit(
    model: nn.Module,
    batches: Any,
    *,
    steps: int | None = None,
    epochs: int | None = None,
    minutes: float | int | None = None,
    learning_rate: float | int = 1e-3,
    schedule: Callable[[int, int], float | int] = constant,
    groups: Sequence[tuple] | None = None,
    optimizer: Callable[[Groups], torch.optim.Optimizer] | None = None,
    weight_decay: float | int = 0.0,
    betas: tuple[float, float] = (0.9, 0.999),
    clip: float | int | None = 1.0,
    device: torch.device | str | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
    save_every: float | int = 600,
    save_steps: int | None = None,
    resume: bool = True,
    start: int = 0,
    watchers: Sequence[Watcher] = (),
    evaluate: Callable[[nn.Module], dict] | None = None,
    evaluate_every: int | None = None,
    show: bool | str = "auto",
    label: str = key("training"),
    keep_interrupted: bool = False,
) -> History:
    """Train `model` in place until `steps`, `epochs` or `minutes` are reached, whichever comes first.

    model       has loss(batch) -> {"loss": scalar mean, "count": items it is the mean of, named scalar parts ...}; a
                "carry" in it is detached and handed to the next batch of the epoch; "counts" {part: items} names parts
                that are means of other items than "count", those with a gradient being summands of the loss
    batches     a list, a DataLoader, or a function epoch -> iterable (epochs count from 0)
    schedule    (step from 0, total) -> factor of the learning rate
    groups      (name, parameters[, factor of the learning rate]) as from layer_groups(); default: one group
    optimizer   groups -> torch optimizer; default AdamW with `weight_decay` and `betas`
    clip        largest norm of the whole gradient; None: no limit
    folder      where the state is kept: every `save_every` seconds, every `save_steps` steps, at the end and when
                stopped. With `resume` a call that finds a state there goes on from it, bit for bit. For that, batches
                shuffle by the global generators at the start of an epoch, or by a generator of their own that
                starts anew with each epoch
    start       steps done before, by a training whose state is lost: `steps`, schedule and history count on from there
    minutes     all in all, over resumed runs
    evaluate    model (in eval mode) -> scores, every `evaluate_every` steps and at the end
    show, label of the progress bar, as for `Progress`
    watchers    called after each step with the number of steps done and {"loss", parts, "gradient_norm" if clipped,
                "epoch", "learning_rates"}

    Ctrl-C ends it after the current step; what was reached stays in the model and in the folder, and KeyboardInterrupt
    goes on to the caller, so that nobody takes a half-trained model for a trained one. With `keep_interrupted` the
    caller says that it will do: the history comes back, `.interrupted`. A second Ctrl-C does not wait, and goes on.
    Raises CourseError for arguments that cannot work, a loss that is not a finite number (the weights stay as before
    that step), and a state that does not fit.
    """
    if not callable(getattr(model, "loss", None)):
        raise CourseError(
            f'fit: {type(model).__name__} has no loss(batch). Give it one that returns {{"loss": ..., "count": ...}}.'
        )
    _above_zero(learning_rate=learning_rate, save_every=save_every)
    _above_zero(" or None", clip=clip, save_steps=save_steps, evaluate_every=evaluate_every)
    end, processes = End(steps, epochs, minutes), choose_processes(device)
    feed = Feed(batches, processes.number, processes.total)
    model.to(processes.device)
    parameter_groups = make_groups(model, groups, learning_rate)
    stepper = make_optimizer(optimizer, parameter_groups, weight_decay, betas)
    base = {group["name"]: float(group["lr"]) for group in stepper.param_groups}

    def same(total: int | None) -> dict[str, Any]:
        places = () if total is None else sorted({0, min(1, total - 1), total // 2, total - 1})
        settings = {"steps": steps, "epochs": epochs, "clip": clip, "learning rates": base}
        settings |= {"start": start} if start else {}
        settings |= {"schedule": [float(schedule(step, total)) for step in places], "processes": processes.total}
        return states.describe(model, parameter_groups, stepper, settings)

    saving = None if folder is None else Saving(given_path(folder).resolve(), save_every, save_steps, same)
    found = None if saving is None else states.find_state(saving.folder, resume=resume)
    reached = None if found is None else states.restore(found, model, stepper, same, processes.device)
    seed = processes.agree_on_seed(seed if reached is None else reached.seed)
    if seed is not None and reached is None:
        seed_everything(seed)
    run = Run(model, stepper, feed, end, processes, evaluate, evaluate_every, saving, reached, seed, start)
    if run.total is None and schedule is not constant:
        raise CourseError("fit: this schedule needs to know the number of steps. Give steps, or batches with a length.")
    if reached is None:
        run.save()  # says now, not in ten minutes, if the folder cannot be used

    was_training = model.training
    shown = show if processes.is_first else False
    interrupts = Interrupts()
    try:
        with interrupts, Progress(label, total=run.total, show=shown, start=run.step) as bar:
            _train(run, base, schedule, clip, (bar.watch, *watchers), interrupts)
            run.close()
    except KeyboardInterrupt:
        run.interrupt()
        if shown:
            print(_stopped(run))
        if interrupts.twice or not keep_interrupted:
            raise
    finally:
        stepper.zero_grad()
        model.train(was_training)
    run.history.seconds = run.seconds
    return run.history


def _train(
    run: Run,
    base: dict[str, float],
    schedule: Callable[[int, int], float | int],
    clip: float | int | None,
    watchers: Sequence[Watcher],
    interrupts: Interrupts,
) -> None:
    """The training step, again and again."""
    processes, optimizer = run.processes, run.optimizer
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    loss_of = processes.wrap(run.model)
    run.model.train()
    for batch, weight in run.batches():
        rates = set_rates(optimizer, base, schedule(run.step, run.total or run.step + 1))
        with processes.own_randomness(run.step), autocast(processes.device):
            losses = _checked(loss_of(batch), run.model)
        loss, means = processes.join(losses, weight)
        optimizer.zero_grad()
        loss.backward()
        if clip is not None:
            means["gradient_norm"] = nn.utils.clip_grad_norm_(parameters, clip)
        numbers = _finite(means, run.step, rates)  # before a weight is touched
        optimizer.step()
        run.done(numbers, rates, losses.get("carry"))
        for watch in watchers:
            watch(run.step, {**numbers, "epoch": run.place.epoch, "learning_rates": rates})
        run.pause(interrupts)


def _stopped(run: Run) -> str:
    where = f"after step {run.step}{'' if run.total is None else f' of {run.total}'}"
    if run.saving is None:
        return f"Training stopped {where}. The model keeps what it has learned."
    return f"Training stopped {where}. Run the cell again to go on from there (state in {run.saving.folder})."


def _above_zero(or_none: str = "", **numbers: float | int | None) -> None:
    for name, value in numbers.items():
        if value is not None and not 0 < value < math.inf:
            raise CourseError(f"fit: {name}={value}. Use a number above 0{or_none}.")


def _finite(means: Numbers, step: int, rates: dict[str, float]) -> dict[str, float]:
    """The step's numbers, fetched at once."""
    tensors = {name: mean for name, mean in means.items() if isinstance(mean, Tensor)}
    fetched = dict(zip(tensors, torch.stack([t.detach().float() for t in tensors.values()]).tolist(), strict=True))
    numbers = {name: fetched[name] if name in fetched else float(mean) for name, mean in means.items()}
    for name in ("loss", "gradient_norm"):
        if not math.isfinite(numbers.get(name, 0.0)):
            rate = max(rates.values())
            raise CourseError(
                f"fit: the {name.replace('_', ' ')} is {numbers[name]} at step {step + 1}, learning rate {rate:.3g}. "
                f"The model is as it was after step {step}, and so is a saved state or older. Try a learning rate of "
                f"{rate / 10:.3g}, a warm-up (training.schedules) or a smaller clip; see that no batch is empty or odd."
            )
    return numbers


def _checked(losses: Any, model: nn.Module) -> dict[str, Any]:
    """What loss(batch) gave."""
    name = type(model).__name__
    if not isinstance(losses, dict) or not {"loss", "count"} <= losses.keys():
        got = f"a dict with {', '.join(map(str, losses))}" if isinstance(losses, dict) else f"a {type(losses).__name__}"
        raise CourseError(
            f'fit: {name}.loss(batch) gave {got}. Return {{"loss": scalar mean, "count": items it is the mean of}}.'
        )
    loss = losses["loss"]
    if not isinstance(loss, Tensor) or loss.dim() != 0:
        got = f"a tensor of shape {list(loss.shape)}" if isinstance(loss, Tensor) else f"a {type(loss).__name__}"
        raise CourseError(f'fit: the "loss" of {name}.loss(batch) is {got}. Return the mean as a scalar tensor.')
    if not loss.requires_grad:
        raise CourseError(
            f"fit: the loss of {name} does not depend on any parameter in training. Unfreeze what should learn, and "
            "compute the loss without no_grad, detach or numpy."
        )
    return losses
