"""Word similarity: small vectors whose answers are known, gensim's own numbers, and broken files."""

import lzma

import pytest
import torch

from course.lab.similarity import pairs_known_to, word_similarity
from course.sources import rated_pairs
from course.sources.rated_pairs import _gensim_data, load_simlex999, load_wordsim353
from course_lib.data.readers.word_tests import RatedPair, load_rated_pairs
from course_lib.errors import CourseError
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
    assert pairs_known_to(pairs[:3], angles, WordVectors(["a", "c"], torch.eye(2))) == pairs[1:2]
    with pytest.raises(CourseError, match="Only 1 of 2 test pairs"):
        word_similarity(angles, [("a", "b", 1.0), ("a", "zzz", 2.0)])


def test_word_similarity_equals_gensim(monkeypatch):
    from gensim.models import KeyedVectors

    pairs = load_wordsim353()
    assert (len(pairs), len(load_simlex999()), pairs[0]) == (353, 999, RatedPair("love", "sex", 6.77))
    words = sorted({word.lower() for pair in pairs for word in pair[:2]})
    vectors = WordVectors(words, torch.randn(len(words), 7))
    reference = KeyedVectors(7)
    reference.add_vectors(words, vectors.vectors.numpy())
    expected = reference.evaluate_word_pairs(_gensim_data("wordsim353.tsv"), case_insensitive=True)[1][0]
    score = word_similarity(vectors, pairs)
    assert score.spearman == pytest.approx(expected, abs=1e-6)
    assert score.found == 353
    monkeypatch.setattr(rated_pairs, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match="pip install gensim"):
        load_wordsim353()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("bad.tsv", b"a\tb\t1\nc\td\thigh\n", "line 2"),
        ("latin.tsv", b"caf\xe9\tb\t1\n", "UTF-8"),
        ("cut.csv.xz", lzma.compress(b"a,b,1\n" * 99)[:-9], "is damaged"),
    ],
)
def test_pair_files_and_broken_ones(tmp_path, name, content, message):
    path = tmp_path / "pairs.csv"  # with a header and a byte-order mark
    path.write_bytes("\ufeffword 1,word 2,kor_score\r\n사과,배,6.5\r\n호랑이,고양이,7.17\r\n".encode())
    assert load_rated_pairs(path) == [RatedPair("사과", "배", 6.5), RatedPair("호랑이", "고양이", 7.17)]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CourseError, match=message):
        load_rated_pairs(tmp_path / name)
