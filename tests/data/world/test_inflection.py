"""Inflection by rule: English verbs, plurals and articles; Korean conjugation and particles."""

import pytest

from course_lib.data.world import english, korean

FORMS = [  # dictionary form, stem class, adjective, past, present, form after which 뒤 or a noun stands, because
    ("먹다", "", False, "먹었다", "먹는다", "먹은", "먹어서"),
    ("가다", "", False, "갔다", "간다", "간", "가서"),
    ("마시다", "", False, "마셨다", "마신다", "마신", "마셔서"),
    ("보다", "", False, "봤다", "본다", "본", "봐서"),
    ("주다", "", False, "줬다", "준다", "준", "줘서"),
    ("쓰다", "", False, "썼다", "쓴다", "쓴", "써서"),
    ("팔다", "", False, "팔았다", "판다", "판", "팔아서"),
    ("돕다", "ㅂ", False, "도왔다", "돕는다", "도운", "도와서"),
    ("굽다", "ㅂ", False, "구웠다", "굽는다", "구운", "구워서"),
    ("걷다", "ㄷ", False, "걸었다", "걷는다", "걸은", "걸어서"),
    ("짓다", "ㅅ", False, "지었다", "짓는다", "지은", "지어서"),
    ("부르다", "르", False, "불렀다", "부른다", "부른", "불러서"),
    ("일하다", "", False, "일했다", "일한다", "일한", "일해서"),
    ("쉬다", "", False, "쉬었다", "쉰다", "쉰", "쉬어서"),
    ("작다", "", True, "작았다", "작다", "작은", "작아서"),
    ("맛있다", "", True, "맛있었다", "맛있다", "맛있는", "맛있어서"),
    ("하얗다", "ㅎ", True, "하얬다", "하얗다", "하얀", "하얘서"),
    ("무겁다", "ㅂ", True, "무거웠다", "무겁다", "무거운", "무거워서"),
    ("감동적이다", "", True, "감동적이었다", "감동적이다", "감동적인", "감동적이어서"),
]


@pytest.mark.parametrize(("word", "irregular", "adjective", "past", "present", "after", "because"), FORMS)
def test_conjugation(word, irregular, adjective, past, present, after, because):
    forms = korean.conjugate(word, irregular, adjective=adjective)
    assert (forms["past"], forms["present"], forms["after"], forms["because"]) == (past, present, after, because)


def test_particles_follow_the_final_consonant():
    closed = [korean.particle(name, "책") for name in ("은", "이", "을", "과", "으로", "에서")]
    opened = [korean.particle(name, "나무") for name in ("은", "이", "을", "과", "으로", "에서")]
    assert closed == ["은", "이", "을", "과", "으로", "에서"]
    assert opened == ["는", "가", "를", "와", "로", "에서"]
    assert [korean.particle(name, "연필") for name in ("은", "으로")] == ["은", "로"]


def test_syllables_come_apart_and_together():
    assert korean.split_syllable("값") == ("ㄱ", "ㅏ", "ㅄ")
    assert all(korean.join_syllable(*korean.split_syllable(syllable)) == syllable for syllable in "가각뷁힣쁘")


@pytest.mark.parametrize(
    ("verb", "past", "third", "ing"),
    [
        ("walk", "walked", "walks", "walking"),
        ("bake", "baked", "bakes", "baking"),
        ("carry", "carried", "carries", "carrying"),
        ("play", "played", "plays", "playing"),
        ("stop", "stopped", "stops", "stopping"),
        ("visit", "visited", "visits", "visiting"),
        ("fix", "fixed", "fixes", "fixing"),
        ("watch", "watched", "watches", "watching"),
    ],
)
def test_regular_verbs(verb, past, third, ing):
    assert (english.past(verb), english.third_person(verb), english.ing(verb)) == (past, third, ing)


def test_third_persons_plurals_and_articles():
    assert [english.third_person(verb) for verb in ("go", "do", "have")] == ["goes", "does", "has"]
    plurals = ["dogs", "boxes", "cities", "boys", "dishes"]
    assert [english.with_s(noun) for noun in ("dog", "box", "city", "boy", "dish")] == plurals
    words = ("apple", "pear", "hour", "uniform", "umbrella", "university", "old", "email")
    assert [english.article(word) for word in words] == ["an", "a", "an", "a", "an", "a", "an", "an"]
