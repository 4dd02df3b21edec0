"""Words to pieces and back: whole words, byte pairs against tokenizers, BERT's sub-words against transformers."""

import json
import random
import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from course.lab.byte_pairs import apply, learn
from course_lib.errors import CourseError
from course_lib.files import small_text
from course_lib.models.bert_files import read_pieces
from course_lib.text.pieces import Pieces
from course_lib.text.word_pieces import SPECIALS, TOKENIZER_FILES, WordPieces

SENTENCES = [["low", "lower", "lowest"], ["새로", "새", "low", "low"]] * 3


def written(pieces, folder):
    """The files of these pieces, by name."""
    for name, text in pieces.files().items():
        (folder / name).write_bytes(text.encode())
    return {path.name: path for path in folder.iterdir()}


def read(kind, files):
    """The pieces in files, as `read_pieces` reads those of a folder."""
    return kind.from_files({name: small_text(path, "Fetch it again.") for name, path in files.items()})


@pytest.fixture(params=["words", "bpe"])
def pieces(request):
    return Pieces.words(SENTENCES) if request.param == "words" else Pieces.bpe(SENTENCES, 29)


def test_known_words_come_back_also_from_files(pieces, tmp_path):
    words = ["lower", "새로", "low"]
    ids = pieces.ids(words)
    assert pieces.text([pieces.begin, *ids, pieces.end, pieces.padding]) == "lower 새로 low"
    assert len(pieces.tokens(ids)) == len(ids)
    assert all(0 <= i < len(pieces) for i in ids)
    assert len(pieces.ids(["low"])) == 1  # frequent, so whole
    assert pieces.ids(["[EOS]", "[BOS]", "[PAD]"]) == [pieces.unknown] * 3  # spelt like a special
    again = read(Pieces, written(pieces, tmp_path))
    assert again.ids(["lowest", "새로", "?"]) == pieces.ids(["lowest", "새로", "?"])
    assert len(again) == len(pieces)


def test_pieces_cover_their_word_from_left_to_right(pieces):
    words = ["lowlow", "새", "🙂", "lower"]
    for word, parts in zip(words, pieces.split(words), strict=True):
        assert parts[0][1] == 0
        assert parts[-1][2] == len(word)
        assert [end for _, _, end in parts[:-1]] == [start for _, start, _ in parts[1:]]
    assert pieces.split(["🙂"])[0][0][0] == pieces.unknown


# -- Byte-pair encoding by hand, and merge for merge against the tokenizers library
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


SPELT = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 5), min_size=1, max_size=7)


@given(words=SPELT, n=st.integers(0, 13), other=st.text("abc", min_size=1, max_size=11))
def test_equals_tokenizers_ties_included(words, n, other):
    theirs, tokenizer = library(words, n, "")
    ours = learn(words, n, word_end="")
    assert [merge[:2] for merge in ours] == theirs[:n]
    known = "".join(c for c in other if any(c in word for word in words))
    if known and len(theirs) <= n:
        assert apply(known, ours, word_end="") == tokenizer.encode(known).tokens


def test_equals_tokenizers_with_word_ends():
    text = "폭설이 마을로 가는 짧은 길조차 더 어렵게 만들고 있다 the snow is making even short trips to the village"
    words = {word: 2**i for i, word in enumerate(text.split())}  # counts that give no ties between words
    ours, (theirs, tokenizer) = learn(words, 40), library(words, 40, "</w>")
    assert [merge[:2] for merge in ours] == theirs
    assert [apply(word, ours) for word in words] == [tokenizer.encode(word).tokens for word in words]


# -- BERT's sub-words: the longest match by hand, the ids of transformers, the same vocabulary every time
PIECES = ["un", "##aff", "##able", "##a", "##b", "##le", "bank", "##s", "cafe", "a", "b", "[", "]", "mask", "中", "'"]
PIECES += ["##é", "Bank", "배", "##를", "é", "café", "ᄇ", "##ᅢ"]
WORDS = ["unaffable", "banks", "Banks", "café", "CAFÉ", "中中a", "배를", "b's", "x", "x" * 101, "a" * 101]
WORDS += ["a\u200b\x00b"]


