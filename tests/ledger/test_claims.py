import re
from collections import Counter

import pytest

from course.ledger.claims import all_claims, get_claim, load_claims
from course.ledger.measurement import find_code
from course_lib.errors import CourseError

PER_CHAPTER = {1: 4, 2: 5, 3: 5, 4: 7, 5: 4, 6: 10, 7: 7, 8: 4}
EXACT = {"C1.4", "C2.1", "C4.1", "C6.3", "C6.4", "C6.8", "C6.9", "C7.1", "C8.1"}  # marked (E) in the syllabus


def test_all_claims_are_entered_in_order():
    claims = all_claims()
    assert Counter(claim.chapter for claim in claims.values()) == PER_CHAPTER
    numbers = [tuple(map(int, claim_id[1:].split("."))) for claim_id in claims]
    assert numbers == [(chapter, n) for chapter, count in PER_CHAPTER.items() for n in range(1, count + 1)]
    assert {claim.id for claim in claims.values() if claim.exact} == EXACT


@pytest.mark.parametrize("claim_id", list(all_claims()))
def test_every_claim_has_code(claim_id):
    assert find_code(claim_id, all_claims()[claim_id].chapter).claim_id == claim_id


def test_a_sentence_is_one_sentence_and_no_two_are_alike():
    sentences = [claim.sentence for claim in all_claims().values()]
    assert len(set(sentences)) == sum(PER_CHAPTER.values())
    for sentence in sentences:
        assert re.fullmatch(r"[^.]*(\.[^. ][^.]*)*\.", sentence), sentence


def test_conditions_take_what_they_do_not_say_from_their_claim():
    function, topic = get_claim("C1.2").rules
    assert (function.side, topic.side) == ("less", "greater")
    assert function.delta == topic.delta == 1.0
    assert function.sign == -1.0
    few, *_, many = get_claim("C2.2").rules
    assert (few.kind, few.threshold) == ("difference", 1.0)
    assert (many.kind, many.threshold) == ("equivalence", 0.0)
    assert few.item == "seed"


def test_what_was_only_remembered_is_never_shown():
    texts = [value.text for claim in all_claims().values() for value in claim.published]
    assert not [text for text in texts if "81.47" in text or "91.66" in text or ".793" in text]
    assert any("88.67" in text for text in texts)


def test_an_unknown_claim_names_its_neighbours():
    with pytest.raises(CourseError, match=r"no claim 'C8\.5'\. Chapter 8 has C8\.1, C8\.2, C8\.3, C8\.4\."):
        get_claim("C8.5")
    with pytest.raises(CourseError, match=r"Ids look like C4\.5"):
        get_claim("elmo")


def test_rules_in_words():
    assert get_claim("C2.1").rules[0].words == "Holds when the error is at most 1e-06."
    assert get_claim("C1.3").rules[0].words == "Holds when the 95 % interval lies inside ±0.2 share of the ceiling."
    words = get_claim("C1.2").rules[0].words
    assert "wholly below 0; the control must contain 0" in words
    assert "Smallest interesting difference: 1 points per doubling." in words


def test_another_file_can_be_loaded(tmp_path):
    (tmp_path / "mine.toml").write_text(
        '[[claim]]\nid = "C9.1"\nsentence = "It is so."\nsource = "me"\nlive = false\nkind = "exact"\n'
        'quantity = "error"\nunit = "m"\ntolerance = 0\n'
    )
    assert load_claims(tmp_path / "mine.toml")["C9.1"].chapter == 9
