"""Recipes of the AWD-LSTM language model that ULMFiT is fine-tuned from, and of the same model read on in reviews.

The second is ULMFiT's second stage (Howard & Ruder 2018, arXiv:1801.06146, section 3.2), once for all experiments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import fmean

import torch
from torch import Tensor

from course.recipes.engine import Job, Recipe, Training, profiles, starting_point, steps_done
from course.recipes.starts import Reading, start_table, word_vectors
from course.recipes.texts import ENGLISH, Text, WordTexts, weights_licence
from course_lib.data.streams import TextStreams
from course_lib.models.awd_lstm import AWDLSTM, BEGIN, AWDLSTMConfig
from course_lib.models.lstm_lm import perplexities
from course_lib.models.shipped import load
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import History

UNKNOWN = "<unk>"
DROPOUTS = ("embedding_dropout", "input_dropout", "weight_dropout", "hidden_dropout", "output_dropout")


@dataclass(frozen=True)
class Settings:
    """Words are lower-cased: twelve thousand rows then cover more of a review, and a cased word finds its row."""

    training: Training
    texts: tuple[Text, ...] = ENGLISH
    start: str | None = None  # the checkpoint in the working folder that this one goes on from
    vocab_size: int = 12_000
    emb_dim: int = 200
    hidden: int = 352  # in six bits a number the checkpoint takes 4 MB
    n_layers: int = 3
    skip_gram: Reading | None = field(default_factory=lambda: Reading(words=25_000_000))  # what the table starts from
    table_std: float = 0.1
    dropout: float = 0.1  # factor of the default dropouts: less than one epoch is read, so little can be overfitted
    batch_size: int = 16
    length: int = 70


@dataclass(frozen=True)
class Material:
    """Documents as table rows, begin mark first; sentences follow each other without a mark. held_out: by text."""

    vocabulary: Vocabulary
    train: list[Tensor]
    held_out: dict[str, list[Tensor]]


def read(job: Job) -> Material:
    settings = job.settings
    texts = WordTexts.of(settings.texts, job.out, lower=True)
    if settings.start is None:
        size = settings.vocab_size
        vocabulary = Vocabulary.from_counts(texts.counts, max_size=size, specials=[UNKNOWN], unknown=UNKNOWN)
    else:
        vocabulary = load(starting_point(job, settings.start)).vocabulary
    index, unknown = vocabulary.index, vocabulary.index[UNKNOWN]

    def ids(document: list[list[str]]) -> Tensor:
        return torch.tensor([BEGIN, *(1 + index.get(word, unknown) for sentence in document for word in sentence)])

    return Material(vocabulary, *texts.encoded(ids, job.seed))


def build(job: Job, material: Material) -> AWDLSTM:
    if job.settings.start is not None:
        return load(starting_point(job, job.settings.start))
    settings, base = job.settings, AWDLSTMConfig(len(material.vocabulary))
    config = AWDLSTMConfig(
        len(material.vocabulary),
        emb_dim=settings.emb_dim,
        hidden=settings.hidden,
        n_layers=settings.n_layers,
        **{name: round(settings.dropout * getattr(base, name), 4) for name in DROPOUTS},
    )
    model = AWDLSTM(config, material.vocabulary)
    # The first scores are then the words' frequencies, which need not be learned. The begin mark counts as one.
    counts = torch.tensor([1, *material.vocabulary.counts], dtype=torch.float32).clamp(min=1)
    with torch.no_grad():
        model.softmax.bias.copy_((counts / counts.sum()).log())
    if settings.skip_gram is not None and not job.start:
        names, path = ["", *material.vocabulary.words], job.place(f"words-{settings.emb_dim}-{job.seed}.safetensors")
        passages = drawn_passages(material, names, job.seed)
        std, reading = settings.table_std, settings.skip_gram
        start_table(model.embedding, word_vectors(path, passages, names, settings.emb_dim, std, reading, job.seed))
    return model


def drawn_passages(material: Material, names: list[str], seed: int, length: int = 40) -> Iterator[list[str]]:
    """The documents, which are drawn, without their begin mark, cut every 40 words: their sentences have no mark."""
    for document in Random(seed).sample(material.train, len(material.train)):
        yield from ([names[i] for i in part.tolist()] for part in document[1:].split(length))


def batches(job: Job, material: Material, model: AWDLSTM) -> TextStreams:
    return TextStreams(material.train, job.settings.batch_size, job.settings.length, seed=job.seed)


def evaluate(job: Job, material: Material, model: AWDLSTM, folder: Path) -> dict[str, str]:
    shipped, size = load(folder), len(material.vocabulary)

    def perplexity(lm: AWDLSTM, documents: list[Tensor]) -> float:
        return perplexities(lm, TextStreams(documents, 8, 70))["cross_entropy"]

    return {
        f"held-out perplexity, {name}, {which}": f"{perplexity(lm, documents):.1f} "
        f"({size:,} words, rarer ones are one unknown word)"
        for name, documents in material.held_out.items()
        for which, lm in (("as trained", model), ("as shipped", shipped))
    }


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings = job.settings
    tokens = steps_done(history) * settings.batch_size * settings.length * job.processes
    after = "" if settings.start is None else f", after those of {settings.start}"
    started = {} if settings.start or settings.skip_gram is None else {"start": "skip-gram vectors of the same text"}
    return {
        "model": "AWD-LSTM, forward language model with tied softmax; matrices in six bits, the rest float16",
        **started,
        "corpus": f"lower-cased: {'; '.join(map(str, settings.texts))}; "
        f"{sum(map(len, material.train)):,} words an epoch",
        "tokens": f"{tokens:,}{after}",
        "final loss": f"{fmean(history.parts['cross_entropy'][-100:]):.3f} nats per word",
    }


_FIRST = Settings(Training(3e-3, betas=(0.8, 0.99), steps=24_000, warm_up=200))
_REVIEWS = Settings(
    Training(1e-3, betas=(0.8, 0.99), steps=4_800, warm_up=200),
    texts=(Text("imdb", held_out=250),),
    start="awd-lstm-en",
    skip_gram=None,
)
RECIPES = (
    Recipe(
        "awd-lstm-en",
        "English language model (AWD-LSTM)",
        _FIRST.texts[0].name,
        licence=weights_licence(_FIRST.texts),
        profiles=profiles(_FIRST, Training(5e-3, betas=(0.8, 0.99), minutes=40), batch_size=128),
        family=__name__,
    ),
    Recipe(
        "awd-lstm-reviews-en",
        "English language model (AWD-LSTM), read on in film reviews",
        "imdb",
        licence=weights_licence(_REVIEWS.texts),
        profiles={"cpu": _REVIEWS},
        family=__name__,
    ),
)
