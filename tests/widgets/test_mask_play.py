"""The widget that fills gaps: what is hidden, what is asked and answered, findings, what is stored, errors."""

import json

import pytest

from course.widgets import fill_mask
from course.widgets.base import percent
from course.widgets.gap_model import FillModel, LanguageSwitch, guess, read, single_gaps
from tests.mistakes import mistakes
from tests.widgets.gallery import WORDS, counting

MODEL = counting("bert-en")
TOTAL = sum(2.0 ** (6 - rank) for rank in range(len(WORDS)))


def test_a_text_is_read_with_its_gaps_and_what_is_not_known_is_named():
    tokens = ["the", "[MASK]", "barked", "[MASK]"]
    assert read(MODEL, "the [MASK] barked[MASK]") == {"tokens": tokens, "masked": [1, 3], "unknown": []}
    side = read(MODEL, "the unhappy cat barked")
    assert side["tokens"] == ["the", "un", "##happy", "cat", "barked"]
    assert side["masked"] == [2]  # the middle, where the text has no gap
    letters = FillModel("letters", lambda text: ["[UNK]" if set(text) & set("é배") else text], lambda *_: [])
    assert read(letters, "é배 é!")["unknown"] == ["é", "배"]


def test_a_switch_lets_the_letters_choose_the_model():
    english, korean = counting("en"), counting("ko", ("배", "가", "the"))
    switch = LanguageSwitch("en / ko", english, korean)
    widget = fill_mask(switch, ["the dog barked", "배 가 the"], k=2)
    assert json.loads(widget.stored) == [[single_gaps(model, text, 2)] for model, text in
                                         ((english, "the dog barked"), (korean, "배 가 the"))]  # fmt: skip
    assert widget.answer["sides"][0]["guesses"] == guess(english, ["the", "dog", "barked"], [1], 2)
    # each is read as a whole: the part after the gap has no Hangul; 뷁 is unknown, and Hangul all the same
    for text, tokens in (("배 [MASK] the", ["배", "[MASK]", "the"]), ("[MASK] 뷁", ["[MASK]", "[UNK]"])):
        widget.request = {"id": text, "text": text}
        side = widget.answer["sides"][0]
        assert side["tokens"] == tokens
        assert side["guesses"] == guess(korean, tokens, side["masked"], 2)
        widget.request = {"id": "again", "sides": [{key: side[key] for key in ("tokens", "masked", "unknown")}]}
        assert widget.answer["sides"][0] == side


def test_the_finding_follows_the_question():
    widget = fill_mask(MODEL, ["the [MASK] barked"], k=3)
    assert f"expects “dog” (50 %); the first 3 cover {percent(112 / TOTAL)}." in widget.finding()
    side = {"tokens": ["the", "dog", "slept"], "masked": [1]}
    long = ["un", *["##happy"] * 7, "dog", *["un"] * 6, "##happy", "the"]
    for request, says in (
        ({"text": "the unhappy cat slept"}, "“##happy”, hidden here, is not among them."),
        ({"sides": [side]}, "“dog”, hidden here, is guess 1 (50 %)."),
        ({"sides": [side | {"masked": []}]}, "Nothing is hidden in “the dog slept”."),
        ({"sides": [{"tokens": long, "masked": [8]}]}, f"“un{'happy' * 7} [MASK] {'un ' * 5}unhappy …”"),
        ({"sides": [side | {"masked": [0, 2]}]}, "“[MASK] dog [MASK]”, bert-en expects “dog” (50 %)"),  # two gaps
    ):
        widget.request = {"id": says, **request}
        assert says in widget.finding()
    widget.gap = [1]
    assert "expects “barked” (50 %)" in widget.finding()


