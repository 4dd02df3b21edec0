"""BERT's sub-words: the longest match by hand, the ids of transformers, the same vocabulary every time."""

import subprocess
import sys

import pytest

from course_lib.errors import CourseError
from course_lib.text.word_pieces import SPECIALS, WordPieces

PIECES = ["un", "##aff", "##able", "##a", "##b", "##le", "bank", "##s", "cafe", "a", "b", "[", "]", "mask", "中", "'"]
PIECES += ["##é", "Bank", "배", "##를", "é", "café", "ᄇ", "##ᅢ"]
WORDS = [
    "unaffable",
    "banks",
    "Banks",
    "café",
    "CAFÉ",
    "中中a",
    "배를",
    "b's",
    "x",
    "x" * 101,
    "a" * 101,
    "a\u200b\x00b",
]


@pytest.fixture
def pieces():
    return WordPieces([*SPECIALS, *PIECES])


def cut(pieces, word):
    return [(pieces.vocabulary[i], word[start:end]) for i, start, end in pieces.split([word])[0]]


def test_the_longest_piece_wins_and_its_characters_are_known(pieces):
    assert cut(pieces, "Unaffables") == [("un", "Un"), ("##aff", "aff"), ("##able", "able"), ("##s", "s")]
    assert cut(pieces, "CAFÉ") == [("cafe", "CAFÉ")]
    assert cut(pieces, "b's") == [("b", "b"), ("'", "'"), ("[UNK]", "s")]  # ##s only goes on a word
    assert cut(pieces, "中a") == [("中", "中"), ("a", "a")]


def test_words_and_pieces_stay_aligned(pieces):
    words = ["banks", "🙂", "\u200b", "b's", "bank"]
    assert [len(parts) for parts in pieces.split(words)] == [2, 1, 1, 3, 1]
    assert pieces.ids(words) == [i for word in words for i, _, _ in pieces.split([word])[0]]
    assert pieces.split(["\u200b"]) == [[(pieces.unknown, 0, 1)]]  # nothing is left of it, yet it is a word


def test_a_text_never_turns_into_a_special(pieces):
    for special in SPECIALS:
        assert not {pieces.padding, pieces.cls, pieces.sep, pieces.mask} & set(pieces.ids([special]))
    assert cut(pieces, "[MASK]") == [("[", "["), ("mask", "MASK"), ("]", "]")]


@pytest.mark.parametrize(
    "settings",
    [{}, {"lowercase": False}, {"lowercase": True, "strip_accents": False}, {"chinese_characters": False}],
)
def test_equal_to_transformers(settings, tmp_path):
    from transformers import BertTokenizer

    pieces = WordPieces([*SPECIALS, *PIECES], **settings)
    for name, content in pieces.files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    theirs = BertTokenizer.from_pretrained(tmp_path)
    assert pieces.ids(WORDS) == theirs(" ".join(WORDS), add_special_tokens=False)["input_ids"]
    for word in WORDS:
        assert pieces.ids([word]) == theirs(word, add_special_tokens=False)["input_ids"]
    ours = (pieces.padding, pieces.unknown, pieces.cls, pieces.sep, pieces.mask)
    assert ours == tuple(theirs.convert_tokens_to_ids(list(SPECIALS)))


def test_training_keeps_frequent_words_whole_and_cuts_rare_ones():
    pieces = WordPieces.train([["Low", "low", "lowest"], ["새로", "새", "low"]] * 3, 37, lowercase=False)
    assert len(pieces) <= 37
    assert pieces.vocabulary[:5] == SPECIALS
    assert pieces.tokens(pieces.ids(["low", "새로", "새"])) == ["low", "새로", "새"]
    assert pieces.tokens(pieces.ids(["lowlow"]))[0] == "low"
    assert len(pieces.ids(["lowlow"])) > 1
    assert pieces.unknown not in pieces.ids(["새wts로L"])  # characters of the text, in an order that it never has
    assert pieces.text([pieces.cls, *pieces.ids(["lowlow", "새로"]), pieces.sep, pieces.padding]) == "lowlow 새로"
    lower = WordPieces.train([["Low", "low", "lowest"]] * 3, 29)
    assert lower.ids(["LOW"]) == lower.ids(["low"])
    assert not any(piece != piece.lower() for piece in lower.vocabulary[5:])


def test_training_leaves_rare_characters_out():
    pieces = WordPieces.train([["aab", "aac", "aab"]], 17, max_characters=2)
    assert "a" in pieces.vocabulary
    assert not [piece for piece in pieces.vocabulary[5:] if "c" in piece]
    assert pieces.ids(["aac"]) == [pieces.unknown]
    with pytest.raises(CourseError, match="size=7 has no room for 9 specials and characters"):
        WordPieces.train([["aab", "aac", "aab"]], 7, max_characters=2)


def test_every_process_learns_the_same_vocabulary():
    code = (
        "from course_lib.text.word_pieces import WordPieces\n"
        "words = 'the bank was slippery with mud and new banks sank in an abyss'.split()\n"
        "print(WordPieces.train([words] * 3, 71).vocabulary)"
    )
    printed = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(3)}
    assert len(printed) == 1


def test_files_give_the_same_pieces(tmp_path):
    pieces = WordPieces([*SPECIALS, *PIECES, "\u2028", "a\x85b"], lowercase=False, chinese_characters=False)
    for name, content in pieces.files().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    again = WordPieces.from_files({path.name: path for path in tmp_path.iterdir()})
    assert again.vocabulary == pieces.vocabulary
    assert (again.lowercase, again.strip_accents, again.chinese_characters) == (False, None, False)
    assert again.ids(WORDS) == pieces.ids(WORDS)


def test_without_settings_berts_defaults_hold(tmp_path):
    (tmp_path / "vocab.txt").write_text("\n".join([*SPECIALS, "cafe"]), encoding="utf-8")
    assert WordPieces.from_files({"vocab.txt": tmp_path / "vocab.txt"}).tokens([5]) == ["cafe"]
    assert WordPieces.from_files({"vocab.txt": tmp_path / "vocab.txt"}).ids(["CAFÉ"]) == [5]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("vocab.txt", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n", r"vocab.txt: .* 4 pieces has no \[MASK\]"),
        ("vocab.txt", b"[PAD]\n\xff\n", "vocab.txt is not UTF-8 text .byte 6"),
        ("tokenizer_config.json", b"{", "tokenizer_config.json is not readable JSON"),
        ("tokenizer_config.json", b"[1]", "tokenizer_config.json is not a table"),
        ("tokenizer_config.json", b'{"do_lower_case": "no"}', "tokenizer_config.json: do_lower_case is 'no'"),
    ],
)
def test_damaged_files_are_named(pieces, tmp_path, name, content, says):
    files = {name: text.encode() for name, text in pieces.files().items()} | {name: content}
    for file, data in files.items():
        (tmp_path / file).write_bytes(data)
    with pytest.raises(CourseError, match=says):
        WordPieces.from_files({path.name: path for path in tmp_path.iterdir()})


def test_a_missing_vocabulary_is_named():
    with pytest.raises(CourseError, match=r"no vocab\.txt"):
        WordPieces.from_files({})
