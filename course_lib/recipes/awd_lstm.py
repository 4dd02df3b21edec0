"""Recipe of the AWD-LSTM language model that ships with the course: what ULMFiT is fine-tuned from."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean

import torch
from torch import Tensor

from course_lib.data.running_text import CORPORA
from course_lib.data.streams import TextStreams
from course_lib.models.awd_lstm import AWDLSTM, BEGIN, AWDLSTMConfig
from course_lib.models.lstm_lm import perplexities
from course_lib.models.shipped import load
from course_lib.recipes.corpora import WEIGHTS_LICENCE, read_documents, split_corpus
from course_lib.recipes.engine import Job, Recipe, Training
from course_lib.text.vocabulary import Vocabulary
from course_lib.training.history import History

UNKNOWN = "<unk>"
DROPOUTS = ("embedding_dropout", "input_dropout", "weight_dropout", "hidden_dropout", "output_dropout")


@dataclass(frozen=True)
class Settings:
    """Words are lower-cased: twelve thousand rows then cover more of a review, and a cased word finds its row."""

    training: Training
    vocab_size: int = 12_000
    emb_dim: int = 200
    hidden: int = 352  # in six bits a number the checkpoint takes 4 MB
    n_layers: int = 3
    dropout: float = 0.1  # factor of the default dropouts: less than one epoch is read, so little can be overfitted
    batch_size: int = 16
    length: int = 70
    held_out: int = 100  # articles kept for perplexity


@dataclass(frozen=True)
class Material:
    """Articles as table rows, begin mark first; sentences follow each other without a mark."""

    vocabulary: Vocabulary
    train: list[Tensor]
    held_out: list[Tensor]


def read(job: Job) -> Material:
    """Raises CourseError if the corpus is not there."""
    path = split_corpus(job.recipe.corpus, job.out)
    vocabulary = Vocabulary.from_sentences(
        (s for article in islice(read_documents(path, lower=True), job.settings.held_out, None) for s in article),
        max_size=job.settings.vocab_size,
        specials=[UNKNOWN],
        unknown=UNKNOWN,
    )
    index, unknown = vocabulary.index, vocabulary.index[UNKNOWN]
    documents = [
        torch.tensor([BEGIN, *(1 + index.get(word, unknown) for sentence in article for word in sentence)])
        for article in read_documents(path, lower=True)
    ]
    return Material(vocabulary, documents[job.settings.held_out :], documents[: job.settings.held_out])


def build(job: Job, material: Material) -> AWDLSTM:
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
    return model


def batches(job: Job, material: Material, model: AWDLSTM) -> TextStreams:
    return TextStreams(material.train, job.settings.batch_size, job.settings.length, seed=job.seed)


def evaluate(job: Job, material: Material, model: AWDLSTM, folder: Path) -> dict[str, str]:
    text = TextStreams(material.held_out, 8, 70)
    return {
        f"held-out perplexity, {which}": f"{perplexities(found, text)['cross_entropy']:.1f} "
        f"({job.settings.vocab_size:,} words, rarer ones are one unknown word)"
        for which, found in (("as trained", model), ("as shipped", load(folder)))
    }


def save(job: Job, model: AWDLSTM, folder: Path, card: str | None) -> None:
    """As a checkpoint that ships: matrices with six bits a number, the rest float16."""
    model.save(folder, half=True, int6=True, card=card)


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings = job.settings
    tokens = len(history.steps) * settings.batch_size * settings.length * job.processes
    return {
        "model": "AWD-LSTM, forward language model with tied softmax; matrices in six bits, the rest float16",
        "corpus": f"{CORPORA[job.recipe.corpus]}, lower-cased, {sum(map(len, material.train)):,} words to learn from, "
        f"{settings.held_out} articles held out",
        "tokens": f"{tokens:,}",
        "final loss": f"{fmean(history.parts['cross_entropy'][-100:]):.3f} nats per word",
    }


RECIPES = (
    Recipe(
        "awd-lstm-en",
        "English language model (AWD-LSTM)",
        "enwiki2015",
        licence=WEIGHTS_LICENCE,
        profiles={
            "cpu": Settings(Training(3e-3, betas=(0.8, 0.99), minutes=70)),
            "gpu": Settings(Training(5e-3, betas=(0.8, 0.99), minutes=40), batch_size=128),
        },
        read=read,
        build=build,
        batches=batches,
        save=save,
        evaluate=evaluate,
        describe=describe,
    ),
)
