"""Tasks with labels, and one training on some of them: what the learning curves of the course are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random

from course.lab.task_scores import dictionary, percent
from course_lib.data.handmade import handmade_names, handmade_reviews
from course_lib.data.public import load_public
from course_lib.data.records import LabelledText, TaggedSentence
from course_lib.data.world import World
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder
from course_lib.models.heads import SequenceClassifier, TokenTagger
from course_lib.training import fit

Head = SequenceClassifier | TokenTagger
EPOCHS, BATCH_SIZE = 4, 16  # of every training here


@dataclass(frozen=True)
class Task:
    """Labelled records: `train` to draw from, `test` to score on.

    tag: which layer of a TaggedSentence is learned; None: one label per text
    """

    name: str
    train: Sequence[LabelledText | TaggedSentence]
    test: Sequence[LabelledText | TaggedSentence]
    tag: str | None = None

    @property
    def kind(self) -> str:
        """How guesses are scored: as a kind of `task_scores.scores`."""
        return "sentence" if self.tag is None else "tokens" if self.tag == "ner" else "words"

    @property
    def labels(self) -> list[str]:
        if self.tag is None:
            return sorted({record.label for record in self.train})
        return sorted({tag for record in self.train for tag in record.tags[self.tag]})

    def head(self, encoder: ContextEncoder, labels: Sequence[str], **settings) -> Head:
        """The head that fits the task: one label per text, or per word."""
        if self.tag is None:
            return SequenceClassifier(encoder, labels, **settings)
        return TokenTagger(encoder, labels, tags=self.tag, **settings)

    def gold(self) -> list:
        return [record.label if self.tag is None else list(record.tags[self.tag]) for record in self.test]

    def texts(self) -> list:
        return [record.text if self.tag is None else record.sentence for record in self.test]


def reviews(source: str = "handmade") -> Task:
    """Positive or negative? source: "handmade", or "sst2" (whole sentences and phrases; needs the public set)."""
    if source == "handmade":
        return Task("handmade reviews", *(handmade_reviews("en", split) for split in ("train", "test")))
    return Task("SST-2", load_public(source, "train"), load_public(source, "dev"))


def world_sentences(split: str, n: int, seed: int = 11) -> list[TaggedSentence]:
    """`n` labelled sentences of the world; the text without labels has another seed."""
    return [sentence.tagged for sentence in islice(World(seed, split=split).sentences("en"), n)]


def parts_of_speech(source: str = "handmade") -> Task:
    """Universal parts of speech. source: "handmade", "world", or "ud_english_ewt" (needs the public set)."""
    if source == "handmade":
        return Task("handmade sentences", *(handmade_names("en", split) for split in ("train", "test")), tag="upos")
    if source == "world":
        return Task("the world", *(world_sentences(split, 200) for split in ("train", "test")), tag="upos")
    return Task("UD English EWT", *(load_public(source, split) for split in ("train", "test")), tag="upos")


def names(source: str = "handmade", language: str = "en") -> Task:
    """Named entities, BIO. source: "handmade", or "wnut17" (needs the public set)."""
    if source == "handmade":
        return Task("handmade names", *(handmade_names(language, split) for split in ("train", "test")), tag="ner")
    return Task("WNUT-17", *(load_public(source, split) for split in ("train", "test")), tag="ner")


def learn(
    task: Task,
    make_head: Callable[[Sequence[str]], Head],
    n_labels: int | None,
    seed: int,
    *,
    slow: dict[str, float] | None = None,
    min_steps: int = 60,
    learning_rate: float = 3e-3,
) -> Head:
    """A head trained on `n_labels` records of the task (None: all), drawn by `seed`, for at least `min_steps` steps.

    make_head   labels -> a new head; what it freezes stays frozen
    slow        groups that learn at a smaller rate, as `Head.groups` takes them
    """
    n_labels = len(task.train) if n_labels is None else n_labels
    if not 0 < n_labels <= len(task.train):
        raise CourseError(f"{task.name} has {len(task.train)} labelled records to learn from, not {n_labels}.")
    chosen = Random(seed).sample(range(len(task.train)), n_labels)
    seed_everything(seed)
    head = make_head(task.labels)
    batches = head.batches([task.train[i] for i in chosen], BATCH_SIZE, seed)
    steps = max(min_steps, EPOCHS * -(-n_labels // BATCH_SIZE))
    fit(head, batches, steps=steps, learning_rate=learning_rate, groups=head.groups(slow), seed=seed, show=False)
    return head


def score(task: Task, head: Head) -> float:
    """Accuracy on the task's test records in %, per text or per word; span F1 in % for named entities."""
    return percent(task.kind, head.predict(task.texts()), task.test, tags=task.tag)


def majority(task: Task) -> float:
    """What guessing the commonest label gives, in %; for words: each word's commonest tag in the training records."""
    if task.tag is None:
        guesses = [max(task.labels, key=[record.label for record in task.train].count)] * len(task.test)
    else:
        guesses = dictionary(task.train, task.test, task.tag)
    return percent(task.kind, guesses, task.test, tags=task.tag)
