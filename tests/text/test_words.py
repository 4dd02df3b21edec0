"""Text to words and sentences: laws for any text, the rules, joiners, Korean particles."""

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.lab import particles
from course.records.joiners import JOINER, joined_words, written
from course_lib.errors import CourseError
from course_lib.models.skip_gram_trainer import encode_sentences
from course_lib.text.elmo_bytes import ElmoBytes
from course_lib.text.pieces import Pieces
from course_lib.text.vocabulary import Vocabulary
from course_lib.text.word_pieces import SPECIALS, WordPieces
from course_lib.text.words import split_sentences, split_words, visible, word_spans
from tests.mistakes import mistakes

# Unicode at large (with lone surrogates and control characters), and a text made of the signs that have rules.
TEXT = st.one_of(st.text(st.characters()), st.text(st.sampled_from("aS1é가.,'’n t-!?\u0301\u200d\ufe0f👍🏽🇰🇷\n\t_#e")))
UNSEEN = "\u200b\ufeff\u00ad\u200c\u200d\u200e\u200f\u202e\u2060\u2066\u180e\U000e0001\U000e0067\x00\x07\x7f\x90"


def is_unseen(character):
    return unicodedata.category(character) in ("Cf", "Cc") and not character.isspace()


def seen(text):
    return "".join(character for character in text if not is_unseen(character))


@given(TEXT)
def test_each_character_that_is_seen_is_in_exactly_one_word(text):
    covered = []
    for word, start, end in word_spans(text):
        assert text[start:end] == word
        assert not is_unseen(word[0])
        covered += range(start, end)
    assert covered == sorted(set(covered))
    left_out = {text[place] for place in {*range(len(text))} - {*covered}}
    assert all(character.isspace() or is_unseen(character) for character in left_out)
    assert not any(text[place].isspace() for place in covered)


@given(TEXT.map(seen), st.lists(st.tuples(st.integers(0, 30), st.text(st.sampled_from(UNSEEN), min_size=1))))
def test_what_is_not_seen_changes_no_word_and_no_sentence(text, inserted):
    with_unseen = text
    for place, characters in inserted:
        with_unseen = with_unseen[:place] + characters + with_unseen[place:]
    assert visible(text) == text
    for split in (split_words, split_sentences):
        assert [visible(part) for part in split(with_unseen)] == split(text)


@given(TEXT)
def test_no_mark_is_cut_from_its_base(text):
    starts = {start for _, start, _ in word_spans(text)}
    for place in range(1, len(text)):
        if unicodedata.category(text[place]) == "Mn" and not text[place - 1].isspace():
            assert place not in starts


@given(TEXT, TEXT)
def test_white_space_separates(left, right):
    assert split_words(f"{left}\n{right}") == split_words(left) + split_words(right)


@given(TEXT)
def test_sentences_lose_only_white_space(text):
    sentences = split_sentences(text)
    assert seen("".join("".join(sentences).split())) == seen("".join(text.split()))
    assert all(sentence == sentence.strip() != "" for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        (" \t\n\u3000", ""),
        ("She paid her wages in at the bank.", "She paid her wages in at the bank ."),
        ("I don't, can't; CAN'T: n't", "I do n't , ca n't ; CA N'T : n't"),
        ("she’s they'll I'd've dogs'", "she ’s they 'll I 'd 've dogs '"),
        ("O'Brien said 'tis rock'n'roll", "O'Brien said ' tis rock'n'roll"),
        ("$1,000.50 is 3.14%, v2.13.0", "$ 1,000.50 is 3.14 % , v2.13.0"),
        ("1, 2,3 and 4.", "1 , 2,3 and 4 ."),
        ("the U.S. army, e.g. in a.b.c", "the U.S. army , e.g. in a . b . c"),
        ("a well-known -- and state-of-the-art...", "a well - known -- and state - of - the - art ..."),
        ("what?! no!!!", "what ? ! no !!!"),
        ("word_spans(text)[0]", "word_spans ( text ) [ 0 ]"),
        ("바다 멀리 배가 떠 있다.", "바다 멀리 배가 떠 있다 ."),
        ("20일에 10,000원, BERT를", "20일에 10,000원 , BERT를"),
        ("'인공지능'이라는 ‘말’을", "' 인공지능 ' 이라는 ‘ 말 ’ 을"),
        ("ㅋㅋㅋ 좋아👍🏽👩‍👩‍👧🇰🇷🇺🇸", "ㅋㅋㅋ 좋아 👍🏽 👩‍👩‍👧 🇰🇷 🇺🇸"),
        ("1️⃣#️⃣ cafe\u0301s", "1️⃣ #️⃣ cafe\u0301s"),
        ("a\x00b\ud800", "a\x00b \ud800"),
        ("안녕\u200b하세요 \ufeffBOM\u2060 \u200b \u202eab\u2066c", "안녕\u200b하세요 BOM ab\u2066c"),
        ("\u200b \x00\ufeff", ""),
        (
            "🏴\U000e0067\U000e0062\U000e007f❤️\u200d🔥 x\u200dy\u200d",
            "🏴\U000e0067\U000e0062\U000e007f ❤️\u200d🔥 x\u200dy",
        ),
        ("co\u00adoperate नमस्ते สวัสดี", "co\u00adoperate नमस्ते สวัสดี"),
    ],
)
def test_rules(text, words):
    assert split_words(text) == words.split(" ") if words else split_words(text) == []


