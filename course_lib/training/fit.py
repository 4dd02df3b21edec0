"""The one training loop of the course. It knows no model: only `loss(batch)`, names and parameters.

A step stands in the order in which things happen. What is noted and saved is in state.py, what several processes do
together in processes.py.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.device import autocast, map_leaves, move, put_back
from course_lib.errors import CourseError
from course_lib.language import key
from course_lib.progress import Progress
from course_lib.training.processes import Processes
from course_lib.training.schedules import constant
from course_lib.training.state import ANEW, History, Run

CLIP = 1.0  # largest norm of the whole gradient

Groups = list[dict[str, Any]]  # what torch optimizers take: {"name": ..., "params": [...], "lr": ...}


def adamw(
    groups: Groups, *, betas: tuple[float, float] = (0.9, 0.999), weight_decay: float | int = 0.0
) -> torch.optim.Optimizer:
    """AdamW (Loshchilov & Hutter 2019), all parameters in one kernel where PyTorch has one."""
    parameters = [p for group in groups for p in group["params"]]
    fused = all(p.is_floating_point() and p.device.type in ("cpu", "cuda") for p in parameters)
    return torch.optim.AdamW(groups, betas=betas, weight_decay=weight_decay, fused=fused)


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
    optimizer: Callable[[Groups], torch.optim.Optimizer] = adamw,
    device: torch.device | str | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
    save_every: float | int = 600,
    start: int = 0,
    watchers: Sequence[Callable[[int], object]] = (),
    evaluate: Callable[[nn.Module], dict] | None = None,
    evaluate_every: int | None = None,
    show: bool | str = key("training"),
) -> History:
    """Train `model` in place until `steps`, `epochs` or `minutes` are reached, whichever comes first.

    model      has loss(batch) -> {"loss": scalar mean, "count": items it is the mean of, named scalar parts ...}; a
               "carry" in it is detached and handed to the next batch of the epoch; "counts" {part: items} names parts
               that are means of other items than "count", those with a gradient being summands of the loss
    batches    a list, a DataLoader, or a function epoch -> iterable (epochs count from 0)
    minutes    all in all, over resumed runs
    schedule   (step from 0, total) -> factor of the learning rate
    groups     (name, parameters[, factor of the learning rate]) as from layer_groups(); default: one group
    optimizer  groups -> torch optimizer, as in `partial(adamw, betas=(0.9, 0.98), weight_decay=0.1)`
    folder     where the state is kept: every `save_every` seconds, at the end and when stopped. A call that finds a
               state there goes on from it, bit for bit. For that, batches shuffle by the global generators at the
               start of an epoch, or by a generator of their own that starts anew with each epoch
    start      steps done before, by a training whose state is lost: `steps`, schedule and history count on from there
    watchers   called after each step with the number of steps done
    evaluate   model (in eval mode) -> scores, every `evaluate_every` steps and at the end
    show       False: no progress bar; a text: its label

    The gradient is clipped to norm 1. Ctrl-C ends the training after the current step; what was reached stays in the
    model and in the folder, and KeyboardInterrupt goes on to the caller, so that nobody takes a half-trained model for
    a trained one. A second Ctrl-C does not wait: then the folder keeps the last state that was saved.
    Raises CourseError for a loss that is not a finite number: on a CPU before that step, so that the weights stay as
    they were, on a GPU at most 20 steps later; what is saved is from before.
    """
    if steps is None and epochs is None and minutes is None:
        raise CourseError("fit does not know when to end. Give steps, epochs or minutes.")
    assert all(n is None or n > 0 for n in (steps, epochs, minutes)), f"{steps=}, {epochs=}, {minutes=}"
    assert not isinstance(batches, Iterator), "an iterator cannot be read in every epoch anew"
    processes = Processes(device)
    device = processes.device
    model.to(device)
    stepper = optimizer(_groups(model, groups, learning_rate))
    base = {group["name"]: float(group["lr"]) for group in stepper.param_groups}
    parameters = [parameter for group in stepper.param_groups for parameter in group["params"]]

    def rates(step: int, total: int) -> dict[str, float]:
        factor = schedule(step, total)
        assert 0 <= factor < math.inf, f"the schedule gave {factor}"
        return {name: float(rate * factor) for name, rate in base.items()}

    same = {"steps": steps, "epochs": epochs, "start": start, "clip": CLIP, "processes": processes.total}
    run = Run(model, stepper, processes, folder, same, rates, start)
    run.begin(seed)
    place, history, first_step, was_training = run.place, run.history, run.place.step, model.training
    label, shown = (show, "auto") if isinstance(show, str) else (key("training"), show)
    shown = shown if processes.is_first else False

    def over() -> bool:
        enough = (steps is not None and place.step >= steps) or (epochs is not None and place.epoch >= epochs)
        return enough or (minutes is not None and processes.any(run.seconds >= 60 * minutes, place.step))

    loss_of = processes.wrap(model)
    model.train()
    try:
        with _ctrl_c_waits() as pressed, Progress(label, total=place.total, show=shown, start=place.step) as run.bar:
            while not over():
                rest, per_epoch = _open(batches, run)
                if place.total is None:
                    by_epochs = epochs * per_epoch if epochs and per_epoch else None
                    place.total = run.bar.total = min((n for n in (steps, by_epochs) if n is not None), default=None)
                assert place.total or schedule is constant, "a schedule needs steps, or batches with a length"
                for batch, weight in rest:
                    rates_now = rates(place.step, place.total or place.step + 1)
                    for group in stepper.param_groups:
                        group["lr"] = rates_now[group["name"]]
                    batch = move(hand_on(batch, place.carry), device)
                    with processes.own_randomness(place.step), autocast(device):
                        losses = loss_of(batch)
                    loss, means = processes.join(losses, weight)
                    stepper.zero_grad()
                    loss.backward()
                    means["gradient_norm"] = nn.utils.clip_grad_norm_(parameters, CLIP)
                    run.note(means, rates_now)
                    stepper.step()

                    place.step += 1
                    place.position += 1
                    place.carry = detach(losses.get("carry"))
                    for watch in watchers:
                        watch(place.step)
                    if evaluate and evaluate_every and place.step % evaluate_every == 0:
                        run.score(evaluate)
                    if processes.any(pressed.is_set(), place.step):
                        run.save()
                        raise KeyboardInterrupt
                    if time.monotonic() - run.saved_at >= save_every:
                        run.save()
                    if over():
                        break
                else:  # the epoch is over, the training is not
                    assert place.position, f"there is no batch in epoch {place.epoch + 1}"
                    run.begin_epoch(place.epoch + 1)
            if evaluate:
                run.score(evaluate)
            if place.step > first_step:
                run.save()
            if pressed.is_set():
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        if shown:
            of = "" if place.total is None else f" of {place.total}"
            again = "" if run.folder is None else f" Run the cell again to go on from the state in {run.folder}."
            print(f"Training stopped after step {place.step}{of}.{again}")
        raise
    finally:
        stepper.zero_grad()
        model.train(was_training)
    history.seconds = run.seconds
    return history


def _open(batches: Any, run: Run) -> tuple[Iterator[tuple[Any, int]], int | None]:
    """`_shares` from the run's place to the end of its epoch, and how many the whole epoch has, where that is known."""
    place, n_processes = run.place, run.processes.total
    put_back(place.epoch_start, run.processes.device)
    epoch = batches if isinstance(batches, Iterable) else batches(place.epoch)
    rest = _shares(epoch, run.processes)
    for skipped in range(place.position):
        if next(rest, None) is None:
            raise CourseError(
                f"fit: epoch {place.epoch + 1} had at least {place.position} steps when its state was saved, "
                f"now it has {skipped}. Resume with the same batches, or {ANEW}."
            )
    if place.position:
        put_back(place.now, run.processes.device)
    return rest, -(-len(epoch) // n_processes) if isinstance(epoch, Sized) else None


def _shares(epoch: Iterable, processes: Processes) -> Iterator[tuple[Any, int]]:
    """Of every n batches each of n processes takes one; where none is left for it, another's with weight 0."""
    rest = iter(epoch)
    while some := list(islice(rest, processes.total)):
        yield some[min(processes.number, len(some) - 1)], int(processes.number < len(some))


def detach(carry: Any) -> Any:
    """The same values without their past: the next batch's gradient ends here (truncated back-propagation)."""
    return map_leaves(carry, lambda leaf: leaf.detach() if isinstance(leaf, Tensor) else leaf)


def hand_on(batch: Any, carry: Any) -> Any:
    """The batch, a dataclass, with `carry` in its field for it; the batch itself stays as it is."""
    return batch if carry is None else replace(batch, carry=carry)


@contextmanager
def _ctrl_c_waits() -> Iterator[Event]:
    """Ctrl-C (in a notebook: the stop button) sets the event, so that no step is left half done; a second one raises.

    Outside the main thread, and where someone else handles the signal, nothing is changed.
    """
    pressed = Event()

    def note(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    in_main = threading.current_thread() is threading.main_thread()
    ours = in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield pressed
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _groups(model: nn.Module, groups: Sequence[tuple] | None, learning_rate: float | int) -> Groups:
    """The trainable parameters, as torch optimizers take them; groups without any are left out."""
    made: Groups = []
    for name, parameters, *factor in [("all", model.parameters())] if groups is None else groups:
        if trainable := [p for p in parameters if p.requires_grad]:
            made.append({"name": name, "params": trainable, "lr": learning_rate * (factor[0] if factor else 1)})
    if not made:
        raise CourseError("fit: there is no parameter to train. Call unfreeze() or requires_grad_(True).")
    own = {id(p) for p in model.parameters()}
    assert len({group["name"] for group in made}) == len(made), "each group needs a name of its own"
    assert all(id(p) in own for group in made for p in group["params"]), "a group holds parameters of another model"
    return made
