"""Four tasks behind one shape: a label per sentence, per pair, per word, and an answer in a passage.

for task in four_tasks("handmade").values():
    head = task.head(encoder, seed=0)        # what fits the task, on any encoder
    task.score(head), task.baseline()        # in %: accuracy, span F1 or answer F1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from course.lab import task_scores
from course.lab.passages import Parts, question_pairs, single_questions, split_by_article
from course.lab.row_sizes import Record, fits, fits_windows
from course.lab.target_texts import drawn
from course.lab.task_scores import BASELINES, KINDS, SCORE, TAGS, UNITS, Records
from course_lib.data.handmade import handmade_names, handmade_questions, handmade_reviews
from course_lib.data.public import load_public
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder
from course_lib.models.heads import PairClassifier, SequenceClassifier, SpanExtractor, TokenTagger

FourHead = SequenceClassifier | PairClassifier | TokenTagger | SpanExtractor
SPLITS = ("train", "dev", "test")
# language -> the public sets of sentence, tokens, and of pair and span
PUBLIC = {"en": ("sst2", "wnut17", "squad1_dev"), "ko": ("nsmc", "klue_ner", "korquad1_dev")}
N_TRAIN, N_DEV, N_TEST = 3_000, 200, 400
N_WORDS = 50  # of a sentence in a pair, and of a passage


@dataclass(frozen=True)
class FourTask:
    """Labelled records: `train` to draw from, `dev` to choose settings by, `test` to score on once.

    kind  "sentence", "pair", "tokens" (names or chunks, BIO), "words" (a tag per word, no spans) or "span" (a Passage
          with one question each)
    tags  the layer that "tokens" and "words" learn
    """

    name: str
    kind: str
    train: Records
    dev: Records
    test: Records
    language: str = "en"
    tags: str = TAGS

    @property
    def unit(self) -> str:
        return f"{UNITS[self.kind]} in %"

    @property
    def baseline_name(self) -> str:
        return BASELINES[self.kind]

    @property
    def labels(self) -> list[str]:
        """Of all training records; [] for spans."""
        if self.kind == "span":
            return []
        if self.kind in ("tokens", "words"):
            return sorted({tag for record in self.train for tag in record.tags[self.tags]})
        return sorted({record.label for record in self.train})

    def head(self, encoder: ContextEncoder, seed: int, **settings) -> FourHead:
        """A new head of this kind on `encoder`, its weights drawn by `seed`; settings as the head takes them."""
        if self.kind == "span":
            return SpanExtractor(encoder, seed=seed, **settings)
        if self.kind in ("tokens", "words"):
            return TokenTagger(encoder, self.labels, tags=self.tags, seed=seed, **settings)
        made = SequenceClassifier if self.kind == "sentence" else PairClassifier
        return made(encoder, self.labels, seed=seed, **settings)

    def draw(self, n_labels: int, seed: int) -> list[Record]:
        """`n_labels` training records, the smaller draw a part of the larger; of texts and pairs every label.

        Raises CourseError for more than there are, and for fewer than there are labels.
        """
        needed = self.labels if self.kind in ("sentence", "pair") else []
        return drawn(self.train, needed, n_labels, seed, f"{self.name}: {n_labels} labelled records")

    def score(self, head: FourHead, part: str = "test") -> float:
        """The head's score on "test" or "dev", in %."""
        return self.scores(head, part)[SCORE]

    def scores(self, head: FourHead, part: str = "test") -> dict[str, float]:
        """{"score": as `score` gives it}, and for answers "exact": exact match in %."""
        records = getattr(self, part)
        guesses = head.predict(records)
        if self.kind == "span":
            guesses = [answer.text for answer in guesses]
        return task_scores.scores(self.kind, guesses, records, self.language, self.tags)

    def baseline(self, train: Records | None = None) -> float:
        """The real baseline's score on the test records in %, learned from `train` (None: all training records)."""
        return self.baseline_scores(train)[SCORE]

    def baseline_scores(self, train: Records | None = None) -> dict[str, float]:
        """As `scores`, of the real baseline."""
        train = self.train if train is None else train
        return task_scores.baseline_scores(self.kind, train, self.test, self.language, self.tags)

    def majority(self) -> float:
        """The score of one guess for all test records, in %."""
        return task_scores.majority(self.kind, self.train, self.test, self.language, self.tags)

    def fitting(self, encoder: ContextEncoder, *, windows: bool = False) -> FourTask:
        """Without the records that are too long for one row of the encoder, or empty.

        windows  keep long passages too, if a window that the span head reads holds the answer whole
        """
        fit = fits_windows if windows and self.kind == "span" else fits
        kept = {part: [record for record in getattr(self, part) if fit(encoder, record)] for part in SPLITS}
        return replace(self, **kept)

    def limited(self, n_train: int = N_TRAIN, n_dev: int = N_DEV, n_test: int = N_TEST) -> FourTask:
        """At most so many records of each part, drawn once, always the same."""
        sizes = {"train": n_train, "dev": n_dev, "test": n_test}
        return replace(self, **{part: _some(getattr(self, part), n) for part, n in sizes.items()})


