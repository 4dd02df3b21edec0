"""Exercise 8.5: SQuAD's F1. Source: Rajpurkar et al. 2016, arXiv:1606.05250, section 6.1, as their script computes it;
without an answer: Rajpurkar et al. 2018, arXiv:1806.03822."""

import math
import re
import string
from collections import Counter

from course.check.exercise import HUNDREDFOLD, Exercise, Probe, Seen


def answer_f1(guess: str, truth: str) -> float:
    """0 to 1: how well the words of two answers agree. "" says that there is no answer.
    answer_f1("in Seoul", "Seoul, Korea") -> 0.5"""
    bags = []
    for text in (guess, truth):
        kept = "".join(character for character in text.lower() if character not in string.punctuation)
        bags.append(Counter(re.sub(r"\b(a|an|the)\b", " ", kept).split()))
    ours, theirs = bags
    if not ours or not theirs:
        return float(ours == theirs)
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


def _lower(text):
    return text.lower()


def _bare(text):
    return "".join(character for character in text if character not in string.punctuation)


def _spaced(text):
    return "".join(" " if character in string.punctuation else character for character in text)


def _stripped(text):
    return " ".join(word.strip(string.punctuation) for word in text.split())


def _no_articles(text):
    return re.sub(r"\b(a|an|the)\b", " ", text)


def _hits(ours, theirs):
    return (Counter(ours) & Counter(theirs)).total()


def _f1(ours, theirs):
    return 2 * _hits(ours, theirs) / (len(ours) + len(theirs))


def _score(steps=(_lower, _bare, _no_articles), split=str.split, mean=_f1, empty=lambda a, b: float(a == b)):
    """steps of normalisation; split(text): words; mean(words, words); empty(words, words): if one side has none."""

    def model(guess, truth):
        sides = []
        for text in (guess, truth):
            for step in steps:
                text = step(text)
            sides.append(split(text))
        return mean(*sides) if all(sides) else empty(*sides)

    return model


def _listed(ours, theirs):
    """Each word of the guess counts that stands in the truth, however often."""
    hits = sum(word in theirs for word in ours)
    precision, recall = hits / len(ours), hits / len(theirs)
    return 2 * precision * recall / (precision + recall) if hits else 0.0


PROBES = [
    Probe("the same words", "Mount Rainier", "Mount Rainier"),
    Probe("the question's answers", "Tower of Paris", "the Eiffel Tower"),
    Probe("capitals and punctuation", '"Denver Broncos", (in 2016)!', "the denver broncos in 2016."),
    Probe("a word twice in the guess", "New York New York", "New York City"),
    Probe("a word twice in both", "to be or not to be", "to be, to be, ten made to be"),
    Probe("articles inside words", "another theatre in Athens", "the other theatre near Athens"),
    Probe("articles in the middle", "He ate an apple and a pear near the sea", "ate apple and pear near sea he"),
    Probe("points within a word", "the U.S.A. and Mexico", "USA"),
    Probe("an apostrophe", "St. John's harbour", "Johns"),
    Probe("the sign _ is punctuation", "snake_case", "snakecase"),
    Probe("a hyphen within a word", "e-mail", "e mail"),
    Probe("an article in capitals", "An apple", "apple"),
    Probe("a sign that is not in string.punctuation", "5 €", "5"),
    Probe("a part of the truth", "Broncos", "Denver Broncos"),
    Probe("Korean words", "서울", "부산"),
    Probe("no word in common", "in 1889", "Gustave Eiffel"),
    Probe("no answer, and rightly so", "", ""),
    Probe("an answer where there is none", "Paris", ""),
    Probe("no answer where there is one", "", "Paris, France"),
    Probe("an answer that is an article only", "the", ""),
    Probe("two answers of which nothing is left", "the", "a"),
    Probe("nothing is left of the truth only", "Paris", "?"),
]
MISTAKES = [
    ("each word once", _score(mean=lambda ours, theirs: _f1({*ours}, {*theirs}))),
    ("right words once", _score(mean=lambda ours, theirs: 2 * len({*ours} & {*theirs}) / (len(ours) + len(theirs)))),
    (
        "a word is right as often as it is said",
        _score(mean=_listed),
        lambda guess, truth: _score(mean=_listed)(truth, guess),
    ),
    ("articles are kept", _score((_lower, _bare))),
    (
        "articles are dropped inside words",
        *(_score((_lower, _bare, lambda text, by=by: re.sub("the|an|a", by, text))) for by in ("", " ")),
    ),
    ("not doubled", _score(mean=lambda ours, theirs: _f1(ours, theirs) / 2)),
    ("articles are dropped first", _score((_lower, _no_articles, _bare))),
    ("capitals count", _score((_bare, _no_articles))),
    ("punctuation is kept", _score((_lower, _no_articles))),
    ("punctuation becomes a space", _score((_lower, _spaced, _no_articles))),
    ("punctuation goes at the ends of words only", _score((_lower, _stripped, _no_articles))),
    ("no normalisation", _score(())),
    ("precision only", _score(mean=lambda ours, theirs: _hits(ours, theirs) / len(ours))),
    ("recall only", _score(mean=lambda ours, theirs: _hits(ours, theirs) / len(theirs))),
    ("the arithmetic mean", _score(mean=lambda a, b: (_hits(a, b) / len(a) + _hits(a, b) / len(b)) / 2)),
    ("shared words over all words", _score(mean=lambda a, b: _hits(a, b) / (len(a) + len(b) - _hits(a, b)))),
    ("exact match", _score(mean=lambda ours, theirs: float(ours == theirs))),
    ("characters instead of words", _score(split=lambda text: list("".join(text.split())))),
    ("two empty answers disagree", _score(empty=lambda ours, theirs: 0.0)),
    ("an empty answer is always right", _score(empty=lambda ours, theirs: 1.0)),
    ("0 divided by 0", Seen(lambda got, expected, *_: math.isnan(got))),
    ("100 times too large", HUNDREDFOLD),
]
EXERCISE = Exercise("8.5", answer_f1, PROBES, MISTAKES, difficulty=2, importance=4, minutes=15)
