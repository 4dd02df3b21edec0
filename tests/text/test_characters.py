"""Words as characters: order, jamo, marks and both ends, JSON."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.text.characters import BEGIN, END, PADDING, UNKNOWN, Characters
from course_lib.text.elmo_bytes import ElmoBytes
from tests.mistakes import mistakes

MODES = ("character", "jamo")
WORD = st.text(st.characters(), min_size=1)  # lone surrogates and combining marks too


@pytest.mark.parametrize("mode", MODES)
def test_only_hangul_syllables_are_cut(mode):
    for word in ["e\u0301", "é"]:  # two spellings of one letter: NFC makes them one
        assert Characters("é", mode).ids(word) == [BEGIN, 4, END]
    assert Characters((), "jamo").symbols("갔다") == "\u1100\u1161\u11bb\u1103\u1161"  # an initial ㅅ is another symbol
    everything = "".join(map(chr, range(0xAC00, 0xD7A4)))
    assert (Characters((), mode).symbols(everything) == everything) == (mode == "character")
    assert Characters(()).symbols(unicodedata.normalize("NFD", everything)) == everything
    for neighbour in ["\uabff", "\ud7a4", "ㅋ", "😀", "\ud800"]:  # just outside the block; a lone surrogate
        assert Characters([neighbour], mode).ids(neighbour) == [BEGIN, 4, END]


def test_order_is_by_count_then_code_point_and_rare_ones_are_unknown():
    characters = Characters.from_words({"ba": 3, "bc": 2, "da": 2, "e": 1}, min_count=2)
    assert characters.characters == ("a", "b", "c", "d")  # 5, 5, 2, 2
    assert (PADDING, UNKNOWN, BEGIN, END) == (0, 1, 2, 3)
    assert characters.table(["ea", "b"]) == [[2, 1, 4, 3], [2, 5, 3, 0]]
    running = ["ba", "ba", "bc", "ba", "bc", "da", "da", "e"]
    assert Characters.from_words(iter(running), min_count=2) == characters
    assert Characters.from_words({"abcd": 4, "ab": 1}).characters == ("a", "b")  # min_count is 5


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
    halves = Characters(["\ud83d", "\ude00"])  # side by side they stay two characters
    assert Characters.from_json(halves.to_json()) == halves != Characters(["😀"])


test_mistakes_are_named = mistakes(
    (lambda: Characters("a").table("word"), "'word' .str.*split_words"),
    (lambda: Characters.from_words("a word"), "'a word' .str.*split_words"),
)


# -- ELMo's bytes
def test_bytes_by_hand():
    # U+AC00 is EA B0 80 in UTF-8; every id is one higher than the byte; a lone surrogate has no bytes
    whole = ElmoBytes().table(["a가", "<S>", "</S>", "<s>", "\ud800"])
    assert whole[0] == [259, 98, 235, 177, 129, 260, *[261] * 44]
    begin = [[id for id in ids if id != 261] for ids in whole[1:]]
    assert begin == [[259, 257, 260], [259, 258, 260], [259, 61, 116, 63, 260], [259, 260]]
    for length in (1, 47, 48, 49, 997):
        ids = ElmoBytes().ids("x" * length)
        assert (len(ids), ids.index(260)) == (50, 1 + min(length, 48))
        assert max(ids) < len(ElmoBytes()) == 262
