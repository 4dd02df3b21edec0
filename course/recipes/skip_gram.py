"""Recipes of the word vectors that ship with the course: skip-gram on Wikipedia, English and Korean."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from course.recipes.engine import Job, Recipe
from course.recipes.texts import WEIGHTS_LICENCE, language, read_documents, split_corpus
from course_lib.data.public import load_public
from course_lib.data.running_text import CORPORA
from course_lib.evaluation.similarity import load_simlex999, load_wordsim353, pairs_known_to, word_similarity
from course_lib.models.skip_gram import SkipGram, SkipGramConfig, WordVectors
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.training import History


@dataclass(frozen=True)
class Settings:
    words: int = 20_000  # table size: the most frequent
    threads: int = 2  # on the CPU; only 1 gives the same vectors each time
    config: SkipGramConfig = field(default_factory=SkipGramConfig)


def read(job: Job) -> list[list[str]]:
    """Sentences of lower-cased words."""
    path = split_corpus(job.recipe.corpus, job.out)
    return [sentence for document in read_documents(path, lower=True) for sentence in document]


def train(job: Job, sentences: list[list[str]]) -> tuple[SkipGram, History]:
    """Skip-gram has a loop of its own, much faster than `fit`. It is not kept on the way: it takes minutes."""
    started = time.monotonic()
    model = train_skip_gram(sentences, job.settings.config, seed=job.seed, threads=job.settings.threads)
    return model, History(seconds=time.monotonic() - started)


def save(job: Job, model: SkipGram, folder: Path) -> None:
    """The rows of the most frequent words, int8."""
    table, kept = model.word_vectors(), slice(job.settings.words)
    WordVectors(table.words[kept], table.vectors[kept], table.counts[kept]).save(folder, int8=True)


def evaluate(job: Job, sentences: list[list[str]], model: SkipGram, folder: Path) -> dict[str, str]:
    """Spearman correlation with people's ratings, on the pairs that each table knows."""
    tables = {"all words trained": model.word_vectors(), "as shipped": WordVectors.load(folder)}
    scores = {}
    for name, pairs in rated_pairs(job.recipe.corpus).items():
        for which, vectors in tables.items():
            score = word_similarity(vectors, pairs_known_to(pairs, vectors))
            scores[f"{name}, {which}"] = f"{score.spearman:.3f} ({score.found} of {len(pairs)} pairs)"
    return scores


def rated_pairs(corpus: str) -> dict[str, list]:
    if corpus.startswith("ko"):
        return {"Korean WordSim-353": list(load_public("korean_word_tests", "similarity"))}
    return {"WordSim-353": load_wordsim353(), "SimLex-999": load_simlex999()}


def describe(job: Job, sentences: list[list[str]], history: History) -> dict[str, str]:
    settings = job.settings
    return {
        "model": f"skip-gram with negative sampling, {settings.words:,} most frequent words kept, int8 rows",
        "corpus": CORPORA[job.recipe.corpus],
        "tokens": f"{sum(map(len, sentences)):,} words, {settings.config.epochs} epochs",
    }


def _recipe(name: str, corpus: str, **config: int) -> Recipe:
    return Recipe(
        name,
        f"{language(corpus)} word vectors (skip-gram)",
        corpus,
        licence=WEIGHTS_LICENCE.replace("weights", "vectors"),
        profiles={"cpu": Settings(config=SkipGramConfig(**config))},
        family=__name__,
    )


RECIPES = (_recipe("skipgram-en", "enwiki2015"), _recipe("skipgram-ko", "kowiki2022", epochs=10))
