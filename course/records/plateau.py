"""The plateau of masked language modelling: what was recorded of two starts of one network, and its picture.

`python -m course.recipes.plateau` measures: the recipe of bert-en with its start ("warm": skip-gram's token table,
a first layer and an output that copy, sines, log frequencies) and as the paper starts it ("plain": random numbers). The
batches, masks, rates and steps are the same. One file, `data/recorded/plateau.json`, written whole or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from course.records.recorded import read_recorded, write_recorded
from course_lib.config import data_dir
from course_lib.errors import CourseError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = 1
COMMAND = "python -m course.recipes.plateau"
NAMES = {"warm": "with bert-en's start", "plain": "from random numbers"}
COLOURS = {"warm": "#0072B2", "plain": "#D55E00"}  # Okabe-Ito
BROKEN = 1.0  # nats below the loss of frequencies alone: from here on we call the plateau broken


@dataclass(frozen=True)
class Curve:
    """Masked-LM loss in nats: `losses[i]` is the mean over the steps after `steps[i - 1]`, up to `steps[i]`.

    run  command, date, device, commit, code, versions, seconds; of the call that ended the training
    """

    steps: list[int]
    losses: list[float]
    run: Mapping[str, str]

    def below(self, loss: float) -> int | None:
        """The first step whose mean is lower; None if there is none."""
        return next((step for step, value in zip(self.steps, self.losses, strict=True) if value < loss), None)


@dataclass(frozen=True)
class Plateau:
    """Curves by start, each of the same setting.

    unigram  nats: the entropy of the pieces' frequencies, which is the loss of a network that knows them only
    setting  corpus, steps, pieces per batch, share masked, learning rate, seed; pieces that skip-gram read before
    """

    unigram: float
    setting: Mapping[str, str | int | float]
    curves: Mapping[str, Curve] = field(default_factory=dict)

    def to_text(self) -> str:
        """What the curves show, in sentences."""
        lines = [self._end(start) for start in NAMES if start in self.curves]
        lines += [
            f"No curve {NAMES[start]} is recorded: {_remedy(start)}" for start in NAMES if start not in self.curves
        ]
        before = self.setting["pieces read by skip-gram before"]
        return "\n".join(
            [*lines, f"Frequencies alone: {self.unigram:.2f} nats. Skip-gram read {before:,} pieces before."]
        )

    def _end(self, start: str) -> str:
        curve = self.curves[start]
        step = curve.below(self.unigram - BROKEN)
        when = f"first at step {step:,}" if step else "never"
        seen = curve.steps[-1] * int(self.setting["pieces per batch"]) / 1e6
        return (
            f"{NAMES[start]}: {curve.losses[-1]:.2f} nats after {curve.steps[-1]:,} steps ({seen:.2g} million pieces); "
            f"{BROKEN:g} nat below frequencies alone: {when}."
        )

    def figure(self) -> Figure:
        """Both curves and the line of frequencies alone."""
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(8.4, 3.4), layout="constrained")
        for start, curve in self.curves.items():
            axes.plot(curve.steps, curve.losses, color=COLOURS[start], ls="-" if start == "warm" else "--")
            axes.annotate(
                NAMES[start],
                (curve.steps[-1], curve.losses[-1]),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
            )
        axes.axhline(self.unigram, color="#8A8F98", lw=1, ls=":")
        last = max((curve.steps[-1] for curve in self.curves.values()), default=1)
        axes.text(last, self.unigram, "frequencies of pieces alone", fontsize=9, va="bottom", ha="right")
        axes.set(
            xlim=(0, 1.28 * last),  # room for the curves' names
            xlabel=f"step of {self.setting['pieces per batch']:,} pieces",
            ylabel="masked-LM loss in nats",
            title="One network, the same text: two starts",
        )
        axes.spines[["top", "right"]].set_visible(False)
        plt.close(figure)
        return figure


def plateau_path() -> Path:
    return data_dir("recorded", "plateau.json")


def recorded_plateau() -> Plateau | None:
    """What was measured; None if nothing was. Raises CourseError for a file that is damaged or of a newer format."""
    return read_recorded(plateau_path(), FORMAT, COMMAND, _plateau)


def _plateau(document: dict) -> Plateau:
    curves = {start: Curve(**curve) for start, curve in document["curves"].items()}
    for start, curve in curves.items():
        if start not in NAMES or len(curve.steps) != len(curve.losses) or not curve.steps:
            raise ValueError(f"curve {start!r} with {len(curve.steps)} steps and {len(curve.losses)} losses")
    found = Plateau(float(document["unigram"]), document["setting"], curves)
    found.to_text()  # a record that cannot be said is damaged
    return found


def show_plateau() -> Figure | None:
    """For a notebook: the sentences are printed, the figure is returned. A record that is missing is said."""
    found = recorded_plateau()
    if found is None:
        print(f"Nothing is recorded yet, so there are no curves to show. {_remedy()}")
        return None
    print(found.to_text())
    return found.figure()


def keep_curve(start: str, curve: Curve, unigram: float, setting: Mapping[str, str | int | float]) -> Plateau:
    """Put a curve into the record. The other one stays if it is of the same setting: else they cannot be compared.

    Raises CourseError for a loss that is not a finite number, and if the file cannot be written.
    """
    if not all(map(math.isfinite, curve.losses)):
        raise CourseError(f"plateau: the curve {NAMES[start]} has a loss that is not a finite number. Nothing is kept.")
    old = recorded_plateau()
    curves = dict(old.curves) if old is not None and dict(old.setting) == dict(setting) else {}
    found = Plateau(
        unigram, dict(setting), {name: {**curves, start: curve}[name] for name in NAMES if name in {*curves, start}}
    )
    write_recorded(plateau_path(), {"format": FORMAT, **asdict(found)}, indent=None)
    return found


def _remedy(start: str | None = None) -> str:
    return f"To measure (about 6 minutes a curve on one core): {COMMAND}{f' --start {start}' if start else ''}"
