"""A translator on a test set: sacreBLEU with an interval, and how many pieces it learned from.

Source: Post 2018, arXiv:1804.08771 (sacreBLEU); Koehn 2004, "Statistical Significance Tests for Machine Translation
Evaluation", EMNLP (resampling sentences).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count, islice

import numpy as np

from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, bootstrap_interval
from course_lib.models.decoding import beam_search, greedy
from course_lib.models.translator import TranslationBatch, Translator

AT_ONCE = 100  # sentences decoded together


def translations(model: Translator, sources: Sequence[Sentence], *, beam: int) -> list[str]:
    """Pieces joined to words, in the order of `sources`; beam=1 is greedy. Sentences of like lengths go together."""
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    found: dict[int, str] = {}
    for start in range(0, len(order), AT_ONCE):
        part = order[start : start + AT_ONCE]
        batch = [sources[i] for i in part]
        hypotheses = greedy(model, batch) if beam == 1 else beam_search(model, batch, beam=beam)
        found |= {i: one.text for i, one in zip(part, hypotheses, strict=True)}
    return [found[i] for i in range(len(sources))]


def sacre_bleu(
    hypotheses: Sequence[str], references: Sequence[str], *, tokenize: str = "13a", n: int = 2_000, seed: int = 0
) -> tuple[Interval, str]:
    """Corpus BLEU (0 to 100, cased, one reference) with the bootstrap interval over sentences, and its signature.

    tokenize  sacreBLEU's name: "13a" for text as it is written, "none" for words between spaces. n: resamples
    Raises CourseError for unequal numbers, fewer than 2 sentences, and if sacreBLEU is not installed.
    """
    if len(hypotheses) != len(references):
        raise CourseError(
            f"sacre_bleu got {len(hypotheses)} translations and {len(references)} references. Give one each."
        )
    metric = _metric(tokenize)
    score = metric.corpus_score(list(hypotheses), [list(references)])
    alone = _metric(tokenize, effective_order=True)  # only its counts are used: the option is about its score
    counts = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        one = alone.sentence_score(hypothesis, [reference])
        counts.append([*one.counts, *one.totals, one.sys_len, one.ref_len])

    def of_counts(rows: np.ndarray) -> float:
        sums = rows.sum(0).astype(int).tolist()
        found = metric.compute_bleu(sums[:4], sums[4:8], sums[8], sums[9], smooth_method=metric.smooth_method)
        return float(found.score)

    interval = bootstrap_interval(np.array(counts), n=n, seed=seed, statistic=of_counts)
    return Interval(interval.low, interval.high, float(score.score), interval.level), str(metric.get_signature())


def target_pieces(batches: Callable[[int], Iterator[TranslationBatch]], steps: int) -> int:
    """Target pieces in the first `steps` batches: the predictions that the training was scored on."""
    stream = islice(chain.from_iterable(map(batches, count())), steps)
    return sum(int(batch.target_mask[:, 1:].sum()) for batch in stream)


def _metric(tokenize: str, **options):
    try:
        from sacrebleu.metrics import BLEU
    except ImportError:
        raise CourseError("sacreBLEU is not installed. Install it: pip install sacrebleu") from None
    return BLEU(tokenize=tokenize, force=tokenize == "none", **options)  # force: no warning about spaced points
