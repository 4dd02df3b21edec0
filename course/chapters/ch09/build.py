"""Build 9.B: the reader's verdicts on what the ledger has recorded."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np

from course.check.build import Build, Ran
from course.ledger import all_claims, read_record
from course.ledger.card import WORDS, Card, Finding, Record
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval
from course_lib.language import t

RANKS = ("contradicted", "cannot judge", "open", "holds")  # a claim has the word of its weakest condition
SETS, SEEDS, SHARE = 1_000, 5, (93, 97)  # invented sets of five seeds; in % of them a 95 % interval holds the truth


def run(train: bool, paired_interval, rule_word) -> Ran:
    def interval(per_seed, estimate: float) -> Interval:
        low, high = paired_interval(dict(enumerate(per_seed)), dict.fromkeys(range(len(per_seed)), 0.0), _t(per_seed))
        return Interval(float(low), float(high), estimate)

    def judged(finding: Finding, interval=interval) -> Finding:
        """The finding with an interval of its own, where its differences are kept, and with the reader's word."""
        effect = finding.effect
        if finding.per_seed:
            effect = interval(finding.per_seed, effect.estimate)
        rule = {key: asdict(finding.rule)[key] for key in ("kind", "side", "threshold", "delta", "at_least")}
        word = rule_word(rule, *(one and (one.low, one.high) for one in (effect, finding.excess, finding.positive)))
        return replace(finding, effect=effect, word=word)

    def play(claim_id: str = "C8.2"):
        record = _records().get(claim_id.upper())
        if record is None:
            raise CourseError(t("{id}: choose one of {all}.", id=repr(claim_id), all=", ".join(_records())))
        findings = tuple(map(judged, record.verdict.findings))
        word = min((finding.word for finding in findings), key=RANKS.index)
        own = replace(record.verdict, word=word, findings=findings, baselines={}, parts={}, note="")
        ours = [paired_interval, rule_word] == [part.solution for part in BUILD.exercises]
        return Card(record.verdict.claim, live=own, record=record, by="the course's" if ours else "yours")

    ran = Ran({}, play=play)
    if not train:
        return ran
    records = _records()
    pairs = [(finding, judged(finding)) for record in records.values() for finding in record.verdict.findings]
    seeds = [(a.effect, b.effect) for a, b in pairs if a.per_seed]
    same = sum(np.allclose((a.low, a.high), (b.low, b.high), rtol=1e-3, atol=1e-4) for a, b in seeds)
    ran.prove("intervals", same == len(seeds), same=same, n=len(seeds))
    same = sum(a.word == b.word for a, b in pairs)
    ran.prove("words", same == len(pairs), same=same, n=len(pairs))
    cards = [(record.verdict.word, play(claim_id).live.word) for claim_id, record in records.items()]
    same = sum(a == b for a, b in cards)
    ran.prove("claims", same == len(cards), same=same, n=len(cards))

    drawn = np.random.default_rng(0).normal(size=(SETS, SEEDS)).tolist()  # the truth is 0
    own = [interval(row, 0.0) for row in drawn]
    held, narrow = (
        100 * np.mean([i.low < 0 < i.high for i in many]) for many in (own, [_bootstrap(row, 0.0) for row in drawn])
    )
    said = {"own": f"{held:.0f}", "bootstrap": f"{narrow:.0f}", "n": f"{SETS:,}", "low": SHARE[0], "high": SHARE[1]}
    ran.prove("truth", SHARE[0] <= held <= SHARE[1], **said)
    lines = []
    for claim_id, record in records.items():
        for finding in record.verdict.findings:
            other = judged(finding, _bootstrap).word
            if other != finding.word:
                name = t(finding.rule.name) if finding.rule.name else ""
                lines.append(f"{claim_id} {name}: {t(WORDS[finding.word])} -> {t(WORDS[other])}")
    ran.shows = "\n".join([t("With a bootstrap over seeds these verdicts would be others:"), *lines])
    return ran


def _records() -> dict[str, Record]:
    """What is recorded of the claims that have an interval, by claim."""
    found = {claim.id: read_record(claim) for claim in all_claims().values() if not claim.exact}
    return {claim_id: record for claim_id, record in found.items() if record}


def _t(values) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.975))


def _bootstrap(values, estimate: float, n: int = 1_000) -> Interval:
    """The plain percentile interval: means of as many seeds, drawn with replacement."""
    values = np.array(values)
    means = values[np.random.default_rng(0).integers(len(values), size=(n, len(values)))].mean(1)
    return Interval(*map(float, np.quantile(means, (0.025, 0.975))), estimate)


BUILD = Build("9.B", ("9.1", "9.2"), run, importance=5, minutes=35, difficulty=4)
