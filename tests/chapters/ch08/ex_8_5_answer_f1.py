"""Wrong answers to exercise 8.5 as readers write them, each with the mistake that must be named."""

import re

import numpy as np

SIGNS = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]"""


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


def sets(guess, truth):
    return compare(set(words(guess)), set(words(truth)))


def hits_once(guess, truth):
    ours, theirs = words(guess), words(truth)
    if not ours or not theirs:
        return float(ours == theirs)
    return harmonic(len(set(ours) & set(theirs)), len(ours), len(theirs))


def not_used_up(guess, truth):
    ours, theirs = words(guess), words(truth)
    if not ours or not theirs:
        return float(ours == theirs)
    return harmonic(len([word for word in ours if word in theirs]), len(ours), len(theirs))


def with_articles(guess, truth):
    return compare(*(re.sub(SIGNS, "", text.lower()).split() for text in (guess, truth)))


def replaced(guess, truth):
    def normal(text):
        text = re.sub(SIGNS, "", text.lower())
        for article in ("the", "an", "a"):
            text = text.replace(article, "")
        return text.split()

    return compare(normal(guess), normal(truth))


def articles_first(guess, truth):
    def normal(text):
        return re.sub(SIGNS, "", re.sub(r"\b(a|an|the)\b", " ", text.lower())).split()

    return compare(normal(guess), normal(truth))


def other(articles=r"\b(a|an|the)\b", signs=SIGNS):
    """Drops these articles and signs; the rest is as it should be."""

    def answer(guess, truth):
        return compare(*(re.sub(articles, " ", re.sub(signs, "", text.lower())).split() for text in (guess, truth)))

    return answer


def case_kept(guess, truth):
    def normal(text):
        return [word for word in re.sub(SIGNS, "", text).split() if word not in ("a", "an", "the")]

    return compare(normal(guess), normal(truth))


def signs_kept(guess, truth):
    def normal(text):
        return re.sub(r"\b(a|an|the)\b", " ", text.lower()).split()

    return compare(normal(guess), normal(truth))


def signs_to_spaces(guess, truth):
    return compare(*(words(re.sub(SIGNS, " ", text)) for text in (guess, truth)))


def as_written(guess, truth):
    return compare(guess.split(), truth.split())


def only_precision(guess, truth):
    ours, theirs = words(guess), words(truth)
    if not ours or not theirs:
        return float(ours == theirs)
    return common(ours, theirs) / len(ours)


def only_recall(guess, truth):
    ours, theirs = words(guess), words(truth)
    if not ours or not theirs:
        return float(ours == theirs)
    return common(ours, theirs) / len(theirs)


def halved(guess, truth):
    return (only_precision(guess, truth) + only_recall(guess, truth)) / 2


def union(guess, truth):
    ours, theirs = words(guess), words(truth)
    if not ours or not theirs:
        return float(ours == theirs)
    hits = common(ours, theirs)
    return hits / (len(ours) + len(theirs) - hits)


def all_or_nothing(guess, truth):
    return float(words(guess) == words(truth))


def letters(guess, truth):
    return compare(list("".join(words(guess))), list("".join(words(truth))))


def empty_is_zero(guess, truth):
    return harmonic(common(words(guess), words(truth)), len(words(guess)), len(words(truth)))


def empty_is_one(guess, truth):
    ours, theirs = words(guess), words(truth)
    return compare(ours, theirs) if ours and theirs else 1.0


def divides_by_zero(guess, truth):
    ours, theirs = words(guess), words(truth)
    hits = common(ours, theirs)
    precision, recall = hits / max(1, len(ours)), hits / max(1, len(theirs))
    return 2 * precision * recall / (precision + recall)


def no_number(guess, truth):
    ours, theirs = words(guess), words(truth)
    if not ours or not theirs:
        return float(ours == theirs)
    hits = common(ours, theirs)
    precision, recall = np.float64(hits / len(ours)), np.float64(hits / len(theirs))
    with np.errstate(invalid="ignore"):
        return 2 * precision * recall / (precision + recall)


def percent(guess, truth):
    return 100 * compare(words(guess), words(truth))


WRONG = [
    (sets, "each word once"),
    (hits_once, "right words once"),
    (not_used_up, "a word is right as often as it is said"),
    (with_articles, "articles are kept"),
    (replaced, "articles are dropped inside words"),
    (articles_first, "articles are dropped first"),
    (case_kept, "capitals count"),
    (signs_kept, "punctuation is kept"),
    (signs_to_spaces, "punctuation becomes a space"),
    (as_written, "no normalisation"),
    (only_precision, "precision only"),
    (only_recall, "recall only"),
    (halved, "the arithmetic mean"),
    (union, "shared words over all words"),
    (all_or_nothing, "exact match"),
    (letters, "characters instead of words"),
    (empty_is_zero, "two empty answers disagree"),
    (empty_is_one, "an empty answer is always right"),
    (divides_by_zero, "error"),
    (no_number, "0 divided by 0"),
    (percent, "100 times too large"),
    (other(articles=r"\bthe\b"), "wrong"),
    (other(articles=r"\b(a|the)\b"), "wrong"),
    (other(articles=r"^(a|an|the)\b"), "wrong"),
    (other(articles=" (a|an|the) "), "wrong"),
    (other(signs="[^a-z0-9 ]"), "wrong"),
    (other(signs=r"[^\w\s]"), "wrong"),
]
