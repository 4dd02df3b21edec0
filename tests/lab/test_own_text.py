"""A text of one's own: what is dropped is told, and the thread reads it."""

import random
import sys
import unicodedata
from collections import Counter

import pytest
import torch

from course import kept
from course.check import build as builds
from course.check import play
from course.lab import own_text
from course.lab.roles import thread
from course_lib.errors import CourseError
from course_lib.language import speaking

STEMS = {"en": "abcdefgh", "ko": "가나다라마바사아"}


@pytest.fixture(autouse=True)
def answers(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "answers"))


def written(path, n, language="en", rare=0):
    """A file of n sentences of seven words and a point; `rare` words that stand there once."""
    draw, letters = random.Random(3), STEMS[language]
    lines = [[draw.choice(letters) + draw.choice(letters) for _ in range(7)] for _ in range(n)]
    for i in range(rare):
        lines[2 * i][3] = f"{letters[0]}x{i}x"
    path.write_text("\n\n".join(" ".join(words) + " ." for words in lines), encoding="utf-8")
    return path


def test_what_is_left_out_is_counted(tmp_path):
    book = written(tmp_path / "book.txt", 2_600, rare=5)
    sentences = book.read_text().split("\n\n")
    long = " ".join(["ab"] * 130) + " ."
    frame = ["Licence of the file", "*** START OF THE BOOK ***", "", long, "Oh!", "* * *", "17", *sentences]
    book.write_text("\ufeff" + "\n\n".join(frame) + "\n*** END OF THE BOOK ***\nmore licence", encoding="utf-8")
    made = own_text.made_of([book])
    last = len(book.read_text().splitlines())
    assert made.dropped == {"book.txt": [1, 3, 11, 13, last - 1, last]}
    assert (made.n_short, made.n_cut, made.n_unknown, made.n_left) == (1, 1, 5, 0)
    assert made.n_words == 8 * 2_600 + 131
    assert [len(words) for words in made.sentences[:4]] == [60, 60, 11, 8]
    assert made.n_known == len(STEMS["en"]) ** 2 + 1


def test_the_most_is_read_and_the_rest_counted(tmp_path):
    made = own_text.made_of([written(tmp_path / "a.txt", 4_000), written(tmp_path / "b.txt", 4_000)])
    assert (made.n_words, made.n_left) == (60_000, 4_000)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a few words .", "4 words that can be read; 20,000 are needed"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (unicodedata.normalize("NFD", "가나다 라마 .\n").encode() * 4, "--language ko"),
        (("a" + "\u0301\u0316" * 500_000).encode(), "0 words that can"),  # at once it would take a quarter of an hour
        (b"{\\rtf1 a few words .}", "not plain text"),
        (b'{\n "cells": ["a few words ."]}', "not plain text"),
    ],
)
def test_a_file_that_is_no_text_for_this_is_said(tmp_path, content, says):
    path = tmp_path / "odd.txt"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=says):
        own_text.made_of([path])


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_thread_reads_it_and_keeps_new_sentences_apart(tmp_path, language):
    if language == "ko":
        pytest.importorskip("kiwipiepy")
    with speaking(language):
        made = own_text.made_of([written(tmp_path / "a.txt", 2_600, language, rare=30)])
        own_text.keep("mine", made)
        with kept.of_text("mine"):
            own = thread()
        assert (own.own, thread().own) == ("mine", "")
    assert own.words[:2] == ["</s>", "<unk>"]
    assert set(own.words[2:]) == {word for words in made.sentences for word in words} - {"<unk>"}
    read = Counter(map(tuple, own.text))
    assert not read.keys() & set(map(tuple, own.new))
    assert sum((read + Counter(map(tuple, own.new))).values()) <= len(made.sentences)
    assert 250 <= len(own.new) <= 400
    assert int(own.counts.sum()) == sum(map(len, own.text))
    assert int((own.stream == 1).sum()) == sum(words.count("<unk>") for words in own.text)
    ids, labels = own.batch(own.sample(3, seed=0))  # labelled sentences stay the world's
    assert ids.shape == labels.shape
    assert torch.equal(own.pairs.unique(), own.pairs.unique().clamp(1))


@pytest.mark.parametrize(
    ("name", "says"), [("none", r"There is no text none.*There are: half"), ("half", "not as"), ("../x", "Use letters")]
)
def test_a_text_that_is_not_there_or_was_changed_is_said(name, says):
    own_text.folder().mkdir(parents=True)
    (own_text.folder() / "half.txt").write_text("a b c .\n")
    with pytest.raises(CourseError, match=says), kept.of_text(name):
        thread()


@pytest.mark.parametrize(
    ("build_id", "few", "names"),
    [
        ("1.B", {"EPOCHS": 1}, ["loss", "contexts"]),
        ("3.B", {"OWN_LM_STEPS": 1}, ["perplexity", "sides"]),
        ("4.B", {"COMPARED": 3, "OCCURRENCES": 3}, ["states"]),
        ("6.B", {"OWN_STEPS": 1, "N_NEW": 3}, ["bleu", "source", "equal"]),
        ("7.B", {"STEPS": 1}, ["loss", "words", "both sides"]),
    ],
)
def test_a_build_proves_and_keeps_what_it_made_of_each_text_apart(tmp_path, monkeypatch, build_id, few, names):
    monkeypatch.setattr(builds, "_LAST", {})
    build = builds.find(build_id)
    for name, n in few.items():
        monkeypatch.setattr(sys.modules[build.run.__module__], name, n)
    own_text.keep("mine", own_text.made_of([written(tmp_path / "a.txt", 2_600)]))
    with kept.of_text("mine"):
        result = builds.solution(build)
        assert kept.folder().relative_to(tmp_path / "answers").as_posix() == "kept/en/mine"
    assert [name for name, _, _ in builds._LAST[build_id, "mine"].proofs] == names
    assert f'play("{build_id}", text="mine")' in result.paragraphs[-1]
    assert play(build_id, text="mine").height
    if build_id == "1.B":  # others would read the world first, which takes seconds
        with pytest.raises(CourseError, match="nothing is kept yet"):
            play(build_id)


def test_a_build_that_reads_no_text_of_one_s_own_says_which_do(monkeypatch):
    monkeypatch.setattr(builds, "find", lambda _: builds.Build("9.B", ("7.6",), print, importance=1, minutes=1))
    with pytest.raises(CourseError, match=r"reads no text of your own\. These do: 1\.B, 3\.B, 4\.B, 6\.B, 7\.B"):
        builds.play("9.B", text="mine")
