"""How the word vectors that ship with the course are made: skip-gram on Wikipedia, English and Korean."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from course.lab.similarity import pairs_known_to, word_similarity
from course.recipes.job import Job, Recipe
from course.recipes.texts import WEIGHTS_LICENCE, read_documents, split_corpus
from course.sources.of_set import CORPORA
from course.sources.public import load_public
from course.sources.rated_pairs import load_simlex999, load_wordsim353
from course_lib.models.skip_gram import SkipGramConfig, WordVectors
from course_lib.models.skip_gram_trainer import train_skip_gram


@dataclass(frozen=True)
class Settings:
    """As given here, those of skipgram-en."""

    corpus: str = "enwiki2015"
    words: int = 20_000  # table size: the most frequent
    threads: int = 2  # on the CPU; only 1 gives the same vectors each time
    config: SkipGramConfig = field(default_factory=SkipGramConfig)


def train(job: Job) -> None:
    settings = job.settings

    # Sentences of lower-cased words
    documents = read_documents(split_corpus(settings.corpus, job.out), lower=True)
    sentences = [sentence for document in documents for sentence in document]

    # Skip-gram has a loop of its own, much faster than `fit`. It is not kept on the way: it takes minutes.
    started = time.monotonic()
    table = train_skip_gram(sentences, settings.config, seed=job.seed, threads=settings.threads).word_vectors()
    seconds = time.monotonic() - started

    # The rows of the most frequent words, int8
    kept, folder = slice(settings.words), job.new_folder()
    WordVectors(table.words[kept], table.vectors[kept], table.counts[kept]).save(folder, int8=True)

    # The card: Spearman correlation with people's ratings, on the pairs that each table knows
    scores = {}
    for name, pairs in rated_pairs(settings.corpus).items():
        for which, vectors in (("all words trained", table), ("as shipped", WordVectors.load(folder))):
            score = word_similarity(vectors, pairs_known_to(pairs, vectors))
            scores[f"{name}, {which}"] = f"{score.spearman:.3f} ({score.found} of {len(pairs)} pairs)"
    facts = {
        "model": f"skip-gram with negative sampling, {settings.words:,} most frequent words kept, int8 rows",
        "corpus": CORPORA[settings.corpus],
        "tokens": f"{sum(map(len, sentences)):,} words, {settings.config.epochs} epochs",
    }
    job.write_card(facts, scores, seconds)


def rated_pairs(corpus: str) -> dict[str, list]:
    if corpus.startswith("ko"):
        return {"Korean WordSim-353": list(load_public("korean_word_tests", "similarity"))}
    return {"WordSim-353": load_wordsim353(), "SimLex-999": load_simlex999()}


RECIPES = tuple(
    Recipe(
        name,
        f"{language} word vectors (skip-gram)",
        WEIGHTS_LICENCE.replace("weights", "vectors"),
        {"cpu": settings},
        train,
    )
    for name, language, settings in (
        ("skipgram-en", "English", Settings()),
        ("skipgram-ko", "Korean", Settings(corpus="kowiki2022", config=SkipGramConfig(epochs=10))),
    )
)
