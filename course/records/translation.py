"""A translation encoder (CoVe) and static vectors of one width, learned from the same English text."""

from __future__ import annotations

from itertools import islice

from course.lab.company import text
from course.lab.world_bilm import TEXT_SEED
from course_lib.data.public import load_public
from course_lib.data.records import ParallelPair
from course_lib.data.world import World
from course_lib.device import seed_everything
from course_lib.models.baselines import StaticVectors
from course_lib.models.cove import CoVe, CoVeConfig
from course_lib.models.head_base import seeded
from course_lib.models.seq2seq import Seq2Seq, Seq2SeqConfig, target_vocabulary
from course_lib.models.shipped import load
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.training import fit
from course_lib.training.schedules import cosine


def world_cove() -> tuple[CoVe, StaticVectors]:
    """CoVe of English-to-Korean sentences of the world, and the static vectors that it reads, both 64 wide.

    Both know the same English sentences and nothing else. Half are of the test split: see `world_text`.
    """
    worlds = [World(TEXT_SEED, split=split) for split in ("train", "test")]
    pairs = [pair.parallel() for world in worlds for pair in islice(world.pairs(), 2_500)]
    static = static_vectors([list(pair.source.words) for pair in pairs], 64, epochs=20)
    return train_cove(static, pairs, 0, steps=500), static


def static_vectors(sentences: list[list[str]], width: int, seed: int = 0, epochs: int = 5) -> StaticVectors:
    """Skip-gram vectors of these sentences. Those of a short text are small: all are brought to one spread."""
    config = SkipGramConfig(dim=width, min_count=2, epochs=epochs)
    table = train_skip_gram(sentences, config, seed=seed, progress=False).word_vectors()
    rows = table.vectors - table.vectors.mean(0)
    return StaticVectors(table.words, 0.3 * rows / rows.std())


def train_cove(static: StaticVectors, pairs: list[ParallelPair], seed: int, *, steps: int) -> CoVe:
    """The encoder of an attentional translation model, as wide as the static vectors, which stay as they are."""
    seed_everything(seed)
    table = static.word_vectors()
    encoder = CoVe.from_word_vectors(table, CoVeConfig(dim=static.dim, hidden=static.dim // 2))
    encoder.freeze(["word"])
    model = Seq2Seq(encoder, target_vocabulary(pairs, min_count=2), Seq2SeqConfig(dim=static.dim))
    fit(model, model.batches(pairs, 64, seed), steps=steps, learning_rate=5e-3, schedule=cosine, show=False)
    return encoder.eval()


def shipped_cove(name: str, source: str, n_words: int) -> tuple[CoVe, StaticVectors]:
    """A shipped CoVe, and static vectors of its width from as many words: of `source`, and its captions (Multi30k).

    The static vectors that the shipped CoVe reads were learned from `n_words` words of `source`.
    """
    cove = load(name)
    captions = [[word.lower() for word in pair.source.words] for pair in load_public("multi30k", "train")]
    return cove, static_vectors(text(source, n_words) + captions, cove.dims[-1])


def untrained_cove(cove: CoVe) -> CoVe:
    """The same network over the same static vectors, before any translation."""
    with seeded(0):
        return CoVe.from_word_vectors(cove.static.word_vectors(), cove.config).eval()
