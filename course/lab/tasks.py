"""A task: labelled records split by split, the head that fits them, and what its guesses are worth.

for task in four_tasks("handmade").values():
    head = task.head(encoder, seed=0)        # what fits the task, on any encoder
    task.score(head), task.baseline()        # in %: accuracy, span F1 or answer F1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from course.lab import baselines
from course.lab.passages import question_pairs, single_questions, split_by_article
from course.sources.handmade import handmade_names, handmade_questions, handmade_reviews
from course.sources.public import load_public
from course.world import World
from course_lib.data.records import LabelledText, Passage, Sentence, SentencePair, TaggedSentence
from course_lib.errors import CourseError
from course_lib.evaluation import accuracy, span_f1
from course_lib.evaluation.metrics import squad_scores
from course_lib.language import key
from course_lib.models.encoder import ContextEncoder
from course_lib.models.heads import PairClassifier, SequenceClassifier, SpanExtractor, TokenTagger
from course_lib.models.spans import rows_of, training_rows
from course_lib.text.words import split_words

Head = SequenceClassifier | PairClassifier | TokenTagger | SpanExtractor
Record = LabelledText | SentencePair | TaggedSentence | Passage
Records = Sequence[LabelledText] | Sequence[SentencePair] | Sequence[TaggedSentence] | Sequence[Passage]
SPLITS = ("train", "dev", "test")
KINDS = ("sentence", "pair", "tokens", "span")  # the four of chapter 8; "words" has the head of "tokens"
UNITS = {
    "sentence": key("accuracy in %"),
    "pair": key("accuracy in %"),
    "tokens": key("span F1 in %"),
    "words": key("tagging accuracy in %"),
    "span": key("answer F1 in %"),
}
BASELINES = {
    "sentence": key("bag of words"),
    "pair": key("word overlap"),
    "tokens": key("dictionary"),
    "words": key("dictionary"),
    "span": key("overlap window"),
}
SCORE, EXACT = "score", "exact"  # the metric of UNITS; exact match of answers
# language -> the public sets of sentence, tokens, and of pair and span
PUBLIC = {"en": ("sst2", "wnut17", "squad1_dev"), "ko": ("nsmc", "klue_ner", "korquad1_dev")}
TITLES = {"imdb": "IMDb", "sst2": "SST-2", "trec6": "TREC-6", "wnut17": "WNUT-17"}
# The labels of SST-2's own test texts are not public.
_TEST_SPLIT = {"sst2": "dev", "trec6": "test", "nsmc": "test"}
N_TRAIN, N_DEV, N_TEST = 3_000, 200, 400
N_WORDS = 50  # of a sentence in a pair, and of a passage


@dataclass(frozen=True)
class Task:
    """Labelled records: `train` to draw from, `dev` to choose settings by, `test` to score on once.

    kind        "sentence", "pair", "tokens" (names or chunks, BIO), "words" (a tag per word, no spans) or "span" (a
                Passage with one question each)
    tags        the layer that "tokens" and "words" learn
    unlabelled  training texts without their labels, for a language model: lists of words
    """

    name: str
    kind: str
    train: Records
    dev: Records
    test: Records
    language: str = "en"
    tags: str = "ner"
    unlabelled: Sequence[Sequence[str]] = ()

    @property
    def tagged(self) -> bool:
        return self.kind in ("tokens", "words")

    @property
    def unit(self) -> str:
        return UNITS[self.kind]

    @property
    def baseline_name(self) -> str:
        return BASELINES[self.kind]

    @property
    def labels(self) -> list[str]:
        """Of all training records; [] for spans."""
        if self.kind == "span":
            return []
        return sorted(
            {tag for record in self.train for tag in (record.tags[self.tags] if self.tagged else [record.label])}
        )

    def texts(self) -> list:
        """What is read of each test record of one text."""
        return [record.sentence if self.tagged else record.text for record in self.test]

    def gold(self) -> list:
        """The label of each test record, or the tags of its words."""
        return [list(record.tags[self.tags]) if self.tagged else record.label for record in self.test]

    def head(self, encoder: ContextEncoder, seed: int | None = None, **settings) -> Head:
        """A new head of this kind on `encoder`, its weights drawn by `seed`; settings as the head takes them."""
        if self.kind == "span":
            return SpanExtractor(encoder, seed=seed, **settings)
        if self.tagged:
            return TokenTagger(encoder, self.labels, tags=self.tags, seed=seed, **settings)
        made = SequenceClassifier if self.kind == "sentence" else PairClassifier
        return made(encoder, self.labels, seed=seed, **settings)

    def sample(self, n_labels: int | None, seed: int) -> list[Record]:
        """`n_labels` training records, or all (None), in an order that `seed` draws."""
        n_labels = len(self.train) if n_labels is None else n_labels
        self._check(1, n_labels)
        return Random(seed).sample(list(self.train), n_labels)

    def draw(self, n_labels: int, seed: int) -> list[Record]:
        """`n_labels` training records, the smaller draw a part of the larger; of texts and pairs every label."""
        labels = self.labels if self.kind in ("sentence", "pair") else []
        self._check(len(labels), n_labels)
        order = Random(seed).sample(range(len(self.train)), len(self.train))
        first = [next(i for i in order if self.train[i].label == label) for label in labels]
        rest = [i for i in order if i not in first]
        return [self.train[i] for i in [*first, *rest][:n_labels]]

    def _check(self, least: int, n_labels: int) -> None:
        if not max(1, least) <= n_labels <= len(self.train):
            of = f" of {least} labels" if least > 1 else ""
            raise CourseError(
                f"{self.name}: {n_labels} labelled records were asked for. "
                f"There are {len(self.train)}{of}; give a number between."
            )

    def score(self, head: Head, part: str = "test") -> float:
        """The head's score on "test" or "dev", in %."""
        return self.scores(head, part)[SCORE]

    def scores(self, head: Head, part: str = "test") -> dict[str, float]:
        """{"score": as `score` gives it}, and for answers "exact": exact match in %."""
        guesses = head.predict(getattr(self, part))
        return self.worth([answer.text for answer in guesses] if self.kind == "span" else guesses, part)

    def worth(self, guesses: Sequence, part: str = "test") -> dict[str, float]:
        """As `scores`, of labels, lists of tags, or texts of answers."""
        records = getattr(self, part)
        if self.kind == "span":
            references = [[text for text, _ in record.questions[0].answers] for record in records]
            both = squad_scores(guesses, references, self.language)
            return {SCORE: both["f1"], EXACT: both["exact_match"]}
        if self.kind == "tokens":
            return {SCORE: 100 * span_f1(guesses, [list(record.tags[self.tags]) for record in records])}
        if self.kind == "words":
            gold = [tag for record in records for tag in record.tags[self.tags]]
            return {SCORE: 100 * accuracy([tag for row in guesses for tag in row], gold)}
        return {SCORE: 100 * accuracy(guesses, [record.label for record in records])}

    def baseline(self, train: Records | None = None) -> float:
        """The real baseline's score on the test records in %, learned from `train` (None: all training records)."""
        return self.baseline_scores(train)[SCORE]

    def baseline_scores(self, train: Records | None = None) -> dict[str, float]:
        """As `scores`, of the real baseline."""
        train = self.train if train is None else train
        if self.kind == "sentence":
            parts = ([cut(record, 1_000) for record in part] for part in (train, self.test))
            return {SCORE: baselines.bag_of_words(*parts)}
        if self.tagged:
            return self.worth(baselines.dictionary(train, self.test, self.tags))
        guess = baselines.word_overlap if self.kind == "pair" else baselines.overlap_window
        return self.worth(guess(train, self.test))

    def majority(self) -> float:
        """One guess for all test records, in %: the commonest label or tag, "O" for names, a passage's first words."""
        if self.kind == "span":
            return self.worth(baselines.first_words(self.train, self.test))[SCORE]
        if self.tagged:
            tag = "O" if self.kind == "tokens" else baselines.commonest_tag(self.train, self.tags)
            return self.worth([[tag] * len(record.sentence) for record in self.test])[SCORE]
        label = Counter(record.label for record in self.train).most_common(1)[0][0]
        return self.worth([label] * len(self.test))[SCORE]

    def fitting(self, encoder: ContextEncoder, *, windows: bool = False) -> Task:
        """Without the records that are too long for one row of the encoder, or empty.

        windows  keep long passages too, if a window that the span head reads holds the answer whole
        """
        fit = fits_windows if windows and self.kind == "span" else fits
        return replace(self, **{part: [r for r in getattr(self, part) if fit(encoder, r)] for part in SPLITS})

    def limited(self, n_train: int = N_TRAIN, n_dev: int = N_DEV, n_test: int = N_TEST) -> Task:
        """At most so many records of each part, drawn once, always the same."""
        sizes = {"train": n_train, "dev": n_dev, "test": n_test}
        return replace(self, **{part: _some(getattr(self, part), n) for part, n in sizes.items()})


