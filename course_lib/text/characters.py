"""Words as sequences of characters: what lets a model read a word that it never met in training.

Two ways to cut a word. "character": one symbol per Unicode code point after NFC, so a Hangul syllable is one symbol.
"jamo": a Hangul syllable becomes its initial, medial and (if there is one) final letter; all else stays as it is.
가다 and 갔다 share no syllable before 다; as jamo they share the stem ㄱㅏ.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from course_lib.files import compact_json
from course_lib.text.vocabulary import words_of

PADDING, UNKNOWN, BEGIN, END = 0, 1, 2, 3  # BEGIN and END stand around every word: "ed" at its end is not "ed" within
_N_MARKS = 4
_FORMAT = "course characters 1"
_SYLLABLE = re.compile("[가-힣]")


@dataclass(frozen=True, repr=False)
class Characters:
    """Immutable list of the characters a model knows; ids 0 to 3 are PADDING, UNKNOWN, BEGIN, END, then the list.

    characters  tuple of str, one code point each; characters[i] has the id i + 4
    mode        "character" or "jamo"
    max_length  most ids a word can have, BEGIN and END included
    len(...)    number of ids, the four marks included: `n_characters` of a CharCNN
    """

    characters: Sequence[str]
    mode: str = "character"
    max_length: int = 32

    def __post_init__(self):
        characters, mode, max_length = tuple(self.characters), self.mode, self.max_length
        assert mode in ("character", "jamo")
        assert max_length >= 4
        ids = {character: i for i, character in enumerate(characters, start=_N_MARKS)}
        assert len(ids) == len(characters)
        vars(self).update(characters=characters, _ids=ids)

    @classmethod
    def from_words(
        cls,
        words_or_counts: Iterable[str] | Mapping[str, int],
        *,
        mode: str = "character",
        min_count: int = 5,
        max_length: int = 32,
    ) -> Characters:
        """The characters of a text, by falling count (ties by code point).

        words_or_counts  running words, or a mapping from word to how often it occurs
        min_count        characters that occur less often become UNKNOWN
        """
        empty = cls((), mode, max_length)  # checks mode and max_length before a long count
        counts: Counter[str] = Counter()
        for word, count in Counter(words_of(words_or_counts)).items():
            for character in empty.symbols(word):
                counts[character] += count
        kept = sorted((c for c, count in counts.items() if count >= min_count), key=lambda c: (-counts[c], c))
        assert kept, f"none of {len(counts)} characters occurs {min_count} times"
        return cls(kept, mode, max_length)

    def symbols(self, word: str) -> str:
        """The word as this class cuts it: one code point per symbol, no marks, at full length."""
        word = unicodedata.normalize("NFC", word)
        if self.mode == "character":
            return word
        return _SYLLABLE.sub(lambda syllable: unicodedata.normalize("NFD", syllable[0]), word)

    def ids(self, word: str) -> list[int]:
        """BEGIN, one id per symbol (UNKNOWN if not in the list), END: at most `max_length` ids in all.

        A word that is too long loses symbols from its MIDDLE, without a sign of it: two long words that differ only
        there get the same ids. Both ends stay because that is where words inflect; the front gets the odd place.
        """
        symbols, room = self.symbols(word), self.max_length - 2
        if len(symbols) > room:
            symbols = symbols[: room - room // 2] + symbols[-(room // 2) :]
        return [BEGIN, *(self._ids.get(symbol, UNKNOWN) for symbol in symbols), END]

    def table(self, words: Sequence[str]) -> list[list[int]]:
        """`ids` of each word, filled up with PADDING on the right: [word, character], as wide as the longest."""
        rows = [self.ids(word) for word in words_of(words)]
        width = max(map(len, rows))
        return [row + [PADDING] * (width - len(row)) for row in rows]

    def to_json(self) -> str:
        """Text that `from_json` reads, and that fits into any UTF-8 file."""
        fields = {"format": _FORMAT, "mode": self.mode, "max_length": self.max_length, "characters": self.characters}
        return compact_json(fields)

    @classmethod
    def from_json(cls, text: str) -> Characters:
        """What `to_json` wrote."""
        fields = json.loads(text)
        assert fields.pop("format") == _FORMAT
        return cls(**fields)

    def __len__(self) -> int:
        return _N_MARKS + len(self.characters)

    def __repr__(self) -> str:
        return f"Characters({len(self)} ids, mode={self.mode!r}, max_length={self.max_length})"
