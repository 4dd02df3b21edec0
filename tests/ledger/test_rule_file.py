import pytest

from course.ledger.rule_file import read_rule_file
from course_lib.errors import CourseError

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
control = "nothing"
"""


def complaint(tmp_path, text: str) -> str:
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError) as caught:
        read_rule_file(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_good_file_is_read(tmp_path):
    (tmp_path / "rules.toml").write_text(GOOD, encoding="utf-8")
    assert read_rule_file(tmp_path / "rules.toml")[0]["delta"] == 1.0


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("delta = 1.0", "detla = 1.0", ["claim C3.1", "'detla'", "Did you mean 'delta'?"]),
        ("delta = 1.0", 'delta = "1.0"', ["claim C3.1", "'delta'", "'1.0'", "a number"]),
        ("delta = 1.0", "delta = true", ["'delta'", "a number"]),
        ("delta = 1.0", "delta = nan", ["'delta'", "a number"]),
        ("delta = 1.0", "delta = -1.0", ["'delta' is -1.0", "positive"]),
        ("delta = 1.0\n", "", ["missing 'delta'"]),
        ('delta_why = "one in a hundred"\n', "", ["missing 'delta_why'"]),
        ('side = "greater"', 'side = "above"', ["'above'", "greater, less"]),
        ('kind = "difference"', 'kind = "differnce"', ["'differnce'", "difference, equivalence, exact"]),
        ('kind = "difference"', 'kind = "exact"', ["missing 'tolerance'"]),
        ('kind = "difference"', 'kind = "exact"\ntolerance = 0', ["Delete side, delta, varies, control"]),
        ('kind = "difference"', 'kind = "equivalence"', ["a claim of no difference has none", "`parts`"]),
        ('varies = "seeds"', 'varies = "seeds"\nclusters = "word"', ["Delete 'clusters'"]),
        ('control = "untrained states"', "", ["either 'control' or", "'no_control'"]),
        ('certainty = "V"', 'certainty = "sure"', ["published value 1", "'sure'", "V, V1, M"]),
        ('text = "91.93", ', "", ["published value 1", "missing 'text'"]),
        ('"C3.1"', '"3.1"', ["claim 3.1", "such as C4.5"]),
        ("live = true", 'live = "yes"', ["'live'", "true or false"]),
        ('sentence = "States raise F1."', 'sentence = " "', ["'sentence'", "a text in quotes"]),
        ("delta = 1.0", "delta = 1.0\ndelta = 2.0", ["not valid TOML", "line 11"]),
        ("[[claim]]", "[[clam]]", ["[[claim]]", "clam"]),
        ('id = "C3.1"\n', "", ["claim number 1", "missing 'id'"]),
    ],
)
def test_a_mistake_is_named_with_its_place_and_remedy(tmp_path, old, new, parts):
    assert GOOD.count(old) == 1
    message = complaint(tmp_path, GOOD.replace(old, new))
    assert [part for part in parts if part not in message] == []


def test_a_claim_stands_there_once(tmp_path):
    assert "claim C3.1 stands there twice" in complaint(tmp_path, GOOD + GOOD)


def test_a_condition_is_checked_with_what_it_takes_from_its_claim(tmp_path):
    assert "condition 'many': a control removes a cause" in complaint(tmp_path, GOOD + CONDITIONS)
    without_control = GOOD.replace("control =", "no_control =")
    assert "key 'control'" not in without_control
    path = tmp_path / "rules.toml"
    path.write_text(without_control + CONDITIONS.replace('control = "nothing"\n', ""), encoding="utf-8")
    assert len(read_rule_file(path)[0]["condition"]) == 2
    assert "two different names" in complaint(tmp_path, without_control + CONDITIONS.replace("many", "few"))


def test_a_missing_and_a_foreign_file(tmp_path):
    with pytest.raises(CourseError, match=r"none\.toml is missing.*git"):
        read_rule_file(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b'id = "\xe9"')
    with pytest.raises(CourseError, match=r"not UTF-8 \(byte 6"):
        read_rule_file(tmp_path / "latin.toml")