# Where the records come from


def four_tasks(source: str = "handmade", language: str = "en", **sizes) -> dict[str, Task]:
    """All four by kind. source: "handmade" or "public" (the sets in PUBLIC); sizes as `Task.limited` takes them."""
    four = (reviews(source, language, n_dev=N_DEV), *(make(source, language) for make in (pairs, names, answers)))
    return {task.kind: task.limited(**sizes) for task in four}


def reviews(source: str = "handmade", language: str = "en", *, n_dev: int = 0) -> Task:
    """Good or bad? "handmade", "sst2" or "nsmc" (public sets), "public" for the language's.

    n_dev  cut off from a public training part, which is shuffled for that; the handmade set has all parts
    """
    if source == "handmade":
        return Task(key("handmade reviews"), "sentence", *_handmade(handmade_reviews, language), language)
    name = _public(source, language, 0)
    train, dev = load_public(name, "train"), []
    if n_dev:
        train, dev = _cut_off_dev(train, n_dev)
    return Task(TITLES.get(name, name), "sentence", train, dev, load_public(name, _TEST_SPLIT[name]), language)


def names(source: str = "handmade", language: str = "en") -> Task:
    """Named entities: "handmade", "wnut17", or "klue_ner", of which each character counts as a word."""
    if source == "handmade":
        return Task("handmade names", "tokens", *_handmade(handmade_names, language), language)
    name = _public(source, language, 1)
    if name == "klue_ner":  # its only public part is called dev
        records = _in_order(load_public(name))
        return Task(name, "tokens", *_cut_off_dev(records[N_TEST:], N_DEV), records[:N_TEST], language)
    return Task(TITLES.get(name, name), "tokens", *(load_public(name, split) for split in SPLITS), language)


