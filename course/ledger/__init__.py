"""The ledger: claims with their rules, measured, judged, recorded and shown. `show("C4.5")` draws a claim's card."""

from course.ledger.judge import Exact, Measurement, claim, judge, means
from course.ledger.records import read_record
from course.ledger.report import run, show
from course.ledger.rules import all_claims, get_claim

__all__ = ["Exact", "Measurement", "all_claims", "claim", "get_claim", "judge", "means", "read_record", "run", "show"]
