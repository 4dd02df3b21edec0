"""The ledger: measure a claim, read its record, show both on one card.

    show("C4.5")                       in a notebook: the card, measured live if that takes no more than about 8 s
    judge("C4.5", my_measurement)      (judging.py) the same for a measurement of your own
    run("C4.5", profile="full")        measure and judge, at recorded scale

A claim whose code is not written yet says "not measured yet".
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from course.ledger.claims import Claim, get_claim
from course.ledger.judging import judge
from course.ledger.measurement import find_code
from course.ledger.records import Record, read_record, write_record
from course.ledger.verdict import Verdict
from course.ledger.verdict_card import NOT_MEASURED, card_html
from course_lib.config import PROFILES, settings
from course_lib.errors import CourseError


@dataclass(frozen=True)
class Card:
    """A claim with its live and its recorded verdict, either of which may be missing. A notebook draws it."""

    claim: Claim
    live: Verdict | None = None
    record: Record | None = None
    profile: str = "quick"  # of the live verdict

    def __repr__(self) -> str:
        """The card as text: what a terminal, a screen reader and an untrusted page get."""
        lines = [f"{self.claim.id} {self.claim.sentence}"]
        if self.live is not None:
            lines.append(f"live ({self.profile}): {self.live.sentence}")
        if self.record is not None:
            run = self.record.run
            outdated = " [judged by an earlier rule]" if self.record.outdated else ""
            lines.append(f"recorded ({run['date']}, {run['device']}): {self.record.verdict.sentence}{outdated}")
        if len(lines) == 1:
            lines.append(NOT_MEASURED)
        lines += [f"published: {value.text} ({value.source})" for value in self.claim.published]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": card_html(self)}


def run(claim_id: str, profile: str | None = None, **overrides) -> Verdict:
    """Measure a claim with its own code and judge it. `overrides` are arguments of its function.

    profile: "quick" or "full"; None takes COURSE_PROFILE. Raises CourseError if the claim has no code yet.
    """
    claim, profile = get_claim(claim_id), profile or settings().profile
    if profile not in PROFILES:
        raise CourseError(f"There is no profile {profile!r}. Use one of: {', '.join(PROFILES)}.")
    code = find_code(claim.id, claim.chapter)
    if code is None:
        raise CourseError(
            f"Claim {claim.id} has no code yet. Write a function with @claim({claim.id!r}) in "
            f"course/chapters/ch{claim.chapter:02}/claims.py."
        )
    return judge(claim, code.measure(profile, **overrides))


def recorded(claim_id: str) -> Record | None:
    """What was measured at the full profile, with device, date and commit; None if nothing was."""
    return read_record(get_claim(claim_id))


def show(claim_id: str, *, live: bool | None = None, **overrides) -> Card:
    """The claim's card. None measures live where the claim is quick, in the full profile, or with `overrides`."""
    claim, profile = get_claim(claim_id), settings().profile
    if live is None:
        live = claim.live or profile == "full" or bool(overrides)
    measurable = live and find_code(claim.id, claim.chapter) is not None
    return Card(claim, run(claim.id, profile, **overrides) if measurable else None, read_record(claim), profile)


def run_and_record(claim_id: str) -> Card:
    """Measure at the full profile and replace the claim's record. Nothing is written if measuring or judging fails."""
    from course.ledger.provenance import provenance

    claim, start = get_claim(claim_id), time.perf_counter()
    origin = provenance()  # of the code as it is when the measurement starts
    verdict = run(claim.id, "full")
    seconds = f"{time.perf_counter() - start:.0f}"
    write_record(verdict, {"command": claim.command, "profile": "full", **origin, "seconds": seconds})
    return Card(claim, verdict, read_record(claim), "full")
