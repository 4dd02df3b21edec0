"""Exercise 8.5: SQuAD's F1. Source: Rajpurkar et al. 2016, arXiv:1606.05250, section 6.1, as their script computes it;
without an answer: Rajpurkar et al. 2018, arXiv:1806.03822."""

import math
import re
import string
from collections import Counter

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def answer_f1(guess: str, truth: str) -> float:
    """0 to 1: how well the words of two answers agree. "" says that there is no answer"""
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


def _no_articles(text):
    return re.sub(r"\b(a|an|the)\b", " ", text)


def _no_letters_of_articles(text):
    return re.sub("the|an|a", "", text)


def _f1(ours, theirs):
    ours, theirs = Counter(ours), Counter(theirs)
    return 2 * (ours & theirs).total() / (ours.total() + theirs.total())


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


def _hits(ours, theirs):
    return (Counter(ours) & Counter(theirs)).total()


def _listed(ours, theirs):
    """Each word of the guess counts that stands in the truth, however often."""
    hits = sum(word in theirs for word in ours)
    precision, recall = hits / len(ours), hits / len(theirs)
    return 2 * precision * recall / (precision + recall) if hits else 0.0


def _set_of_hits(ours, theirs):
    """The words in common, each once; the lengths are right."""
    return 2 * len({*ours} & {*theirs}) / (len(ours) + len(theirs))


