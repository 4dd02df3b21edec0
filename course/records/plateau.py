"""The plateau of masked language modelling: what was recorded of two starts of one network, and its picture.

`python -m course.recipes.plateau` measures: the recipe of bert-en with its start ("warm": skip-gram's token table,
a first layer and an output that copy, sines, log frequencies) and as the paper starts it ("plain": random numbers). The
batches, masks, rates and steps are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from course.records.store import Store
from course_lib.language import key, t

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMMAND = "python -m course.recipes.plateau"
NAMES = {"warm": key("with bert-en's start"), "plain": key("from random numbers")}
COLOURS = {"warm": "#0072B2", "plain": "#D55E00"}  # Okabe-Ito
BROKEN = 1.0  # nats below the loss of frequencies alone: from here on we call the plateau broken


@dataclass(frozen=True)
class Curve:
    """Masked-LM loss in nats: `losses[i]` is the mean over the steps after `steps[i - 1]`, up to `steps[i]`."""

    steps: list[int]
    losses: list[float]
    run: Mapping[str, str]  # command, date, device, commit, versions, seconds

    def below(self, loss: float) -> int | None:
        """The first step whose mean is lower; None if there is none."""
        both = list(zip(self.steps, self.losses, strict=True))
        return next((step for step, value in both if value < loss), None)


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
        before = f"{self.setting['pieces read by skip-gram before']:,}"
        frequencies = {"loss": f"{self.unigram:.2f}", "before": before}
        says = t("Frequencies alone: {loss} nats. Skip-gram read {before} pieces before.", **frequencies)
        return "\n".join([*map(self._end, self.curves), says])

    def _end(self, start: str) -> str:
        curve = self.curves[start]
        step = curve.below(self.unigram - BROKEN)
        seen = curve.steps[-1] * int(self.setting["pieces per batch"])
        return t(
            "{start}: {loss} nats after {steps} steps ({seen} pieces); {broken} nat below frequencies alone: {when}.",
            start=t(NAMES[start]),
            loss=f"{curve.losses[-1]:.2f}",
            steps=f"{curve.steps[-1]:,}",
            seen=f"{seen:,}",
            broken=f"{BROKEN:g}",
            when=t("first at step {n}", n=f"{step:,}") if step else t("step|never"),
        )

    def figure(self) -> Figure:
        """Both curves and the line of frequencies alone."""
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(8.4, 3.4), layout="constrained")
        for start, curve in self.curves.items():
            axes.plot(curve.steps, curve.losses, color=COLOURS[start], ls="-" if start == "warm" else "--")
            end = curve.steps[-1], curve.losses[-1]
            axes.annotate(t(NAMES[start]), end, xytext=(5, 0), textcoords="offset points", va="center")
        axes.axhline(self.unigram, color="#8A8F98", lw=1, ls=":")
        last = max(curve.steps[-1] for curve in self.curves.values())
        axes.text(last, self.unigram, t("frequencies of pieces alone"), fontsize=9, va="bottom", ha="right")
        axes.set(
            xlim=(0, 1.28 * last),  # room for the curves' names
            xlabel=t("step of {n} pieces", n=f"{self.setting['pieces per batch']:,}"),
            ylabel=t("masked-LM loss in nats"),
            title=t("One network, the same text: two starts"),
        )
        axes.spines[["top", "right"]].set_visible(False)
        plt.close(figure)
        return figure


STORE = Store("plateau.json", Plateau, COMMAND, check=Plateau.to_text)  # what cannot be said is damaged


def show_plateau() -> Figure:
    """For a notebook: the sentences are printed, the figure is returned."""
    plateau = STORE.recorded()
    print(plateau.to_text())
    return plateau.figure()
