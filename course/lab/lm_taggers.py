"""TagLM with and without language-model states on the same few labelled sentences; and language models on their way.

Does a better language model make a better tagger? Checkpoints of one training, and how F1 follows perplexity.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from course.lab.baselines import dictionary
from course.lab.controls import Text
from course.lab.kept_states import KeptStates
from course.lab.learning import PLAIN, for_task, learn
from course.lab.tasks import Task, names, world_sentences
from course.lab.world_models import new_bilm, train_bilm
from course.sources.public import load_public
from course_lib.device import seed_everything
from course_lib.models.crf import forbidden_bio
from course_lib.models.encoder import ContextEncoder, StaticVectors
from course_lib.models.lstm_lm import BiLM
from course_lib.models.taglm import TagLM
from course_lib.models.word_vectors import WordVectors


def span_task(source: str = "world", language: str = "en") -> Task:
    """Spans as BIO tags: names of the "world" or of "wnut17", chunks of "conll2000" (these need the public sets).

    language: of the world's sentences.
    """
    if source == "world":
        sizes = {"train": 2_500, "test": 400}
        train, test = (world_sentences(split, n, language=language) for split, n in sizes.items())
        return Task("names of the world", "tokens", train, [], test, language)
    if source == "conll2000":
        parts = list(load_public(source, "train")), [], list(load_public(source, "test"))
        return Task("CoNLL-2000 chunks", "tokens", *parts, tags="chunk")
    return names(source)


def drawn(task: Task, n_labels: int, seed: int) -> Task:
    """The task with `n_labels` of its labelled sentences, drawn by `seed`; all of them if it has no more."""
    return replace(task, train=task.sample(min(n_labels, len(task.train)), seed))


class TaggerBench:
    """Trains the same tagger, from the same word vectors, on the same sentences with different language models."""

    def __init__(self, task: Task, vectors: WordVectors, *, n_labels: int, steps: int, hidden: int = 32):
        self.task, self.n_labels, self.hidden = task, n_labels, hidden
        self.recipe = replace(PLAIN, min_steps=steps)
        self.words = StaticVectors.from_word_vectors(for_task(vectors, task))
        self.labels = task.labels  # few sentences may lack a label

    def scores(self, lm: ContextEncoder | None, n_seeds: int) -> np.ndarray:
        """[seed, (F1, right tags of unseen words)]. A seed decides the labelled sentences and the tagger's weights.

        lm: None for no states
        """
        states = None if lm is None else KeptStates(lm)
        return np.array([self.score(states, drawn(self.task, self.n_labels, seed), seed) for seed in range(n_seeds)])

    def dictionary(self, n_seeds: int) -> list[float]:
        """Span F1 in % by seed of giving each word the tag that it has most often in the labelled sentences."""
        tasks = (drawn(self.task, self.n_labels, seed) for seed in range(n_seeds))
        return [task.worth(dictionary(task.train, task.test, task.tags, unknown="O"))["score"] for task in tasks]

    def score(self, lm: ContextEncoder | None, task: Task, seed: int) -> tuple[float, float]:
        """A tagger trained on all of `task.train`, on its test sentences: span F1 and `unseen_hits`, in %."""

        def make_head() -> TagLM:
            tagger = TagLM(self.labels, self.words, lm=lm, hidden=self.hidden, tags=task.tags)
            for step in forbidden_bio(tagger.labels):
                tagger.crf.forbid(*step)
            return tagger

        guesses = learn(make_head, task.sample(None, seed), seed, self.recipe).predict(task.texts())
        return task.worth(guesses)["score"], unseen_hits(task, guesses)


def unseen_hits(task: Task, guesses: Sequence[Sequence[str]]) -> float:
    """Share in % of the right tags, over test words in a span that no training sentence has. NaN if there is none."""
    seen = {word for record in task.train for word in record.sentence.words}
    hits = [
        guess == tag
        for record, row in zip(task.test, guesses, strict=True)
        for word, tag, guess in zip(record.sentence.words, record.tags[task.tags], row, strict=True)
        if tag != "O" and word not in seen
    ]
    return 100 * float(np.mean(hits)) if hits else float("nan")


def checkpoints(text: Text, marks: Sequence[int], width: int) -> list[BiLM]:
    """Copies of one language model after so many steps of its training."""
    seed_everything(0)
    model, copies = new_bilm(text, width=width, min_count=2), []

    def keep(step: int) -> None:
        if step in marks:
            copies.append(copy.deepcopy(model).eval())

    train_bilm(text, 0, steps=max(marks), model=model, watchers=[keep])
    return copies


def quality(model: BiLM, text: Text) -> float:
    """Minus log perplexity per word of `text` in nats, the mean of the directions."""
    return -float(np.mean(np.log(list(model.perplexity([model.document(text)]).values()))))


def rank_products(
    scores: Float[np.ndarray, "model seed"], qualities: Sequence[float]
) -> Float[np.ndarray, "seed model"]:
    """Per tagger run the product of its standardised ranks, by score and by quality, among the runs of its seed.

    The mean over a seed's runs is Spearman's correlation within that seed; 0 where all its scores are the same.
    """
    return np.stack([_standard_ranks(column) * _standard_ranks(qualities) for column in scores.T])


def _standard_ranks(values: Sequence[float]) -> np.ndarray:
    from scipy.stats import rankdata

    ranks = rankdata(values)  # ties share their mean rank
    return (ranks - ranks.mean()) / (ranks.std() or 1.0)