def pairs(source: str = "handmade", language: str = "en", *, n_words: int = N_WORDS) -> Task:
    """Does the sentence answer the question? Made of "handmade" questions, "squad1_dev" or "korquad1_dev"."""
    name, parts = _passages(source, language)
    return Task(f"{name}, pairs", "pair", *(question_pairs(part, n_words) for part in parts), language)


def answers(source: str = "handmade", language: str = "en", *, n_words: int = N_WORDS) -> Task:
    """The answer in a few sentences of its passage: "handmade" questions, "squad1_dev" or "korquad1_dev"."""
    name, parts = _passages(source, language)
    return Task(name, "span", *(single_questions(part, n_words) for part in parts), language)


def parts_of_speech(source: str = "handmade") -> Task:
    """Universal parts of speech. source: "handmade", "world", or "ud_english_ewt" (needs the public set)."""
    if source == "handmade":
        name, (train, dev, test) = key("handmade sentences"), _handmade(handmade_names, "en")
    elif source == "world":
        name, (train, dev, test) = "the world", (world_sentences("train", 200), [], world_sentences("test", 200))
    else:
        name, (train, dev, test) = "UD English EWT", (load_public(source, "train"), [], load_public(source, "test"))
    return Task(name, "words", train, dev, test, tags="upos")


def world_sentences(split: str, n: int, seed: int = 11, language: str = "en") -> list[TaggedSentence]:
    """`n` labelled sentences of the world; the text without labels has another seed."""
    return [sentence.tagged for sentence in islice(World(seed, split=split).sentences(language), n)]


