"""One way to train a head on any encoder, used by all claims of chapter 8: which steps, which rates, what is frozen.

Source: Devlin et al. 2019, arXiv:1810.04805, appendices A.2 and A.3: AdamW with weight decay 0.01, linear warm-up and
decay, few epochs, and nothing chosen on dev but rate, batch size and epochs.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

from course.lab.four_tasks import FourHead, FourTask
from course.lab.row_sizes import Record
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.models.bert import Bert
from course_lib.models.encoder import ContextEncoder
from course_lib.models.head_base import seeded
from course_lib.models.shipped import load
from course_lib.training import fit
from course_lib.training.schedules import warmup_linear

DEV_SEED = 1_000  # of what is trained to choose settings: never one of the seeds that are measured
WEIGHT_DECAY = 0.01


@dataclass(frozen=True)
class Recipe:
    """The settings of one training.

    rate     largest learning rate: the paper's are 2e-5 to 5e-5, narrow networks and few steps need larger ones
    epochs   over the labelled records, but at least `min_steps` and at most `max_steps` steps
    warmup   share of the steps in which the rate rises
    """

    rate: float = 1e-3
    epochs: int = 3
    min_steps: int = 30
    max_steps: int = 60
    batch_size: int = 16
    warmup: float = 0.1

    def __post_init__(self) -> None:
        if not (self.rate > 0 and self.epochs >= 1 and 1 <= self.min_steps <= self.max_steps and self.batch_size >= 1):
            raise CourseError(f"{self} cannot work. Use a rate above 0, sizes of 1 or more and min_steps <= max_steps.")
        if not 0 <= self.warmup < 1:
            raise CourseError(f"Recipe: warmup={self.warmup} is not a share of the steps. Use 0 to below 1.")

    def steps(self, n_labels: int) -> int:
        return min(self.max_steps, max(self.min_steps, self.epochs * -(-n_labels // self.batch_size)))

    def schedule(self, step: int, total: int) -> float:
        """The factor of the rate: up, then straight down; no step has rate 0."""
        return warmup_linear(step + 1, total + 1, warmup=int(self.warmup * total))

    def at(self, rate: float) -> Recipe:
        return replace(self, rate=rate)


def fine_tune(
    task: FourTask,
    encoder: ContextEncoder,
    n_labels: int,
    seed: int,
    recipe: Recipe,
    *,
    frozen: bool = False,
    **settings,
) -> FourHead:
    """A head and a copy of `encoder`, trained together on `n_labels` records of the task; both drawn by `seed`.

    frozen      only the head learns; the encoder has no dropout then
    settings    of the task's head
    """
    own = deepcopy(encoder)
    head = task.head(own, seed, **settings)
    if frozen:
        own.freeze()
    return train_head(head, task.draw(n_labels, seed), seed, recipe)


def train_head(head: FourHead, records: Sequence[Record], seed: int, recipe: Recipe) -> FourHead:
    """The head itself, trained on these records as the recipe says, in eval mode."""
    seed_everything(seed)
    fit(
        head,
        head.batches(records, recipe.batch_size, seed),
        steps=recipe.steps(len(records)),
        learning_rate=recipe.rate,
        schedule=recipe.schedule,
        groups=head.groups(),
        weight_decay=WEIGHT_DECAY,
        seed=seed,
        show=False,
    )
    return head.eval()


def best_rate(
    task: FourTask, encoder: ContextEncoder, n_labels: int, rates: Sequence[float], recipe: Recipe, **settings
) -> float:
    """The rate with the highest score on dev; of equal ones the first."""
    scores = rate_scores(task, encoder, n_labels, rates, recipe, **settings) if len(rates) > 1 else {rates[0]: 0.0}
    return max(scores, key=scores.get)


def rate_scores(
    task: FourTask, encoder: ContextEncoder, n_labels: int, rates: Sequence[float], recipe: Recipe, **settings
) -> dict[float, float]:
    """{rate: score on dev in %}, one training each; settings as for `fine_tune`."""

    def score(rate: float) -> float:
        return task.score(fine_tune(task, encoder, n_labels, DEV_SEED, recipe.at(rate), **settings), "dev")

    return {rate: score(rate) for rate in rates}


def from_scratch(bert: Bert, seed: int) -> Bert:
    """The same network and the same pieces before any training. Raises CourseError for another encoder."""
    if not isinstance(bert, Bert):
        raise CourseError(f"from_scratch makes a new Bert, and {type(bert).__name__} is none. Give a Bert.")
    with seeded(seed):
        return Bert(bert.config, bert.pieces).eval()


def opened(encoder: ContextEncoder | str) -> ContextEncoder:
    """A checkpoint by its name, or the encoder as it is."""
    return load(encoder) if isinstance(encoder, str) else encoder
