"""WordVectors: cosines by hand, gensim as reference in both directions, and files of every broken kind."""

import bz2
import gzip
import lzma
import os
import tracemalloc
import unicodedata

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.models.skip_gram import WordVectors
from tests.mistakes import mistakes

ODD_WORDS = ["the", "배", "과수원의", "🍐👩‍👩‍👧", "<b>bold</b>", "naïve", "a\tb", "日本　語", "0.5", "-1e9", "\\n"]
ODD_WORDS += ["x" * 10_000]


@pytest.fixture
def odd():
    return WordVectors(ODD_WORDS, torch.randn(len(ODD_WORDS), 7) * torch.logspace(-30, 30, 7))


def same(a: WordVectors, b: WordVectors) -> bool:
    return a.words == b.words and torch.equal(a.vectors, b.vectors)


def test_cosines_by_hand():
    vectors = WordVectors(["right", "up", "both", "left", "nothing"], [[2, 0], [0, 3], [1, 1], [-5, 0], [0, 0]])
    assert vectors.similarity("right", "up") == 0.0
    assert vectors.similarity("right", "both") == pytest.approx(2**-0.5, abs=1e-7)
    assert vectors.similarity("right", "left") == -1.0
    assert vectors.similarity("both", "both") == pytest.approx(1.0, abs=1e-15)
    assert vectors.similarity("right", "nothing") == 0.0  # not NaN
    words = [word for word, _ in vectors.neighbours("right")]
    assert (words[0], set(words[1:3]), words[3]) == ("both", {"up", "nothing"}, "left")


def test_neighbours_and_analogies_equal_gensim():
    from gensim.models import KeyedVectors

    words = [f"w{i}" for i in range(101)]
    table = torch.randn(101, 13)
    vectors, reference = WordVectors(words, table), KeyedVectors(13)
    reference.add_vectors(words, table.numpy())

    def equal(ours, theirs):
        assert [word for word, _ in ours] == [word for word, _ in theirs]
        assert [cosine for _, cosine in ours] == pytest.approx([cosine for _, cosine in theirs], abs=1e-5)

    equal(vectors.neighbours("w5", k=7), reference.most_similar("w5", topn=7))
    equal(vectors.analogy("w1", "w2", "w3"), reference.most_similar(positive=["w1", "w3"], negative=["w2"], topn=5))
    assert vectors.similarity("w7", "w11") == pytest.approx(float(reference.similarity("w7", "w11")), abs=1e-6)


def test_an_unknown_word_names_the_nearest_spellings():
    vectors = WordVectors(["orchard", "orchards", "pear"], torch.eye(3))
    with pytest.raises(CourseError, match=r"'orchrad' is not among the 3 words.*'orchard'"):
        vectors["orchrad"]
    with pytest.raises(CourseError, match="not among"):
        vectors.similarity("pear", "z" * 10_000)
    for there, asked in (("NFC", "NFD"), ("NFD", "NFC")):
        vectors = WordVectors([unicodedata.normalize(there, "배")], [[1.0]])
        with pytest.raises(CourseError, match=rf"looks the same.*\({there}\).*normalize\('{there}', word\)"):
            vectors.neighbours(unicodedata.normalize(asked, "배"))
    vectors = WordVectors(["pear"], [[1.0]])
    assert "pear" in vectors
    assert ["pear"] not in vectors


