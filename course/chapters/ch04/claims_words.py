"""Claim C4.2: what the spelling of a word that was never seen tells a character CNN, and what it tells without one."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from course.lab.tasks import parts_of_speech
from course.ledger import Measurement, claim
from course_lib.data.handmade import handmade_names
from course_lib.evaluation.probes import probe
from course_lib.models.lstm_lm import BiLM
from course_lib.models.shipped import load
from course_lib.models.word_vectors import WordVectors
from course_lib.text.characters import Characters

BUCKETS, LONGEST = 1024, 4  # of the hashed n-grams; the shipped CNNs read 1 to 4 characters at a time
SHOWN = 5  # unseen forms whose neighbours are shown


@dataclass(frozen=True)
class UnseenWords:
    """Tagged words to learn from, and test words of types that training never showed."""

    words: list[str]
    tags: list[str]
    test_words: list[str]
    test_tags: list[str]

    def right(self, guesses: Sequence[str]) -> Bool[np.ndarray, " occurrence"]:
        return np.array([guess == gold for guess, gold in zip(guesses, self.test_tags, strict=True)])

    def by_probe(self, vectors: dict[str, np.ndarray]) -> Bool[np.ndarray, " occurrence"]:
        """Right or wrong by the linear probe on one vector per word type."""
        train, test = (np.stack([vectors[word] for word in part]) for part in (self.words, self.test_words))
        return self.right(probe(train, self.tags, test))

    def by_suffix(self, length: int = 3) -> Bool[np.ndarray, " occurrence"]:
        """By the commonest tag of the training words with the same last letters, fewer where there are none."""
        counts: dict[str, Counter] = defaultdict(Counter)
        for word, tag in zip(self.words, self.tags, strict=True):
            for ending in _endings(word, length):
                counts[ending][tag] += 1
        known = [next(ending for ending in _endings(word, length) if ending in counts) for word in self.test_words]
        return self.right([counts[ending].most_common(1)[0][0] for ending in known])

    def by_unknown(self) -> Bool[np.ndarray, " occurrence"]:
        """One vector for all unseen words knows one tag: the commonest among words that training shows once."""
        seen = Counter(self.words)
        once = Counter(tag for word, tag in zip(self.words, self.tags, strict=True) if seen[word] == 1)
        return self.right([once.most_common(1)[0][0]] * len(self.test_words))

    @property
    def types(self) -> list[str]:
        return list(dict.fromkeys([*self.words, *self.test_words]))


def unseen_words(train: Sequence, test: Sequence, known: Sequence[str] = ()) -> UnseenWords:
    """Training words, and test words whose type (in any case) is neither among them nor among the `known`."""
    words, tags = _flat(train)
    seen = {word.lower() for word in (*words, *known)}
    new = [(word, tag) for word, tag in zip(*_flat(test), strict=True) if word.lower() not in seen]
    return UnseenWords(words, tags, [word for word, _ in new], [tag for _, tag in new])


@claim("C4.2", full={"source": "ud_english_ewt", "n_train": 2_000})
def characters_carry_unknown_words(
    *, source: str = "handmade", n_train: int | None = None, encoder: BiLM | str = "bilm-en"
) -> dict[str, Measurement]:
    """Part-of-speech accuracy on types that neither the tagged sentences nor the biLM's vocabulary show."""
    encoder = load(encoder) if isinstance(encoder, str) else encoder
    task = parts_of_speech(source)
    data = unseen_words(list(task.train)[:n_train], task.test, encoder.vocabulary.words)
    by_cnn = data.by_probe(spelled(encoder, data.types))
    by_ngrams, by_suffix = data.by_probe(ngrams(data.types)), data.by_suffix()
    shared = {
        "unit": "points",
        "clusters": data.test_words,
        "data": f"{task.name}, {len(data.test_words)} unseen words",
    }
    return {
        "over suffixes": Measurement(
            100 * (by_cnn.astype(float) - by_suffix),
            baselines={
                "majority tag of the last three letters, in %": 100 * by_suffix.mean(),
                "one UNK vector, in %": 100 * data.by_unknown().mean(),
            },
            parts={
                "character CNN, in %": 100 * by_cnn.mean(),
                "nearest known words": neighbours(encoder, data.test_words),
            },
            **shared,
        ),
        "over n-grams": Measurement(
            100 * (by_cnn.astype(float) - by_ngrams),
            baselines={"hashed character n-grams, in %": 100 * by_ngrams.mean()},
            parts={"Korean, n-grams of jamo minus of syllables": _jamo_against_syllables()},
            **shared,
        ),
    }


def spelled(encoder: BiLM, words: Sequence[str]) -> dict[str, np.ndarray]:
    """The character CNN's vector of each word: layer 0, which reads nothing else. [dim]"""
    half = encoder.dim // len(encoder.lstms)  # layer 0 stands there once per direction
    rows = encoder.encode([[word] for word in words], layer=0, batch_size=256)
    return {word: row[0, :half] for word, row in zip(words, rows, strict=True)}


def ngrams(words: Sequence[str], mode: str = "character") -> dict[str, Float[np.ndarray, " bucket"]]:
    """How often each n-gram of 1 to 4 characters (mode "jamo": letters of Hangul) falls into each bucket."""
    cut = Characters((), mode)
    found = {}
    for word in words:
        symbols, row = f"<{cut.symbols(word)}>", np.zeros(BUCKETS, dtype=np.float32)
        for n in range(1, LONGEST + 1):
            for start in range(len(symbols) - n + 1):
                row[zlib.crc32(symbols[start : start + n].encode()) % BUCKETS] += 1
        found[word] = row
    return found


def neighbours(encoder: BiLM, words: Sequence[str]) -> str:
    """For some of the words, the words of the biLM's vocabulary that its character CNN reads as most alike."""
    known = [word for word in encoder.vocabulary.words if word.isalpha()]
    shown = sorted({word for word in words if word.isalpha() and word.islower()}, key=lambda w: (-len(w), w))[:SHOWN]
    vectors = spelled(encoder, [*known, *shown])
    table = WordVectors(vectors, np.stack(list(vectors.values())))
    lines = []
    for word in shown:
        near = [other for other, _ in table.neighbours(word, 3 + SHOWN) if other not in shown][:3]
        lines.append(f"{word}: {', '.join(near)}")
    return "; ".join(lines)


def _jamo_against_syllables() -> Measurement:
    """The same classifier on hashed n-grams of Korean words, cut into letters or into syllables."""
    data = unseen_words(*(handmade_names("ko", split) for split in ("train", "test")))
    jamo, syllables = (data.by_probe(ngrams(data.types, mode)) for mode in ("jamo", "character"))
    return Measurement(100 * (jamo.astype(float) - syllables), "points", clusters=data.test_words)


def _endings(word: str, length: int) -> list[str]:
    """The last `length` letters, then fewer, down to none."""
    return [word[max(0, len(word) - n) :] for n in range(length, -1, -1)]


def _flat(records: Sequence) -> tuple[list[str], list[str]]:
    return (
        [word for record in records for word in record.sentence.words],
        [tag for record in records for tag in record.tags["upos"]],
    )
