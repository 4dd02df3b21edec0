"""What guesses are worth in each kind of task, and the guesses that need no network: the real baselines."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import median

import numpy as np
from jaxtyping import Float

from course.lab.target_texts import bag_of_words, cut
from course_lib.data.records import LabelledText, Passage, SentencePair, TaggedSentence
from course_lib.evaluation import accuracy, span_f1
from course_lib.evaluation.metrics import squad_scores
from course_lib.text.words import split_words, word_spans

# The four of chapter 8; "words" (tags without spans) has the head of "tokens".
KINDS = ("sentence", "pair", "tokens", "span")
UNITS = {
    "sentence": "accuracy",
    "pair": "accuracy",
    "tokens": "span F1",
    "words": "tagging accuracy",
    "span": "answer F1",
}  # in %
BASELINES = {
    "sentence": "bag of words",
    "pair": "word overlap",
    "tokens": "dictionary",
    "words": "dictionary",
    "span": "overlap window",
}
TAGS = "ner"  # the layer that is learned, if nothing else is said
SCORE, EXACT = "score", "exact"  # the metric of UNITS; exact match of answers
Records = Sequence[LabelledText] | Sequence[SentencePair] | Sequence[TaggedSentence] | Sequence[Passage]


def scores(kind: str, guesses: Sequence, records: Records, language: str = "en", tags: str = TAGS) -> dict[str, float]:
    """{"score": what UNITS names} of guesses for records, in %; of answers (one question per Passage) "exact" too.

    tags  the layer of "tokens" (BIO) and "words"
    """
    if kind == "span":
        references = [[text for text, _ in record.questions[0].answers] for record in records]
        found = squad_scores(guesses, references, language)
        return {SCORE: found["f1"], EXACT: found["exact_match"]}
    if kind == "tokens":
        return {SCORE: 100 * span_f1(guesses, [list(record.tags[tags]) for record in records])}
    if kind == "words":
        gold = [tag for record in records for tag in record.tags[tags]]
        return {SCORE: 100 * accuracy([tag for row in guesses for tag in row], gold)}
    return {SCORE: 100 * accuracy(guesses, [record.label for record in records])}


def percent(kind: str, guesses: Sequence, records: Records, language: str = "en", tags: str = TAGS) -> float:
    """What UNITS names, in %, as `scores` gives it."""
    return scores(kind, guesses, records, language, tags)[SCORE]


def baseline_scores(
    kind: str, train: Records, test: Records, language: str = "en", tags: str = TAGS
) -> dict[str, float]:
    """As `scores`, of what BASELINES names, learned from `train`."""
    if kind == "sentence":
        return {SCORE: bag_of_words(*([cut(record, 1_000) for record in part] for part in (train, test)))}
    if kind in ("tokens", "words"):
        guesses = dictionary(train, test, tags)
    else:
        guesses = {"pair": word_overlap, "span": overlap_window}[kind](train, test)
    return scores(kind, guesses, test, language, tags)


def majority(kind: str, train: Records, test: Records, language: str = "en", tags: str = TAGS) -> float:
    """The score in % of one guess for all: the commonest label or tag, "O" for names, the first words of a passage."""
    if kind in ("tokens", "words"):
        tag = "O" if kind == "tokens" else commonest_tag(train, tags)
        guesses = [[tag] * len(record.sentence) for record in test]
    elif kind == "span":
        length = typical_length(train)
        guesses = [_text(record.text, word_spans(record.text)[:length]) for record in test]
    else:
        guesses = [Counter(record.label for record in train).most_common(1)[0][0]] * len(test)
    return percent(kind, guesses, test, language, tags)


def dictionary(train: Sequence[TaggedSentence], test: Sequence[TaggedSentence], tags: str = TAGS) -> list[list[str]]:
    """Each word's commonest tag in the training sentences; for a word that they lack the commonest of all."""
    return commonest_tags(train, test, tags, unknown=commonest_tag(train, tags))


def commonest_tags(
    train: Sequence[TaggedSentence], test: Sequence[TaggedSentence], tags: str = TAGS, unknown: str = "O"
) -> list[list[str]]:
    """Each test word's commonest tag in the training sentences; `unknown` for a word that they lack."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for record in train:
        for word, tag in zip(record.sentence.words, record.tags[tags], strict=True):
            counts[word][tag] += 1
    best = {word: seen.most_common(1)[0][0] for word, seen in counts.items()}
    return [[best.get(word, unknown) for word in record.sentence.words] for record in test]


def commonest_tag(train: Sequence[TaggedSentence], tags: str = TAGS) -> str:
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


def typical_length(passages: Sequence[Passage]) -> int:
    """The median number of words of the first answers, at least 1."""
    return max(1, round(median(len(split_words(passage.questions[0].answers[0][0])) for passage in passages)))


def _best_window(passage: Passage, length: int) -> str:
    asked = set(question := split_words(passage.questions[0].question.lower()))
    words, spans = split_words(passage.text.lower()), word_spans(passage.text)
    counts = Counter(words)
    worth = [math.log1p(1 / counts[word]) if word in asked and word[0].isalnum() else 0.0 for word in words]
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
