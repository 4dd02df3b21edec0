"""The field's scores. Labels and spans: 0 to 1. Correlation: -1 to 1. Question answering: 0 to 100, as published."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from course_lib.arrays import listed, numbers
from course_lib.errors import CourseError
from course_lib.language import key, t
from course_lib.text.words import as_text


def accuracy(predicted: Iterable, gold: Iterable) -> float:
    """Share of items with the right label. Labels are anything that can be compared. 0 to 1."""
    predicted, gold = paired("accuracy", predicted, gold)
    return sum(p == g for p, g in zip(predicted, gold, strict=True)) / len(gold)


def span_f1(predicted: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> float:
    """F1 of whole spans in BIO tags, over all sentences together (the CoNLL score). 0 to 1.

    One list of tags per sentence. A span is right only if begin, end and type are; where none is right the score is 0.
    Counts as the CoNLL script and seqeval's default do (tested against it): an I- that continues nothing begins a span.
    """
    predicted, gold = paired("span_f1", predicted, gold)
    n_spans = n_right = 0  # spans: of both sides
    for number, (guess, truth) in enumerate(zip(predicted, gold, strict=True)):
        if isinstance(guess, str) or isinstance(truth, str) or len(guess) != len(truth):
            raise CourseError(
                f"span_f1: sentence {number} has {len(guess)} predicted and {len(truth)} gold tags. "
                "Give one list of tags per sentence, one tag per word on both sides."
            )
        found, there = bio_spans(guess), bio_spans(truth)
        n_spans, n_right = n_spans + len(found) + len(there), n_right + len(found & there)
    return 2 * n_right / n_spans if n_right else 0.0


def bio_spans(tags: Sequence[str]) -> set[tuple[str, int, int]]:
    """(type, first word, one past the last word) of each span in the BIO tags of one sentence."""
    spans, begin, kind = set(), 0, ""
    for place, tag in enumerate([*tags, "O"]):
        if tag != "O" and tag[:2] not in ("B-", "I-"):
            raise CourseError(f"Word {place} has the tag {tag!r}. Spans need BIO tags: O, B-PER, I-PER ...")
        if kind and (tag[:1] != "I" or tag[2:] != kind):
            spans.add((kind, begin, place))
            kind = ""
        if tag != "O" and not kind:
            begin, kind = place, tag[2:]
    return spans


def squad_scores(
    predictions: Mapping | Sequence, references: Mapping | Sequence, language: str = "en"
) -> dict[str, float]:
    """Mean {"exact_match": ..., "f1": ...} of answers, 0 to 100; the best of several references counts.

    predictions  {question id: answer}, or answers in the order of the references
    references   {question id: [answers]}, or one list per question; [] or [""] means "no answer", matched by "" only
    language     "en": SQuAD, F1 over words;  "ko": KorQuAD 1.0, F1 over characters

    English answers score as in SQuAD 2.0's script (evaluate-v2.0.py), Korean ones are normalised and compared as in
    evaluate-korquad_v1.0.py. In both, as in 2.0's, a reference of which normalisation leaves nothing ("The") is dropped
    unless all are such, and two empty answers have an F1 of 100; SQuAD 1.1's script and KorQuAD's give them 0.
    """
    if isinstance(predictions, Mapping):
        if different := predictions.keys() ^ references.keys():
            raise CourseError(
                f"squad_scores: {len(different)} question ids are on one side only, such as "
                f"{min(map(str, different))!r}. Answer each question, with '' for no answer."
            )
        predictions, references = [predictions[key] for key in references], list(references.values())
    predictions, references = paired("squad_scores", predictions, references)
    if bad := [one for one in references if isinstance(one, str | Mapping) or not isinstance(one, Iterable)]:
        kind = type(bad[0]).__name__
        raise CourseError(
            f"squad_scores: the reference {bad[0]!r:.60} is a {kind}. Give a list of answers per question."
        )
    pairs = [
        (_answer(guess, language), [kept for text in answers if (kept := _answer(text, language))] or [""])
        for guess, answers in zip(predictions, references, strict=True)
    ]
    exact = sum(guess in answers for guess, answers in pairs)
    overlap = sum(max(_overlap(guess, text, language) for text in answers) for guess, answers in pairs)
    return {"exact_match": 100 * exact / len(pairs), "f1": 100 * overlap / len(pairs)}


def _answer(text: object, language: str) -> str:
    """What is compared. Only ASCII punctuation is dropped; KorQuAD first turns brackets and quotes into spaces."""
    text = as_text(text, "squad_scores: an answer").lower()
    if language == "ko":
        text = re.sub("['\"《》<>〈〉()‘’]", " ", text)
    text = "".join(character for character in text if character not in string.punctuation)
    if language == "en":
        text = re.sub(r"\b(a|an|the)\b", " ", text)
    return " ".join(text.split())


def _overlap(guess: str, truth: str, language: str) -> float:
    """F1 of two bags of words, or of characters in Korean. Two empty answers agree."""
    bags = [Counter(text.split() if language == "en" else text.replace(" ", "")) for text in (guess, truth)]
    if not bags[0] or not bags[1]:
        return float(bags[0] == bags[1])
    return 2 * (bags[0] & bags[1]).total() / (bags[0].total() + bags[1].total())


def spearman(a: Iterable, b: Iterable) -> float:
    """Rank correlation, -1 to 1: Pearson's correlation of the ranks, ties sharing their mean rank.

    a, b   lists, arrays or tensors of numbers [item]; a constant side has no order and is an error
    """
    a, b = numbers("spearman: the first values", a), numbers("spearman: the second values", b)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise CourseError(
            f"spearman got shapes {a.shape} and {b.shape}. Give two lists of the same length, at least 2 numbers each."
        )
    for name, values in (("first", a), ("second", b)):
        if wrong := int(np.isnan(values).sum()):
            raise CourseError(f"spearman: {wrong} of {len(values)} values of the {name} list are NaN. Leave them out.")
        if (values == values[0]).all():
            raise CourseError(f"spearman: all {len(values)} values of the {name} list are {values[0]:g}: no order.")
    return float(np.corrcoef(_ranks(a), _ranks(b))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share the mean of theirs. [item]"""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return (last - (sizes - 1) / 2)[group]


def paired(name: str, predicted: Iterable, gold: Iterable) -> tuple[list, list]:
    """Both as lists of Python values (arrays and tensors too), of the same length, not empty."""
    sides = [[] if isinstance(side, str) else listed(side) for side in (predicted, gold)]
    if not len(sides[0]) == len(sides[1]) > 0:
        says = key(
            "{name} got {n} predictions for {m} gold entries, a str counting as none. "
            "Give two lists, one entry per item."
        )
        raise CourseError(t(says, name=name, n=len(sides[0]), m=len(sides[1])))
    return sides[0], sides[1]
