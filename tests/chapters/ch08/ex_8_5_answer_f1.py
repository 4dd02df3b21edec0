"""Wrong answers to exercise 8.5 as readers write them, each with the mistake that must be named."""

import re

import numpy as np

SIGNS = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"""
ARTICLES = r"\b(a|an|the)\b"


def words(text):
    text = re.sub(SIGNS, "", text.casefold())
    return [word for word in text.split() if word not in ("a", "an", "the")]


def common(ours, theirs):
    """Each word of the truth is used up by the one that matches it."""
    left, found = list(theirs), 0
    for word in ours:
        if word in left:
            left.remove(word)
            found += 1
    return found


def harmonic(hits, n_ours, n_theirs):
    if hits == 0:
        return 0.0
    precision, recall = hits / n_ours, hits / n_theirs
    return 2 * precision * recall / (precision + recall)


def compare(ours, theirs):
    if not ours or not theirs:
        return 1.0 if not ours and not theirs else 0.0
    return harmonic(common(ours, theirs), len(ours), len(theirs))


def of_words(normal, score=compare):
    """normal(text): its words; score(ours, theirs)."""
    return lambda guess, truth: score(normal(guess), normal(truth))


def scored(score):
    """score(hits, n_ours, n_theirs) of two answers that are not empty."""
    return counted(lambda ours, theirs: score(common(ours, theirs), len(ours), len(theirs)))


def counted(score):
    """score(ours, theirs) of two answers that are not empty."""
    return of_words(words, lambda ours, theirs: score(ours, theirs) if ours and theirs else float(ours == theirs))


def dropping(articles=ARTICLES, signs=SIGNS):
    """Drops these articles and signs; the rest is as it should be."""
    return of_words(lambda text: re.sub(articles, " ", re.sub(signs, "", text.lower())).split())


def replaced(text):
    text = re.sub(SIGNS, "", text.lower())
    for article in ("the", "an", "a"):
        text = text.replace(article, "")
    return text.split()


def case_kept(text):
    return [word for word in re.sub(SIGNS, "", text).split() if word not in ("a", "an", "the")]


def divides_by_zero(guess, truth):
    ours, theirs = words(guess), words(truth)
    hits = common(ours, theirs)
    precision, recall = hits / max(1, len(ours)), hits / max(1, len(theirs))
    return 2 * precision * recall / (precision + recall)


def no_number(hits, n_ours, n_theirs):
    precision, recall = np.float64(hits / n_ours), np.float64(hits / n_theirs)
    with np.errstate(invalid="ignore"):
        return 2 * precision * recall / (precision + recall)


WRONG = [
    (lambda guess, truth: compare(set(words(guess)), set(words(truth))), "each word once"),
    (counted(lambda ours, theirs: harmonic(len({*ours} & {*theirs}), len(ours), len(theirs))), "right words once"),
    (
        counted(lambda ours, theirs: harmonic(sum(word in theirs for word in ours), len(ours), len(theirs))),
        "a word is right as often as it is said",
    ),
    (of_words(lambda text: re.sub(SIGNS, "", text.lower()).split()), "articles are kept"),
    (of_words(replaced), "articles are dropped inside words"),
    (
        of_words(lambda text: re.sub(SIGNS, "", re.sub(ARTICLES, " ", text.lower())).split()),
        "articles are dropped first",
    ),
    (of_words(case_kept), "capitals count"),
    (of_words(lambda text: re.sub(ARTICLES, " ", text.lower()).split()), "punctuation is kept"),
    (of_words(lambda text: words(re.sub(SIGNS, " ", text))), "punctuation becomes a space"),
    (of_words(str.split), "no normalisation"),
    (scored(lambda hits, n_ours, n_theirs: hits / n_ours), "precision only"),
    (scored(lambda hits, n_ours, n_theirs: hits / n_theirs), "recall only"),
    (scored(lambda hits, n_ours, n_theirs: (hits / n_ours + hits / n_theirs) / 2), "the arithmetic mean"),
    (scored(lambda hits, n_ours, n_theirs: hits / (n_ours + n_theirs - hits)), "shared words over all words"),
    (lambda guess, truth: float(words(guess) == words(truth)), "exact match"),
    (of_words(lambda text: list("".join(words(text)))), "characters instead of words"),
    (
        of_words(words, lambda ours, theirs: harmonic(common(ours, theirs), len(ours), len(theirs))),
        "two empty answers disagree",
    ),
    (
        of_words(words, lambda ours, theirs: compare(ours, theirs) if ours and theirs else 1.0),
        "an empty answer is always right",
    ),
    (divides_by_zero, "error"),
    (scored(no_number), "0 divided by 0"),
    (lambda guess, truth: 100 * compare(words(guess), words(truth)), "100 times too large"),
    (dropping(articles=r"\bthe\b"), "wrong"),
    (dropping(articles=r"\b(a|the)\b"), "wrong"),
    (dropping(articles=r"^(a|an|the)\b"), "wrong"),
    (dropping(articles=" (a|an|the) "), "wrong"),
    (dropping(signs="[^a-z0-9 ]"), "wrong"),
    (dropping(signs=r"[^\w\s]"), "wrong"),
]
