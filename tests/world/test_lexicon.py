"""A teacher edits a file: right edits show in the sentences, wrong ones name file, line and remedy."""

import shutil
from itertools import islice

import pytest

from course.world import World, english, korean
from course_lib.config import data_dir
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
        ("nouns.tsv", "\npear\tfruit", "\napple\tfruit", "stands here twice"),
        ("verbs.tsv", "먹다", "먹", "Write the dictionary form, ending in 다"),
        ("adverbials.tsv", "yesterday/ADV", "yesterday", "Write word/ADV"),
        ("names.tsv", "PER.f\t", "PERSON\t", "Use one of PER.f"),
        ("senses.tsv", "en\tbank.money", "en\tbank.gold", "unknown noun 'bank.gold'"),
        ("function_words.tsv", "\tADP\tnext", "\tXYZ\tnext", "See the first line of this file"),
        ("frames/market.toml", 'en = "AGENT V to', 'en = "AGENT V towards', "unknown word 'towards' in the en pattern"),
        ("frames/market.toml", 'AGENT = "person"', 'AGENT = "persn"', "unknown class 'persn'"),
        ("frames/market.toml", 'verb = "go"', 'verb = "go', "this is not TOML"),
        ("frames/market.toml", "PLACE 에 V", "PLACE 에", "needs one V or ADJ"),
        ("frames/market.toml", "AGENT 은 PLACE 에 V", "AGENT 은 V", "role PLACE is missing in the ko pattern"),
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


def test_a_file_that_is_not_utf8_or_missing_is_named(folder):
    path = folder / "verbs.tsv"
    path.write_bytes(path.read_bytes().replace("먹다".encode(), "먹다".encode("euc-kr"), 1))
    with pytest.raises(CourseError, match=r"verbs.tsv, line \d+, is not UTF-8.* Save the file as UTF-8"):
        World(0, folder=folder)
    path.unlink()
    with pytest.raises(CourseError, match=r"There is no file .*verbs.tsv. Check the path"):
        World(0, folder=folder)


def test_windows_line_ends_change_nothing(folder):
    for path in [*folder.glob("*.tsv"), *folder.glob("frames/*.toml")]:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    ours, theirs = World(3).sentences("ko"), World(3, folder=folder).sentences("ko")
    assert list(islice(ours, 101)) == list(islice(theirs, 101))


# -- Inflection by rule: English verbs, plurals and articles; Korean conjugation and particles
FORMS = """먹다 _ 먹었다 먹는다 먹은 먹어서     가다 _ 갔다 간다 간 가서          마시다 _ 마셨다 마신다 마신 마셔서
    보다 _ 봤다 본다 본 봐서               주다 _ 줬다 준다 준 줘서          쓰다 _ 썼다 쓴다 쓴 써서
    팔다 _ 팔았다 판다 판 팔아서           돕다 ㅂ 도왔다 돕는다 도운 도와서  굽다 ㅂ 구웠다 굽는다 구운 구워서
    걷다 ㄷ 걸었다 걷는다 걸은 걸어서      짓다 ㅅ 지었다 짓는다 지은 지어서  부르다 르 불렀다 부른다 부른 불러서
    일하다 _ 일했다 일한다 일한 일해서     쉬다 _ 쉬었다 쉰다 쉰 쉬어서"""
ADJECTIVES = """작다 _ 작았다 작다 작은 작아서  맛있다 _ 맛있었다 맛있다 맛있는 맛있어서
    하얗다 ㅎ 하얬다 하얗다 하얀 하얘서  무겁다 ㅂ 무거웠다 무겁다 무거운 무거워서
    감동적이다 _ 감동적이었다 감동적이다 감동적인 감동적이어서"""


@pytest.mark.parametrize(("table", "adjective"), [(FORMS, False), (ADJECTIVES, True)])
def test_conjugation(table, adjective):
    """Dictionary form, stem class, past, present, the form before 뒤 or a noun, because."""
    for word, irregular, *forms in zip(*[iter(table.split())] * 6, strict=True):
        found = korean.conjugate(word, irregular.strip("_"), adjective=adjective)
        assert [found[name] for name in ("past", "present", "after", "because")] == forms


def test_particles_follow_the_final_consonant():
    forms = {"책": "은 이 을 과 으로 에서", "나무": "는 가 를 와 로 에서", "연필": "은 이 을 과 로 에서"}
    for word, expected in forms.items():
        assert [korean.particle(name, word) for name in forms["책"].split()] == expected.split()
    assert korean.split_syllable("값") == ("ㄱ", "ㅏ", "ㅄ")
    assert all(korean.join_syllable(*korean.split_syllable(syllable)) == syllable for syllable in "가각뷁힣쁘")


def test_english_forms():
    verbs = """walk walked walks walking  bake baked bakes baking  carry carried carries carrying
        play played plays playing  stop stopped stops stopping  visit visited visits visiting
        fix fixed fixes fixing  watch watched watches watching"""
    for verb, *forms in zip(*[iter(verbs.split())] * 4, strict=True):
        assert [english.past(verb), english.third_person(verb), english.ing(verb)] == forms
    assert [english.third_person(verb) for verb in ("go", "do", "have")] == ["goes", "does", "has"]
    nouns, plurals = ["dog", "box", "city", "boy", "dish"], ["dogs", "boxes", "cities", "boys", "dishes"]
    assert list(map(english.with_s, nouns)) == plurals
    for article, words in (("an", "apple hour umbrella old email"), ("a", "pear uniform university")):
        assert {english.article(word) for word in words.split()} == {article}
