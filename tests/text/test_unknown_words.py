"""What stands for words that a vocabulary lacks."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.text.unknown_words import (
    STRATEGIES,
    UNKNOWN,
    WORD_CLASSES,
    extend,
    known_form,
    replace_unknown,
    type_key,
    word_class,
)
from course_lib.text.vocabulary import Vocabulary

CLASSES = {
    "number": ["7", "1,000", "-3.5", ".5", "3rd", "1990s", "20일", "10,000원"],
    "hyphen": ["well-known", "Anglo-Saxon", "mother-in-law", "한-미"],
    "capitalised": ["Kim", "NATO", "Running", "Éva", "O'Brien"],
    "-ing": ["running", "blogging", "flying"],
    "-ed": ["blogged", "added"],
    "-ly": ["quickly", "wryly"],
    "-s": ["blogs", "wugs", "dog's"],
    "Hangul + particle": ["배를", "밥을", "배가", "밥이", "서울로", "부산으로", "학교에서", "친구의", "너까지"],
    "Hangul + ending": ["먹었다", "갔지만", "예뻐요", "먹는데", "공부하고"],
    "Hangul": ["배", "바다", "사이", "편지", "을", "밥를", "배을", "집로"],
    "other": ["wug", "thing", "king", "red", "need", "fly", "glass", "bus", "this", "🙂", "--", "<b>", "배bae", "東京"],
}


@pytest.mark.parametrize(("name", "word"), [(name, word) for name, words in CLASSES.items() for word in words])
def test_class_of_a_word(name, word):
    assert word_class(word) == name


def test_every_class_is_tested():
    assert tuple(CLASSES) == WORD_CLASSES


def test_decomposed_hangul_is_read_like_composed():
    assert word_class("\u1107\u1162\u1105\u1173\u11af") == word_class("배를") == "Hangul + particle"


@given(st.text())
def test_every_string_has_a_class(word):
    assert word_class(word) in WORD_CLASSES


@pytest.mark.parametrize("part", ["a", "-a", "a-", "a'", "배", "5"])
def test_a_long_word_is_read_at_once(part):
    assert word_class(part * 100_000 + "ing!") in WORD_CLASSES  # hours, if an expression went back and forth


PASSAGE = ["The", "wug", "met", "Kim", ",", "Kim", "was", "blicking"]
KNOWN = {"the", "met", ",", "was"}


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("unk", ["The", UNKNOWN, "met", UNKNOWN, ",", UNKNOWN, "was", UNKNOWN]),
        ("classes", ["The", "[other]", "met", "[capitalised]", ",", "[capitalised]", "was", "[-ing]"]),
        ("own", ["The", "[new 1]", "met", "[new 2]", ",", "[new 2]", "was", "[new 3]"]),
    ],
)
def test_a_text_with_its_unknown_words_replaced(strategy, expected):
    assert replace_unknown(PASSAGE, KNOWN, strategy) == expected


@given(st.lists(st.sampled_from(["a", "b", "C", "d"])), st.sets(st.sampled_from("abcd")))
def test_own_keeps_apart_what_differs_and_one_what_is_equal(words, known):
    replaced = replace_unknown(words, known, "own")
    for old, new in zip(words, replaced, strict=True):
        assert (new == old) == (known_form(old, known) is not None)
        assert [other == old for other in words] == [other == new for other in replaced]


def test_rare_words_counted_by_class_make_a_vocabulary():
    frequent = Vocabulary.from_sentences([PASSAGE, ["Kim", "was"]], min_count=2)
    read = Vocabulary.from_sentences([replace_unknown(PASSAGE, frequent, "classes")])
    counts = {"Kim": 2, "was": 1, "[capitalised]": 1, "[other]": 3, "[-ing]": 1}  # other: wug, met and the comma
    assert dict(zip(read.words, read.counts, strict=True)) == counts


@pytest.mark.parametrize(
    ("word", "form"), [("the", "the"), ("The", "the"), ("KIM", None), ("Kim", "Kim"), ("kim", None)]
)
def test_known_form(word, form):
    assert known_form(word, {"the", "Kim"}) == form


def test_another_strategy_is_refused():
    with pytest.raises(CourseError, match=f"'mean'.*{', '.join(STRATEGIES)}"):
        replace_unknown(PASSAGE, KNOWN, "mean")


def test_an_extended_vocabulary_keeps_every_old_id():
    old = Vocabulary(["[UNK]", "the", "bank"], [5, 3, 2], unknown="[UNK]")
    new = extend(old, ["bank", "mud", "배", "mud"])
    assert new.words == ("[UNK]", "the", "bank", "mud", "배")
    assert new.counts == (5, 3, 2, 0, 0)
    assert new.encode(["mud", "the", "wages"]) == [3, 1, 0]
    assert len(old) == 3


def test_a_key_is_the_words_own_and_the_same_in_every_process():
    words = [f"{a}{b}" for a in "가나다abc" for b in range(1_000)]
    keys = {type_key(word) for word in words}
    assert len(keys) == len(words)
    assert min(keys) >= 1
    assert max(keys) < 2**63
    assert type_key("Kim", seed=3) != type_key("Kim") == type_key("Kim", seed=0)
    code = "from course_lib.text.unknown_words import type_key; print(type_key('배'))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(printed) == type_key("배")


def test_a_word_of_half_a_character_has_a_key():
    assert type_key("\ud83d") != type_key("\ude42")
