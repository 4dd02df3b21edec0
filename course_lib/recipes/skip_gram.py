"""Recipes of the word vectors that ship with the course: skip-gram on Wikipedia, English and Korean."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from course_lib.config import settings
from course_lib.data.running_text import CORPORA
from course_lib.errors import CourseError
from course_lib.evaluation.similarity import (
    load_rated_pairs,
    load_simlex999,
    load_wordsim353,
    pairs_known_to,
    word_similarity,
)
from course_lib.experiments.provenance import provenance
from course_lib.models.skip_gram import SkipGramConfig, WordVectors
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.recipes.corpora import read_documents, split_corpus


@dataclass(frozen=True)
class SkipGramRecipe:
    name: str
    corpus: str
    words: int  # table size: the most frequent
    config: SkipGramConfig = field(default_factory=SkipGramConfig)

    def run(self, out: Path) -> Path:
        """From raw text to the checkpoint `out`/NAME, with its card. CourseError if the corpus is not there."""
        sentences = [s for document in read_documents(split_corpus(self.corpus, out), lower=True) for s in document]
        started = time.monotonic()
        model = train_skip_gram(sentences, self.config, seed=settings().seed)
        took = (time.monotonic() - started) / 60
        table = model.word_vectors()
        shipped = WordVectors(table.words[: self.words], table.vectors[: self.words], table.counts[: self.words])
        n_words = sum(map(len, sentences))
        folder = out / self.name
        shipped.save(folder, int8=True)
        scores = self.evaluate(table, WordVectors.load(folder))
        shipped.save(folder, int8=True, card=self.card(n_words, took, scores))
        return folder

    def evaluate(self, whole: WordVectors, shipped: WordVectors) -> dict[str, str]:
        """Spearman correlation with people's ratings, on the pairs that each table knows."""
        scores = {}
        for name, pairs in _rated_pairs(self.corpus).items():
            for which, vectors in (("all words trained", whole), ("as shipped", shipped)):
                score = word_similarity(vectors, pairs_known_to(pairs, vectors))
                scores[f"{name}, {which}"] = f"{score.spearman:.3f} ({score.found} of {len(pairs)} pairs)"
        return scores

    def card(self, n_words: int, took: float, scores: dict[str, str]) -> str:
        rows = {
            "model": f"skip-gram with negative sampling, {self.words:,} most frequent words kept, int8 rows",
            "corpus": CORPORA[self.corpus],
            "tokens": f"{n_words:,} words, {self.config.epochs} epochs",
            "settings": ", ".join(f"{key} {value}" for key, value in asdict(self.config).items()),
            "device": provenance()["device"],
            "minutes": f"{took:.1f}",
            **scores,
            "licence": "vectors: CC BY 4.0; the text they were learned from: CC BY-SA 3.0",
            "command": f"`python -m course_lib.recipes {self.name}`",
        }
        language = "Korean" if self.corpus.startswith("ko") else "English"
        return f"# {language} word vectors (skip-gram)\n\n| | |\n| --- | --- |\n" + "".join(
            f"| {k} | {v} |\n" for k, v in rows.items()
        )


def _rated_pairs(corpus: str) -> dict[str, list]:
    if corpus.startswith("ko"):
        mirror = settings().data_mirror
        if mirror is None:
            raise CourseError("The Korean word pairs are public data: point COURSE_DATA_DIR to a mirror of the data.")
        return {"Korean WordSim-353": load_rated_pairs(mirror / "korean_word_tests" / "WS353_korean.csv")}
    return {"WordSim-353": load_wordsim353(), "SimLex-999": load_simlex999()}


RECIPES = (
    SkipGramRecipe("skipgram-en", "enwiki2015", words=20_000),
    SkipGramRecipe("skipgram-ko", "kowiki2022", words=20_000, config=SkipGramConfig(epochs=10)),
)
