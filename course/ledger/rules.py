"""The claims of the course and their rules, as `data/claims.toml` fixes them before anything is measured.

`get_claim("C4.5").rules[0].delta` is the smallest interesting difference, in `.unit`. The dataclasses are the file's
schema: their fields say which keys there are and of which type. What keys of a rule must fit together is asked of the
shipped file by `tests/ledger/test_rules.py`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from course.records.store import typed
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.language import key, t

# when a rule of kind "difference" holds, by its side and whether it has a control
_HOLDS = {
    ("greater", False): key("Holds when the 95 % interval lies wholly above {zero}."),
    ("less", False): key("Holds when the 95 % interval lies wholly below {zero}."),
    ("greater", True): key(
        "Holds when the 95 % interval lies wholly above {zero}, and its excess over the control wholly above 0."
    ),
    ("less", True): key(
        "Holds when the 95 % interval lies wholly below {zero}, and its excess over the control wholly below 0."
    ),
}


@dataclass(frozen=True)
class Published:
    """A value from the literature, in words: shown beside ours, never mixed with it. V is surer than V1."""

    text: str
    certainty: Literal["V", "V1", "M"]
    source: str

    def __str__(self) -> str:
        return f"{t(self.text)} ({t(self.source)})"


@dataclass(frozen=True)
class Rule:
    """What is measured, and what makes the claim hold. All numbers are in `unit`."""

    kind: Literal["difference", "equivalence", "exact"]
    quantity: str
    unit: str
    name: str = ""  # of the condition, where a claim has several
    side: Literal["greater", "less"] = "greater"  # difference: the side of `threshold` on which the interval must lie
    threshold: float = 0.0
    delta: float = 0.0  # the smallest interesting difference; equivalence: the margin
    tolerance: float = 0.0  # exact: the largest error allowed
    varies: Literal["items", "seeds"] = "items"  # "items": bootstrap over them; "seeds": Student's t
    item: str = ""  # the noun for one item or seed
    clusters: str = ""  # what items share that belong together
    control: str = ""
    no_control: str = ""
    positive_control: str = (
        ""  # what must show, or the measurement cannot judge: above a floor, a cause that was learned
    )
    at_least: float = 0.0  # ... by how much, in the unit of that measurement

    @property
    def sign(self) -> float:
        return {"greater": 1.0, "less": -1.0}[self.side]

    def amount(self, v: str) -> str:
        """A value with its unit: "+3.1 points"; in Korean the unit may stand around it."""
        return t(f"{{v}} {self.unit}", v=v)

    @property
    def words(self) -> str:
        """When it holds, as a sentence."""
        if self.kind == "exact":
            return t("Holds when the error is at most {error}.", error=f"{self.tolerance:g}")
        if self.kind == "equivalence":
            return t("Holds when the 95 % interval lies inside {delta}.", delta=self.amount(f"±{self.delta:g}"))
        holds, delta = t(_HOLDS[self.side, bool(self.control)], zero=f"{self.threshold:g}"), f"{self.delta:g}"
        return f"{holds} {t('Smallest interesting difference: {delta}.', delta=self.amount(delta))}"

    @property
    def text(self) -> str:
        """What is measured, against which control, and when it holds."""
        parts = [f"{t(self.quantity)}."]
        if self.control:
            parts.append(t("Control: {control}.", control=t(self.control)))
        elif self.no_control:
            parts.append(t("No control: {why}.", why=t(self.no_control)))
        parts.append(self.words)
        if self.positive_control:
            asked = {"asked": t(self.positive_control), "least": f"{self.at_least:g}"}
            parts.append(t("Judged only if {asked} is above {least}.", **asked))
        return " ".join(parts)


@dataclass(frozen=True)
class Reason:
    """Why a verdict does not hold: the field knows better by now, our networks are small, or the test is weak."""

    reason: Literal["field", "scale", "test"]
    because: str


@dataclass(frozen=True)
class Claim:
    """One sentence of the notes or the papers, and the rule that judges it."""

    id: str
    sentence: str
    source: str
    live: bool  # its quick form takes no more than about 8 s
    rules: tuple[Rule, ...]  # one, or one for each condition: all must hold
    delta_why: str = ""
    baselines: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()  # without those of certainty M: from memory, never shown

    @property
    def chapter(self) -> int:
        return chapter_of(self.id)

    @property
    def exact(self) -> bool:
        return all(rule.kind == "exact" for rule in self.rules)

    @property
    def command(self) -> str:
        """What measures the recorded value again."""
        return f"course claims {self.id} --run --profile full --record"


def chapter_of(claim_id: str) -> int:
    """4 of C4.5."""
    return int(claim_id[1 : claim_id.index(".")])


def all_claims() -> dict[str, Claim]:
    """The claims of `data/claims.toml`, by id; read again when the file has changed."""
    path = data_dir("claims.toml")
    return _cached(path, path.stat().st_mtime_ns if path.exists() else 0)


def get_claim(claim_id: str) -> Claim:
    """The claim with this id. Raises CourseError if there is none."""
    claims = all_claims()
    if claim_id not in claims:
        chapters = sorted({claim.chapter for claim in claims.values()})
        near = [known for known in claims if known.split(".")[0] == str(claim_id).split(".")[0]]
        raise CourseError(
            f"There is no claim {claim_id!r}. "
            + (f"Chapter {near[0][1]} has {', '.join(near)}." if near else f"Ids look like C4.5; chapters: {chapters}.")
        )
    return claims[claim_id]


@lru_cache(maxsize=2)
def _cached(path: Path, _changed: int) -> dict[str, Claim]:
    return load_claims(path)


def load_claims(path: str | Path) -> dict[str, Claim]:
    """The claims of one rule file, by id."""
    return _read(path, lambda tables: {claim.id: claim for claim in map(_claim, tables["claim"])})


def reasons() -> dict[str, Reason]:
    """Why recorded verdicts do not hold, by claim: `data/reasons.toml`, written by hand after measuring."""
    return _read(data_dir("reasons.toml"), lambda tables: typed(Mapping[str, Reason], tables, "reasons"))


def _read(path: str | Path, build: Callable[[dict], dict]) -> dict:
    """What `build` makes of the file's tables; a CourseError with file and place where it cannot."""
    try:
        return build(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise CourseError(f"{path} cannot be used: {error}. Mend it, or restore it with git.") from None


def _claim(table: dict) -> Claim:
    """A claim's table holds its rule's keys too, or, under `condition`, those in which its rules differ."""
    keys = {field.name for field in fields(Rule)}
    told = {key: value for key, value in table.items() if key not in keys}
    rules = []
    for part in told.pop("condition", [{}]):
        rule = {key: value for key, value in table.items() if key in keys} | part
        if rule.get("kind") != "difference":  # it may stand beside conditions that have a side and a threshold
            rule = {key: value for key, value in rule.items() if key not in ("side", "threshold")}
        rules.append({"item": "seed" if rule.get("varies") == "seeds" else "item"} | rule)
    claim = typed(Claim, told | {"rules": rules}, f"claim {table.get('id')}")
    if not re.fullmatch(r"C[1-9]\.[1-9][0-9]?", claim.id):
        raise ValueError(f"claim {claim.id}: an id is C, chapter, point, number, such as C4.5")
    return replace(claim, published=tuple(value for value in claim.published if value.certainty != "M"))
