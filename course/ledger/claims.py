"""The claims of the course and their rules, as `data/claims.toml` fixes them before anything is measured.

`get_claim("C4.5").rules[0].delta` is the smallest interesting difference, in `.unit`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path

from course.ledger.rule_file import read_rule_file
from course_lib.config import data_dir
from course_lib.errors import CourseError

SIGNS = {"greater": 1.0, "less": -1.0}


@dataclass(frozen=True)
class Published:
    """A value from the literature, in words: shown beside ours, never mixed with it. V is surer than V1."""

    text: str
    certainty: str
    source: str


@dataclass(frozen=True)
class Rule:
    """What is measured, and what makes the claim hold. All numbers are in `unit`."""

    kind: str  # "difference", "equivalence" or "exact"
    quantity: str
    unit: str
    name: str = ""  # of the condition, where a claim has several
    side: str = "greater"  # difference: the side of `threshold` on which the interval must lie
    threshold: float = 0.0
    delta: float = 0.0  # the smallest interesting difference; equivalence: the margin
    tolerance: float = 0.0  # exact: the largest error allowed
    varies: str = "items"  # "items": bootstrap over them; "seeds": Student's t
    item: str = ""  # the noun for one item or seed
    clusters: str = ""  # what items share that belong together
    control: str = ""
    no_control: str = ""

    @property
    def sign(self) -> float:
        return SIGNS[self.side]

    @property
    def words(self) -> str:
        """The rule as a sentence."""
        if self.kind == "exact":
            return f"Holds when the error is at most {self.tolerance:g}."
        if self.kind == "equivalence":
            return f"Holds when the 95 % interval lies inside ±{self.delta:g} {self.unit}."
        where = "above" if self.side == "greater" else "below"
        control = "; the control must contain 0, and the effect must exceed it" if self.control else ""
        return (
            f"Holds when the 95 % interval lies wholly {where} {self.threshold:g}{control}. "
            f"Smallest interesting difference: {self.delta:g} {self.unit}."
        )


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
        return int(self.id[1 : self.id.index(".")])

    @property
    def exact(self) -> bool:
        return all(rule.kind == "exact" for rule in self.rules)

    @property
    def command(self) -> str:
        """What measures the recorded value again."""
        return f"course claims {self.id} --run --profile full --record"


def load_claims(path: str | Path) -> dict[str, Claim]:
    """The claims of one rule file, by id. Raises CourseError with file, claim, key and remedy for a faulty entry."""
    return {table["id"]: _claim(table) for table in read_rule_file(Path(path))}


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


def _claim(table: dict) -> Claim:
    shared = {key: table[key] for key in _RULE_KEYS if key in table}
    rules = tuple(Rule(**_without_irrelevant(shared | part)) for part in table.get("condition", [{}]))
    published = tuple(Published(**entry) for entry in table.get("published", ()))
    return Claim(
        id=table["id"],
        sentence=table["sentence"],
        source=table["source"],
        live=table["live"],
        rules=rules,
        delta_why=table.get("delta_why", ""),
        baselines=tuple(table.get("baselines", ())),
        parts=tuple(table.get("parts", ())),
        published=tuple(value for value in published if value.certainty != "M"),
    )


def _without_irrelevant(rule: dict) -> dict:
    """A condition of equivalence may stand in a claim whose other conditions have a side and a threshold."""
    drop = () if rule["kind"] == "difference" else ("side", "threshold")
    rule = {key: value for key, value in rule.items() if key not in drop}
    return rule | {"item": rule.get("item") or ("seed" if rule.get("varies") == "seeds" else "item")}


_RULE_KEYS = tuple(field.name for field in fields(Rule))
