"""Batches, epoch after epoch, from any place on: what makes shuffles repeat when a training is taken up again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from course_lib.errors import CourseError
from course_lib.training import randomness
from course_lib.training.randomness import RandomState


@dataclass
class Place:
    """How far the batches are read, and the states of the random generators that belong to it."""

    epoch: int
    position: int  # steps taken in this epoch
    carry: Any
    epoch_start: RandomState  # before the epoch's batches were opened
    now: RandomState  # after the last step; at position 0 the same

    @classmethod
    def start_of(cls, epoch: int, device: torch.device) -> Place:
        """A new epoch: the text begins anew, without carry."""
        state = randomness.take(device)
        return cls(epoch, 0, None, state, state)


class Feed:
    """Batches from a re-iterable or a callable epoch -> iterable; of these, number `number` of every `total`."""

    def __init__(self, batches: Any, number: int, total: int):
        if isinstance(batches, Iterator):
            raise CourseError(
                f"fit: batches is a one-way {type(batches).__name__}, which can be read only once. "
                "Give a list, a DataLoader, or a function epoch -> batches."
            )
        if not isinstance(batches, Iterable) and not callable(batches):
            raise CourseError(
                f"fit: batches is of type {type(batches).__name__}. "
                "Give a list, a DataLoader, or a function epoch -> batches."
            )
        self._batches, self._number, self._total = batches, number, total
        self.steps_per_epoch: int | None = None  # known once an epoch with a length is opened

    def open(self, place: Place, device: torch.device) -> Iterator[tuple[Any, int]]:
        """(batch, weight) from `place` to the end of its epoch; the random generators are put where they were then.

        The weight is 0 where the last steps of an epoch have fewer batches than there are processes.
        """
        randomness.put_back(place.epoch_start, device)
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
            randomness.put_back(place.now, device)
        return rounds

    def _rounds(self, batches: Iterator) -> Iterator[tuple[Any, int]]:
        while taken := list(islice(batches, self._total)):
            has_own = self._number < len(taken)
            yield taken[self._number if has_own else 0], int(has_own)
