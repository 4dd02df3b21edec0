"""What stands on a label curve: each system, learned from some labels of a task and scored on its test records.

All systems of a task take the same labels, batches and steps. Nothing is chosen on a development part: each kind of
start has one fixed way to train, written here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property, partial

from course.lab import fine_tuning, head_recipe
from course.lab.fine_tuning import FROM_SCRATCH, Tricks, classifier, for_target, tuned
from course.lab.four_tasks import FourTask
from course.lab.head_recipe import Recipe, fine_tune
from course.records.curve_record import ALL, Labels
from course_lib.errors import CourseError
from course_lib.models.awd_lstm import AWDLSTM
from course_lib.models.bert import Bert
from course_lib.models.shipped import load

BASELINE = "baseline"
AWD_SCRATCH, AWD_GENERAL, AWD_TARGET = "awd-scratch", "awd-general", "awd-target"
BERT_SCRATCH, BERT, MINILM = "bert-scratch", "bert", "minilm"
AWD_SYSTEMS = (AWD_SCRATCH, AWD_GENERAL, AWD_TARGET)
BERT_SYSTEMS = (BERT_SCRATCH, BERT)
MINILM_RATE = 1e-4  # published weights, wider and deeper
BERT_RATE = 5e-4  # between the two rates of C8.4, which takes fewer steps
AWD_TRICKS = {AWD_SCRATCH: FROM_SCRATCH, AWD_GENERAL: Tricks(), AWD_TARGET: Tricks()}
BERT_RATES = dict.fromkeys(BERT_SYSTEMS, BERT_RATE)
MOST_WORDS = 8_000  # of the target's vocabulary
PUBLISHED = partial(load, "minilm-en")


@dataclass(frozen=True)
class Effort:
    """epochs over the labels, but at least `min_steps` and at most `max_steps`; lm_steps: of the target LM."""

    epochs: int
    min_steps: int
    max_steps: int
    batch_size: int = 32
    lm_steps: int = 0

    @property
    def recipe(self) -> Recipe:
        return Recipe(BERT_RATE, self.epochs, self.min_steps, self.max_steps, self.batch_size)


class Bench:
    """One task with its systems, opened: records in memory, networks loaded when they are first needed.

    lm, bert, minilm  give the pre-trained network of the AWD-LSTM and of the BERT systems, and the published one
    """

    def __init__(
        self,
        task: FourTask,
        effort: Effort,
        *,
        lm: Callable[[], AWDLSTM] | None = None,
        bert: Callable[[], Bert] | None = None,
        minilm: Callable[[], Bert] = PUBLISHED,
    ):
        self.effort, self._lm, self._bert, self._minilm = effort, lm, bert, minilm
        self.task = task if bert is None else task.fitting(self.bert, windows=True)

    @cached_property
    def bert(self) -> Bert:
        return self._bert()

    @cached_property
    def minilm(self) -> Bert:
        return self._minilm()

    @cached_property
    def documents(self) -> list[list[str]]:
        """All training texts without their labels."""
        return [record.text.split() for record in self.task.train]

    @cached_property
    def general(self) -> AWDLSTM:
        return for_target(self._lm(), self.documents, max_size=MOST_WORDS)

    @cached_property
    def target(self) -> AWDLSTM:
        """Tuned once, for all label counts and seeds: it sees no label."""
        return tuned(self.general, self.documents, steps=self.effort.lm_steps)

    def description(self) -> dict:
        """What must be equal for two cells to be comparable, and what a reader must know: plain JSON."""
        return {
            "data": self.task.name,
            "metric": self.task.unit,
            "baseline": self.task.baseline_name,
            "n_test": len(self.task.test),
            "n_all": len(self.task.train),
            "effort": asdict(self.effort),
            "rates": ({} if self._lm is None else {name: tricks.rate for name, tricks in AWD_TRICKS.items()})
            | ({} if self._bert is None else BERT_RATES),
        }

    def n_labels(self, labels: Labels) -> int:
        """Raises CourseError for more labels than there are."""
        if labels != ALL and labels > len(self.task.train):
            raise CourseError(
                f"{self.task.name} has {len(self.task.train):,} labelled records here, {labels:,} were asked for. "
                f"Give fewer, or {ALL!r}."
            )
        return len(self.task.train) if labels == ALL else labels

    def steps(self, system: str, n_labels: int) -> int:
        """Of training; 0 for the baseline."""
        return 0 if system == BASELINE else self.effort.recipe.steps(n_labels)

    def scores(self, system: str, n_labels: int, seed: int) -> dict[str, float]:
        """{"score": in %} of the system learned from `n_labels` records, and for answers "exact" (exact match in %).

        Labels, order and new weights are drawn by `seed`.
        """
        if system == BASELINE:
            return self.task.baseline_scores(self.task.draw(n_labels, seed))
        if system == MINILM:
            recipe = self.effort.recipe.at(MINILM_RATE)
            return self.task.scores(fine_tune(self.task, self.minilm, n_labels, seed, recipe))
        if system in BERT_SYSTEMS:
            start = self.bert if system == BERT else head_recipe.from_scratch(self.bert, seed)
            return self.task.scores(fine_tune(self.task, start, n_labels, seed, self.effort.recipe))
        if system == AWD_SCRATCH:
            start = fine_tuning.from_scratch(self.general, seed)
        else:
            start = self.target if system == AWD_TARGET else self.general
        learned = classifier(
            start, self.task.draw(n_labels, seed), self.task.labels, steps=self.steps(system, n_labels),
            tricks=AWD_TRICKS[system], seed=seed, batch_size=self.effort.batch_size,
        )  # fmt: skip
        return self.task.scores(learned)