@pytest.fixture
def word_pieces():
    return WordPieces([*SPECIALS, *PIECES])


def cut(pieces, word):
    return [(pieces.vocabulary[i], word[start:end]) for i, start, end in pieces.split([word])[0]]


def test_the_longest_piece_wins_and_its_characters_are_known(word_pieces):
    assert cut(word_pieces, "Unaffables") == [("un", "Un"), ("##aff", "aff"), ("##able", "able"), ("##s", "s")]
    assert cut(word_pieces, "CAFÉ") == [("cafe", "CAFÉ")]
    assert cut(word_pieces, "b's") == [("b", "b"), ("'", "'"), ("[UNK]", "s")]  # ##s only goes on a word
    assert cut(word_pieces, "中a") == [("中", "中"), ("a", "a")]
    assert cut(word_pieces, "[MASK]") == [("[", "["), ("mask", "MASK"), ("]", "]")]  # text never turns into a special


def test_words_and_pieces_stay_aligned(word_pieces):
    words = ["banks", "🙂", "\u200b", "b's", "bank", "\ud800"]
    assert [len(parts) for parts in word_pieces.split(words)] == [2, 1, 1, 3, 1, 1]
    assert word_pieces.ids(words) == [i for word in words for i, _, _ in word_pieces.split([word])[0]]
    assert word_pieces.split(["\u200b"]) == [[(word_pieces.unknown, 0, 1)]]  # nothing is left of it, yet it is a word


@pytest.mark.parametrize(
    "settings", [{}, {"lowercase": False}, {"lowercase": True, "strip_accents": False}, {"chinese_characters": False}]
)
def test_equal_to_transformers_and_to_itself_from_its_files(settings, tmp_path):
    from transformers import BertTokenizer

    pieces = WordPieces([*SPECIALS, *PIECES], **settings)
    again = read(WordPieces, written(pieces, tmp_path))
    theirs = BertTokenizer.from_pretrained(tmp_path)
    assert pieces.ids(WORDS) == again.ids(WORDS) == theirs(" ".join(WORDS), add_special_tokens=False)["input_ids"]
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
    with pytest.raises(AssertionError, match="size=7 has no room for 9 specials and characters"):
        WordPieces.train([["aab", "aac", "aab"]], 7, max_characters=2)


def test_every_process_learns_the_same_vocabulary():
    code = (
        "from course_lib.text.word_pieces import WordPieces\n"
        "words = 'the bank was slippery with mud and new banks sank in an abyss'.split()\n"
        "print(WordPieces.train([words] * 3, 71).vocabulary)"
    )
    printed = {subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(3)}
    assert len(printed) == 1


def test_files_keep_line_separators_inside_a_piece_and_without_settings_berts_defaults_hold(tmp_path):
    pieces = WordPieces([*SPECIALS, *PIECES, "\u2028", "a\x85b"])
    files = written(pieces, tmp_path)
    assert read(WordPieces, files).vocabulary == pieces.vocabulary
    plain = read(WordPieces, {"vocab.txt": files["vocab.txt"]})
    assert plain.tokens(plain.ids(["CAFÉ"])) == ["cafe"]


# -- What others publish: transformers writes it, and reads the same ids
LETTERS = [piece for letter in "abcdefghijklmnopqrstuvwxyzé한국어배를中!'’.-" for piece in (letter, f"##{letter}")]
PUBLISHED = [*SPECIALS, "[unused1]", *LETTERS, "한국", "##어요", "Paris", "paris", "Bank", "bank", "코로"]
SIGNS = [*"aePé한국어배를中!'’.-\u200b\ufeff\u00ad\u2060\x00\x96\ufffd\ue000\u0301[]"]
SIGNS += ["Paris", "Bank", "코로나19", "<e1>", "한국"]


