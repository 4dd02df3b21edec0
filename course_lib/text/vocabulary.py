"""Words with ids and counts: counted once, never changed afterwards.

The order is fixed by the text alone: specials first as given, then by falling count, ties by code points of the word.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from course_lib.errors import CourseError
from course_lib.files import compact_json
from course_lib.language import key, t
from course_lib.text.words import as_text


@dataclass(frozen=True, repr=False)
class Vocabulary:
    """Immutable list of different words; a word's id is its place.

    words    tuple of str, id -> word
    counts   tuple of int, id -> how often the word was counted (0 for specials that no text holds)
    unknown  the word that stands for all others in `encode`, or None
    index    word -> id
    """

    words: Iterable[str]
    counts: Iterable[int] | None = None
    unknown: str | None = field(default=None, kw_only=True)
    index: dict[str, int] = field(init=False, compare=False)

    def __post_init__(self):
        words = tuple(self.words)
        counts = (0,) * len(words) if self.counts is None else tuple(int(count) for count in self.counts)
        index = {word: i for i, word in enumerate(words)}
        assert len(index) == len(words) == len(counts), "each word once, with one count"
        assert self.unknown is None or self.unknown in index
        vars(self).update(words=words, counts=counts, index=index)

    @classmethod
    def from_sentences(
        cls,
        sentences: Iterable[Sequence[str]] | Mapping[str, int],
        *,
        min_count: int = 1,
        max_size: int | None = None,
        specials: Sequence[str] = (),
        unknown: str | None = None,
    ) -> Vocabulary:
        """Count the words of `sentences` (lists of str, or records with `.words`) and keep the frequent ones.

        sentences  or the counts of words, where they are counted already
        min_count  words counted less often are left out
        max_size   at most so many words, specials included
        specials   come first, whatever their count; a text word spelt like one counts as that special
        unknown    one of `specials`; its count is that of all words left out
        """
        if not isinstance(sentences, Mapping):
            sentences = Counter(chain.from_iterable(words_of(words, number) for number, words in enumerate(sentences)))
        assert max_size is None or max_size >= len(specials)
        counter = Counter({as_text(word, "A word of the text"): count for word, count in sentences.items()})
        first = {word: counter.pop(word, 0) for word in specials}
        kept = sorted((word for word, count in counter.items() if count >= min_count), key=lambda w: (-counter[w], w))
        if max_size is not None:
            kept = kept[: max_size - len(specials)]
        counts = [*first.values(), *(counter[word] for word in kept)]
        if unknown in first:
            counts[list(first).index(unknown)] += counter.total() - sum(counter[word] for word in kept)
        return cls([*specials, *kept], counts, unknown=unknown)

    def encode(self, words: Sequence[str]) -> list[int]:
        """One id per word; a word outside the vocabulary gets the id of `unknown`, or is an error if there is none."""
        words, get = words_of(words), self.index.get
        if self.unknown is not None:
            default = self.index[self.unknown]
            return [get(word, default) for word in words]
        ids = [get(word) for word in words]
        if None in ids:
            says = key(
                "{word} is not among the {n} words of this vocabulary. "
                "Leave unknown words out, or build the vocabulary with unknown='[UNK]'."
            )
            raise CourseError(t(says, word=repr(words[ids.index(None)]), n=len(self)))
        return ids

    def decode(self, ids: Iterable[int]) -> list[str]:
        """One word per id."""
        return [self.words[int(i)] for i in ids]

    def to_json(self) -> str:
        """Text that `from_json` reads, and that fits into any UTF-8 file."""
        return compact_json({"words": self.words, "counts": self.counts, "unknown": self.unknown})

    @classmethod
    def from_json(cls, text: str) -> Vocabulary:
        """What `to_json` gave."""
        return cls(**json.loads(text))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words: {', '.join(map(repr, self.words[:5]))}{', ...' * (len(self) > 5)})"


def words_of(sentence, number: int | None = None) -> Sequence[str]:
    """The words of a list of words or of a record that has `.words`; a bare str would be read letter by letter.

    number: which of several it is, for the error.
    """
    words = getattr(sentence, "words", sentence)
    is_row = number is not None and isinstance(words, Mapping)
    if isinstance(words, (str, bytes)) or not isinstance(words, Iterable) or is_row:
        which = t("This") if number is None else t("Sentence {number}", number=number)
        says = key(
            "{which} is {given} ({kind}), not a list of words. Split a text with split_words(text). Drop empty rows "
            "first, e.g. with pandas' dropna()."
        )
        raise CourseError(t(says, which=which, given=f"{words!r:.60}", kind=type(words).__name__))
    return words


def known_form(word: str, known: Container[str]) -> str | None:
    """The word if it is known, else its lower-case form if that is, else None."""
    return next((form for form in (word, word.lower()) if form in known), None)
