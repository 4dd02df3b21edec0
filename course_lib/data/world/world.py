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
from typing import Any

from course_lib.config import data_dir
from course_lib.data.records import LabelledText, Passage, SenseExample, SentencePair
from course_lib.data.world.compose import Composer, reversal
from course_lib.data.world.distances import Agreement, Distances, SenseCues
from course_lib.data.world.documents import Narrator
from course_lib.data.world.draw import SPLITS, Draw
from course_lib.data.world.grammar import LANGUAGES, Frame, hold_out, read_frames
from course_lib.data.world.lexicon import Lexicon
from course_lib.data.world.questions import Examiner
from course_lib.data.world.sentence import WorldDocument, WorldPair, WorldSentence
from course_lib.errors import CourseError

NEGATIVES = ("same_topic", "any_topic")


def _begun(stream: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """The stream with its first item drawn at the call: a wrong argument is an error there, not at the first `next`."""

    @functools.wraps(stream)
    def call(*args: Any, **kwargs: Any) -> Iterator[Any]:
        items = stream(*args, **kwargs)
        return chain([next(items)], items)

    return call


class World:
    """seed: any whole number. split: train, dev, test. unseen_names: share of names made up from syllables.

    folder: another folder with words and frames (default: the course's own). Raises CourseError for a faulty file.
    """

    def __init__(self, seed: int = 0, *, split: str = "train", unseen_names: float = 0.0, folder: Path | None = None):
        if split not in SPLITS:
            raise CourseError(f"split is {split!r}. Use one of: {', '.join(SPLITS)}.")
        if not 0 <= unseen_names <= 1:
            raise CourseError(f"unseen_names={unseen_names}. Use a share from 0 to 1.")
        self.seed, self.split, self.unseen_names = int(seed), split, unseen_names
        self.lexicon, self.frames = _read(Path(folder) if folder is not None else data_dir("world"))
        self.topics = tuple(dict.fromkeys(frame.topic for frame in self.frames if not frame.name))

    def _draw(self, *stream: object) -> Draw:
        """Random numbers of their own for each kind of stream and split."""
        salt = zlib.crc32(repr((self.split, *stream)).encode())  # hash() differs between runs
        return Draw(self.lexicon, Random(self.seed * 2**32 + salt), self.split, self.unseen_names)

    def _composer(self, *stream: object) -> Composer:
        return Composer(self.frames, self._draw(*stream))

    @_begun
    def sentences(self, language: str = "en", *, topic: str | None = None) -> Iterator[WorldSentence]:
        """Free-standing sentences; sentence n of "ko" means the same as sentence n of "en"."""
        composer = self._composer("sentences", self._topic(topic))
        _check_language(language)
        while True:
            yield composer.plan(topic).write(language)

    @_begun
    def pairs(self, *, topic: str | None = None) -> Iterator[WorldPair]:
        """The same sentences in both languages, aligned word by word."""
        composer = self._composer("sentences", self._topic(topic))
        while True:
            yield composer.plan(topic).pair()

    @_begun
    def documents(self, *, topic: str | None = None, sentences: int = 5) -> Iterator[WorldDocument]:
        """Documents of about `sentences` sentences; people, places and things come back (see `antecedents`)."""
        if sentences < 2:
            raise CourseError(f"sentences={sentences}. A document needs 2 or more.")
        narrator = Narrator(self._composer("documents", self._topic(topic), sentences))
        if topic is not None and topic not in narrator.topics:
            raise CourseError(f"No documents about {topic!r}. Topics with documents: {', '.join(narrator.topics)}.")
        while True:
            document = narrator.document(topic, sentences)
            if len(document.pairs) >= 2:
                yield document

    @_begun
    def next_sentences(self, language: str = "en", *, negatives: str = "same_topic") -> Iterator[SentencePair]:
        """Pairs labelled "next" (neighbours in a document) or "other" (the second is from another document)."""
        _check_language(language)
        if negatives not in NEGATIVES:
            raise CourseError(f"negatives is {negatives!r}. Use one of: {', '.join(NEGATIVES)}.")
        draw = self._draw("next_sentences", negatives)
        narrator = Narrator(Composer(self.frames, draw))
        while True:
            document, other = narrator.document(), None
            place = int(draw.chance() * (len(document.pairs) - 1))
            if draw.chance() < 0.5:
                other = narrator.document(document.topic if negatives == "same_topic" else None)
            follower = document.pairs[place + 1] if other is None else other.pairs[min(place + 1, len(other.pairs) - 1)]
            first, second = document.pairs[place][language].text(), follower[language].text()
            if other is None or second != document.pairs[place + 1][language].text():
                yield SentencePair(first, second, "next" if other is None else "other")

    @_begun
    def senses(
        self, language: str = "en", *, word: str | None = None, side: str = "left", distance: int | None = None
    ) -> Iterator[SenseExample]:
        """Ambiguous words with a cue on the left, on the right, or on both sides jointly ("both": XOR)."""
        _check_language(language)
        cues = SenseCues(self._draw("senses", language, word, side, distance))
        while True:
            yield cues.example(language, word, side, distance)

    def ambiguous_words(self, language: str = "en") -> dict[str, tuple[str, ...]]:
        """The words `senses` can give, with their senses."""
        _check_language(language)
        return SenseCues(self._draw("words")).words(language)

    @_begun
    def agreement(self, distance: int, *, attractors: str = "random") -> Iterator[Agreement]:
        """English sentences with `distance` words (0-20) between subject and verb."""
        distances = Distances(self._draw("agreement", distance, attractors))
        while True:
            yield distances.agreement(distance, attractors)

    @_begun
    def role_reversals(self) -> Iterator[tuple[WorldPair, WorldPair]]:
        """A sees B / B sees A: the same words in both, in both languages."""
        composer = self._composer("role_reversals")
        while True:
            yield reversal(composer)

    @_begun
    def questions(
        self, language: str = "en", *, distractors: int = 3, made_up_names: bool = False
    ) -> Iterator[Passage]:
        """A passage with one question. `distractors` sentences tell the same of other people; the name decides."""
        _check_language(language)
        if not 0 <= distractors <= 5:
            raise CourseError(f"distractors={distractors}. Use 0 to 5.")
        examiner = Examiner(self._composer("questions", distractors, made_up_names))
        while True:
            yield examiner.passage(language, distractors + 1, made_up=made_up_names)[0]

    @_begun
    def reviews(self, language: str = "en") -> Iterator[LabelledText]:
        """Short reviews of hotels and restaurants, labelled positive or negative."""
        _check_language(language)
        examiner = Examiner(self._composer("reviews"))
        while True:
            yield examiner.review(language)

    def _topic(self, topic: str | None) -> str | None:
        if topic is not None and topic not in self.topics:
            raise CourseError(f"No topic {topic!r} in the world. Topics: {', '.join(self.topics)}.")
        return topic


def _read(folder: Path) -> tuple[Lexicon, list[Frame]]:
    """Words and frames; read again when a file has changed, since a teacher edits them."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".tsv", ".toml"))
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
