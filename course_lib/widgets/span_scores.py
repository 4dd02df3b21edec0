"""Spans of a passage by the sum of a start and an end score: the valid ones, and those that only look good."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Span(NamedTuple):
    """Tokens start..end of the passage, both included; score: start score + end score, unbounded."""

    start: int
    end: int
    score: float


def best_spans(start: np.ndarray, end: np.ndarray, max_answer: int, n: int) -> list[Span]:
    """The n best valid spans: start <= end < start + max_answer. Of equal ones the leftmost and shortest comes first.

    start, end  scores [token]. Devlin et al. 2018, arXiv:1810.04805, section 4.2.
    """
    sums = np.where(valid_pairs(len(start), max_answer), np.add.outer(start, end), -np.inf)
    order = np.argsort(-sums, axis=None, kind="stable")[:n]
    pairs = (divmod(int(place), len(start)) for place in order)
    return [Span(i, j, float(sums[i, j])) for i, j in pairs if sums[i, j] > -np.inf]


def refused_spans(start: np.ndarray, end: np.ndarray, max_answer: int, n: int) -> list[Span]:
    """Invalid pairs that beat the best valid one, best first: what the best start and the best end, taken apart, give.

    None if the best start and the best end make a valid span.
    """
    sums, valid = np.add.outer(start, end), valid_pairs(len(start), max_answer)
    wrong = np.where(~valid & (sums > sums[valid].max()), sums, -np.inf)
    pairs = (divmod(int(place), len(start)) for place in np.argsort(-wrong, axis=None, kind="stable")[:n])
    return [Span(i, j, float(wrong[i, j])) for i, j in pairs if wrong[i, j] > -np.inf]


def valid_pairs(n_tokens: int, max_answer: int) -> np.ndarray:
    """bool [start, end]: the end is not before the start, and the span has at most max_answer tokens."""
    longer = np.arange(n_tokens) - np.arange(n_tokens)[:, None]
    return (longer >= 0) & (longer < max_answer)


def log_probabilities(scores: np.ndarray) -> np.ndarray:
    """log softmax over the last axis, in nats."""
    top = scores.max(-1, keepdims=True)
    return scores - top - np.log(np.exp(scores - top).sum(-1, keepdims=True))