def test_the_table_is_a_copy():
    table = torch.zeros(1, 2)
    vectors = WordVectors(["a"], table)
    table += 1
    assert vectors["a"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dim", [None, 1, 2, 300])
def test_what_is_written_is_read_back_bit_for_bit_and_told_apart_by_content(odd, tmp_path, dim):
    vectors = WordVectors(["3", "</s>", "4"], torch.randn(3, dim)) if dim else odd
    for name, options in [("b.txt", {"binary": True}), ("t.bin", {"binary": False}), ("b.bin", {}), ("t.txt", {})]:
        vectors.save_word2vec(tmp_path / name, **options)
        assert same(WordVectors.load_word2vec(tmp_path / name), vectors)
        content = (tmp_path / name).read_bytes()  # without `binary` the name decides
        assert (vectors.vectors[0].numpy().tobytes() in content) is name.startswith("b")


@pytest.mark.parametrize("binary", [False, True])
def test_gensim_reads_ours_and_we_read_gensims(tmp_path, binary):
    from gensim.models import KeyedVectors

    words = [word for word in ODD_WORDS if word != "日本　語"]
    ours = WordVectors(words, torch.randn(len(words), 7))
    ours.save_word2vec(tmp_path / "ours", binary=binary)
    read = KeyedVectors.load_word2vec_format(str(tmp_path / "ours"), binary=binary)
    assert read.index_to_key == words
    assert np.array_equal(read.vectors, ours.vectors.numpy())
    read.save_word2vec_format(str(tmp_path / "theirs"), binary=binary)
    assert same(WordVectors.load_word2vec(tmp_path / "theirs"), ours)


def test_words_with_spaces_go_into_text_only(tmp_path):
    vectors = WordVectors(["New York", "배 를", "Apollo 11"], torch.randn(3, 5))
    vectors.save_word2vec(tmp_path / "v.txt")
    assert same(WordVectors.load_word2vec(tmp_path / "v.txt"), vectors)
    with pytest.raises(CourseError, match=r"'New York' cannot stand in a binary.*space"):
        vectors.save_word2vec(tmp_path / "v.bin")
    for word in ("two\nlines", "lone \ud800"):
        with pytest.raises(CourseError, match="cannot"):
            WordVectors([word], [[1.0]]).save_word2vec(tmp_path / "w.txt")
    assert os.listdir(tmp_path) == ["v.txt"]


GOOD = b"2 2\na 0.5 -1\nb 2 0.25\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a bc de\n", "line 1: a word2vec file begins with .*GloVe"),
        (b"9000000000000 300\na 1 1 1\n", "line 2: 3 numbers instead of 300"),
        (b"3 2" + GOOD[3:], "ends after 2 of the 3"),
        (GOOD[:-8], "line 3"),
        (GOOD.replace(b"\n", b" 7\n").replace(b" 7", b"", 1), "every line has more"),
        (GOOD.replace(b"0.25", b"nan"), "line 3.*NaN"),
        (GOOD.replace(b"a", b"caf\xe9").replace(b"b", b"caf\xe8"), "2 of 2 words are not UTF-8"),
        (GOOD + b"c 1 1\n", "line 4: .* 2 words, but more follow"),
        (b"2 3\nthe 1:0.1 2:0.2 3:0.3\nx 1:1 2:2 3:3\n", "line 2: 0 numbers instead of 3.* spaces, tabs or commas"),
        (b"2 2\na;0.1;0.2\nb;1;2\n", "line 2: 0 numbers instead of 2"),
        (b"2 2\na " + b"\0\0\x80?\n" * 2 + b"b " + b"\0\0\x80?" * 2, "line 3.*line feed"),
        (gzip.compress(GOOD, mtime=0)[:-9], "line 1: Compressed file ended"),
        (GOOD.replace(b"\n", b"\r"), "line 1: .*lines end in line feeds"),
        (b"PK\3\4\0\0v.txt" + GOOD, "line 1: .*zip must be unpacked"),
        (b"a 0.5 -1\nb 2\n", "line 2: 1 numbers instead of 2"),
        (b"2 2\na " + b"\0\0\x80?" * 2 + b"b \0\0", "line 3.*ends inside"),
    ],
)
def test_broken_files_are_explained(tmp_path, content, message):
    path = tmp_path / "vectors.bin"
    path.write_bytes(content)
    with pytest.raises(CourseError, match=message) as caught:
        WordVectors.load_word2vec(path)
    assert str(path) in str(caught.value)
    assert " b'" not in str(caught.value)


# -- Files as they are published: packed, without a header, with doubles and cut letters, other separators
THE_GOOD = WordVectors(["a", "b"], [[0.5, -1], [2, 0.25]])