def target_texts(
    source: str = "handmade",
    *,
    n_words: int = 100,
    n_train: int = 4_000,
    n_dev: int = 500,
    n_test: int = 1_000,
    n_unlabelled: int = 2_000,
) -> Task:
    """Texts that a language model is tuned to: handmade reviews, or a public set: "imdb", "sst2", "trec6".

    At most so many texts, drawn once, always the same, lower case, words between single spaces.
    n_words  a text's last words are kept: a review's verdict tends to stand at its end
    n_dev    cut off from the labelled training part, and with IMDb (whose own training part alone is registered) the
             test texts too; the handmade set has all parts
    """
    if source == "handmade":
        parts = _handmade(handmade_reviews, "en")
    elif source in ("imdb", "sst2", "trec6"):
        drawn = _in_order(load_public(source, "train"))
        own_test = source in _TEST_SPLIT
        tested = load_public(source, _TEST_SPLIT[source]) if own_test else drawn[-n_test:]
        learned = drawn if own_test else drawn[:-n_test]
        parts = [learned[n_dev:][: max(n_train, n_unlabelled)], learned[:n_dev], _some(tested, n_test)]
    else:
        raise CourseError(f"There are no target texts {source!r}. There are: handmade, imdb, sst2, trec6.")
    train, dev, test = ([cut(record, n_words) for record in part] for part in parts)
    unlabelled = [record.text.split() for record in train[:n_unlabelled]]
    title = TITLES.get(source, "handmade reviews")
    return Task(title, "sentence", train[:n_train], dev, test, unlabelled=unlabelled)


def unseen_in_tests(records: Sequence[LabelledText]) -> list[LabelledText]:
    """Of IMDb's reviews those that `target_texts` neither tests nor chooses on: language models may read them."""
    return _in_order(records)[500:-1_000]


def cut(record: LabelledText, n_words: int) -> LabelledText:
    """The record with its text's last `n_words` words, in lower case, single spaces between them."""
    return LabelledText(" ".join(split_words(record.text.lower())[-n_words:]), record.label)


def _handmade(read: Callable[[str, str], Sequence], language: str) -> list[list]:
    return [list(read(language, split)) for split in SPLITS]


def _passages(source: str, language: str) -> tuple[str, Sequence[Sequence[Passage]]]:
    if source == "handmade":
        return key("handmade questions"), _handmade(handmade_questions, language)
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


def _in_order(records: Records) -> list[Record]:
    """All of them, shuffled once, always the same."""
    return _some(records, len(records))


def _cut_off_dev(records: Records, n_dev: int) -> tuple[list[Record], list[Record]]:
    """Train and dev."""
    order = _in_order(records)
    return order[n_dev:], order[:n_dev]


# Room in one row of an encoder


def texts_of(record: Record) -> tuple[Sentence | str, ...]:
    """The texts that stand in one row: question and passage of a Passage, which has one question."""
    match record:
        case TaggedSentence():
            return (record.sentence,)
        case LabelledText():
            return (record.text,)
        case SentencePair():
            return record.first, record.second
    return record.questions[0].question, record.text


def n_units(encoder: ContextEncoder, record: Record) -> int:
    """Pieces of a record's texts, without specials; words if the encoder has no pieces."""
    pieces, sentences = getattr(encoder, "pieces", None), map(Sentence.of, texts_of(record))
    return sum(len(s.words) if pieces is None else sum(map(len, pieces.split(s.words))) for s in sentences)


def fits(encoder: ContextEncoder, record: Record) -> bool:
    """True if the record is not empty and one row holds it whole: both texts, if the encoder reads pairs."""
    seps = len(texts_of(record)) - 1  # a second [SEP] takes a place
    n, room = n_units(encoder, record), encoder.max_units
    return n > 0 and (room is None or n + seps <= room)


def fits_windows(encoder: ContextEncoder, passage: Passage) -> bool:
    """True if the span head can learn the passage's one question: a window beside it holds the answer whole."""
    try:
        [rows] = rows_of([passage], encoder, None)
        return bool(training_rows(rows, no_answer=False))
    except CourseError:  # the question takes the whole row, a word or the answer is longer than what is left
        return False
