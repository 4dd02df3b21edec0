import pytest

from course_lib.data.world import english


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


def test_third_person_of_short_verbs():
    assert [english.third_person(verb) for verb in ("go", "do", "have")] == ["goes", "does", "has"]


def test_plurals_and_articles():
    assert [english.with_s(noun) for noun in ("dog", "box", "city", "boy", "dish")] == [
        "dogs",
        "boxes",
        "cities",
        "boys",
        "dishes",
    ]
    words = ("apple", "pear", "hour", "uniform", "umbrella", "university", "old", "email")
    assert [english.article(word) for word in words] == ["an", "a", "an", "a", "an", "a", "an", "an"]
