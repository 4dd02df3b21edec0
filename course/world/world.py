"""The invented world: English and Korean sentences with exact labels, as streams of any length.

    world = World(seed=0)                                   # the train split
    for sentence in itertools.islice(world.sentences("ko"), 10):
        print(sentence.text(), sentence.upos, sentence.heads)

Splits share no sentence, no name and some words: World(split="test") has names and nouns that train never shows.
The words and frames are files: see data/world/README.md. Only Random.random() decides, so a seed gives the same stream
on every machine and Python version. Each call starts its own stream from the seed; calls do not disturb each other.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import TypeVar

from course.world.compose import Composer, reversal
from course.world.distances import Agreement, Distances, SenseCues
from course.world.documents import SENTENCES, Narrator
from course.world.draw import SPLITS, Draw
from course.world.grammar import LANGUAGES, Frame, hold_out, read_frames
from course.world.lexicon import Lexicon
from course.world.questions import Examiner
from course.world.sentence import WorldDocument, WorldPair, WorldSentence
from course_lib.config import data_dir
from course_lib.data.records import LabelledText, Passage, SenseExample, SentencePair
from course_lib.errors import CourseError

NEGATIVES = ("same_topic", "any_topic")
Item = TypeVar("Item")


def _endless(draw: Callable[[], Item]) -> Iterator[Item]:
    """One drawn item after the other; the first at the call: a wrong argument is an error there, not at `next`."""
    return chain([draw()], iter(draw, None))


class World:
    """seed: any whole number. split: train, dev, test.

    folder: another folder with words and frames (default: the course's own). Raises CourseError for a faulty file.
    """

    def __init__(self, seed: int = 0, *, split: str = "train", folder: Path | None = None):
        if split not in SPLITS:
            raise CourseError(f"split is {split!r}. Use one of: {', '.join(SPLITS)}.")
        self.seed, self.split = int(seed), split
        self.lexicon, self.frames = _read(Path(folder) if folder is not None else data_dir("world"))

    def _draw(self, *stream: object) -> Draw:
        """Random numbers of their own for each kind of stream and split: another name would give other texts."""
        salt = zlib.crc32(repr((self.split, *stream)).encode())  # hash() differs between runs
        return Draw(self.lexicon, Random(self.seed * 2**32 + salt), self.split)

    def _composer(self, *stream: object) -> Composer:
        return Composer(self.frames, self._draw(*stream))

    def sentences(self, language: str = "en") -> Iterator[WorldSentence]:
        """Free-standing sentences; sentence n of "ko" means the same as sentence n of "en"."""
        composer = self._composer("sentences", None)
        _check_language(language)
        return _endless(lambda: composer.plan().write(language))

    def pairs(self) -> Iterator[WorldPair]:
        """The same sentences in both languages, aligned word by word."""
        composer = self._composer("sentences", None)
        return _endless(lambda: composer.plan().pair())

    def documents(self) -> Iterator[WorldDocument]:
        """Documents of two to five sentences; people, places and things come back (see `entities`)."""
        narrator = Narrator(self._composer("documents", None, SENTENCES))
        return filter(lambda document: len(document.pairs) >= 2, _endless(narrator.document))

    def next_sentences(self, language: str = "en", *, negatives: str = "same_topic") -> Iterator[SentencePair]:
        """Pairs labelled "next" (neighbours in a document) or "other" (the second is from another document)."""
        _check_language(language)
        if negatives not in NEGATIVES:
            raise CourseError(f"negatives is {negatives!r}. Use one of: {', '.join(NEGATIVES)}.")
        draw = self._draw("next_sentences", negatives)
        narrator = Narrator(Composer(self.frames, draw))

        def pair() -> SentencePair:
            document, label = narrator.document(), "next"
            place = int(draw.chance() * (len(document.pairs) - 1))
            first, second = (document.pairs[place + i][language].text() for i in (0, 1))
            follower = second
            if draw.chance() < 0.5:
                label, other = "other", narrator.document(document.topic if negatives == "same_topic" else None)
                follower = other.pairs[min(place + 1, len(other.pairs) - 1)][language].text()
            return SentencePair(first, follower, label) if label == "next" or follower != second else pair()

        return _endless(pair)

    def senses(
        self, language: str = "en", *, word: str | None = None, side: str = "left", distance: int | None = None
    ) -> Iterator[SenseExample]:
        """Ambiguous words with a cue on the left, on the right, or on both sides jointly ("both": XOR)."""
        _check_language(language)
        cues = SenseCues(self._draw("senses", language, word, side, distance))
        return _endless(lambda: cues.example(language, word, side, distance))

    def ambiguous_words(self, language: str = "en") -> dict[str, tuple[str, ...]]:
        """The words `senses` can give, with their senses."""
        _check_language(language)
        return SenseCues(self._draw("words")).words(language)

    def agreement(self, distance: int) -> Iterator[Agreement]:
        """English sentences with `distance` words (0-20) between subject and verb."""
        distances = Distances(self._draw("agreement", distance, "random"))
        return _endless(lambda: distances.agreement(distance))

    def role_reversals(self) -> Iterator[tuple[WorldPair, WorldPair]]:
        """A sees B / B sees A: the same words in both, in both languages."""
        composer = self._composer("role_reversals")
        return _endless(lambda: reversal(composer))

    def questions(self, language: str = "en", *, made_up_names: bool = False) -> Iterator[Passage]:
        """A passage with one question. Three sentences tell the same of other people; the name decides."""
        _check_language(language)
        examiner = Examiner(self._composer("questions", 3, made_up_names))
        return _endless(lambda: examiner.passage(language, made_up=made_up_names))

    def reviews(self, language: str = "en") -> Iterator[LabelledText]:
        """Short reviews of hotels and restaurants, labelled positive or negative."""
        _check_language(language)
        examiner = Examiner(self._composer("reviews"))
        return _endless(lambda: examiner.review(language))


def _read(folder: Path) -> tuple[Lexicon, list[Frame]]:
    """Words and frames; read again when a file has changed, since a teacher edits them."""
    files = sorted(path for path in folder.rglob("[!.]*") if path.suffix in (".tsv", ".toml"))
    return _read_version(folder, tuple((path, path.stat().st_mtime_ns, path.stat().st_size) for path in files))


@functools.lru_cache(maxsize=4)
def _read_version(folder: Path, version: tuple) -> tuple[Lexicon, list[Frame]]:
    lexicon = Lexicon(folder)
    frames = read_frames(folder, lexicon)
    hold_out(lexicon, frames)
    return lexicon, frames


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise CourseError(f"language is {language!r}. Use 'en' or 'ko'.")
