"""Labelled texts that a language model is fine-tuned to: cut, split for development, and read as a bag of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from course_lib.data.handmade import handmade_reviews
from course_lib.data.public import load_public
from course_lib.data.records import LabelledText
from course_lib.errors import CourseError
from course_lib.evaluation import accuracy
from course_lib.text.words import split_words

SOURCES = {"imdb": "IMDb", "sst2": "SST-2", "trec6": "TREC-6"}
# What is scored on: the labels of SST-2's own test texts are not public, and of IMDb the training part is registered.
_TEST_SPLIT = {"sst2": "dev", "trec6": "test"}


@dataclass(frozen=True)
class TargetTexts:
    """Texts with one label each. `train` is drawn from, `dev` chooses rates and stops, `test` is scored on once.

    unlabelled  training texts without their labels, for the language model: lists of words
    """

    name: str
    train: Sequence[LabelledText]
    dev: Sequence[LabelledText]
    test: Sequence[LabelledText]
    unlabelled: Sequence[Sequence[str]]

    @property
    def labels(self) -> list[str]:
        return sorted({record.label for record in self.train})

    def draw(self, n_labels: int, seed: int) -> list[LabelledText]:
        """`n_labels` training records, the smaller draw a part of the larger, every label in it as far as possible.

        Raises CourseError for more than there are, and for fewer than there are labels.
        """
        return drawn(self.train, self.labels, n_labels, seed, f"{self.name}: {n_labels} labelled texts")


def drawn(records: Sequence, labels: Sequence[str], n: int, seed: int, asked: str) -> list:
    """`n` of the records, one of each of the labels first; the smaller draw is a part of the larger.

    Raises CourseError, which begins with what was `asked` for, where there are not so many.
    """
    if not max(1, len(labels)) <= n <= len(records):
        of = f" of {len(labels)} labels" if labels else ""
        raise CourseError(f"{asked} were asked for. There are {len(records)}{of}; give a number between.")
    order = Random(seed).sample(range(len(records)), len(records))
    first = [next(i for i in order if records[i].label == label) for label in labels]
    rest = [i for i in order if i not in first]
    return [records[i] for i in [*first, *rest][:n]]


def target_texts(
    source: str = "handmade",
    *,
    n_words: int = 100,
    n_train: int = 4_000,
    n_dev: int = 500,
    n_test: int = 1_000,
    n_unlabelled: int = 2_000,
) -> TargetTexts:
    """Handmade reviews, or a public set: "imdb", "sst2", "trec6". At most so many texts, drawn once, always the same.

    n_words  a text's last words are kept: a review's verdict tends to stand at its end
    n_dev    cut off from the labelled training part, and with IMDb the test texts too; the handmade set has all parts
    """
    if source == "handmade":
        parts = [handmade_reviews("en", split) for split in ("train", "dev", "test")]
    elif source in SOURCES:
        drawn = _in_order(load_public(source, "train"))
        tested = load_public(source, _TEST_SPLIT[source]) if source in _TEST_SPLIT else drawn[-n_test:]
        learned = drawn if source in _TEST_SPLIT else drawn[:-n_test]
        parts = [learned[n_dev:][: max(n_train, n_unlabelled)], learned[:n_dev]]
        parts.append(Random(0).sample(tested, min(n_test, len(tested))))
    else:
        raise CourseError(f"There are no target texts {source!r}. There are: handmade, {', '.join(SOURCES)}.")
    train, dev, test = ([cut(record, n_words) for record in part] for part in parts)
    unlabelled = [record.text.split() for record in train[:n_unlabelled]]
    return TargetTexts(SOURCES.get(source, "handmade reviews"), train[:n_train], dev, test, unlabelled)


def unseen_in_tests(records: Sequence[LabelledText]) -> list[LabelledText]:
    """Of IMDb's reviews those that `target_texts` neither tests nor chooses on: language models may read them."""
    return _in_order(records)[500:-1_000]


def _in_order(records: Sequence[LabelledText]) -> list[LabelledText]:
    return Random(0).sample(records, len(records))


def cut(record: LabelledText, n_words: int) -> LabelledText:
    """The record with its text's last `n_words` words, in lower case, single spaces between them."""
    return LabelledText(" ".join(split_words(record.text.lower())[-n_words:]), record.label)


def bag_of_words(train: Sequence[LabelledText], test: Sequence[LabelledText]) -> float:
    """Accuracy in % of a logistic regression on tf-idf of words and word pairs: the baseline of every curve."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\S+"),
        LogisticRegression(C=10.0, max_iter=1_000),
    )
    model.fit([record.text for record in train], [record.label for record in train])
    predicted = model.predict([record.text for record in test])
    return 100 * accuracy(list(predicted), [record.label for record in test])
