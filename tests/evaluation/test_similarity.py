"""Word similarity and analogies: small vectors whose answers are known, gensim's own numbers, and broken files."""

import lzma

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.evaluation.similarity import (
    Question,
    RatedPair,
    _gensim_data,
    analogies,
    load_analogies,
    load_rated_pairs,
    load_simlex999,
    load_wordsim353,
    pairs_known_to,
    word_similarity,
)
from course_lib.models.skip_gram import WordVectors


@pytest.fixture
def angles():
    """Words on a circle: the cosine falls with the angle."""
    degrees = torch.tensor([0.0, 10, 30, 60, 100])
    radians = torch.deg2rad(degrees)
    return WordVectors(["a", "b", "c", "d", "e"], torch.stack([radians.cos(), radians.sin()], 1))


def test_spearman_is_1_for_the_right_order_and_counts_what_was_found(angles):
    pairs = [("a", "b", 9.0), ("a", "c", 5.0), ("a", "d", 4.9), ("a", "e", 0.1), ("a", "nowhere", 9.9)]
    score = word_similarity(angles, pairs)
    assert (score.spearman, score.found, score.asked) == (pytest.approx(1.0), 4, 5)
    reversed_ratings = [(a, b, -rating) for a, b, rating in pairs]
    assert word_similarity(angles, reversed_ratings).spearman == pytest.approx(-1.0)
    assert word_similarity(angles, [("A", "b", 3), ("A", "c", 2), ("A", "E", 1)]).found == 3  # in lower case, too
    with pytest.raises(CourseError, match="Only 1 of 2 test pairs"):
        word_similarity(angles, [("a", "b", 1.0), ("a", "zzz", 2.0)])


def test_pairs_are_compared_only_where_both_systems_know_them(angles):
    other = WordVectors(["a", "c"], torch.eye(2))
    pairs = [RatedPair("a", "b", 1.0), RatedPair("a", "c", 2.0)]
    assert pairs_known_to(pairs, angles, other) == [pairs[1]]
    assert pairs_known_to(pairs, angles) == pairs


def test_word_similarity_equals_gensim():
    from gensim.models import KeyedVectors

    pairs = load_wordsim353()
    words = sorted({word.lower() for pair in pairs for word in pair[:2]})
    vectors = WordVectors(words, torch.randn(len(words), 7))
    reference = KeyedVectors(7)
    reference.add_vectors(words, vectors.vectors.numpy())
    expected = reference.evaluate_word_pairs(_gensim_data("wordsim353.tsv"), case_insensitive=True)[1][0]
    score = word_similarity(vectors, pairs)
    assert score.spearman == pytest.approx(expected, abs=1e-6)
    assert score.found == 353


def test_analogies_equal_gensim():
    from gensim.models import KeyedVectors

    questions = load_analogies()
    words = sorted({word for question in questions[:3000] for word in question[1:]})
    base = torch.randn(len(words), 11)
    pair_of = {question.a: question.b for question in questions[:3000]}
    index = {word: row for row, word in enumerate(words)}
    for a, b in pair_of.items():  # so that some answers are right
        base[index[b]] = base[index[a]] + 1.5 * torch.eye(11)[0]
    vectors = WordVectors(words, base)
    reference = KeyedVectors(11)
    reference.add_vectors(words, base.numpy())
    _, sections = reference.evaluate_word_analogies(_gensim_data("questions-words.txt"), case_insensitive=False)
    scores = analogies(vectors, questions)
    expected = {s["section"]: (len(s["correct"]), len(s["correct"]) + len(s["incorrect"])) for s in sections[:-1]}
    assert {name: (score.right, score.found) for name, score in scores.items() if name != "all"} == expected
    assert scores["all"].right > 100
    assert scores["all"].asked == len(questions)


def test_the_standard_sets_have_their_sizes(monkeypatch):
    assert len(load_wordsim353()) == 353
    assert len(load_simlex999()) == 999
    assert len(load_analogies()) == 19_544
    assert load_wordsim353()[0] == RatedPair("love", "sex", 6.77)
    assert load_analogies()[0] == Question("capital-common-countries", "Athens", "Greece", "Baghdad", "Iraq")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(CourseError, match="pip install gensim"):
        load_wordsim353()


def test_csv_with_header_and_byte_order_mark_and_packed_questions(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_bytes("﻿word 1,word 2,kor_score\r\n사과,배,6.5\r\n호랑이,고양이,7.17\r\n".encode())
    assert load_rated_pairs(path) == [RatedPair("사과", "배", 6.5), RatedPair("호랑이", "고양이", 7.17)]
    path = tmp_path / "questions.txt.xz"
    path.write_bytes(lzma.compress(": 수도\n서울 한국 파리 프랑스\n".encode()))
    assert load_analogies(path) == [Question("수도", "서울", "한국", "파리", "프랑스")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.tsv", b"a\tb\t1\nc\td\thigh\n", "line 2"),
        ("empty.tsv", b"", "no rated pair"),
        ("latin.tsv", b"caf\xe9\tb\t1\n", "UTF-8"),
        ("cut.csv.xz", lzma.compress(b"a,b,1\n" * 99)[:-9], "cannot be read"),
    ],
)
def test_broken_pair_files(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CourseError, match=message):
        load_rated_pairs(tmp_path / name)


def test_broken_question_files(tmp_path):
    (tmp_path / "three.txt").write_text(": s\na b c d\na b c\n")
    with pytest.raises(CourseError, match="line 3: 3 words"):
        load_analogies(tmp_path / "three.txt")
    with pytest.raises(CourseError, match=r"missing\.txt"):
        load_analogies(tmp_path / "missing.txt")