def published(folder, added=(), classes=None, **settings):
    """What transformers saves of a BERT tokenizer; classes: `tokenizer_class`, and then no setting beside it."""
    from transformers import BertConfig, BertTokenizer

    vocabulary = folder / "list.txt"
    vocabulary.write_text("\n".join(PUBLISHED) + "\n", encoding="utf-8")
    tokenizer = BertTokenizer(str(vocabulary), **settings)
    tokenizer.add_tokens(list(added))
    tokenizer.save_pretrained(folder)
    BertConfig().save_pretrained(folder)
    if classes:
        (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": classes}), encoding="utf-8")
    vocabulary.rename(folder / "vocab.txt")
    return {name: folder / name for name in TOKENIZER_FILES}


def assert_equal_ids(pieces, theirs, n=600):
    chance = random.Random(len(pieces))
    for _ in range(n):
        word = "".join(chance.choices(SIGNS, k=chance.randrange(1, 7)))
        expected = theirs(word, add_special_tokens=False)["input_ids"] or [pieces.unknown]
        assert "[MASK]" in word or pieces.ids([word]) == expected, ascii(word)


@pytest.mark.parametrize("with_list", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"do_lower_case": False},
        {"do_lower_case": True, "strip_accents": False, "tokenize_chinese_chars": False},
        {"do_lower_case": False, "strip_accents": True},
        {"do_lower_case": False, "classes": "PreTrainedTokenizerFast"},
        {"do_lower_case": False, "added": ["코로나19", "Bank"]},
        {"added": ["코로나19", "<e1>", "BANKS"]},
    ],
)
def test_what_transformers_saves_gives_its_ids(settings, with_list, tmp_path):
    from transformers import AutoTokenizer

    files = published(tmp_path, **settings)
    if not with_list:
        files.pop("vocab.txt").unlink()
    pieces, theirs = read(WordPieces, files), AutoTokenizer.from_pretrained(tmp_path)
    assert len(pieces) == len(theirs)
    assert_equal_ids(pieces, theirs)
    again = tmp_path / "again"
    again.mkdir()
    assert_equal_ids(read(WordPieces, written(pieces, again)), theirs)


def test_tokenizer_json_says_what_tokenizer_config_does_not(tmp_path):
    files = published(tmp_path, do_lower_case=False)
    assert not read(WordPieces, {"tokenizer.json": files["tokenizer.json"]}).lowercase
    for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json"):  # a byte order mark is no part of a piece
        files[name].write_bytes(b"\xef\xbb\xbf" + files[name].read_bytes())
    assert read(WordPieces, files).vocabulary == tuple(PUBLISHED)


def edited(folder, change):
    """tokenizer.json of PUBLISHED with a change, alone in its folder."""
    files = published(folder)
    table = json.loads(files["tokenizer.json"].read_text(encoding="utf-8"))
    change(table)
    files["tokenizer.json"].write_text(json.dumps(table), encoding="utf-8")
    return files


def test_ids_without_a_piece_and_pieces_that_no_text_gives_keep_their_places(tmp_path):
    def change(table):
        vocabulary = table["model"]["vocab"]
        vocabulary["koala"], vocabulary["\n"], vocabulary["last"] = len(PUBLISHED) + 2, vocabulary.pop("bank"), 300

    files = edited(tmp_path, change)
    pieces = read(WordPieces, {"tokenizer.json": files["tokenizer.json"]})
    assert len(pieces) == 301
    assert pieces.ids(["koala"]) == [len(PUBLISHED) + 2]
    again = tmp_path / "again"
    again.mkdir()
    assert read(WordPieces, written(pieces, again)).vocabulary == pieces.vocabulary


def model(**entries):
    return lambda table: table["model"].update(entries)


