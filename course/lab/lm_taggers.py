"""TagLM with and without language-model states on the same few labelled sentences: span F1 by seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from course.lab.kept_states import KeptStates
from course.lab.reuse import for_task
from course.lab.task_scores import commonest_tags
from course.lab.tasks import Task, learn, names, world_sentences
from course_lib.data.public import load_public
from course_lib.evaluation import span_f1
from course_lib.models.baselines import StaticVectors
from course_lib.models.crf import forbidden_bio
from course_lib.models.encoder import ContextEncoder
from course_lib.models.taglm import TagLM
from course_lib.models.word_vectors import WordVectors


def span_task(source: str = "world") -> Task:
    """Spans as BIO tags: names of the "world" or of "wnut17", chunks of "conll2000" (these need the public sets)."""
    if source == "world":
        return Task("names of the world", world_sentences("train", 2_500), world_sentences("test", 400), tag="ner")
    if source == "conll2000":
        return Task("CoNLL-2000 chunks", *(list(load_public(source, s)) for s in ("train", "test")), tag="chunk")
    return names(source)


def drawn(task: Task, n_labels: int, seed: int) -> Task:
    """The task with `n_labels` of its labelled sentences, drawn by `seed`; all of them if it has no more."""
    return replace(task, train=Random(seed).sample(list(task.train), min(n_labels, len(task.train))))


@dataclass(frozen=True)
class Score:
    """Span F1 on the test sentences, and how many span words never seen in training got the right tag; in %."""

    f1: float
    unseen: float


class TaggerBench:
    """Trains the same tagger on the same sentences with different language models.

    vectors  the initial word vectors of every tagger
    """

    def __init__(self, task: Task, vectors: WordVectors, *, n_labels: int, steps: int, hidden: int = 32):
        self.task, self.n_labels, self.steps, self.hidden = task, n_labels, steps, hidden
        self.words = StaticVectors.from_word_vectors(for_task(vectors, task))
        self.labels = task.labels

    def scores(self, lm: ContextEncoder | None, n_seeds: int) -> list[Score]:
        """One per seed, which decides the labelled sentences and the tagger's weights. lm: None for no states."""
        kept = None if lm is None else KeptStates(lm)
        return [self.score(kept, drawn(self.task, self.n_labels, seed), seed) for seed in range(n_seeds)]

    def dictionary(self, n_seeds: int) -> list[float]:
        """Span F1 in % by seed of giving each word the tag that it has most often in the labelled sentences."""
        tasks = (drawn(self.task, self.n_labels, seed) for seed in range(n_seeds))
        return [100 * span_f1(commonest_tags(task.train, task.test, task.tag), task.gold()) for task in tasks]

    def score(self, lm: ContextEncoder | None, task: Task, seed: int) -> Score:
        """A tagger trained on all of `task.train`, on the task's test sentences."""

        def make_head(_: Sequence[str]) -> TagLM:  # few sentences may lack a label: take the whole task's
            tagger = TagLM(self.labels, self.words, lm=lm, hidden=self.hidden, tags=task.tag)
            for step in forbidden_bio(tagger.labels):
                tagger.crf.forbid(*step)
            return tagger

        tagger = learn(task, make_head, None, seed, min_steps=self.steps)
        gold, predicted = task.gold(), tagger.predict(task.texts())
        return Score(100 * span_f1(predicted, gold), unseen_hits(task, predicted))


def f1(scores: Sequence[Score]) -> np.ndarray:
    """[seed], in %."""
    return np.array([score.f1 for score in scores])


def unseen(scores: Sequence[Score]) -> float:
    """The mean over seeds, in %."""
    return float(np.mean([score.unseen for score in scores]))


def unseen_hits(task: Task, predicted: Sequence[Sequence[str]]) -> float:
    """Share in % of the right tags, over test words in a span that no training sentence has. NaN if there is none."""
    seen = {word for record in task.train for word in record.sentence.words}
    rows = zip(task.test, predicted, strict=True)
    hits = [
        guess == tag
        for record, tags in rows
        for word, tag, guess in zip(record.sentence.words, record.tags[task.tag], tags, strict=True)
        if tag != "O" and word not in seen
    ]
    return 100 * float(np.mean(hits)) if hits else float("nan")
