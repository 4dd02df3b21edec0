"""Which layers train when, and how fast: gradual unfreezing and discriminative learning rates, as one plan.

Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.2 (discriminative fine-tuning: each layer's rate is that of the
layer above over 2.6) and 3.3 (gradual unfreezing: from the last layer down, one more with every epoch).

A model here is one in layer groups that freeze by name: any ContextEncoder, any head. A stage is one call of `fit`,
with a schedule of its own, as in the authors' code:

    plan = gradual(classifier, epochs=6)
    print(plan)
    for stage in plan.stages:
        fit(classifier, batches, epochs=stage.epochs, groups=plan.start(classifier, stage), schedule=slanted_triangular)
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from course_lib.language import columns, t

FACTOR = 2.6  # Howard & Ruder 2018, section 3.2


@dataclass(frozen=True)
class Stage:
    """Epochs `first` to `first + epochs - 1` (from 0), in which the groups of `open` train."""

    first: int
    epochs: int
    open: tuple[str, ...]


@dataclass(frozen=True)
class Unfreezing:
    """The plan. `names`: all groups, input to output; `factors`: their shares of the learning rate while they are open.

    Printed, it is a table: a row per group, output on top, a column per stage; a dot is a frozen group.
    """

    names: tuple[str, ...]
    factors: tuple[float, ...]
    stages: tuple[Stage, ...]

    def rates(self, stage: Stage) -> dict[str, float]:
        """Group -> factor of the learning rate in this stage; 0 for a frozen group."""
        shares = zip(self.names, self.factors, strict=True)
        return {name: factor if name in stage.open else 0.0 for name, factor in shares}

    def start(self, model: nn.Module, stage: Stage) -> list[tuple[str, list[nn.Parameter], float]]:
        """Freeze and open the model's groups for a stage; the open ones with their factors, for `fit(groups=...)`."""
        model.freeze(list(self.names))
        model.unfreeze(list(stage.open))
        rates = self.rates(stage)
        return [(name, parameters, rates[name]) for name, parameters in model.layer_groups() if name in stage.open]

    def __str__(self) -> str:
        spans = [(stage.first + 1, stage.first + stage.epochs) for stage in self.stages]
        rates = [self.rates(stage) for stage in self.stages]
        table = [[t("epoch"), *(f"{a}" if a == b else f"{a}-{b}" for a, b in spans)]]
        for name in reversed(self.names):
            table.append([t(name), *(f"{shares[name]:.3f}" if shares[name] else "." for shares in rates)])
        widths = [max(map(columns, column)) for column in zip(*table, strict=True)]
        cells = ([row[0] + " " * (widths[0] - columns(row[0])), *map(str.rjust, row[1:], widths[1:])] for row in table)
        return "\n".join("  ".join(row) for row in cells)


def gradual(model: nn.Module, epochs: int, factor: float | int = FACTOR) -> Unfreezing:
    """From the last group down: one more opens with every epoch, until all train for the epochs that are left.

    epochs: at least as many as there are groups. factor: a group's rate over that of the group below; 1 gives all the
    same.
    """
    names, factors = _names_and_factors(model, factor)
    assert epochs >= len(names), f"{epochs} epochs cannot open {len(names)} groups one by one"
    stages = [Stage(number, 1, names[-1 - number :]) for number in range(len(names) - 1)]
    stages.append(Stage(len(names) - 1, epochs - len(names) + 1, names))
    return Unfreezing(names, factors, tuple(stages))


def at_once(model: nn.Module, epochs: int, factor: float | int = FACTOR) -> Unfreezing:
    """All groups train from the first epoch on: what gradual unfreezing is compared with, and how the LM is tuned."""
    names, factors = _names_and_factors(model, factor)
    return Unfreezing(names, factors, (Stage(0, epochs, names),))


def _names_and_factors(model: nn.Module, factor: float | int) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """The groups, and each one's share of the rate: 1 for the last, factor ** -(groups above it) for a lower one."""
    names = tuple(name for name, _ in model.layer_groups())
    return names, tuple(float(factor) ** -above for above in reversed(range(len(names))))