def test_the_page_gets_the_models_numbers_and_the_number_of_its_question():
    widget = fill_mask(MODEL, ["the cat slept"], k=4)
    widget.request = {"id": "seven", "sides": [{"tokens": ["the", "cat", "slept"], "masked": [2, 0]}]}
    answer = widget.answer
    assert answer["id"] == "seven"
    assert answer["sides"][0]["masked"] == [0, 2]
    assert [[token for token, _ in gap] for gap in answer["sides"][0]["guesses"]] == [
        ["dog", "cat", "barked", "slept"],
        ["barked", "slept", "un", "##happy"],
    ]
    assert [p for _, p in answer["sides"][0]["guesses"][0]] == pytest.approx([w / TOTAL for w in (64, 32, 16, 8)], 1e-5)


def test_two_models_side_by_side():
    widget = fill_mask([MODEL, counting("b", WORDS[1:] + WORDS[:1])], ["the [MASK] barked"], k=3)
    assert "bert-en expects “dog” (50 %), b “cat” (50 %)" in widget.finding()
    assert widget.finding().endswith("2 stand in both lists.")
    other = fill_mask([MODEL, counting("b", WORDS[:-1])], ["the 배 [MASK]"], k=3)
    assert other.answer["sides"][1]["tokens"] == ["the", "[UNK]", "[MASK]"]
    assert other.answer["sides"][1]["unknown"] == ["배"]


def test_each_single_gap_of_a_given_sentence_is_stored():
    widget = fill_mask([MODEL, counting("b")], ["the cat slept", "the [MASK] [MASK]"], k=10)
    stored = json.loads(widget.stored)
    for side in stored[0]:
        assert list(side["guesses"]) == ["0", "1", "2"]
    for place in range(3):
        live = guess(MODEL, ["the", "cat", "slept"], [place], 5)
        kept = stored[0][0]["guesses"][str(place)]
        assert kept[0][::2] == [token for token, _ in live[0]]
        assert [p / 10_000 for p in kept[0][1::2]] == pytest.approx([p for _, p in live[0]], abs=5e-5)
    assert list(stored[1][0]["guesses"]) == ["1,2"]


def test_a_question_that_cannot_be_answered_is_answered_in_words():
    widget = fill_mask(MODEL, ["the cat slept"])
    before = widget.answer["sides"]
    for request, says in (
        ({"text": "  "}, "the text is empty"),
        ({"text": "the " * 41}, "41 tokens; at most 40 fit"),
        ({"sides": []}, "failed with ValueError"),
        ({"sides": [{"tokens": ["the"]}]}, "failed with KeyError"),
    ):
        widget.request = {"id": says, **request}
        assert widget.answer["id"] == says
        assert says in widget.answer["error"]
        assert widget.answer["sides"] == before
    widget.request = {"id": "again", "text": "the dog"}
    assert widget.answer["error"] == ""


test_input_that_cannot_be_shown_is_named = mistakes(
    (([], ["a"], 5), "0 models. Give one, or two"),
    (([MODEL] * 3, ["a"], 5), "3 models"),
    ((MODEL, [], 5), "0 sentences. Give 1 to 20"),
    ((MODEL, ["the", " "], 5), "the text is empty"),
    ((MODEL, ["the"], 1), "k=1. Use a whole number from 2 to 20"),
    ((MODEL, ["the"], 2.0), "k=2.0"),
    (([MODEL] * 2, [" ".join(["the dog"] * 8)] * 14, 10), "bytes in the notebook; 15,000 fit"),
    ((FillModel("m", str.split, lambda *_: []), ["the"], 5), "m answered 0 of 1 gaps"),
    ((FillModel("m", str.split, lambda *_: [[("a", float("nan"))]]), ["the"], 5), "not from 0 to 1"),
    of=lambda given: fill_mask(*given),
)


@pytest.mark.parametrize(
    ("share", "says"),
    [(1.0, "100 %"), (0.125, "13 %"), (0.0995, "10 %"), (0.0312, "3.1 %"), (0.00051, "0.1 %"), (0.0004, "< 0.1 %")],
)
def test_percentages(share, says):
    assert percent(share) == says