def four_tasks(source: str = "handmade", language: str = "en", **sizes) -> dict[str, FourTask]:
    """All four by kind. source: "handmade" or "public" (the sets in PUBLIC); sizes as `FourTask.limited` takes them."""
    return {kind: maker(source, language).limited(**sizes) for kind, maker in MAKERS.items()}


def sentences(source: str = "handmade", language: str = "en") -> FourTask:
    """Reviews, good or bad: "handmade", "sst2" or "nsmc" (public sets), "public" for the language's."""
    if source == "handmade":
        return _made("handmade reviews", "sentence", [handmade_reviews(language, split) for split in SPLITS], language)
    name = _public(source, language, 0)
    # the labels of SST-2's own test texts are not public
    parts = load_public(name, "train"), load_public(name, "dev" if name == "sst2" else "test")
    return _made(name, "sentence", [*_cut_off_dev(parts[0]), parts[1]], language)


def names(source: str = "handmade", language: str = "en") -> FourTask:
    """Named entities: "handmade", "wnut17", or "klue_ner", of which each character counts as a word."""
    if source == "handmade":
        return _made("handmade names", "tokens", [handmade_names(language, split) for split in SPLITS], language)
    name = _public(source, language, 1)
    if name == "klue_ner":  # its only public part is called dev
        records = _some(found := load_public(name), len(found))
        return _made(name, "tokens", [*_cut_off_dev(records[N_TEST:]), records[:N_TEST]], language)
    return _made(name, "tokens", [load_public(name, split) for split in SPLITS], language)


def pairs(source: str = "handmade", language: str = "en") -> FourTask:
    """Does the sentence answer the question? Made of "handmade" questions, "squad1_dev" or "korquad1_dev"."""
    name, parts = _passages(source, language)
    return _made(f"{name}, pairs", "pair", [question_pairs(part, N_WORDS) for part in parts], language)


def answers(source: str = "handmade", language: str = "en") -> FourTask:
    """The answer in a few sentences of its passage: "handmade" questions, "squad1_dev" or "korquad1_dev"."""
    name, parts = _passages(source, language)
    return _made(name, "span", [single_questions(part, N_WORDS) for part in parts], language)


MAKERS: dict[str, Callable[[str, str], FourTask]] = dict(zip(KINDS, (sentences, pairs, names, answers), strict=True))


def _made(name: str, kind: str, parts: Sequence[Sequence[Record]], language: str) -> FourTask:
    return FourTask(name, kind, *map(list, parts), language)


def _passages(source: str, language: str) -> tuple[str, Parts]:
    if source == "handmade":
        return "handmade questions", tuple(handmade_questions(language, split) for split in SPLITS)
    name = _public(source, language, 2)
    return name, split_by_article(load_public(name))


def _public(source: str, language: str, place: int) -> str:
    """The name of the public set. Raises CourseError for one that is not of this kind and language."""
    if language not in PUBLIC:
        raise CourseError(f"There are no tasks in {language!r}. Choose one of: {', '.join(PUBLIC)}.")
    name = PUBLIC[language][place]
    if source not in ("public", name):
        raise CourseError(f"There is no such task of {source!r} in {language!r}. Choose handmade, public or {name}.")
    return name


def _some(records: Records, n: int) -> list[Record]:
    return Random(0).sample(list(records), min(n, len(records)))


def _cut_off_dev(records: Records) -> tuple[list[Record], list[Record]]:
    """Train and dev."""
    drawn = _some(records, len(records))
    return drawn[N_DEV:], drawn[:N_DEV]
