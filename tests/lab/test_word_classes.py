"""Every string has a class, and the words of these lists have theirs."""

from hypothesis import given
from hypothesis import strategies as st

from course.lab.word_classes import WORD_CLASSES, typed_words, with_unknown, word_class

DECOMPOSED = ["\u1107\u1162\u1105\u1173\u11af"]  # 배를
CLASSES = {
    "number": ["7", "1,000", "-3.5", ".5", "3rd", "1990s", "20일", "10,000원"],
    "hyphen": ["well-known", "Anglo-Saxon", "mother-in-law", "한-미"],
    "capitalised": ["Kim", "NATO", "Running", "Éva", "O'Brien"],
    "-ing": ["running", "blogging", "flying"],
    "-ed": ["blogged", "added"],
    "-ly": ["quickly", "wryly"],
    "-s": ["blogs", "wugs", "dog's"],
    "Hangul + particle": [
        "배를",
        *DECOMPOSED,
        *["밥을", "배가", "밥이", "서울로", "부산으로", "학교에서", "친구의", "너까지"],
    ],
    "Hangul + ending": ["먹었다", "갔지만", "예뻐요", "먹는데", "공부하고"],
    "Hangul": ["배", "바다", "사이", "편지", "을", "밥를", "배을", "집로"],
    "other": ["wug", "thing", "king", "red", "need", "fly", "glass", "bus", "this", "🙂", "--", "<b>", "배bae", "東京"],
}


@given(st.text())
def test_every_string_has_a_class(word):
    assert word_class(word) in WORD_CLASSES


def test_class_of_a_word_and_a_long_one_is_read_at_once():
    assert tuple(CLASSES) == WORD_CLASSES
    assert [(word, word_class(word)) for words in CLASSES.values() for word in words] == [
        (word, name) for name, words in CLASSES.items() for word in words
    ]
    for part in ("a", "-a", "a-", "a'", "배", "5"):
        assert word_class(part * 100_000 + "ing!") in WORD_CLASSES  # hours, if an expression went back and forth


def test_what_is_typed_is_cut_as_the_texts_are_that_were_read():
    known = {"바다", "은", "가방은"}
    assert typed_words("배가 바다에서 은 가방은.", known) == ["배", "가", "바다", "에서", "은", "가방은", "."]
    assert typed_words("The ship's sails, in vain.", known) == ["The", "ship", "'s", "sails", ",", "in", "vain", "."]
    assert with_unknown("read", ["바다", "은"], known) == "read"
    assert with_unknown("read", ["배", "은", "배"], known) == "read; not known to it: 배"
