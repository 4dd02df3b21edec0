import copy
import pickle
from collections import Counter
from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.text.vocabulary import Vocabulary

SENTENCES = [["b", "a", "b", "c"], ["a", "d", "B"], ["b"]]
WORD = st.text(st.characters(), min_size=1)  # lone surrogates, tabs and newlines too


def test_order_is_by_count_then_code_point():
    vocabulary = Vocabulary.from_sentences(SENTENCES)
    assert vocabulary.words == ("b", "a", "B", "c", "d")
    assert vocabulary.counts == (3, 2, 1, 1, 1)
    assert dict(vocabulary.index) == {"b": 0, "a": 1, "B": 2, "c": 3, "d": 4}
    assert len(vocabulary) == 5
    assert "c" in vocabulary
    assert "e" not in vocabulary


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


def test_specials_come_first_and_a_text_word_spelt_alike_is_that_special():
    vocabulary = Vocabulary.from_sentences([["x", "[PAD]", "x"]], specials=("[PAD]", "[MASK]"))
    assert vocabulary.words == ("[PAD]", "[MASK]", "x")
    assert vocabulary.counts == (1, 0, 2)


def test_two_ways_with_unknown_words():
    vocabulary = Vocabulary.from_sentences(SENTENCES, min_count=2, specials=["[UNK]"], unknown="[UNK]")
    assert vocabulary.counts == (3, 3, 2)
    assert vocabulary.encode(["a", "zebra", "b"]) == [2, 0, 1]
    assert vocabulary.encode_known(["a", "zebra", "b"]) == [2, 1]
    assert vocabulary.decode([2, 0, 1]) == ["a", "[UNK]", "b"]
    closed = Vocabulary.from_sentences(SENTENCES)
    assert closed.encode([]) == []
    with pytest.raises(CourseError, match=r"'zebra' is not among the 5 words.*encode_known"):
        closed.encode(["a", "zebra"])


def test_takes_records_with_words_and_refuses_strings():
    record = SimpleNamespace(words=("b", "a"))
    vocabulary = Vocabulary.from_sentences([record])
    assert vocabulary.encode(record) == [1, 0]
    for call in (vocabulary.encode, vocabulary.encode_known, lambda text: Vocabulary.from_sentences([text])):
        with pytest.raises(CourseError, match=r"'a b' is a string.*split_words"):
            call("a b")


@given(st.lists(WORD, unique=True), st.data())
def test_save_and_load(tmp_path_factory, words, data):
    counts = data.draw(st.lists(st.integers(0, 10**12), min_size=len(words), max_size=len(words)))
    unknown = data.draw(st.sampled_from([None, *words]))
    vocabulary = Vocabulary(words, counts, unknown=unknown)
    path = tmp_path_factory.mktemp("vocabulary") / "words.txt"
    vocabulary.save(path)
    assert Vocabulary.load(path) == vocabulary
    for same in (pickle.loads(pickle.dumps(vocabulary)), copy.deepcopy(vocabulary)):
        assert same == vocabulary
        assert hash(same) == hash(vocabulary)
        assert same.encode(words) == list(range(len(words)))


def test_the_file_is_readable(tmp_path):
    Vocabulary(["배", "a\tb\\", "x\n"], [5, 3, 2], unknown="x\n").save(tmp_path / "words.txt")
    text = (tmp_path / "words.txt").read_text(encoding="utf-8")
    assert text == "course vocabulary 1\t3\tx\\n\n배\t5\na\\tb\\\\\t3\nx\\n\t2\n"
    (tmp_path / "windows.txt").write_bytes(text.replace("\n", "\r\n").encode())
    assert Vocabulary.load(tmp_path / "windows.txt") == Vocabulary.load(tmp_path / "words.txt")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"line 1: the first line should start with 'course vocabulary 1'"),
        (b"{}", r"line 1: the first line"),
        (b"course vocabulary 2\t0\t\n", r"line 1: the first line"),
        (b"course vocabulary 1\t2\t\na\t3\n", r"line 3: the header promises 2 words, there are 1"),
        (b"course vocabulary 1\t1\t\na\t3", r"line 2: the header promises 1 words"),
        (b"course vocabulary 1\t2\t\na\t3\na\t2\n", r"line 3: the word 'a' stood there before"),
        (b"course vocabulary 1\t2\t\na\t3\nb 2\n", r"line 3: 'b 2' is not a word, a tab and a count"),
        (b"course vocabulary 1\t1\t\na\t-3\n", r"line 2: 'a\\t-3' is not"),
        (b"course vocabulary 1\t1\t\na\\q\t3\n", r"line 2: .* is not a word"),
        (b"course vocabulary 1\t1\t\n\t3\n", r"line 2: .* is not a word"),
        (b"course vocabulary 1\t1\tb\na\t3\n", r"line 1: the unknown word 'b' is not in the list"),
        (b"course vocabulary 1\t1\t\n\xff\t3\n", r"line 2: byte 23 is not UTF-8"),
    ],
)
def test_damaged_files(tmp_path, content, message):
    path = tmp_path / "words.txt"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=rf"words\.txt, {message}.*restore or rebuild"):
        Vocabulary.load(path)


def test_a_missing_file(tmp_path):
    with pytest.raises(CourseError, match=r"nowhere\.txt"):
        Vocabulary.load(tmp_path / "nowhere.txt")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Vocabulary(["a", "b", "a"]), "'a' more than once"),
        (lambda: Vocabulary(["a", ""]), "'' as a word"),
        (lambda: Vocabulary(["a", 7]), "7 as a word"),
        (lambda: Vocabulary(["a", "b"], [1, 2, 3]), "2 words and 3 counts"),
        (lambda: Vocabulary(["a"], [-1]), "count -1"),
        (lambda: Vocabulary(["a"], unknown="[UNK]"), r"'\[UNK\]' is not in the vocabulary"),
        (lambda: Vocabulary.from_sentences([["a"]], max_size=1, specials=["x", "y"]), "max_size=1 has no room for 2"),
        (lambda: Vocabulary(["a", "b"]).decode([0, 2]), "no word with id 2: .* 0 to 1"),
        (lambda: Vocabulary(["a", "b"]).decode([-1]), "no word with id -1"),
    ],
)
def test_errors(build, message):
    with pytest.raises(CourseError, match=message):
        build()


def test_cannot_be_changed():
    vocabulary = Vocabulary(["a", "b"])
    with pytest.raises(FrozenInstanceError):
        vocabulary.words = ("c",)
    with pytest.raises(FrozenInstanceError):
        del vocabulary.words
    with pytest.raises(TypeError):
        vocabulary.index["c"] = 2
