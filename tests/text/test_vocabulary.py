"""Vocabularies: order, unknown words, files; and what stands for words that a vocabulary lacks."""

import copy
import pickle
from collections import Counter
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from course_lib.text.vocabulary import Vocabulary, known_form
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
    (lambda: Vocabulary.from_sentences(["a b"]), r"'a b' .str.*split_words"),
    (lambda: Vocabulary(["a", "b"]).encode("a b"), r"'a b' .str.*split_words"),
    (lambda: Vocabulary(["a", "b"]).encode(["a", "zebra"]), r"'zebra' is not among the 2 words.*Leave unknown"),
)


def test_a_word_is_looked_up_in_lower_case_too():
    assert [known_form(word, {"the", "Kim"}) for word in ("The", "KIM", "Kim", "kim")] == ["the", None, "Kim", None]
