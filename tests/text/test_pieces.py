"""Words to pieces and back, for whole words and for sub-words."""

import pytest

from course_lib.errors import CourseError
from course_lib.text.pieces import SPECIALS, Pieces
from course_lib.text.vocabulary import Vocabulary

SENTENCES = [["low", "lower", "lowest"], ["새로", "새", "low", "low"]] * 3


@pytest.fixture(params=["words", "bpe"])
def pieces(request):
    return Pieces.words(SENTENCES) if request.param == "words" else Pieces.bpe(SENTENCES, 29)


def test_known_words_come_back(pieces):
    words = ["lower", "새로", "low"]
    ids = pieces.ids(words)
    assert pieces.text([pieces.begin, *ids, pieces.end, pieces.padding]) == "lower 새로 low"
    assert len(pieces.tokens(ids)) == len(ids)
    assert all(0 <= i < len(pieces) for i in ids)


def test_pieces_cover_their_word_from_left_to_right(pieces):
    words = ["lowlow", "새", "🙂", "lower"]
    for word, parts in zip(words, pieces.split(words), strict=True):
        assert parts[0][1] == 0
        assert parts[-1][2] == len(word)
        assert [end for _, _, end in parts[:-1]] == [start for _, start, _ in parts[1:]]
    assert pieces.split(["🙂"])[0][0][0] == pieces.unknown


def test_a_rare_word_is_cut_and_a_frequent_one_is_not():
    pieces = Pieces.bpe(SENTENCES, 29)
    assert pieces.tokens(pieces.ids(["low"])) == ["low</w>"]
    assert len(pieces.ids(["lowlow"])) > 1


def test_a_word_spelt_like_a_special_is_an_unknown_word(pieces):
    assert pieces.ids(["[EOS]", "[BOS]", "[PAD]"]) == [pieces.unknown] * 3


def test_files_give_the_same_pieces(pieces, tmp_path):
    for name, content in pieces.files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    again = Pieces.from_files({path.name: path for path in tmp_path.iterdir()})
    assert again.ids(["lowest", "새로", "?"]) == pieces.ids(["lowest", "새로", "?"])
    assert len(again) == len(pieces)


def test_missing_specials_and_damaged_files_are_named(tmp_path):
    with pytest.raises(CourseError, match=r"has no \[PAD\]"):
        Pieces(Vocabulary(["a"]))
    with pytest.raises(CourseError, match="neither"):
        Pieces.from_files({})
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(CourseError, match=r"tokenizer.json is no tokenizer"):
        Pieces.from_files({"tokenizer.json": tmp_path / "tokenizer.json"})
    assert len(SPECIALS) == 4
