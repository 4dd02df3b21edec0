"""BLEU: how many word n-grams of a translation are in the reference. Papineni et al. 2002, ACL, section 2."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from course_lib.evaluation.metrics import paired
from course_lib.text.words import as_text

MAX_ORDER = 4


def bleu(hypotheses: Sequence, references: Sequence) -> float:
    """Corpus BLEU-4, 0 to 100: one reference each, strings split at white space, no smoothing.

    The n-gram counts of all sentences are added up before dividing; a mean of sentence scores would be another number.
    Without smoothing the score is 0 as soon as no 4-gram of the whole corpus is right.
    """
    hypotheses, references = paired("bleu", hypotheses, references)
    right, total = [0] * MAX_ORDER, [0] * MAX_ORDER
    hypothesis_length = reference_length = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        ours, theirs = (as_text(text, "bleu: a translation").split() for text in (hypothesis, reference))
        hypothesis_length += len(ours)
        reference_length += len(theirs)
        for n in range(1, MAX_ORDER + 1):
            found, there = _ngrams(ours, n), _ngrams(theirs, n)
            right[n - 1] += (found & there).total()  # clipped: a word counts at most as often as the reference has it
            total[n - 1] += found.total()
    if 0 in right:
        return 0.0
    mean_log_precision = sum(math.log(r / t) for r, t in zip(right, total, strict=True)) / MAX_ORDER
    brevity_penalty = min(0.0, 1 - reference_length / hypothesis_length)  # its logarithm
    return 100 * math.exp(brevity_penalty + mean_log_precision)


def _ngrams(words: list[str], n: int) -> Counter:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
