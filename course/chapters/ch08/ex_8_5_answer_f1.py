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


_BARE = '"".join(character for character in text.lower() if character not in string.punctuation)'
_NO_ARTICLES = r're.sub(r"\b(a|an|the)\b", " ", kept)'
_F1 = "2 * (ours & theirs).total() / (ours.total() + theirs.total())"


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
    ("each word once", "theirs = bags => theirs = map(Counter, map(set, bags))"),
    ("right words once", "(ours & theirs).total() => len(ours & theirs)"),
    (
        "a word is right as often as it is said",
        "(ours & theirs).total() => sum(ours[word] for word in ours if word in theirs)",
        "(ours & theirs).total() => sum(theirs[word] for word in theirs if word in ours)",
    ),
    ("articles are kept", f"{_NO_ARTICLES} => kept"),
    (
        "articles are dropped inside words",
        *(f"{_NO_ARTICLES} => re.sub('the|an|a', '{by}', kept)" for by in ("", " ")),
        *(
            f"{_NO_ARTICLES} => kept.replace('a ', '{by}').replace('an ', '{by}').replace('the ', '{by}')"
            for by in ("", " ")
        ),
    ),
    (
        "there are empty words",
        ".split() => .split(' ')",
        f"{_NO_ARTICLES}.split() => [word for word in kept.split(' ') if word not in ('a', 'an', 'the')]",
    ),
    ("not doubled", "2 * => "),
    (
        "articles are dropped first",
        (f"{_NO_ARTICLES} => kept", f"text.lower() => {_NO_ARTICLES.replace('kept', 'text.lower()')}"),
    ),
    ("capitals count", "text.lower() => text"),
    ("punctuation is kept", f"{_BARE} => text.lower()"),
    (
        "punctuation becomes a space",
        f"{_BARE} => ''.join(' ' if sign in string.punctuation else sign for sign in text.lower())",
    ),
    (
        "punctuation goes at the ends of words only",
        f"{_BARE} => ' '.join(word.strip(string.punctuation) for word in text.lower().split())",
    ),
    ("no normalisation", (f"{_BARE} => text", f"{_NO_ARTICLES} => kept")),
    ("precision only", f"{_F1} => (ours & theirs).total() / ours.total()"),
    ("recall only", f"{_F1} => (ours & theirs).total() / theirs.total()"),
    ("the arithmetic mean", f"{_F1} => (ours & theirs).total() * (1 / ours.total() + 1 / theirs.total()) / 2"),
    ("shared words over all words", f"{_F1} => (ours & theirs).total() / (ours | theirs).total()"),
    ("exact match", ("Counter => list", f"{_F1} => float(ours == theirs)")),
    ("characters instead of words", ("Counter(re => Counter(''.join(re", "split()) => split()))")),
    ("two empty answers disagree", "float(ours == theirs) => 0.0"),
    ("an empty answer is always right", "float(ours == theirs) => 1.0"),
    ("0 divided by 0", Seen(lambda got, expected, *_: math.isnan(got))),
    ("100 times too large", HUNDREDFOLD),
]
EXERCISE = Exercise("8.5", answer_f1, PROBES, MISTAKES, difficulty=2, importance=4, minutes=15)
