"""How the bidirectional language models that ship with the course are made: a character CNN and LSTMs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from statistics import fmean

import torch
from torch import Tensor

from course.recipes.job import Job, Recipe, Training, profiles
from course.recipes.starts import READ_STD, Imitation, imitate, start_softmax, word_vectors
from course.recipes.texts import ENGLISH, KOREAN, Text, WordTexts, weights_licence
from course_lib.data.streams import TwoWayStreams
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import BOUNDARY, SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.models.shipped import load
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary

# 22 million words: senses stand still from the first 7 million on
ON_CPU = Training(3e-3, betas=(0.9, 0.98), steps=5_300, warm_up=200)
ON_GPU = Training(3e-3, betas=(0.9, 0.98), minutes=40)


@dataclass(frozen=True)
class Settings:
    """As given here, those of bilm-en. A step is batch_size x length words per direction."""

    training: Training = ON_CPU
    texts: tuple[Text, ...] = ENGLISH
    imitation: Imitation = field(default_factory=Imitation)  # how the characters start
    jamo: bool = False  # Hangul syllables taken apart, so that inflected forms share their parts
    vocab_size: int = 12_000  # words the softmax predicts
    known_words: int = 150_000  # words read as themselves in training
    projection: int = 128
    hidden: int = 256
    batch_size: int = 128
    length: int = 32
    min_count: int = 50  # of a character


def train(job: Job) -> None:
    settings = job.settings

    # The texts, as words. Words and characters are counted in the documents to train on, each text as often as its
    # weight asks. A document is a row of ids, with </s> after each sentence.
    texts = WordTexts.of(settings.texts, job.out)
    mode = "jamo" if settings.jamo else "character"
    characters = Characters.from_words(texts.counts, mode=mode, min_count=settings.min_count)
    common = texts.counts.most_common(settings.known_words)
    vocabulary = Vocabulary(
        [*SPECIALS, *(word for word, _ in common)], counts=[0, 0, *(n for _, n in common)], unknown=UNKNOWN
    )
    index, boundary, unknown = vocabulary.index, *(vocabulary.index[word] for word in (BOUNDARY, UNKNOWN))

    def ids(document: list[list[str]]) -> Tensor:
        rows = ((*(index.get(word, unknown) for word in sentence), boundary) for sentence in document)
        return torch.tensor(list(chain.from_iterable(rows)))

    documents, held_out = texts.encoded(ids, job.seed)

    # The model. Its characters imitate skip-gram vectors of the same text, and its softmax begins with them.
    torch.manual_seed(job.seed)
    cnn = CharCNNConfig(
        len(characters), filters=((1, 32), (2, 64), (3, 96), (4, 128)), n_highway=1, out_dim=settings.projection
    )
    config = BiLMConfig(
        vocab_size=settings.vocab_size,
        projection=settings.projection,
        hidden=settings.hidden,
        softmax="adaptive",
        cutoffs=(settings.vocab_size // 12, settings.vocab_size // 3),
        characters=cnn,
    )
    model = BiLM(config, vocabulary, characters)
    if not job.start:
        imitation = settings.imitation
        table, dim = job.place(f"words-{settings.projection}-{job.seed}.safetensors"), settings.projection
        sentences = drawn_sentences(documents, vocabulary, job.seed)
        start = word_vectors(table, sentences, vocabulary.words, dim, READ_STD, imitation, job.seed)
        start["learned"][[unknown, boundary]] = False
        imitate(model.token, start, vocabulary.counts, imitation, job.place("imitation"), job.seed)
        start_softmax(model.softmax, start)

    # The training
    streams = TwoWayStreams(documents, settings.batch_size, settings.length, seed=job.reading_seed)
    history = job.fit(model, streams, save)
    if not job.is_first:
        return

    # The checkpoint, and its card: perplexity by text, as trained and as shipped, where words beyond the softmax's are
    # read as unknown
    save(model, folder := job.new_folder())
    scores, size, shipped = {}, settings.vocab_size, load(folder)
    for name, kept in held_out.items():
        known = [document.where(document < size, unknown) for document in kept]
        for which, lm, read in (
            ("as trained", model, kept),
            ("as shipped, rare words read as unknown", shipped, known),
        ):
            found = lm.perplexity([document.tolist() for document in read])
            told = ", ".join(f"{direction} {value:.1f}" for direction, value in found.items())
            scores[f"held-out perplexity, {name}, {which}"] = f"{told} ({size:,} words and one for all others)"
    facts = {
        "model": "bidirectional language model over a character CNN, as in ELMo; matrices int8, the rest float16",
        "start": "characters that imitate skip-gram vectors, softmax too",
        "corpus": "; ".join(map(str, settings.texts)) + f"; {sum(map(len, documents)):,} words an epoch",
        "tokens": f"{history.steps[-1] * settings.batch_size * settings.length * job.processes:,} "
        "seen by each direction",
        "final loss": f"{fmean(history.losses[-100:]):.3f} nats, both directions together",
    }
    job.write_card(facts, scores, history.seconds)


def drawn_sentences(documents: list[Tensor], vocabulary: Vocabulary, seed: int) -> Iterator[list[str]]:
    """The sentences of the documents, which are drawn, each once."""
    words, boundary = vocabulary.words, vocabulary.index[BOUNDARY]
    for document in Random(seed).sample(documents, len(documents)):
        ends = [-1, *(document == boundary).nonzero().squeeze(1).tolist()]
        yield from ([words[i] for i in document[a + 1 : b].tolist()] for a, b in pairwise(ends))


def save(model: BiLM, folder: Path) -> None:
    """Without the words that it only read in training: at use it reads any word by its characters."""
    size = model.config.vocab_size
    words = model.vocabulary
    small = BiLM(
        model.config, Vocabulary(words.words[:size], counts=words.counts[:size], unknown=UNKNOWN), model.characters
    )
    small.load_state_dict(model.state_dict())
    small.save(folder, half=True, int8=True)


RECIPES = tuple(
    Recipe(
        name,
        f"{language} bidirectional language model",
        weights_licence(settings.texts),
        profiles(settings, ON_GPU, batch_size=256),
        train,
    )
    for name, language, settings in (
        ("bilm-en", "English", Settings()),
        ("bilm-ko", "Korean", Settings(texts=KOREAN, jamo=True)),
    )
)
