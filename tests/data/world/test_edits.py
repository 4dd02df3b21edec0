"""A teacher edits a file: right edits show in the sentences, wrong ones name file, line and remedy."""

import shutil
from itertools import islice

import pytest

from course_lib.config import data_dir
from course_lib.data.world import World
from course_lib.errors import CourseError


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(data_dir("world"), tmp_path / "world")


def edit(path, old, new):
    """Replaces the first `old`; returns the line it stood on."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")
    return text[: text.index(old)].count("\n") + 1


def test_a_new_noun_is_used(folder):
    edit(folder / "nouns.tsv", "apple\tfruit\t사과", "kiwi\tfruit\t키위\napple\tfruit\t사과")
    words = {word for sentence in islice(World(0, folder=folder).sentences(), 3001) for word in sentence.words}
    assert {"kiwi", "kiwis"} & words


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("nouns.tsv", "apple\tfruit\t사과", "apple\tfriut\t사과", "unknown class 'friut'. Use a class of classes.tsv"),
        ("nouns.tsv", "apple\tfruit\t사과", "apple\tfruit\tsagwa", "not Hangul. Write it in Hangul"),
        ("nouns.tsv", "\npear\tfruit", "\napple\tfruit", "stands here twice"),
        ("nouns.tsv", "apple\tfruit\t사과", "apple\tfruit\t사과\t\t\t\t\t", "8 cells"),
        ("verbs.tsv", "먹다", "먹", "Write the dictionary form, ending in 다"),
        ("verbs.tsv", "\t굽다\tㅂ", "\t굽다\tㅋ", "is no kind of stem. Use ㅂ, ㄷ"),
        ("adjectives.tsv", "\t0\t", "\tgood\t", "Write + (good)"),
        ("adverbials.tsv", "yesterday/ADV", "yesterday", "Write word/ADV"),
        ("names.tsv", "PER.f\t", "PERSON\t", "Use one of PER.f"),
        ("senses.tsv", "en\tbank.money", "en\tbank.gold", "unknown noun 'bank.gold'"),
        ("classes.tsv", "fruit\tfood", "fruit\tfoods", "unknown parent class 'foods'"),
        ("fillers.tsv", "again/ADV", "again", "Write word/ADV"),
        ("function_words.tsv", "\tADP\tnext", "\tXYZ\tnext", "See the first line of this file"),
        ("name_parts.tsv", "syllable\t", "part\t", "Use syllable"),
        ("frames/market.toml", 'verb = "go"', 'verb = "goo"', "unknown verb 'goo'. Use a concept of verbs.tsv"),
        ("frames/market.toml", 'en = "AGENT V to', 'en = "AGENT V towards', "unknown word 'towards' in the en pattern"),
        ("frames/market.toml", 'AGENT = "person"', 'AGENT = "persn"', "unknown class 'persn'"),
        ("frames/market.toml", 'stage = "1"', 'stage = "first"', "Write a whole number"),
        ("frames/market.toml", 'verb = "go"', 'verb = "go', "this is not TOML"),
        ("frames/market.toml", 'stage = "1"', 'stge = "1"', "unknown key 'stge'"),
        ("frames/market.toml", "PLACE 에 V", "PLACE 에", "needs one V or ADJ"),
        ("frames/market.toml", "(MANNER)", "(MANNER", "a bracket"),
        ("frames/market.toml", "hungry bored", "hungri bored", "unknown reason 'hungri'"),
        ("frames/market.toml", "AGENT 은 PLACE 에 V", "AGENT 은 V", "role PLACE is missing in the ko pattern"),
        ("frames/market.toml", '= "~careful"', '= "~carful"', "unknown kind of adverb 'carful'"),
        ("frames/market.toml", '= "the =market', '= "those =market', "'those =market"),
    ],
)
def test_a_wrong_edit_names_file_line_and_remedy(folder, name, old, new, says):
    line = edit(folder / name, old, new)
    line += old.startswith("\n")
    if "missing" in says:
        line -= 2  # named at the role's own line, not at the pattern's
    with pytest.raises(CourseError) as error:
        World(0, folder=folder)
    message = str(error.value)
    assert f"{folder / name}, line {line}: " in message
    assert says in message


def test_a_missing_file_says_how_to_get_it_back(folder):
    (folder / "verbs.tsv").unlink()
    with pytest.raises(CourseError, match=r"verbs.tsv cannot be read.*git checkout"):
        World(0, folder=folder)


def test_a_file_that_is_not_utf8_is_named(folder):
    path = folder / "verbs.tsv"
    path.write_bytes(path.read_bytes().replace("먹다".encode(), "먹다".encode("euc-kr"), 1))
    with pytest.raises(CourseError, match=r"verbs.tsv, line \d+: this is not UTF-8 text. Save the file as UTF-8"):
        World(0, folder=folder)


def test_windows_line_ends_change_nothing(folder):
    for path in [*folder.glob("*.tsv"), *folder.glob("frames/*.toml")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    ours, theirs = World(3).sentences("ko"), World(3, folder=folder).sentences("ko")
    assert list(islice(ours, 101)) == list(islice(theirs, 101))
