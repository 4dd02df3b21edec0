"""The ledger: claims with their rules, measured, judged, recorded and shown. `show("C4.5")` draws a claim's card."""

from course.ledger.judge import Exact, Measurement, by_seed, claim, judge, means
from course.ledger.records import read_record
from course.ledger.report import run, show
from course.ledger.rules import all_claims

__all__ = ["Exact", "Measurement", "all_claims", "by_seed", "claim", "judge", "means", "read_record", "run", "show"]
