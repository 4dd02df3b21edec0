"""Guesses that need no network: the real baselines of the tasks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median

import numpy as np
from jaxtyping import Float

from course_lib.data.records import LabelledText, Passage, SentencePair, TaggedSentence
from course_lib.evaluation import accuracy
from course_lib.text.words import split_words, word_spans


def bag_of_words(train: Sequence[LabelledText], test: Sequence[LabelledText]) -> float:
    """Accuracy in % of a logistic regression on tf-idf of words and word pairs, of texts split at spaces."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\S+"),
        LogisticRegression(C=10.0, max_iter=1_000),
    )
    model.fit([record.text for record in train], [record.label for record in train])
    guesses = model.predict([record.text for record in test])
    return 100 * accuracy(list(guesses), [record.label for record in test])


def dictionary(
    train: Sequence[TaggedSentence], test: Sequence[TaggedSentence], tags: str, unknown: str | None = None
) -> list[list[str]]:
    """Each word's commonest tag in the training sentences; for a word that they lack `unknown`, or the commonest."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in train:
        for word, tag in zip(record.sentence.words, record.tags[tags], strict=True):
            counts[word][tag] += 1
    best = {word: seen.most_common(1)[0][0] for word, seen in counts.items()}
    unknown = commonest_tag(train, tags) if unknown is None else unknown
    return [[best.get(word, unknown) for word in record.sentence.words] for record in test]


def commonest_tag(train: Sequence[TaggedSentence], tags: str) -> str:
    return Counter(tag for record in train for tag in record.tags[tags]).most_common(1)[0][0]


def overlap_counts(pairs: Sequence[SentencePair]) -> Float[np.ndarray, "pair 3"]:
    """Different words that both texts have, whatever their case; words of the first, words of the second."""
    rows = [[set(split_words(text.lower())) for text in (pair.first, pair.second)] for pair in pairs]
    return np.array([[len(a & b), len(a), len(b)] for a, b in rows], dtype=np.float64)


def word_overlap(train: Sequence[SentencePair], test: Sequence[SentencePair]) -> list[str]:
    """A logistic regression on `overlap_counts`."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=1_000).fit(overlap_counts(train), [pair.label for pair in train])
    return [str(label) for label in model.predict(overlap_counts(test))]


def overlap_window(train: Sequence[Passage], test: Sequence[Passage]) -> list[str]:
    """Per question the words, as many as the answers of `train` typically have, in whose company it is best met.

    The company is a window of words on either side; a word of the question in it counts log(1 + 1 / its count in the
    passage), as in the sliding window of Richardson et al. 2013 (MCTest), section 3. Windows of 1 word to as many as
    the question has are added up, so near words count more. There the window ranks given answers, and so it does in
    Rajpurkar et al. 2016, arXiv:1606.05250, section 5.1; here every span of that length is one, those without a
    punctuation mark before all others.
    """
    length = typical_length(train)
    return [_best_window(passage, length) for passage in test]


def first_words(train: Sequence[Passage], test: Sequence[Passage]) -> list[str]:
    """As many words of each passage's beginning as the answers of `train` typically have."""
    length = typical_length(train)
    return [_text(passage.text, word_spans(passage.text)[:length]) for passage in test]


def typical_length(passages: Sequence[Passage]) -> int:
    """The median number of words of the first answers, at least 1."""
    return max(1, round(median(len(split_words(passage.questions[0].answers[0][0])) for passage in passages)))


def _best_window(passage: Passage, length: int) -> str:
    question = split_words(passage.questions[0].question.lower())
    words, spans = split_words(passage.text.lower()), word_spans(passage.text)
    counts, of_question = Counter(words), set(question)
    worth = [math.log1p(1 / counts[word]) if word in of_question and word[0].isalnum() else 0.0 for word in words]
    summed = np.concatenate([[0.0], np.cumsum(worth)])

    def company(first: int) -> tuple[bool, float]:
        last = min(first + length, len(words))
        unbroken = all(word[0].isalnum() for word in words[first:last])
        windows = ((max(0, first - reach), min(last + reach, len(words))) for reach in range(1, len(question) + 1))
        inner = summed[last] - summed[first]
        return unbroken, round(sum(summed[b] - summed[a] - inner for a, b in windows), 9)

    starts = range(max(1, len(words) - length + 1))
    best = max(starts, key=company)  # of equal ones the first
    return _text(passage.text, spans[best : best + length])


def _text(text: str, spans: Sequence[tuple[str, int, int]]) -> str:
    return text[spans[0][1] : spans[-1][2]]
