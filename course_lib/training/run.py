"""Everything of a training that is not the training step: its batches, when it ends, evaluations, saving, Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import nn

from course_lib.device import move
from course_lib.errors import CourseError
from course_lib.training.history import History
from course_lib.training.processes import OneProcess, SeveralProcesses
from course_lib.training.resume import Place, Progressed, RandomState, detach, hand_on, save_state


@dataclass(frozen=True)
class End:
    """The training ends at whichever of these comes first."""

    steps: int | None
    epochs: int | None
    minutes: float | int | None

    def __post_init__(self) -> None:
        given = {"steps": self.steps, "epochs": self.epochs, "minutes": self.minutes}
        if all(value is None for value in given.values()):
            raise CourseError("fit does not know when to end. Give steps, epochs or minutes.")
        for name, value in given.items():
            if value is not None and not value > 0:
                raise CourseError(f"fit: {name}={value}. Use a number above 0.")

    def total(self, steps_per_epoch: int | None) -> int | None:
        """Steps of the whole run; None if that is not known before."""
        by_epochs = self.epochs * steps_per_epoch if self.epochs and steps_per_epoch else None
        return min((n for n in (self.steps, by_epochs) if n is not None), default=None)


@dataclass(frozen=True)
class Saving:
    folder: Path
    seconds: float | int
    steps: int | None
    same: Callable[[int | None], dict[str, Any]]  # what must be the same at a resume, given the total of steps


class Feed:
    """Batches from a re-iterable or a callable epoch -> iterable; of these, number `number` of every `total`."""

    def __init__(self, batches: Any, number: int, total: int):
        if isinstance(batches, Iterator) or not (isinstance(batches, Iterable) or callable(batches)):
            once = ", which can be read only once" if isinstance(batches, Iterator) else ""
            raise CourseError(
                f"fit: batches is of type {type(batches).__name__}{once}. "
                "Give a list, a DataLoader, or a function epoch -> batches."
            )
        self._batches, self._number, self._total = batches, number, total
        self.steps_per_epoch: int | None = None  # known once an epoch with a length is opened

    def open(self, place: Place, device: torch.device) -> Iterator[tuple[Any, int]]:
        """(batch, weight) from `place` to the end of its epoch; the random generators are put where they were then.

        The weight is 0 where the last steps of an epoch have fewer batches than there are processes.
        """
        place.epoch_start.put_back(device)
        epoch = self._batches if isinstance(self._batches, Iterable) else self._batches(place.epoch)
        if isinstance(epoch, Sized):
            self.steps_per_epoch = -(-len(epoch) // self._total)
        rounds = self._rounds(iter(epoch))
        for skipped in range(place.position):
            if next(rounds, None) is None:
                raise CourseError(
                    f"fit: epoch {place.epoch + 1} had at least {place.position} steps when its state was saved, "
                    f"now it has {skipped}. Resume with the same batches, or delete the folder to start anew."
                )
        if place.position:
            place.now.put_back(device)
        return rounds

    def _rounds(self, batches: Iterator) -> Iterator[tuple[Any, int]]:
        while taken := list(islice(batches, self._total)):
            has_own = self._number < len(taken)
            yield taken[self._number if has_own else 0], int(has_own)


class Interrupts:
    """Ctrl-C (in a notebook: the stop button) waits for the end of the step, so that no step is left half done.

    The first one is noted in `asked`; a second one, noted in `twice`, raises KeyboardInterrupt where it comes.
    Outside the main thread, and where someone else handles the signal, nothing is changed.
    """

    def __init__(self) -> None:
        self.asked = self.twice = False
        self._installed = False

    def __enter__(self) -> Interrupts:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def __exit__(self, kind, error, trace) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            self.twice = True
            raise KeyboardInterrupt
        self.asked = True


class Run:
    """A training on its way. `step` counts finished steps, over all runs that resume joined."""

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        feed: Feed,
        end: End,
        processes: OneProcess | SeveralProcesses,
        evaluate: Callable[[nn.Module], dict] | None,
        evaluate_every: int | None,
        saving: Saving | None,
        reached: Progressed | None,
        seed: int | None,
        start: int = 0,
    ):
        """Start anew, from step `start` on, or where `reached` ended."""
        self.model, self.optimizer, self.feed, self.end, self.processes = model, optimizer, feed, end, processes
        self.evaluate, self.evaluate_every, self.saving, self.seed = evaluate, evaluate_every, saving, seed
        self.step = start if reached is None else reached.step
        self.history = History() if reached is None else reached.history
        self.place = Place.start_of(0, processes.device) if reached is None else reached.place
        self._seconds_before = self.history.seconds
        self._began = self._saved_at = time.monotonic()
        self._stopped = processes.any(self._time_is_up())
        self._rounds: Iterator = iter(())
        if self.finished:
            self.place.now.put_back(processes.device)  # a last evaluation may be still to come
        else:
            self._rounds = feed.open(self.place, processes.device)
        self.total = end.total(feed.steps_per_epoch) if reached is None else reached.total
        self._unsaved = False
        self._whole = True  # False while the optimizer changes weights
        self._paused = True  # False between a step and the end of its watchers and evaluation
        optimizer.register_step_pre_hook(lambda *_: setattr(self, "_whole", False))

    @property
    def seconds(self) -> float:
        return self._seconds_before + time.monotonic() - self._began

    @property
    def finished(self) -> bool:
        enough_steps = self.end.steps is not None and self.step >= self.end.steps
        enough_epochs = self.end.epochs is not None and self.place.epoch >= self.end.epochs
        return self._stopped or enough_steps or enough_epochs

    def batches(self) -> Iterator[tuple[Any, int]]:
        """(batch, weight) on the device, with the carry of the batch before, from here to the end of the training."""
        self._evaluate_if_due()  # a stop may have come between the last step and its evaluation
        while not self.finished:
            item = next(self._rounds, None)
            if item is not None:
                batch, weight = item
                yield move(hand_on(batch, self.place.carry), self.processes.device), weight
                continue
            if self.place.position == 0:
                raise CourseError(f"fit: there is no batch in epoch {self.place.epoch + 1}. Give at least one batch.")
            self.place = Place.start_of(self.place.epoch + 1, self.processes.device)
            if not self.finished:
                self._rounds = self.feed.open(self.place, self.processes.device)

    def done(self, numbers: dict[str, float], rates: dict[str, float], carried: Any) -> None:
        """Count a finished step."""
        self.step += 1
        self.place.position += 1
        self.place.carry = detach(carried)
        parts = {name: value for name, value in numbers.items() if name not in ("loss", "gradient_norm")}
        self.history.add(self.step, numbers["loss"], parts, rates)
        self._paused, self._whole, self._unsaved = False, True, True

    def pause(self, interrupts: Interrupts) -> None:
        """Between two steps: evaluate, save, or end, where one of them is due."""
        self._evaluate_if_due()
        self._remember()
        self._paused = True
        if self.saving and (
            time.monotonic() - self._saved_at >= self.saving.seconds
            or (self.saving.steps and self.step % self.saving.steps == 0)
        ):
            self.save()
        if self.processes.any(interrupts.asked):
            raise KeyboardInterrupt
        self._stopped = self.processes.any(self._time_is_up())

    def close(self) -> None:
        """The last evaluation and the last state."""
        self._evaluate()
        self._remember()
        if self._unsaved:
            self.save()

    def interrupt(self) -> None:
        """Keep what was reached, unless the weights are half changed: then the last saved state is the better one."""
        self.history.interrupted = True
        if not self._paused:
            self._remember()
        if self._whole and self._unsaved:
            self.save()

    def save(self) -> None:
        self.history.seconds = self.seconds
        if self.saving and self.processes.is_first:
            reached = Progressed(self.step, self.total, self.seed, self.place, self.history)
            same = self.saving.same(self.total)
            save_state(self.saving.folder, reached, self.model, self.optimizer, same)
        self._saved_at, self._unsaved = time.monotonic(), False

    def _evaluate_if_due(self) -> None:
        if self.evaluate_every and self.step and self.step % self.evaluate_every == 0:
            self._evaluate()

    def _evaluate(self) -> None:
        if self.evaluate and not self.history.evaluated(self.step):
            self.model.eval()
            scores = self.evaluate(self.model)
            self.model.train()
            self.history.add_evaluation(self.step, scores)
            self._unsaved = True

    def _time_is_up(self) -> bool:
        return self.end.minutes is not None and self.seconds >= 60 * self.end.minutes

    def _remember(self) -> None:
        """Each time, not only before a save: an interruption within the next step goes back to here."""
        if self.saving:
            self.place.now = RandomState.take(self.processes.device)
