"""How the classifier of reviews that ships with the course is made: `course predict imdb FILE` labels with it.

Source: Wang & Manning 2012, "Baselines and Bigrams" (ACL), sections 2.1 to 2.3: presence of words and pairs, scaled by
their log-count ratio, under a linear classifier. Here that is a logistic regression in place of a support vector
machine: its scores are log odds. The scale is part of the weights in the end, so that a text needs no second table.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float, Int

from course.lab.review_words import ReviewWords, terms_of
from course.recipes.job import Job, Recipe
from course.sources.public import load_public
from course.sources.registry import find
from course_lib.evaluation import bootstrap_interval

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

DATA, LABELS = find("imdb"), ("neg", "pos")


@dataclass(frozen=True)
class Settings:
    """min_texts: a term must stand in so many texts. terms: so many are kept. held_out: texts that choose `strengths`.

    strengths  scikit-learn's C, the inverse of the L2 penalty; the best on the texts held out is taken
    """

    min_texts: int = 3
    terms: int = 100_000
    strengths: tuple[float, ...] = (0.03, 0.05)
    held_out: int = 2_500


def train(job: Job) -> None:
    settings, records = job.settings, load_public(DATA.name, "train")

    # Choose on the texts held out
    started = time.monotonic()
    positive = np.array([record.label == LABELS[1] for record in records])
    found, terms = presence(record.text for record in records)
    kept = held_out(positive, settings.held_out)

    known = frequent(found[~kept], settings.min_texts)
    rows, scored = found[~kept][:, known], found[kept][:, known]
    every = {strength: learn(rows, positive[~kept], strength) for strength in settings.strengths}
    right = {strength: (scored @ weights + bias >= 0) == positive[kept] for strength, (weights, bias) in every.items()}
    strength = max(right, key=lambda strength: right[strength].mean())
    columns = strongest(rows, every[strength][0], settings.terms)
    weights, bias = learn(rows[:, columns], positive[~kept], strength)
    right_short = (scored[:, columns] @ weights + bias >= 0) == positive[kept]
    scores = {f"all {len(known):,} terms": right[strength], f"the {len(columns):,} strongest": right_short}

    # Learn from all
    known = frequent(found, settings.min_texts)
    known = known[strongest(found[:, known], learn(found[:, known], positive, strength)[0], settings.terms)]
    weights, bias = learn(found[:, known], positive, strength)
    model = ReviewWords([terms[column] for column in known], weights, bias, LABELS)
    seconds = time.monotonic() - started
    model.save(folder := job.new_folder())

    # The card. What float16 changes; the model has learned from all reviews, so none is left to score it on.
    texts = [record.text for record in records[:: len(records) // settings.held_out]]
    pairs = zip(model.predict(texts), ReviewWords.load(folder).predict(texts), strict=True)
    changed, n = sum(one != other for one, other in pairs), settings.held_out
    facts = {
        "model": f"logistic regression over words and word pairs (log-count ratios, C {strength:g}), float16",
        "data": f"{DATA.title}: {len(records):,}; for development learned from {len(records) - n:,}, {n:,} held out",
        "tokens": f"{sum(len(record.text.split()) for record in records):,} words between spaces",
        **{
            f"accuracy on the {n:,} held out, {which}": f"{bootstrap_interval(100.0 * values)}"
            for which, values in scores.items()
        },
    }
    job.write_card(facts, {"labels that float16 changes": f"{changed} of {len(texts):,}"}, seconds)


def held_out(positive: Bool[np.ndarray, " text"], number: int) -> Bool[np.ndarray, " text"]:
    """Which texts choose the strength: the last `number` / 2 of each label.

    Reviews of one film follow each other in the data set. A random choice would put films on both sides.
    """
    kept = np.zeros(len(positive), dtype=bool)
    for label in (False, True):
        kept[np.flatnonzero(positive == label)[-(number // 2) :]] = True
    return kept


def presence(texts: Iterable[str]) -> tuple[csr_matrix, list[str]]:
    """Sparse matrix [text, term], 1 where the text holds the term, and the terms."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=terms_of, binary=True, dtype=np.float64)
    found = vectorizer.fit_transform(texts)
    return found, vectorizer.get_feature_names_out().tolist()


def frequent(found: csr_matrix, min_texts: int) -> Int[np.ndarray, " column"]:
    """The columns of the terms that stand in at least so many texts."""
    return np.flatnonzero(found.getnnz(axis=0) >= min_texts)


def learn(
    found: csr_matrix, positive: Bool[np.ndarray, " text"], strength: float
) -> tuple[Float[np.ndarray, " term"], float]:
    """Weights and bias by logistic regression over r * presence, with the log-count ratio r of each term.

    r = ln (p / |p|) - ln (q / |q|), where p and q are 1 + the number of positive and negative texts with the term.
    """
    from scipy.sparse import diags
    from sklearn.linear_model import LogisticRegression

    p, q = (1 + found[rows].getnnz(axis=0) for rows in (positive, ~positive))
    ratio = np.log(p / p.sum()) - np.log(q / q.sum())
    regression = LogisticRegression(C=strength, solver="liblinear", tol=1e-3, random_state=0)
    regression.fit((found @ diags(ratio)).tocsr(), positive)
    return ratio * regression.coef_[0], float(regression.intercept_[0])


def strongest(found: csr_matrix, weights: Float[np.ndarray, " term"], size: int) -> Int[np.ndarray, " column"]:
    """The `size` columns that weigh most in these texts: |weight| times the square root of the number of texts."""
    return np.sort(np.argsort(-np.abs(weights) * np.sqrt(found.getnnz(axis=0)), kind="stable")[:size])


RECIPES = (
    Recipe(
        "reviews-en",
        "English film reviews, positive or negative (`course predict imdb`)",
        "data: none stated for the reviews; no review is in this folder, only words and word pairs with weights. "
        "Weights: CC BY 4.0",
        {"cpu": Settings()},
        train,
    ),
)
