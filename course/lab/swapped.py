"""Has somebody swapped two neighbouring words of this sentence?

The task is SentEval's bigram shift: Conneau et al. 2018, arXiv:1805.01070, section 2.

task = Swapped()
ids, real, labels = task.batch(task.sample(800, seed=0))     # what course/by_hand/ulmfit.py reads
lm = task.network()                                           # pre-trained; pretrained=False: the same one, random
fine_tune(lm, head, ids, real, labels)
task.accuracy(lm, head)                                       # in %, on sentences that no one has learned from

Labels cost nothing, and counting words is at chance: both kinds of sentences have the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course.by_hand.ulmfit import concat_pool
from course.lab.controls import untrained
from course.lab.tasks import Task
from course.sources.handmade import handmade_names, handmade_questions, handmade_reviews, handmade_senses
from course_lib.data.records import LabelledText
from course_lib.language import key
from course_lib.models.awd_lstm import AWDLSTM, BEGIN
from course_lib.models.shipped import load
from course_lib.text.vocabulary import Vocabulary
from course_lib.text.words import split_sentences, split_words

WHOLE, SWAPPED = LABELS = ("whole", "swapped")
SHORTEST, LONGEST = 6, 20  # words of a sentence
N_DEV, N_TEST = 300, 500  # the rest is there to learn from
NETWORK = "awd-lstm-en"


class Swapped:
    """train, dev, test: sentences, no one in two of them; in every second one two neighbouring words are swapped.

    The sentences are those of the handmade sets, in lower case, words between single spaces: fixed, like their labels.
    encoder: the shipped language model, its table without the rows of words that no sentence has, which saves time.
    """

    def __init__(self):
        self.train, self.dev, self.test = _parts()
        whole = load(NETWORK)
        met = {word for part in (self.train, self.dev, self.test) for record in part for word in record.text.split()}
        known = [word for word in whole.vocabulary.words if word in met or word == whole.vocabulary.unknown]
        self.encoder: AWDLSTM = whole.adapted(Vocabulary(known, unknown=whole.vocabulary.unknown))

    def sample(self, n: int, seed: int) -> list[LabelledText]:
        """`n` sentences to learn from; with more labels the same ones, and others besides."""
        return Random(seed).sample(self.train, len(self.train))[:n]

    def network(self, *, pretrained: bool = True, seed: int = 0) -> Reader:
        """A new copy of the language model to train; not pretrained: its weights are random, drawn by `seed`."""
        return Reader(self.encoder.adapted() if pretrained else untrained(self.encoder, seed)).train()

    def batch(
        self, records: Sequence[LabelledText]
    ) -> tuple[Int[Tensor, "text word"], Bool[Tensor, "text word"], Int[Tensor, " text"]]:
        """Word ids with the begin mark before them, where there is a word or the mark, and labels: 1 is swapped."""
        rows = [torch.tensor([BEGIN, *map(self.encoder.row, record.text.split())]) for record in records]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        real = torch.arange(ids.shape[1]) < torch.tensor([len(row) for row in rows])[:, None]
        return ids, real, torch.tensor([LABELS.index(record.label) for record in records])

    def accuracy(self, lm: nn.Module, head: nn.Module, part: str = "test") -> float:
        """In %, on the test part, or on "dev" to choose settings by."""
        ids, real, labels = self.batch(getattr(self, part))
        for module in (lm, head):
            module.eval()
        with torch.no_grad():
            right = head(concat_pool(lm(ids), real)).argmax(1) == labels
        for module in (lm, head):
            module.train()
        return 100 * right.float().mean().item()


def swapped_task() -> Task:
    """The same as a task of `course/lab/tasks.py`, for the library's classifier."""
    parts = _parts()
    texts = [record.text.split() for part in parts for record in part]
    return Task(key("swapped neighbours"), "sentence", *parts, unlabelled=texts)


def _parts() -> tuple[list[LabelledText], list[LabelledText], list[LabelledText]]:
    """Train, dev and test."""
    records = [
        LabelledText(" ".join(swapped(words, number) if number % 2 else words), LABELS[number % 2])
        for number, words in enumerate(sentences())
    ]
    return records[N_TEST + N_DEV :], records[N_TEST:][:N_DEV], records[:N_TEST]


class Reader(nn.Module):
    """The top layer's states of an AWD-LSTM [text, word, dim]; `layers`: its trainable parts from the top down.

    With `layers = []` it stays frozen.
    """

    def __init__(self, encoder: AWDLSTM):
        super().__init__()
        self.encoder, self.dim = encoder, encoder.sentence_dim
        self.layers = [*reversed(encoder.lstms), encoder.embedding]

    def forward(self, ids: Int[Tensor, "text word"]) -> Float[Tensor, "text word dim"]:
        return self.encoder(ids)[0][-1]


def swapped(words: Sequence[str], seed: int) -> list[str]:
    """The sentence with two neighbouring words, which differ, in each other's place; marks stay where they are."""
    pairs = [i for i, (a, b) in enumerate(pairwise(words)) if a != b and a.isalnum() and b.isalnum()]
    i = Random(seed).choice(pairs)
    return [*words[:i], words[i + 1], words[i], *words[i + 2 :]]


def sentences() -> list[tuple[str, ...]]:
    """All different ones of the handmade sets that are neither short nor long, shuffled, always the same."""
    raw = [sentence for review in handmade_reviews() for sentence in split_sentences(review.text)]
    for passage in handmade_questions():
        raw += [*split_sentences(passage.text), *(question.question for question in passage.questions)]
    cut = [split_words(text) for text in raw]
    cut += [example.sentence.words for example in handmade_senses()]
    cut += [record.sentence.words for record in handmade_names()]
    lower = dict.fromkeys(tuple(word.lower() for word in words) for words in cut if SHORTEST <= len(words) <= LONGEST)
    return Random(0).sample(list(lower), len(lower))