@pytest.mark.parametrize("text", ["Café O'Néill's naïve", "사과를 한 입 베어 물었다", "≠≠ Å"])
def test_composed_and_decomposed_text_is_cut_alike(text):
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert composed != decomposed
    assert [unicodedata.normalize("NFC", word) for word in split_words(decomposed)] == split_words(composed)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Li met J. R. Wells, e.g. in Fig. 3. So did I", ["Dr. Li met J. R. Wells, e.g. in Fig. 3.", "So did I"]),
        ("It was I. Nobody else.", ["It was I.", "Nobody else."]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("It costs 3.5 euros. v2.0 is out", ["It costs 3.5 euros. v2.0 is out"]),
        ("A title\n\nA line\nand more", ["A title", "A line\nand more"]),
        ("배가 떠 있다. 눈이 왔다! 정말?", ["배가 떠 있다.", "눈이 왔다!", "정말?"]),
        ("Wait... what? Yes… No", ["Wait... what?", "Yes…", "No"]),
        (" \n ", []),
    ],
)  # fmt: skip
def test_sentences(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    "unit",
    ["a", "a.", "a'", "n't", "1,", "...", "\u0301", "👍🏽", "-\u0301", '."', "\n", "a.a.a.b", "\u200b", "\x00a"],
)
def test_time_is_linear_without_spaces(unit):
    """A megabyte would take seconds, whatever it is, and with a quadratic step hours. Long words come back whole."""
    text = unit * (400_000 // len(unit))
    begin = time.process_time()
    spans = word_spans(text)
    split_sentences(text)
    assert time.process_time() - begin < 6
    assert seen("".join(word for word, _, _ in spans)) == seen(text).strip()


# -- Words with joiners: nothing is lost but the width of spaces
JOINED_TEXTS = st.text(alphabet="aß9가 -,.'\"(\t!ée\u0301", max_size=40)


def test_joiners_by_hand():
    assert joined_words("A T-shirt, red.") == ["A", "T", "￭-￭", "shirt", "￭,", "red", "￭."]
    assert joined_words("A T\u200b-\u200bshirt\ufeff, red.\u200b") == joined_words("A T-shirt, red.")
    assert joined_words('She\'s (not) "in".') == ["She", "￭'s", "(￭", "not", "￭)", '"￭', "in", '￭"', "￭."]


@given(JOINED_TEXTS)
def test_the_way_back(text):
    assert written(" ".join(joined_words(text))) == " ".join(text.split())
    assert [word.replace(JOINER, "") for word in joined_words(text)] == split_words(text)


ONE_STR = (r"\(str\), not a list of words. Split a text with split_words", r"Put it in \[ \]")
test_one_str_is_not_read_letter_by_letter_and_what_is_no_text_is_named = mistakes(
    *((call, "|".join(ONE_STR)) for call in (
        lambda: list(particles.split_particles("배가 아프다")),
        lambda: Pieces.bpe(["abc"], 20),
        lambda: Pieces.words("abc"),
        lambda: WordPieces.train("abc def", 50),
        lambda: WordPieces([*SPECIALS, "a"]).ids("abc"),
        lambda: Pieces.bpe([["abc", "ab"]], 20).split("abc"),
        lambda: Vocabulary.from_sentences(["abc"]).encode("abc"),
        lambda: ElmoBytes().table("abc"),
        lambda: encode_sentences(["abc"], Vocabulary(["a"])),
    )),
    (lambda: list(particles.split_particles(["배가", None])), "Text 1 is None .NoneType., not text. Drop empty rows"),
    (lambda: Vocabulary.from_sentences([["a"], float("nan")]), "Sentence 1 is nan .*Drop empty rows first, .*dropna"),
    (lambda: Vocabulary.from_sentences([{"text": "a"}]), "Sentence 0 is {'text': 'a'}"),
    (lambda: Vocabulary.from_sentences([["a", float("nan"), "b"]]), "A word of the text is nan"),
    (lambda: WordPieces.train([["a"], None], 50), "Sentence 1 is None"),
    (lambda: Pieces.bpe([["a"], None], 50), "Sentence 1 is None"),
    (lambda: split_words(float("nan")), "The text to split is nan"),
    (lambda: split_sentences(b"a. b."), "The text to split is b'a. b.'"),
)  # fmt: skip


# -- Korean particles become words; everything else stays
def test_particles_are_words_and_nothing_is_lost(monkeypatch):
    texts = ["바다 멀리 배가 떠 있다.", "과수원의 배는 맛있다.", "", "제주도에서는 말을 탔다", "The bank, 2019."]
    split = list(particles.split_particles(texts))
    assert split[0] == ["바다", "멀리", "배", "가", "떠", "있다", "."]
    assert split[1] == ["과수원", "의", "배", "는", "맛있다", "."]
    assert split[2] == []
    assert split[3] == ["제주도", "에서", "는", "말", "을", "탔다"]
    assert ["".join(words) for words in split] == [text.replace(" ", "") for text in texts]
    unseen = ["바다 멀리 배\u200b가 떠\u00ad 있다.\ufeff", "제주\u200b도에\u2060서는 말을 탔다"]
    assert list(particles.split_particles(unseen)) == [split[0], split[3]]
    monkeypatch.setattr(particles, "_analyser", particles._analyser.__wrapped__)  # not the one that was kept
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    with pytest.raises(CourseError, match="pip install kiwipiepy"):
        list(particles.split_particles(["배가"]))
