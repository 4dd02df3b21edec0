"""One way to train: a head on some labelled records, by a recipe and a seed; and which rate is best.

Source: Devlin et al. 2019, arXiv:1810.04805, appendices A.2 and A.3: AdamW with weight decay 0.01, linear warm-up and
decay, few epochs, and nothing chosen on dev but rate, batch size and epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import torch

from course.lab.tasks import Head, Record, Task
from course_lib.data.records import Sentence
from course_lib.device import seed_everything
from course_lib.models.encoder import ContextEncoder, StaticVectors
from course_lib.models.word_vectors import WordVectors
from course_lib.training import adamw, fit
from course_lib.training.schedules import warmup_linear

DEV_SEED = 1_000  # of what is trained to choose settings: never one of the seeds that are measured
REUSE = ("random", "initial", "frozen", "slow")  # no reuse of word vectors, and the three ways of it


@dataclass(frozen=True)
class Recipe:
    """The settings of one training.

    rate      largest learning rate: the paper's are 2e-5 to 5e-5, narrow networks and few steps need larger ones
    epochs    over the labelled records, but at least `min_steps` and at most `max_steps` steps
    warmup    share of the steps in which the rate rises, to fall straight afterwards; None: one rate for all steps
    """

    rate: float = 1e-3
    epochs: int = 3
    min_steps: int = 30
    max_steps: int = 60
    batch_size: int = 16
    warmup: float | None = 0.1
    weight_decay: float = 0.01

    def steps(self, n_labels: int) -> int:
        return min(self.max_steps, max(self.min_steps, self.epochs * -(-n_labels // self.batch_size)))

    def schedule(self, step: int, total: int) -> float:
        """The factor of the rate; no step has rate 0."""
        if self.warmup is None:
            return 1.0
        return warmup_linear(step + 1, total + 1, warmup=int(self.warmup * total))

    def at(self, rate: float) -> Recipe:
        return replace(self, rate=rate)


# Of taggers and classifiers that start from word vectors: nothing pre-trained is large enough to be spoilt.
PLAIN = Recipe(3e-3, epochs=4, min_steps=60, max_steps=1_000_000, warmup=None, weight_decay=0.0)


def learn(
    make_head: Callable[[], Head],
    records: Sequence[Record],
    seed: int,
    recipe: Recipe = PLAIN,
    *,
    slow: dict[str, float] | None = None,
) -> Head:
    """A new head trained on these records as the recipe says, in eval mode; what `make_head` freezes stays frozen.

    seed  of weights, order and dropout. slow: groups that learn at a smaller rate, as `Head.groups` takes them
    """
    seed_everything(seed)
    head = make_head()
    batches = head.batches(records, recipe.batch_size, seed)
    optimizer = partial(adamw, weight_decay=recipe.weight_decay)
    settings = {"learning_rate": recipe.rate, "schedule": recipe.schedule, "optimizer": optimizer, "seed": seed}
    fit(head, batches, steps=recipe.steps(len(records)), groups=head.groups(slow), show=False, **settings)
    return head.eval()


def fine_tune(
    task: Task, encoder: ContextEncoder, n_labels: int, seed: int, recipe: Recipe, *, frozen: bool = False, **settings
) -> Head:
    """A head and a copy of `encoder`, trained together on `n_labels` records of the task; both drawn by `seed`.

    frozen      only the head learns; the encoder has no dropout then
    settings    of the task's head
    """

    def make_head() -> Head:
        copy = deepcopy(encoder)
        head = task.head(copy, seed, **settings)
        if frozen:
            copy.freeze()
        return head

    return learn(make_head, task.draw(n_labels, seed), seed, recipe)


def best_rate(rates: Sequence[float], score: Callable[[float], float]) -> float:
    """The rate with the highest score; of equal ones the first. One rate alone is not tried."""
    return max(rates, key=score) if len(rates) > 1 else rates[0]


def searched_rate(score: Callable[[float], float], start: float = 3e-3, factor: float = 3.0) -> float:
    """The learning rate with the highest score among start x factor^k: lower and higher ones are tried until both
    neighbours of the best have been. Four steps to a side at most."""
    tried = {0: score(start)}
    while True:
        best = max(tried, key=tried.get)
        missing = [k for k in (best - 1, best + 1) if k not in tried and abs(k) <= 4]
        if not missing:
            return start * factor**best
        tried |= {k: score(start * factor**k) for k in missing}


def comes_to(wanted: float, sizes: Sequence[int], scores: Sequence[float], never: int) -> float:
    """log2 of the size at which a curve first comes to `wanted`, of `never` where it does not.

    Straight lines over log2 of the sizes join its points; a curve that is there at its first point counts with that.
    """
    places = np.log2(sizes)
    for n, score in enumerate(scores):
        if score >= wanted:
            share = (wanted - scores[n - 1]) / (score - scores[n - 1]) if n else 1.0
            return float(places[n - 1] + share * (places[n] - places[n - 1]) if n else places[0])
    return float(np.log2(never))


# Reuse of word vectors


def for_task(vectors: WordVectors, task: Task, std: float = 0.3) -> WordVectors:
    """The rows that the task's words use (other rows would never move), centred and brought to one spread.

    So two tables that start a network differ in their directions, not in how loud they are.
    """
    texts = [Sentence.of(record.sentence if task.tagged else record.text) for record in (*task.train, *task.test)]
    used = {form for text in texts for word in text.words for form in (word, word.lower())}
    words = [word for word in vectors.words if word in used]
    rows = torch.stack([vectors[word] for word in words])
    rows = rows - rows.mean(0)
    return WordVectors(words, rows * (std / rows.std()))


def random_like(vectors: WordVectors, seed: int = 0) -> WordVectors:
    """The same words with random vectors of the same spread: a network that reuses nothing."""
    generator = torch.Generator().manual_seed(seed)
    std = vectors.vectors.std()
    return WordVectors(vectors.words, std * torch.randn(vectors.vectors.shape, generator=generator))


def curve(
    task: Task,
    vectors: WordVectors,
    ways: Sequence[str],
    sizes: Sequence[int | None],
    n_seeds: int,
    *,
    learning_rate: float = PLAIN.rate,
    **settings,
) -> dict[str, np.ndarray]:
    """Test scores in % of each way of reuse: {way: [size, seed]}. Same labels and seeds for all ways."""
    vectors, recipe = for_task(vectors, task), PLAIN.at(learning_rate)

    def one(way: str, size: int | None, seed: int) -> float:
        def make_head() -> Head:
            table = random_like(vectors, seed) if way == "random" else vectors
            head = task.head(StaticVectors.from_word_vectors(table), **settings)
            if way == "frozen":
                head.freeze(["word"])
            return head

        slow = {"word": 0.1} if way == "slow" else None
        return task.score(learn(make_head, task.sample(size, seed), seed, recipe, slow=slow))

    return {way: np.array([[one(way, size, seed) for seed in range(n_seeds)] for size in sizes]) for way in ways}
