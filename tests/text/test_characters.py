import copy
import json
import pickle
import unicodedata
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.text.characters import BEGIN, END, PADDING, UNKNOWN, Characters

MODES = ("character", "jamo")
WORD = st.text(st.characters(), min_size=1)  # lone surrogates and combining marks too


def test_ids_by_hand():
    characters = Characters("ab")
    assert (PADDING, UNKNOWN, BEGIN, END) == (0, 1, 2, 3)
    assert characters.ids("abxa") == [2, 4, 5, 1, 4, 3]
    assert characters.table(["b", "aba"]) == [[2, 5, 3, 0, 0], [2, 4, 5, 4, 3]]
    assert len(characters) == 6


def test_jamo_show_the_stem_that_syllables_hide():
    words = ["가다", "갔다", "먹다", "먹었다", "먹고"]
    syllables, jamo = (Characters.from_words(words, mode=mode, min_count=1) for mode in MODES)

    def stem(characters, one, other):
        """How many symbols both words have in common from their start."""
        pairs = zip(characters.symbols(one), characters.symbols(other), strict=False)
        return next((i for i, (a, b) in enumerate(pairs) if a != b), 0)

    assert stem(syllables, "가다", "갔다") == 0
    assert stem(jamo, "가다", "갔다") == 2
    assert stem(syllables, "먹었다", "먹고") == 1
    assert stem(jamo, "먹었다", "먹고") == stem(jamo, "먹다", "먹었다") == 3
    assert jamo.symbols("갔다") == "\u1100\u1161\u11bb\u1103\u1161"  # initial and final ㅅ would be different symbols


def test_every_hangul_syllable_is_cut_as_unicode_cuts_it():
    jamo, syllables = Characters((), "jamo"), Characters(())
    everything = "".join(map(chr, range(0xAC00, 0xD7A4)))
    assert jamo.symbols(everything) == unicodedata.normalize("NFD", everything)
    assert syllables.symbols(unicodedata.normalize("NFD", everything)) == everything


@pytest.mark.parametrize("mode", MODES)
def test_only_hangul_syllables_are_cut(mode):
    for word in ["e\u0301", "é"]:  # two spellings of one letter: NFC makes them one
        assert Characters("é", mode).ids(word) == [BEGIN, 4, END]
    for neighbour in ["\uabff", "\ud7a4", "ㅋ", "😀", "\ud800"]:  # just outside the block; a lone surrogate
        assert Characters([neighbour], mode).ids(neighbour) == [BEGIN, 4, END]


def test_order_is_by_count_then_code_point_and_rare_ones_are_unknown():
    characters = Characters.from_words({"ba": 3, "bc": 2, "da": 2, "e": 1}, min_count=2)
    assert characters.characters == ("a", "b", "c", "d")  # 5, 5, 2, 2
    assert characters.ids("ea") == [BEGIN, UNKNOWN, 4, END]
    running = ["ba", "ba", "bc", "ba", "bc", "da", "da", "e"]
    assert Characters.from_words(iter(running), min_count=2) == characters
    assert Characters.from_words({"abcd": 4, "ab": 1}).characters == ("a", "b")  # min_count is 5


def test_a_long_word_loses_its_middle():
    characters = Characters("abcdefg", max_length=7)
    assert characters.ids("abcde") == [BEGIN, 4, 5, 6, 7, 8, END]  # fits exactly
    assert characters.ids("abcdefg") == [BEGIN, 4, 5, 6, 9, 10, END]  # abc fg
    assert Characters("abc", max_length=4).ids("abbbc") == [BEGIN, 4, 6, END]


@given(WORD, st.sampled_from(MODES), st.integers(4, 11))
def test_marks_bounds_and_both_ends_for_any_word(word, mode, max_length):
    characters = Characters.from_words([word], mode=mode, min_count=1, max_length=max_length)
    ids, symbols = characters.ids(word), characters.symbols(word)
    assert len(ids) == min(len(symbols) + 2, max_length)
    assert (ids[0], ids[-1]) == (BEGIN, END)
    spelt = "".join(characters.characters[i - 4] for i in ids[1:-1])
    head, tail = (len(spelt) + 1) // 2, len(spelt) // 2
    assert symbols.startswith(spelt[:head])
    assert symbols.endswith(spelt[head:])
    assert head + tail == len(ids) - 2


@given(st.lists(WORD, min_size=1), st.sampled_from(MODES))
def test_json_keeps_everything(words, mode):
    characters = Characters.from_words(words, mode=mode, min_count=1, max_length=5)
    text = characters.to_json()
    text.encode()  # lone surrogates, too, fit into a UTF-8 file
    restored = Characters.from_json(text)
    assert restored == characters
    assert (restored.characters, restored.mode, restored.max_length) == (characters.characters, mode, 5)


def test_surrogate_halves_side_by_side_stay_two_characters():
    halves = Characters(["\ud83d", "\ude00"])
    assert Characters.from_json(halves.to_json()) == halves
    assert halves != Characters(["😀"])


def test_nothing_changes_it():
    characters = Characters("ab", "jamo", 5)
    with pytest.raises(FrozenInstanceError):
        characters.mode = "character"
    with pytest.raises(FrozenInstanceError):
        del characters.mode
    for twin in (pickle.loads(pickle.dumps(characters)), copy.deepcopy(characters)):
        assert twin == characters
        assert hash(twin) == hash(characters)
        assert twin.ids("b") == [BEGIN, 5, END]
    others = [Characters("ba", "jamo", 5), Characters("ab", "character", 5), Characters("ab", "jamo", 7)]
    assert characters not in others


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        (lambda: Characters("a", "syllable"), "no mode 'syllable'. Use 'character' or 'jamo'"),
        (lambda: Characters("a", max_length=3), "max_length=3 leaves no room.*4 or more"),
        (lambda: Characters("aba"), "'a' more than once"),
        (lambda: Characters(["ab"]), "'ab' as a character.*one code point"),
        (lambda: Characters([""]), "'' as a character.*one code point"),
        (lambda: Characters("a").ids(""), "an empty word. Drop empty words"),
        (lambda: Characters("a").table(["a", ""]), "an empty word. Drop empty words"),
        (lambda: Characters("a").table([]), "at least one word"),
        (lambda: Characters("a").table("word"), "'word'.*a list"),
        (lambda: Characters.from_words("a word"), "'a word' is a string.*split_words"),
        (lambda: Characters.from_words(["aab"], min_count=3), "None of 2 different characters occurs 3 times.*smaller"),
        (lambda: Characters.from_words(["a"], mode="letters"), "no mode 'letters'"),
    ],
)
def test_mistakes_are_named(mistake, message):
    with pytest.raises(CourseError, match=message):
        mistake()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value.*restore or rebuild"),
        ("[1]", "no entry 'format'"),
        ('{"format": "course characters 2"}', "no entry 'format': 'course characters 1'"),
        ("[" * 100_000, "restore or rebuild"),
        (Characters("a").to_json().replace("32", "true"), "'max_length' is missing or not of type int"),
        (json.dumps({**json.loads(Characters("a").to_json()), "characters": "ab"}), "'characters'.*not of type list"),
        (json.dumps({**json.loads(Characters("a").to_json()), "characters": [7]}), "7 as a character"),
        (json.dumps({**json.loads(Characters("a").to_json()), "characters": [[]]}), "as a character"),
    ],
)
def test_damaged_text_is_refused(text, message):
    with pytest.raises(CourseError, match=message):
        Characters.from_json(text)
