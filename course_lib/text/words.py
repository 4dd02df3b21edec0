"""Text -> words with their places, and text -> sentences, by regular expressions. For English and Korean typed text.

Rules for words:
- Words are separated by white space. Each other character that is seen belongs to exactly one word, so nothing is lost.
- A word is a run of letters, digits and underscores of any script. A Korean eojeol stays whole (배를, 20일, 10,000원):
  particles are split off elsewhere, where there is a morphological analyser.
- Numbers keep their inner points and commas (3.14, 1,000); dotted abbreviations keep their points (U.S., e.g.).
- English contractions are cut as in the Penn Treebank and Universal Dependencies: do|n't, she|'s, we|'ll.
  Other inner apostrophes stay: O'Brien.
- Punctuation: one mark, one word, but a repeated mark is one word (..., --, !!). Hyphens cut: well|-|known.
- A combining character stays with its base; an emoji with its skin tone, its joined partners, its flag letters.
- Invisible characters (format characters such as a zero-width space or a soft hyphen, control characters) never cut:
  the words are those of the text without them. Inside a word they stay, at its ends they belong to no word. Only
  those that change a picture count as seen: the joiners between emoji, the letters of a regional flag.

Normalisation: none, so that offsets refer to the text as given. Composed (NFC) and decomposed (NFD) letters are cut at
the same places, but are different strings: bring foreign text to NFC (`unicodedata.normalize`) before counting words.
Time is linear in the length of the text, also without any space.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from course_lib.errors import CourseError
from course_lib.language import key, t


def _class_of(*categories: str) -> str:
    """All characters of some categories as ranges for a character class: `re` knows none. White space is left out."""
    planes = (*range(0x20000), *range(0xE0000, 0xE0200))  # the last are tags and variation selectors
    codes = [code for code in planes if unicodedata.category(chr(code)) in categories and not chr(code).isspace()]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)


_PICTURE = r"\u2190-\u2BFF\U0001F000-\U0001FBFF"  # blocks that hold emoji
_TAG = r"[\U000E0020-\U000E007F]"  # letters of regional flags
_UNSEEN = re.compile(  # group 1: what counts as seen
    rf"(\U0001F3F4{_TAG}+|(?<=[{_PICTURE}\uFE0F\u20E3])\u200D(?=[{_PICTURE}]))|[{_class_of('Cf', 'Cc')}]"
)
_MARK = _class_of("Mn", "Mc", "Me")
_EXTEND = rf"(?:[{_MARK}\U0001F3FB-\U0001F3FF]|{_TAG})"  # marks, skin tones, tags
_INNER = rf"[\w{_MARK}]"  # a word goes on
_LATIN = r"[A-Za-z\u00C0-\u024F]"
_LATIN_END = r"[A-Za-z\u00C0-\u024F\u0300-\u036F]"  # a decomposed letter ends in a mark
_CLITIC = rf"['’](?i:s|re|ve|ll|d|m)(?!{_INNER})"
_BRIDGE = rf"(?:(?<=\d)[.,](?=\d)|(?!{_CLITIC})(?<={_LATIN_END})['’](?={_LATIN}))"  # what may stand inside a word

_WORD = re.compile(
    rf"""
    {_LATIN}\.(?:{_LATIN}\.){{1,5}}(?!{_INNER})                                  # U.S.  e.g.
  | \w{_INNER}*(?:{_BRIDGE}{_INNER}+)*                                           # word  1,000.5  O'Brien
  | {_CLITIC}                                                                    # 's  'll
  | [\U0001F1E6-\U0001F1FF]{{2}}{_EXTEND}*                                       # a flag is two letters
  | ([-.!?~=*\#+])\1+(?!{_EXTEND})                                               # ...  --  !!
  | [^\w\s](?:{_EXTEND}|\u200D[^\w\s])*                                          # any other character, emoji too
    """,
    re.VERBOSE,
)
_NOT = ("n't", "n’t")

# A full stop, perhaps a closing quote or bracket, white space; or a blank line. The look-behind keeps long runs linear.
_STOP = re.compile(r"(?<![.!?…。！？])([.!?…。！？]++)[\"'”’»)\]]*+\s+|\n[^\S\n]*\n\s*")
_BEFORE_STOP = re.compile(r"[\w.]+\Z")
_ABBREVIATIONS = re.compile(
    "e[.]g|i[.]e|cf|vs|mr|mrs|ms|dr|prof|st|jr|figs?|eqs?|sec|refs?|vol|pp?|ch|al|approx|resp|viz|inc|ltd",
    re.IGNORECASE,
)


def visible(text: str) -> str:
    """`text` without its invisible characters, which BERT's cleaning deletes too."""
    return _UNSEEN.sub(r"\1", text)


def seen(text: str) -> tuple[str, Sequence[int]]:
    """`visible(text)`, and where each of its characters stands in `text`."""
    if (kept := visible(text)) == text:
        return text, range(len(text))
    places, end = [], 0
    for unseen in _UNSEEN.finditer(text):
        places += range(end, unseen.start() if unseen[1] is None else unseen.end())
        end = unseen.end()
    return kept, [*places, *range(end, len(text))]


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """(word, start, end) from left to right, with text[start:end] == word; [] for a text in which nothing is seen."""
    text = as_text(text, "The text to split")
    cuts, (shown, places) = [], seen(text)
    for match in _WORD.finditer(shown):
        start, end = match.span()
        negated = end - start > 3 and shown[end - 3 : end].lower() in _NOT
        cuts += [(start, end - 3), (end - 3, end)] if negated else [(start, end)]
    spans = [(places[start], places[end - 1] + 1) for start, end in cuts]
    return [(text[start:end], start, end) for start, end in spans]


def split_words(text: str) -> list[str]:
    """The words of `text`, without their places."""
    return [word for word, _, _ in word_spans(text)]


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, stripped, none empty; only what is white or invisible between them is lost.

    A sentence ends at . ! ? … before white space, unless a small letter follows or the point belongs to an initial or
    to a usual abbreviation (Dr., e.g., Fig.); and at an empty line. A single line break is a space.
    """
    text = as_text(text, "The text to split")
    sentences, start, (shown, places) = [], 0, seen(text)
    ends = [stop.end() for stop in _STOP.finditer(shown) if not stop[1] or _ends_sentence(shown, stop)]
    for end in [*ends, len(shown)]:
        if sentence := shown[start:end].strip():
            start += shown[start:end].index(sentence)
            sentences.append(text[places[start] : places[start + len(sentence) - 1] + 1])
        start = end
    return sentences


def _ends_sentence(text: str, stop: re.Match) -> bool:
    if text[stop.end() : stop.end() + 1].islower():
        return False
    if stop[1] != ".":
        return True
    before = _BEFORE_STOP.search(text, max(0, stop.start() - 12), stop.start())
    word = before[0] if before else ""
    initial = len(word) == 1 and word.isupper() and word != "I"
    return not initial and not _ABBREVIATIONS.fullmatch(word)


def as_text(value: object, name: str) -> str:
    """`value` if it is text; else CourseError, which calls it `name`. pandas has None or NaN in an empty row."""
    if not isinstance(value, str):
        says = key(
            "{name} is {given} ({kind}), not text. Drop empty rows first, e.g. with pandas' "
            "dropna(); of a record or row give the text alone."
        )
        raise CourseError(t(says, name=name, given=f"{value!r:.60}", kind=type(value).__name__))
    return str(value)  # numpy's str_ is one, too