@pytest.mark.parametrize(
    "content",
    [
        b"a 0.5 -1\nb 2 0.25\n",  # GloVe
        b"\xef\xbb\xbf" + GOOD,
        b"\xef\xbb\xbfa 0.5 -1\nb 2 0.25",
        GOOD.replace(b" ", b"\t \t"),
        GOOD.replace(b" ", b","),
        GOOD.replace(b"\n", b",\r\n"),
        GOOD + b"\n \n",
        b"4 2\na 0.5 -1\nb 2 0.25\na 7 7\n 3 3\n",
        GOOD.replace(b"\n", b" \n"),  # the C program's; binary, it has line breaks
        b"2 2\na %b\nb %b\n" % tuple(np.array(row, "<f4").tobytes() for row in ([0.5, -1], [2, 0.25])),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_published_forms_are_read(tmp_path, content, pack):
    (tmp_path / "v").write_bytes(pack(content))
    assert same(WordVectors.load_word2vec(tmp_path / "v"), THE_GOOD)


@pytest.mark.parametrize("word", [b",", b"1", b"a\tb", b". . .", "배 를".encode()])
def test_a_file_without_header_may_begin_with_any_word(tmp_path, word):
    (tmp_path / "glove.txt").write_bytes(word + b" 0.5 -1 1e-3\nb 2 0.25 3\n")
    assert WordVectors.load_word2vec(tmp_path / "glove.txt").words == [word.decode(), "b"]


@pytest.mark.parametrize("binary", [False, True])
def test_doubles_cut_letters_and_a_limit_are_read_as_gensim_reads_them(tmp_path, capsys, binary):
    from gensim.models import KeyedVectors

    table, path = torch.randn(31, 5).numpy(), tmp_path / "v.gz"
    words = [f"배{row % 23}".encode() for row in range(31)]  # the last eight stood there before
    words[3], words[7] = words[3] + "를".encode()[:2], "배".encode()[1:]
    rows = [row.tobytes() if binary else b"%.9g %.9g %.9g %.9g %.9g\n" % tuple(row) for row in table]
    path.write_bytes(gzip.compress(b"31 5\n" + b"".join(w + b" " + r for w, r in zip(words, rows, strict=True))))
    for limit in (None, 5, 31, 99):
        found = WordVectors.load_word2vec(path, limit=limit)
        reference = KeyedVectors.load_word2vec_format(path, binary=binary, unicode_errors="replace", limit=limit)
        assert found.words == [word for word in reference.index_to_key if word is not None]
        assert np.array_equal(found.vectors.numpy(), reference.vectors[: len(found)])
        said = capsys.readouterr().out
        assert f"{1 if limit == 5 else 2} of {5 if limit == 5 else 31} words are not UTF-8" in said
        assert ("6 of 31 rows are left out" in said) is (limit != 5)


def test_a_limit_leaves_what_follows_unread(tmp_path):
    (tmp_path / "v").write_bytes(GOOD + b"no numbers here")
    assert same(WordVectors.load_word2vec(tmp_path / "v", limit=2), THE_GOOD)


@pytest.mark.parametrize("name", ["v.txt.gz", "v.bin.gz", "v.bin.xz", "v.BZ2"])
def test_a_packed_file_in_the_home_folder_is_written_and_read(tmp_path, monkeypatch, odd, name):
    from gensim.models import KeyedVectors

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    odd.save_word2vec(f"~/{name}")
    assert same(WordVectors.load_word2vec(f"~/{name}"), odd)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    if name != "v.BZ2":
        found = KeyedVectors.load_word2vec_format(tmp_path / name, binary=".bin" in name)
        assert np.array_equal(found.vectors, odd.vectors.numpy())


def test_a_table_costs_its_own_size_twice(tmp_path):
    rows = [b"w%d " % row + np.full(200, row + 1, "<f4").tobytes() for row in range(4_000)]
    (tmp_path / "v.bin").write_bytes(b"4000 200\n" + b"".join(rows))
    tracemalloc.start()
    WordVectors.load_word2vec(tmp_path / "v.bin")
    assert tracemalloc.get_traced_memory()[1] < 2.6 * 4 * 200 * 4_000
    tracemalloc.stop()


@given(st.integers(1, 200), st.booleans())
@settings(max_examples=60)
def test_a_file_cut_anywhere_is_an_error(tmp_path_factory, cut, binary):
    path = tmp_path_factory.mktemp("cut") / "v"
    WordVectors(["a", "bb", "ccc"], [[0.5, 1 / 3], [-2, 7], [1e-9, 1.25]]).save_word2vec(path, binary=binary)
    content = path.read_bytes()
    # A text file without its last line break or last digits is a text file still; all else must be noticed.
    path.write_bytes(content[: max(0, len(content) - cut - 4)])
    with pytest.raises(CourseError):
        WordVectors.load_word2vec(path)


def test_a_checkpoint_holds_any_word_and_the_counts(tmp_path):
    words = [*ODD_WORDS, "two\nlines", "New York", "lone \ud800"]
    vectors = WordVectors(words, torch.randn(len(words), 5), counts=range(len(words)))
    vectors.save(tmp_path / "v")
    loaded = WordVectors.load(tmp_path / "v")
    assert same(loaded, vectors)
    assert loaded.counts == vectors.counts
    vectors.save(tmp_path / "v", int8=True)
    largest = vectors.vectors.abs().amax()
    torch.testing.assert_close(WordVectors.load(tmp_path / "v").vectors, vectors.vectors, rtol=0, atol=largest / 250)


test_bad_tables = mistakes(
    ((["a", "a"], torch.eye(2)), "twice"),
    ((["a"], torch.eye(2)), r"1 words and vectors of shape \(2, 2\)"),
    ((["a", "b"], [[1.0], [float("nan")]]), "'b'"),
    ((["a"], [[1e300]]), "infinity"),
    ((["a", "b"], [[1.0], [1.0, 2.0]]), "no table of numbers"),
    of=lambda given: WordVectors(*given),
)