def vocabulary(**entries):
    return lambda table: table["model"]["vocab"].update(entries)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (model(type="BPE", merges=[]), "of the kind BPE"),
        (lambda table: table.update(model={"vocab": {"a": 0}, "merges": []}), "of the kind BPE"),
        (lambda table: table.pop("model"), "not readable: Model missing"),
        (model(continuing_subword_prefix="@@"), "prefix '@@'"),
        (vocabulary(koala=3), "two pieces have one id"),
        (vocabulary(koala="3"), "not readable: invalid type"),
        (vocabulary(koala=10**9), "most ids have none"),
        (lambda table: table["normalizer"].update(lowercase=1), "not readable: data did not match"),
        (lambda table: table.update(added_tokens=[]) or table["model"].update(vocab={}), r"has no \[PAD\]"),
    ],
)
def test_what_is_wrong_in_tokenizer_json_is_named(change, says, tmp_path):
    edited(tmp_path, change)
    with pytest.raises(CourseError, match=says):
        read_pieces(tmp_path)


def test_another_cutter_is_named_where_tokenizer_json_alone_says_how(tmp_path):
    def change(table):
        table["pre_tokenizer"], table["normalizer"] = {"type": "Whitespace"}, None

    files = edited(tmp_path, change)
    assert read(WordPieces, files).lowercase  # transformers' BertTokenizer makes its own
    files["tokenizer_config.json"].write_text('{"tokenizer_class": "TokenizersBackend"}', encoding="utf-8")
    with pytest.raises(CourseError, match=r"cleaned by NoneType and cut by Whitespace.*as BERT does"):
        read_pieces(tmp_path)


# -- Vocabularies that do not fit BERT's cleaning or cutting
HANGUL = [piece for letter in "가나다라마바사아자차카타파하" for piece in (letter, f"##{letter}")]
JAMO = [unicodedata.normalize("NFD", piece) for piece in HANGUL]


@pytest.mark.parametrize(
    ("pieces", "settings", "says"),
    [
        (["▁한국", "어", "▁배", "를"], {}, "SentencePiece"),
        (
            ["한국", "##어", "배", "##를", "Paris"],
            {},
            r"5 of 10 pieces, such as '한국'.*\"do_lower_case\": false.*\[UNK\]",
        ),
        (HANGUL, {"strip_accents": True, "lowercase": False}, r"\"strip_accents\": false"),
        (["日本", "東京", "大学", "の"], {"lowercase": False}, r"\"tokenize_chinese_chars\": false"),
    ],
)
def test_a_vocabulary_of_which_cleaning_leaves_little_is_refused(pieces, settings, says, tmp_path):
    written(WordPieces([*SPECIALS, *pieces], **settings), tmp_path)
    with pytest.raises(CourseError, match=rf"vocab\.txt: .*{says}"):
        read_pieces(tmp_path)


@pytest.mark.parametrize(
    ("pieces", "settings", "misfit"),
    [
        (HANGUL, {"lowercase": False}, ""),
        (HANGUL, {"strip_accents": False}, ""),
        (JAMO, {}, ""),  # as bert-base-multilingual-uncased
        ([*LETTERS, "▁", "▁a", "[unused1]", "<S>", "[Q]"], {"strip_accents": False}, ""),
        ([*"abcdefghijklmnopqrs", "A"], {}, "1 of 25 pieces|^$"),
        ([*"abcdefghijklm", *"ABCDEFGHIJKLM"], {}, "13 of 31 pieces, such as 'A'"),
        ([*"abcdefghijklm", *"ABCDEFGHIJKLM"], {"lowercase": False}, ""),
    ],
)
def test_a_vocabulary_that_is_read_in_part_says_so(pieces, settings, misfit, tmp_path):
    found = read(WordPieces, written(WordPieces([*SPECIALS, *pieces], **settings), tmp_path)).misfit()
    assert re.search(misfit, found) if misfit else found == ""
