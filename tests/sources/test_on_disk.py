"""The corpus of docstrings: what the file holds, and samples of it."""

import hashlib
import lzma
from collections import Counter

import pytest

from course.sources.on_disk import on_disk_sentences
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.language import speaking


def test_the_whole_file():
    corpus = on_disk_sentences()
    _, _, body = lzma.decompress(data_dir("docstrings", "corpus.txt.xz").read_bytes()).partition(b"\n")
    assert corpus.fingerprint == hashlib.sha256(body).hexdigest()
    assert [" ".join(sentence) for sentence in corpus.sentences] == [
        line.split("\t")[1] for line in body.decode().splitlines()
    ]
    assert len(set(map(tuple, corpus.sentences))) == len(corpus.sentences)
    counts = Counter(word for sentence in corpus.sentences for word in sentence)
    assert all(word == word.lower() and (word.isalpha() or "'" in word) for word in counts)
    assert all(counts[word] > 200 for word in ("kernel", "key", "string", "matrix", "error", "minimum", "maximum"))
    assert str(corpus) == "1,647,781 words in 132,648 sentences from 44 packages (fingerprint 4d7bb548)"
    with speaking("ko"):
        assert str(corpus).startswith("패키지 44개에서 나온 문장 132,648개, 단어 1,647,781개")


def test_a_sample_is_even_and_never_larger():
    corpus = on_disk_sentences()
    sample = on_disk_sentences(max_words=100_000)
    assert 99_900 < sum(map(len, sample.sentences)) <= 100_000
    places = {tuple(sentence): place / len(corpus.sentences) for place, sentence in enumerate(corpus.sentences)}
    tenths = Counter(int(10 * places[tuple(sentence)]) for sentence in sample.sentences)
    assert all(0.08 < tenths[tenth] / len(sample.sentences) < 0.12 for tenth in range(10))
    assert on_disk_sentences(max_words=10**9) == corpus
    with pytest.raises(CourseError, match="max_words=0"):
        on_disk_sentences(max_words=0)
