"""Vocabularies: order, unknown words, files; and what stands for words that a vocabulary lacks."""

import copy
import pickle
from collections import Counter
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from course_lib.text.unknown_words import WORD_CLASSES, known_form, word_class
from course_lib.text.vocabulary import Vocabulary
from tests.mistakes import mistakes

SENTENCES = [["b", "a", "b", "c"], ["a", "d", "B"], ["b"]]
WORD = st.text(st.characters(), min_size=1)  # lone surrogates, tabs and newlines too


@given(st.lists(st.lists(WORD)), st.integers(1, 3), st.integers(2, 7))
def test_counts_and_order_for_any_text(sentences, min_count, max_size):
    vocabulary = Vocabulary.from_sentences(
        sentences, min_count=min_count, max_size=max_size, specials=["[PAD]", "[UNK]"], unknown="[UNK]"
    )
    counter = Counter(word for sentence in sentences for word in sentence)
    expected = sorted(counter.items(), key=lambda item: (-item[1], item[0]))
    expected = [(word, count) for word, count in expected if count >= min_count and word not in ("[PAD]", "[UNK]")]
    expected = expected[: max_size - 2]
    assert list(zip(vocabulary.words, vocabulary.counts, strict=True))[2:] == expected
    assert sum(vocabulary.counts) == counter.total()  # what is left out is counted as unknown


def test_specials_come_first_and_an_unknown_word_has_the_id_of_unknown():
    record = SimpleNamespace(words=("x", "[PAD]", "x"))
    vocabulary = Vocabulary.from_sentences([record], specials=("[PAD]", "[MASK]"))
    assert vocabulary.words == ("[PAD]", "[MASK]", "x")
    assert vocabulary.counts == (1, 0, 2)  # a text word spelt alike is that special
    assert vocabulary.encode(record) == [2, 0, 2]
    vocabulary = Vocabulary.from_sentences(SENTENCES, min_count=2, specials=["[UNK]"], unknown="[UNK]")
    assert vocabulary.counts == (3, 3, 2)
    assert vocabulary.encode(["a", "zebra", "b"]) == [2, 0, 1]
    assert vocabulary.decode([2, 0, 1]) == ["a", "[UNK]", "b"]


@given(st.lists(WORD, unique=True), st.data())
def test_save_and_load(tmp_path_factory, words, data):
    counts = data.draw(st.lists(st.integers(0, 10**12), min_size=len(words), max_size=len(words)))
    unknown = data.draw(st.sampled_from([None, *words]))
    vocabulary = Vocabulary(words, counts, unknown=unknown)
    path = tmp_path_factory.mktemp("vocabulary") / "words.txt"
    path.write_bytes(vocabulary.to_json().encode())
    assert Vocabulary.from_json(path.read_text(encoding="utf-8")) == vocabulary
    for same in (pickle.loads(pickle.dumps(vocabulary)), copy.deepcopy(vocabulary)):
        assert same == vocabulary
        assert hash(same) == hash(vocabulary)
        assert same.encode(words) == list(range(len(words)))


test_errors = mistakes(
    (lambda: Vocabulary(["a", "b", "a"]), "'a' more than once"),
    (lambda: Vocabulary.from_sentences(["a b"]), r"'a b' is a string.*split_words"),
    (lambda: Vocabulary(["a", "b"]).encode("a b"), r"'a b' is a string.*split_words"),
    (lambda: Vocabulary(["a", "b"]).encode(["a", "zebra"]), r"'zebra' is not among the 2 words.*Leave unknown"),
)


# -- What stands for words that a vocabulary lacks
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


def test_a_word_is_looked_up_in_lower_case_too():
    assert [known_form(word, {"the", "Kim"}) for word in ("The", "KIM", "Kim", "kim")] == ["the", None, "Kim", None]
