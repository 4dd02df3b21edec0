"""Skip-gram with negative sampling against gensim."""

from __future__ import annotations

import lzma
import re
import tempfile
import time
from pathlib import Path
from statistics import mean

from course.lab.similarity import pairs_known_to, word_similarity
from course.sources.rated_pairs import load_simlex999, load_wordsim353
from course_lib.models.skip_gram import SkipGramConfig, WordVectors
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.text.vocabulary import Vocabulary
from tests.bench.measure import Options, interleaved, main, middle, peak_megabytes, row, run_alone

SETTINGS = {"dim": 100, "window": 5, "negatives": 5, "sample": 1e-3, "min_count": 5, "epochs": 1}
SETTINGS |= {"learning_rate": 0.025}
PEERS = ("gensim lists", "gensim corpus_file")

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


def write_corpus(folder: Path, path: Path, n_words: int) -> int:
    """The first `n_words` words (to the end of a paragraph) of enwiki2015 in lower case, a paragraph per line."""
    total = 0
    with open(path, "w", encoding="utf-8") as corpus:
        for part in sorted(folder.glob("*.txt.xz")):
            with lzma.open(part, "rt", encoding="utf-8") as text:
                for line in text:
                    words = [] if line.startswith(("<doc", "</doc")) else _WORD.findall(line.lower())
                    if words:
                        corpus.write(" ".join(words) + "\n")
                        total += len(words)
                    if total >= n_words:
                        return total
    return total


def read_corpus(path: str | Path) -> list[list[str]]:
    with open(path, encoding="utf-8") as corpus:
        return [line.split() for line in corpus]


# --- one timed run: training from the moment the vocabulary is counted, turning words into numbers included


def run_ours(sentences: list[list[str]], vectors: str, seed: int, threads: int) -> float:
    config = SkipGramConfig(**SETTINGS)
    vocabulary = Vocabulary.from_sentences(sentences, min_count=config.min_count)
    started = time.perf_counter()
    how = {"seed": seed, "device": "cpu", "threads": threads, "progress": False}
    model = train_skip_gram(sentences, config, vocabulary=vocabulary, **how)
    seconds = time.perf_counter() - started
    model.word_vectors().save_word2vec(vectors, binary=True)
    return seconds


def run_gensim(sentences: list[list[str]] | None, corpus: str, vectors: str, seed: int, threads: int) -> float:
    """Usual: lists of words. Best: `corpus_file`, where its threads read the file by themselves."""
    from gensim.models import Word2Vec

    their_names = {"dim": "vector_size", "negatives": "negative", "learning_rate": "alpha"}
    settings = {their_names.get(name, name): value for name, value in SETTINGS.items()}
    model = Word2Vec(sg=1, workers=threads, seed=seed, **settings)
    source = {"corpus_file": corpus} if sentences is None else {"corpus_iterable": sentences}
    model.build_vocab(**source)
    started = time.perf_counter()
    counts = {"total_examples": model.corpus_count, "total_words": model.corpus_total_words}
    model.train(**source, **counts, epochs=SETTINGS["epochs"])
    seconds = time.perf_counter() - started
    model.wv.save_word2vec_format(vectors, binary=True)
    return seconds


def run(side: str, corpus: str, vectors: str, seed: int, threads: int) -> dict[str, float]:
    sentences = None if side == "gensim corpus_file" else read_corpus(corpus)
    if side == "ours":
        seconds = run_ours(sentences, vectors, seed, threads)
    else:
        seconds = run_gensim(sentences, corpus, vectors, seed, threads)
    return {"seconds": seconds, "peak_mb": peak_megabytes()}


# --- rows


def quality(folder: Path, side: str, other: str, rounds: int) -> dict[str, float]:
    """Spearman with people's ratings, mean over the rounds; only pairs that both sides know."""
    scores: dict[str, list[float]] = {"wordsim353": [], "simlex999": []}
    for number in range(rounds):
        vectors, others = (WordVectors.load_word2vec(folder / f"{name}-{number}.bin") for name in (side, other))
        for name, pairs in (("wordsim353", load_wordsim353()), ("simlex999", load_simlex999())):
            scores[name].append(word_similarity(vectors, pairs_known_to(pairs, vectors, others)).spearman)
    return {name: round(mean(values), 4) for name, values in scores.items()}


def skip_gram_cpu(options: Options) -> dict:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        n_words = write_corpus(options.dataset("enwiki2015"), folder / "corpus.txt", options.words)

        def side(name: str):
            def measured(number: int) -> dict:
                files = folder / "corpus.txt", folder / f"{name}-{number}.bin"
                result = run_alone(__name__, name, *files, number, options.threads)
                return {**result, "speed": n_words * SETTINGS["epochs"] / result["seconds"]}

            return measured

        results = interleaved({name: side(name) for name in ("ours", *PEERS)}, options.pairs)
        settings = {name: round(middle(results[name])) for name in PEERS}
        best = max(settings, key=settings.get)
        what = (
            "skip-gram with negative sampling, words of text per second of training, against gensim's faster "
            f"setting of two ({best}); quality is the mean of the rounds"
        )
        sizes = {"words": n_words, **SETTINGS, "peer words/s": settings}
        scores = {
            name: quality(folder, side, other, options.pairs)
            for name, side, other in (("ours", "ours", best), ("theirs", best, "ours"))
        }
        measured = row(results["ours"], results[best], options, what=what, unit="words/s", sizes=sizes)
        return {**measured, "quality": scores}


ROWS = {"skip-gram-cpu": skip_gram_cpu}

if __name__ == "__main__":
    main(run)
