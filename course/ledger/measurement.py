"""What a claim's function returns, and how it says which claim it measures.

    @claim("C4.5", full={"encoder": "elmo-en", "senses": "coarsewsd20"})
    def upper_layer_knows_senses(*, encoder="elmo-small", senses="handmade") -> Measurement:
        ...
        return Measurement(100 * (upper - window), "points", clusters=words, control=shuffled, data="handmade senses")

The defaults are the quick profile, `full` is what the recorded profile changes. A claim with conditions returns a dict
{condition: Measurement}, an exact one an Exact. No printing, no files, no judging here: the ledger does that.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from course.chapters import FOLDER as CHAPTERS
from course_lib.errors import CourseError


@dataclass(frozen=True, eq=False)
class Measurement:
    """Paired differences, system minus baseline: one per test item, or one per seed.

    values     [item] or [seed]; or rows [item, column] with a `statistic` of rows, as the correlation of two columns
    unit       as in the claim's rule
    clusters   one id per item: items that share a word, a sentence, a document
    seeds      True: the values are one difference per seed (both systems trained with it)
    statistic  rows -> number; None is the mean. The same items in the control: same rows, same order
    control    the same measured with the cause removed
    baselines  {name: score}, and parts {name: number, text or Measurement}: shown, not judged
    data       what it was measured on, named in the verdict ("the world", "UD English EWT")
    """

    values: Sequence[float] | np.ndarray
    unit: str
    clusters: Sequence | None = None
    seeds: bool = False
    statistic: Callable[[np.ndarray], float] | None = None
    control: Measurement | None = None
    baselines: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float | str | Measurement] = field(default_factory=dict)
    data: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != (1 if self.statistic is None else 2):
            wanted = "one number per item or seed" if self.statistic is None else "rows [item, column]"
            raise CourseError(f"Measurement got values of shape {values.shape}. Give {wanted}.")
        if self.seeds and (self.clusters is not None or self.statistic is not None):
            raise CourseError(
                "Measurement: seeds=True takes one number per seed, no clusters and no statistic. Compute it per seed."
            )
        object.__setattr__(self, "values", values)
        if self.clusters is not None:
            ids = self.clusters.tolist() if isinstance(self.clusters, np.ndarray) else list(self.clusters)
            object.__setattr__(self, "clusters", ids)


@dataclass(frozen=True)
class Exact:
    """For a claim that holds or not, without chance: the largest error, and whether what must move has moved."""

    error: float
    unit: str
    holds: bool = True  # the other side of the law: False if something stayed that had to change
    detail: str = ""
    baselines: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float | str | Measurement] = field(default_factory=dict)
    data: str = ""
    note: str = ""


Measured = Measurement | Exact | dict[str, Measurement | Exact]


@dataclass(frozen=True)
class ClaimCode:
    """A claim's function with the arguments that the full profile changes."""

    claim_id: str
    function: Callable[..., Measured]
    full: Mapping[str, object]

    def measure(self, profile: str, **overrides) -> Measured:
        return self.function(**((dict(self.full) if profile == "full" else {}) | overrides))


_CODE: dict[str, ClaimCode] = {}


def claim(claim_id: str, *, full: Mapping[str, object] | None = None) -> Callable:
    """Decorator: this function measures that claim. It stays an ordinary function."""

    def register(function: Callable[..., Measured]) -> Callable[..., Measured]:
        _check_arguments(claim_id, function, full or {})
        old = _CODE.get(claim_id)
        if old is not None and _place(old.function) != _place(function):  # a reloaded module replaces its own
            places = f"{_place(old.function)} and {_place(function)}"
            raise CourseError(f"Claim {claim_id} is measured twice, by {places}. Keep one.")
        _CODE[claim_id] = ClaimCode(claim_id, function, dict(full or {}))
        return function

    return register


def find_code(claim_id: str, chapter: int) -> ClaimCode | None:
    """The code of a claim, in `course/chapters/chNN/claims*.py`; None if it is not written yet."""
    folder = CHAPTERS / f"ch{chapter:02}"
    for module in pkgutil.iter_modules([str(folder)]):
        if module.name.startswith("claims"):
            importlib.import_module(f"course.chapters.{folder.name}.{module.name}")
    return _CODE.get(claim_id)


def _check_arguments(claim_id: str, function: Callable, full: Mapping[str, object]) -> None:
    """Every argument has a default, the quick profile; `full` changes some of them."""
    parameters = inspect.signature(function).parameters.values()
    if missing := [parameter.name for parameter in parameters if parameter.default is parameter.empty]:
        raise CourseError(
            f"Claim {claim_id}: {function.__name__} needs defaults, its quick profile, for {', '.join(missing)}."
        )
    if unknown := sorted(set(full) - {parameter.name for parameter in parameters}):
        raise CourseError(
            f"Claim {claim_id}: full names {', '.join(unknown)}, which {function.__name__} does not take."
        )


def _place(function: Callable) -> str:
    return f"{function.__module__}.{function.__qualname__}"
