"""What a training leaves behind: numbers per step, evaluations, seconds."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field

from course_lib.errors import CourseError


@dataclass
class History:
    """One entry per step in `steps`, `losses`, and in each list of `parts` and `learning_rates`.

    steps           steps done, from 1
    losses          mean loss of the step's batch, before the step changed the weights
    parts           the loss's named parts; None where a step had no such (finite) part
    learning_rates  by name of the parameter group
    evaluations     what `evaluate` gave, each with its "step"
    seconds         time in training, over all the runs that resume joined
    interrupted     True if the reader stopped it
    """

    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    parts: dict[str, list[float | None]] = field(default_factory=dict)
    learning_rates: dict[str, list[float]] = field(default_factory=dict)
    evaluations: list[dict] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False

    def add(self, step: int, loss: float, parts: dict[str, float], rates: dict[str, float]) -> None:
        for name in parts:  # in the order of the loss: that of a set changes with the hash seed
            self.parts.setdefault(name, [None] * len(self.steps))
        for name, values in self.parts.items():
            value = parts.get(name)
            values.append(value if value is not None and math.isfinite(value) else None)
        for name, rate in rates.items():
            self.learning_rates.setdefault(name, []).append(rate)
        self.steps.append(step)
        self.losses.append(loss)

    def add_evaluation(self, step: int, scores: dict) -> None:
        """Scores may be numbers of NumPy or PyTorch; None stands for one that is not finite."""
        plain = {name: value.item() if hasattr(value, "item") else value for name, value in scores.items()}
        for name, value in plain.items():
            if not isinstance(value, (bool, int, float, str, type(None))):
                raise CourseError(
                    f"fit: evaluate gave a {type(value).__name__} for {name!r}. Return a dict of numbers by name."
                )
            if isinstance(value, float) and not math.isfinite(value):
                plain[name] = None
        self.evaluations.append({"step": step, **plain})

    def evaluated(self, step: int) -> bool:
        return bool(self.evaluations) and self.evaluations[-1]["step"] == step

    def to_json(self) -> str:
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> History:
        """The History that `to_json` wrote."""
        return cls(**json.loads(text))
