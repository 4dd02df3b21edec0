"""Byte-pair encoding by hand, and merge for merge against the tokenizers library."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from course_lib.errors import CourseError
from course_lib.text.byte_pairs import apply, learn, merged, pair_counts, symbols

PAPER = {"low": 5, "lower": 2, "newest": 6, "widest": 3}  # Sennrich et al. 2016, algorithm 1


def library(words, n, word_end):
    """(merges, tokenizer) of the tokenizers library after n merges."""
    suffix = {"end_of_word_suffix": word_end} if word_end else {}
    tokenizer = Tokenizer(models.BPE(**suffix))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    alphabet = {c for word in words for c in word} | {word[-1] + word_end for word in words}
    trainer = trainers.BpeTrainer(vocab_size=len(alphabet) + n, show_progress=False, **suffix)
    tokenizer.train_from_iterator([" ".join([word] * count) for word, count in words.items()], trainer)
    found = json.loads(tokenizer.to_str())["model"]["merges"]
    return [tuple(pair) for pair in found], tokenizer


def test_the_papers_example_by_hand():
    merges = learn(PAPER, 5)
    assert merges[:3] == [("e", "s", 9), ("es", "t</w>", 9), ("l", "o", 7)]
    assert apply("lowest", merges) == ["lo", "w", "est</w>"]
    assert apply("zest", merges) == ["z", "est</w>"]  # a character that was never seen stays


def test_counts_are_of_words_times_neighbours():
    counts = pair_counts({"aab": (symbols("aab", ""), 3), "ab": (symbols("ab", ""), 2)})
    assert counts == {("a", "a"): 3, ("a", "b"): 5}


def test_joins_from_the_left():
    assert merged(("a", "a", "a", "b"), "a", "a") == ("aa", "a", "b")


WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 5), min_size=1, max_size=7)


@given(words=WORDS, n=st.integers(0, 13), other=st.text("abc", min_size=1, max_size=11))
def test_equals_tokenizers_ties_included(words, n, other):
    theirs, tokenizer = library(words, n, "")
    ours = learn(words, n, word_end="")
    assert [merge[:2] for merge in ours] == theirs[:n]
    known = "".join(c for c in other if any(c in word for word in words))
    if known and len(theirs) <= n:
        assert apply(known, ours, word_end="") == tokenizer.encode(known).tokens


def test_equals_tokenizers_with_word_ends():
    text = (
        "폭설이 마을로 가는 짧은 길조차 더 어렵게 만들고 있다 the snow is making even short trips to the village harder"
    )
    words = {word: 2**i for i, word in enumerate(text.split())}  # counts that give no ties between words
    unique = learn(words, 40)
    theirs, tokenizer = library(words, 40, "</w>")
    assert [merge[:2] for merge in unique] == theirs
    for word in words:
        assert apply(word, unique) == tokenizer.encode(word).tokens


def test_stops_when_every_word_is_one_piece():
    assert len(learn({"abc": 1}, 100)) == 2
    assert learn({"a": 7}, 3) == []


@pytest.mark.parametrize(
    ("words", "n", "says"), [({"a": 1}, -1, "n=-1"), ({"": 2}, 1, "''"), ({"ab": 0}, 1, "count 0")]
)
def test_says_what_is_wrong(words, n, says):
    with pytest.raises(CourseError, match=says):
        learn(words, n)
