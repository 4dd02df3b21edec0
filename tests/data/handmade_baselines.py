"""Simple baselines of the handmade sets: what a bag of words, a dictionary or an overlap knows. Deterministic."""

import re
from collections import Counter, defaultdict

import numpy as np

from course_lib.data.readers.senses import SPLITS


def bag(train, test, **vectorizer):
    """Right or wrong per item of `test` [(text, label)]: logistic regression on counts, of words unless told."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = CountVectorizer(**(vectorizer or {"token_pattern": r"\S+"}))
    model = LogisticRegression(max_iter=1000).fit(
        counts.fit_transform([text for text, _ in train]), [label for _, label in train]
    )
    return model.predict(counts.transform([text for text, _ in test])) == [label for _, label in test]


def review_hits(rows, text_of, **vectorizer):
    """(right or wrong per test review, the same for its hard ones)"""
    by_split = {split: [row for row in rows if row["split"] == split] for split in SPLITS}
    pairs = {split: [(text_of(row), row["label"]) for row in by_split[split]] for split in SPLITS}
    hits = bag(pairs["train"], pairs["test"], **vectorizer)
    return hits, np.array([hit for hit, row in zip(hits, by_split["test"], strict=True) if row["hard"]])


def sense_hits(rows):
    """(right or wrong per test sentence, chance per test sentence): one model per word."""
    hits, chance = [], []
    for word in sorted({row["word"] for row in rows}):
        of_word = [row for row in rows if row["word"] == word]
        pairs = {
            s: [(" ".join(words_round(row)), row["sense"]) for row in of_word if row["split"] == s] for s in SPLITS
        }
        hits += list(bag(pairs["train"], pairs["test"]))
        chance += [1 / len({row["sense"] for row in of_word})] * len(pairs["test"])
    return np.array(hits), np.array(chance)


def tagging_scores(sentences):
    """(UPOS accuracy, span F1, number of names) of each word's most frequent tag in train; unseen: NOUN, O."""
    upos, bio = defaultdict(Counter), defaultdict(Counter)
    for split, rows in sentences:
        if split == "train":
            for word, pos, tag in rows:
                upos[word.lower()][pos] += 1
                bio[word][tag] += 1
    right, total, sizes = 0, 0, Counter()
    for split, rows in sentences:
        if split == "test":
            right += sum(pos == upos.get(word.lower(), Counter(NOUN=1)).most_common(1)[0][0] for word, pos, _ in rows)
            total += len(rows)
            guess = [bio.get(word, Counter(O=1)).most_common(1)[0][0] for word, _, _ in rows]
            gold, guessed = spans([tag for _, _, tag in rows]), spans(guess)
            sizes.update(gold=len(gold), guessed=len(guessed), both=len(gold & guessed))
    return right / total, 2 * sizes["both"] / (sizes["gold"] + sizes["guessed"]), sizes["gold"]


def overlap_hits(questions, units):
    """Per test question: does the sentence that shares most `units` (text -> list) with it hold the answer?"""
    hits = []
    for split, context, qa in questions:
        if split == "test":
            question = set(units(qa["question"]))
            sentences = [(m.start(), m.end()) for m in re.finditer(r"[^.?!]+[.?!]", context)]
            best = max(sentences, key=lambda s: len(question.intersection(units(context[s[0] : s[1]]))))
            hits.append(best[0] <= qa["answers"][0]["answer_start"] < best[1])
    return np.array(hits)


def words_round(row):
    """The lower-cased words round the target."""
    words = row["sentence"].lower().split(" ")
    return words[: int(row["index"])] + words[int(row["index"]) + 1 :]


def spans(tags):
    """{(start, end, type)} of a valid BIO sequence."""
    found, start = set(), None
    for i, tag in enumerate([*tags, "O"]):
        if start is not None and not tag.startswith("I-"):
            found.add((start, i, tags[start][2:]))
            start = None
        if tag.startswith("B-"):
            start = i
    return found
