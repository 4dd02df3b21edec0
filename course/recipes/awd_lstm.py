"""How the AWD-LSTM language model that ULMFiT is fine-tuned from is made, and the same model read on in reviews.

The second is ULMFiT's second stage (Howard & Ruder 2018, arXiv:1801.06146, section 3.2), once for all experiments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from statistics import fmean

import torch
from torch import Tensor

from course.recipes.job import Job, Recipe, Training, profiles, six_bits
from course.recipes.starts import Reading, start_table, word_vectors
from course.recipes.texts import ENGLISH, Text, WordTexts, weights_licence
from course_lib.data.streams import TextStreams
from course_lib.models.awd_lstm import AWDLSTM, BEGIN, AWDLSTMConfig
from course_lib.models.lstm_lm import perplexities
from course_lib.models.shipped import load
from course_lib.text.vocabulary import Vocabulary

ON_CPU = Training(3e-3, betas=(0.8, 0.99), steps=24_000, warm_up=200)
ON_GPU = Training(5e-3, betas=(0.8, 0.99), minutes=40)
UNKNOWN = "<unk>"
DROPOUTS = ("embedding_dropout", "input_dropout", "weight_dropout", "hidden_dropout", "output_dropout")


@dataclass(frozen=True)
class Settings:
    """As given here, those of awd-lstm-en.

    Words are lower-cased: twelve thousand rows then cover more of a review, and a cased word finds its row.
    """

    training: Training = ON_CPU
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


def train(job: Job) -> None:
    settings, start = job.settings, job.settings.start

    # The texts, as rows of the table, begin mark first; sentences follow each other without a mark
    texts = WordTexts.of(settings.texts, job.out, lower=True)
    if start is None:
        vocabulary = Vocabulary.from_sentences(
            texts.counts, max_size=settings.vocab_size, specials=[UNKNOWN], unknown=UNKNOWN
        )
    else:
        vocabulary = load(job.starting_point(start)).vocabulary
    index, unknown = vocabulary.index, vocabulary.index[UNKNOWN]

    def ids(document: list[list[str]]) -> Tensor:
        return torch.tensor([BEGIN, *(1 + index.get(word, unknown) for sentence in document for word in sentence)])

    documents, held_out = texts.encoded(ids, job.seed)

    # The model, and the training
    torch.manual_seed(job.seed)
    model = build(job, vocabulary, documents) if start is None else load(job.starting_point(start))
    streams = TextStreams(documents, settings.batch_size, settings.length, seed=job.reading_seed)
    history = job.fit(model, streams, six_bits)
    if not job.is_first:
        return

    # The checkpoint and its card
    six_bits(model, folder := job.new_folder())
    versions = {"as trained": model, "as shipped": load(folder)}
    scores = {
        f"held-out perplexity, {name}, {which}": f"{perplexities(lm, TextStreams(kept, 8, 70))['cross_entropy']:.1f} "
        f"({len(vocabulary):,} words, rarer ones are one unknown word)"
        for name, kept in held_out.items()
        for which, lm in versions.items()
    }
    tokens = history.steps[-1] * settings.batch_size * settings.length * job.processes
    facts = {
        "model": "AWD-LSTM, forward language model with tied softmax; matrices in six bits, the rest float16",
        **({"start": "skip-gram vectors of the same text"} if start is None else {}),
        "corpus": f"lower-cased: {'; '.join(map(str, settings.texts))}; {sum(map(len, documents)):,} words an epoch",
        "tokens": f"{tokens:,}" if start is None else f"{tokens:,}, after those of {start}",
        "final loss": f"{fmean(history.parts['cross_entropy'][-100:]):.3f} nats per word",
    }
    job.write_card(facts, scores, history.seconds)


def build(job: Job, vocabulary: Vocabulary, documents: list[Tensor]) -> AWDLSTM:
    settings, base = job.settings, AWDLSTMConfig(len(vocabulary))
    config = AWDLSTMConfig(
        len(vocabulary),
        emb_dim=settings.emb_dim,
        hidden=settings.hidden,
        n_layers=settings.n_layers,
        **{name: round(settings.dropout * getattr(base, name), 4) for name in DROPOUTS},
    )
    model = AWDLSTM(config, vocabulary)
    # The first scores are then the words' frequencies, which need not be learned. The begin mark counts as one.
    counts = torch.tensor([1, *vocabulary.counts], dtype=torch.float32).clamp(min=1)
    with torch.no_grad():
        model.softmax.bias.copy_((counts / counts.sum()).log())
    if not job.start:
        names, path = ["", *vocabulary.words], job.place(f"words-{settings.emb_dim}-{job.seed}.safetensors")
        passages = drawn_passages(documents, names, job.seed)
        std, reading = settings.table_std, settings.skip_gram
        start_table(model.embedding, word_vectors(path, passages, names, settings.emb_dim, std, reading, job.seed))
    return model


def drawn_passages(documents: list[Tensor], names: list[str], seed: int, length: int = 40) -> Iterator[list[str]]:
    """The documents, which are drawn, without their begin mark, cut every 40 words: their sentences have no mark."""
    for document in Random(seed).sample(documents, len(documents)):
        yield from ([names[i] for i in part.tolist()] for part in document[1:].split(length))


REVIEWS = Settings(
    Training(1e-3, betas=(0.8, 0.99), steps=4_800, warm_up=200),
    texts=(Text("imdb", held_out=250),),
    start="awd-lstm-en",
    skip_gram=None,
)
RECIPES = (
    Recipe(
        "awd-lstm-en",
        "English language model (AWD-LSTM)",
        weights_licence(ENGLISH),
        profiles(Settings(), ON_GPU, batch_size=128),
        train,
    ),
    Recipe(
        "awd-lstm-reviews-en",
        "English language model (AWD-LSTM), read on in film reviews",
        weights_licence(REVIEWS.texts),
        {"cpu": REVIEWS},
        train,
    ),
)
