"""What the judge says: a finding for each rule of a claim, and the verdict over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from course_lib.evaluation.intervals import Interval
from course_lib.experiments.claims import Claim, Rule


@dataclass(frozen=True)
class Finding:
    """One rule and what was found. An exact rule has an `error`, every other an `effect`."""

    rule: Rule
    word: str  # "holds", "contradicted", "open"
    sentence: str = ""
    effect: Interval | None = None
    control: Interval | None = None
    excess: Interval | None = None  # effect minus control
    error: float | None = None
    moved: bool = True  # exact: what must move has moved
    detail: str = ""
    n: int = 0  # items or seeds
    n_clusters: int | None = None
    per_seed: tuple[float, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What the ledger says about a claim after one measurement. A notebook shows it as a card."""

    claim: Claim
    word: str
    sentence: str
    findings: tuple[Finding, ...]
    baselines: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float | str | Interval] = field(default_factory=dict)
    data: str = ""
    note: str = ""

    def __repr__(self) -> str:
        return f"{self.claim.id} {self.sentence}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        from course_lib.experiments.ledger import Card

        return Card(self.claim, live=self)._repr_mimebundle_()
