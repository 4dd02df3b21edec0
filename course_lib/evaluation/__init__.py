"""Scores and how sure they are."""

from course_lib.evaluation.bleu import bleu
from course_lib.evaluation.intervals import Interval, bootstrap_interval, seed_interval
from course_lib.evaluation.metrics import accuracy, span_f1, spearman, squad_scores

__all__ = ["Interval", "accuracy", "bleu", "bootstrap_interval", "seed_interval", "span_f1", "spearman", "squad_scores"]
