import tomllib
from collections import Counter

import pytest

from course.ledger.rules import all_claims, get_claim, load_claims
from course_lib.config import data_dir
from course_lib.errors import CourseError


def test_all_claims_are_entered_in_order():
    per_chapter = Counter(claim.chapter for claim in all_claims().values())
    assert list(per_chapter) == [*range(1, 9)]
    assert list(all_claims()) == [
        f"C{chapter}.{n}" for chapter in per_chapter for n in range(1, per_chapter[chapter] + 1)
    ]


def test_an_unknown_claim_names_its_neighbours():
    with pytest.raises(CourseError, match=r"no claim 'C8\.5'\. Chapter 8 has C8\.1, C8\.2, C8\.3, C8\.4\."):
        get_claim("C8.5")
    with pytest.raises(CourseError, match=r"Ids look like C4\.5"):
        get_claim("elmo")


# a law between a rule's keys -> whether a rule breaks it
LAWS = {
    "tolerance, 0 or a small positive number, judges exact claims and no others": lambda rule: (
        rule.tolerance != 0 if rule.kind != "exact" else rule.tolerance < 0
    ),
    "an exact claim is judged by its tolerance alone": lambda rule: (
        rule.kind == "exact" and (rule.delta or rule.clusters or rule.control or rule.no_control)
    ),
    "delta, the smallest interesting difference, is positive; `side` tells the way": lambda rule: (
        rule.kind != "exact" and rule.delta <= 0
    ),
    "a difference has either a control or, with the reason, no_control": lambda rule: (
        rule.kind == "difference" and bool(rule.control) == bool(rule.no_control)
    ),
    "a control removes a cause, and a claim of no difference has none: show it among the parts": lambda rule: (
        rule.kind == "equivalence" and rule.control
    ),
    "a positive control lies above something": lambda rule: bool(rule.at_least) and not rule.positive_control,
    "seeds are independent: no clusters, or let items vary": lambda rule: rule.varies == "seeds" and rule.clusters,
}


@pytest.mark.parametrize("law", LAWS)
def test_the_keys_of_a_rule_fit_together(law):
    assert [claim.id for claim in all_claims().values() if any(map(LAWS[law], claim.rules))] == []


def test_what_the_kind_of_a_rule_needs_is_written_down():
    needed = {"difference": {"side", "delta", "varies"}, "equivalence": {"delta", "varies"}, "exact": {"tolerance"}}
    for table in tomllib.loads(data_dir("claims.toml").read_text(encoding="utf-8"))["claim"]:
        rules = [table | part for part in table.get("condition", [{}])]
        assert [needed[rule["kind"]] - set(rule) for rule in rules] == [set()] * len(rules), table["id"]
        assert "delta_why" in table or all(rule["kind"] == "exact" for rule in rules), table["id"]
        names = [rule["name"] for rule in rules if "name" in rule]
        assert len(set(names)) == len(names) == (len(rules) if len(rules) > 1 else 0), table["id"]


GOOD = """
[[claim]]
id = "C3.1"
sentence = "States raise F1."
source = "N3"
kind = "difference"
quantity = "F1 with minus without"
unit = "points"
side = "greater"
delta = 1.0
delta_why = "one in a hundred"
varies = "seeds"
control = "untrained states"
live = true
published = [{ text = "91.93", certainty = "V", source = "a paper" }]
"""
CONDITIONS = """
[[claim.condition]]
name = "few"
side = "less"
[[claim.condition]]
name = "many"
kind = "equivalence"
threshold = 7
"""


def test_another_file_can_be_read(tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD.replace("C3.1", "C9.1") + CONDITIONS, encoding="utf-8")
    claim = load_claims(tmp_path / "mine.toml")["C9.1"]
    assert (claim.chapter, claim.delta_why) == (9, "one in a hundred")
    few, many = claim.rules
    assert (few.name, few.side, few.sign, few.delta, few.control) == ("few", "less", -1, 1.0, "untrained states")
    assert few.item == many.item == "seed"
    assert (many.kind, many.side, many.threshold) == ("equivalence", "greater", 0.0)


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("delta = 1.0", "detla = 1.0", ["claim C3.1 has no 'detla'"]),
        ("delta = 1.0", 'delta = "1.0"', ["claim C3.1.rules.0.delta is '1.0', not float"]),
        ('certainty = "V"', 'certainty = "sure"', ["published.0.certainty is 'sure', not one of: V, V1, M"]),
        ('"C3.1"', '"3.1"', ["claim 3.1", "such as C4.5"]),
        ("live = true", 'live = "yes"', ["live is 'yes', not bool"]),
        ('side = "less"', 'side = "les"', ["rules.0.side is 'les'"]),
    ],
)
def test_a_mistake_is_named_with_its_place_and_remedy(tmp_path, old, new, parts):
    path, text = tmp_path / "rules.toml", GOOD + CONDITIONS * (old in CONDITIONS)
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(CourseError) as caught:
        load_claims(path)
    assert [part for part in (str(path), *parts) if part not in str(caught.value)] == []