EXERCISE = Exercise(
    id="8.5",
    title="How right is an answer?",
    difficulty=2,
    importance=4,
    minutes=15,
    question="""
        SQuAD compares answers as bags of words. First both are normalised, in this order: lower case; drop all
        characters of `string.punctuation`; put a space for each of the words *a*, *an*, *the*; split at spaces. A word
        counts as right **as often as both sides have it**. Precision is the share of right words in the guess, recall
        that in the truth; F1 is their harmonic mean, $2PR / (P + R)$. If one side has no words, the result is 1 if the
        other has none either, and else 0.
        Before you run it: the truth is *the Eiffel Tower*, the guess *Tower of Paris*. What are precision and recall?
    """,
    solution=answer_f1,
    why="1/3 and 1/2: the article is gone. So F1 is 0.4. With several true answers, the best F1 counts; over questions "
    "the mean is taken. Exact match uses the same normalisation. KorQuAD counts characters instead of words, since a "
    "particle more or less would make a Korean word wrong as a whole.",
    hints=(
        "Two parts: a text becomes a bag of words, and two bags become a number. Which tool of Python is a bag?",
        "collections.Counter: & takes the smaller of two counts. In `re` the sign \\b is the border of a word. What "
        "happens to P + R if nothing agrees?",
        "2PR / (P + R) is twice the right words, divided by the words of both sides together: there only two empty "
        "sides need care.",
    ),
    probes=(
        Probe("the same words", ("Mount Rainier", "Mount Rainier")),
        Probe("the question's answers", ("Tower of Paris", "the Eiffel Tower")),
        Probe("capitals and punctuation", ('"Denver Broncos", (in 2016)!', "the denver broncos in 2016.")),
        Probe("a word twice in the guess", ("New York New York", "New York City")),
        Probe("a word twice in both", ("to be or not to be", "to be, to be, ten made to be")),
        Probe("articles inside words", ("another theatre in Athens", "the other theatre near Athens")),
        Probe("articles in the middle", ("He ate an apple and a pear near the sea", "ate apple and pear near sea he")),
        Probe("points within a word", ("the U.S.A. and Mexico", "USA")),
        Probe("an apostrophe", ("St. John's harbour", "Johns")),
        Probe("the sign _ is punctuation", ("snake_case", "snakecase")),
        Probe("Korean words", ("서울", "부산")),
        Probe("no word in common", ("in 1889", "Gustave Eiffel")),
        Probe("no answer, and rightly so", ("", "")),
        Probe("an answer where there is none", ("Paris", "")),
        Probe("no answer where there is one", ("", "Paris, France")),
        Probe("an answer that is an article only", ("the", "")),
    ),
    mistakes=(
        Mistake(
            "each word once",
            "How often a word stands in an answer has no influence. Count the words.",
            model=_score(mean=lambda ours, theirs: _f1({*ours}, {*theirs})),
        ),
        Mistake(
            "right words once",
            "A word that both sides have twice is right only once.",
            model=_score(mean=_set_of_hits),
        ),
        Mistake(
            "a word is right as often as it is said",
            "A word of the guess is right each time, though the truth has it less often.",
            model=_score(mean=_listed),
        ),
        Mistake(
            "articles are kept",
            "A guess without *the* is punished. Articles are dropped on both sides.",
            model=_score((_lower, _bare)),
        ),
        Mistake(
            "articles are dropped inside words",
            "The letters of an article disappear within words. Only whole words are articles.",
            model=_score((_lower, _bare, _no_letters_of_articles)),
        ),
        Mistake(
            "articles are dropped first",
            "In U.S.A. the last letter stands alone and goes as an article. Drop punctuation before.",
            model=_score((_lower, _no_articles, _bare)),
        ),
        Mistake(
            "capitals count",
            "The same word in capitals is another word. Make both sides lower case.",
            model=_score((_bare, _no_articles)),
        ),
        Mistake(
            "punctuation is kept",
            "A word with a comma is another word than without.",
            model=_score((_lower, _no_articles)),
        ),
        Mistake(
            "punctuation becomes a space",
            "A point or an apostrophe cuts a word in two. The characters are dropped, and what is left moves together.",
            model=_score((_lower, _spaced, _no_articles)),
        ),
        Mistake(
            "no normalisation",
            "The words are compared as they are written.",
            model=_score(()),
        ),
        Mistake(
            "precision only",
            "A guess of one right word gets the full score, however much is missing.",
            model=_score(mean=lambda ours, theirs: _hits(ours, theirs) / len(ours)),
        ),
        Mistake(
            "recall only",
            "A guess that repeats the whole passage gets the full score.",
            model=_score(mean=lambda ours, theirs: _hits(ours, theirs) / len(theirs)),
        ),
        Mistake(
            "the arithmetic mean",
            "Precision and recall are added and halved. The harmonic mean stays near the lower one.",
            model=_score(mean=lambda a, b: (_hits(a, b) / len(a) + _hits(a, b) / len(b)) / 2),
        ),
        Mistake(
            "shared words over all words",
            "Right words are divided by the words that either side has. That is the Jaccard index, not F1.",
            model=_score(mean=lambda a, b: _hits(a, b) / (len(a) + len(b) - _hits(a, b))),
        ),
        Mistake(
            "exact match",
            "The result is 1 or 0. Asked is how far the words agree.",
            model=_score(mean=lambda ours, theirs: float(ours == theirs)),
        ),
        Mistake(
            "characters instead of words",
            "Characters are counted, as KorQuAD does. Here words are.",
            model=_score(split=lambda text: list("".join(text.split()))),
        ),
        Mistake(
            "two empty answers disagree",
            "Where there is no answer and none is given, the guess is right.",
            model=_score(empty=lambda ours, theirs: 0.0),
        ),
        Mistake(
            "an empty answer is always right",
            "If one side has no words and the other has some, nothing agrees.",
            model=_score(empty=lambda ours, theirs: 1.0),
        ),
        Mistake(
            "0 divided by 0",
            "If nothing agrees, P + R is 0 and cannot be divided by. Then F1 is 0.",
            seen=lambda got, expected, *_: math.isnan(got),
        ),
        Mistake(
            "100 times too large",
            "The score runs from 0 to 1 here. Papers print it from 0 to 100.",
            seen=lambda got, expected, *_: expected > 0 and math.isclose(got, 100 * expected, rel_tol=1e-4),
        ),
    ),
)
