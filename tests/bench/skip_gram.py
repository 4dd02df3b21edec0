"""Skip-gram with negative sampling against gensim, and its cost against the size of the vocabulary.

`python -m tests.bench.skip_gram SIDE CORPUS VECTORS SEED THREADS` is one timed run in a process of its own.
"""

from __future__ import annotations

import json
import lzma
import math
import re
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from statistics import mean

from tests.bench.measure import Options, interleaved, middle, peak_megabytes, ratios, run_alone

SETTINGS = {
    "dim": 100,
    "window": 5,
    "negatives": 5,
    "sample": 1e-3,
    "min_count": 5,
    "epochs": 1,
    "learning_rate": 0.025,
}
VOCABULARIES = (500, 1000, 2000, 4000, 8000)
GROWTH_WORDS = 200_000

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
    from course_lib.models.skip_gram import SkipGramConfig
    from course_lib.models.skip_gram_trainer import train_skip_gram
    from course_lib.text.vocabulary import Vocabulary

    config = SkipGramConfig(**SETTINGS)
    vocabulary = Vocabulary.from_sentences(sentences, min_count=config.min_count)
    started = time.perf_counter()
    model = train_skip_gram(
        sentences, config, vocabulary=vocabulary, seed=seed, device="cpu", threads=threads, progress=False
    )
    seconds = time.perf_counter() - started
    model.word_vectors().save_word2vec(vectors, binary=True)
    return seconds


def run_gensim(sentences: list[list[str]] | None, corpus: str, vectors: str, seed: int, threads: int) -> float:
    """Usual: lists of words. Best: `corpus_file`, where its threads read the file by themselves."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        sg=1,
        vector_size=SETTINGS["dim"],
        window=SETTINGS["window"],
        negative=SETTINGS["negatives"],
        sample=SETTINGS["sample"],
        min_count=SETTINGS["min_count"],
        alpha=SETTINGS["learning_rate"],
        epochs=SETTINGS["epochs"],
        workers=threads,
        seed=seed,
    )
    source = {"corpus_file": corpus} if sentences is None else {"corpus_iterable": sentences}
    model.build_vocab(**source)
    started = time.perf_counter()
    model.train(
        **source, total_examples=model.corpus_count, total_words=model.corpus_total_words, epochs=SETTINGS["epochs"]
    )
    seconds = time.perf_counter() - started
    model.wv.save_word2vec_format(vectors, binary=True)
    return seconds


def run_side(side: str, corpus: str, vectors: str, seed: int, threads: int) -> dict[str, float]:
    sentences = None if side == "gensim corpus_file" else read_corpus(corpus)
    if side == "ours":
        seconds = run_ours(sentences, vectors, seed, threads)
    else:
        seconds = run_gensim(sentences, corpus, vectors, seed, threads)
    return {"seconds": seconds, "peak_mb": peak_megabytes()}


# --- rows


def quality(folder: Path, side: str, other: str, rounds: int) -> dict[str, float]:
    """Spearman with people's ratings, mean over the rounds; only pairs that both sides know."""
    from course_lib.evaluation.similarity import load_simlex999, load_wordsim353, pairs_known_to, word_similarity
    from course_lib.models.skip_gram import WordVectors

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
            def run(number: int) -> dict:
                result = run_alone(
                    __name__, name, folder / "corpus.txt", folder / f"{name}-{number}.bin", number, options.threads
                )
                return {**result, "speed": n_words * SETTINGS["epochs"] / result["seconds"]}

            return run

        results = interleaved(
            {name: side(name) for name in ("ours", "gensim lists", "gensim corpus_file")}, options.pairs
        )
        settings = {name: round(middle(results[name])) for name in ("gensim lists", "gensim corpus_file")}
        best = max(settings, key=settings.get)
        return {
            "what": "skip-gram with negative sampling, words of text per second of training, against gensim's faster "
            f"setting of two ({best}); quality is the mean of the rounds",
            "ours": round(middle(results["ours"])),
            "theirs": settings[best],
            "unit": "words/s",
            **ratios(results["ours"], results[best]),
            "quality": {
                "ours": quality(folder, "ours", best, options.pairs),
                "theirs": quality(folder, best, "ours", options.pairs),
            },
            "sizes": {"words": n_words, **SETTINGS, "peer words/s": settings},
            "threads": options.threads,
            "precision": "float32",
            "peak_mb": [middle(results[name], "peak_mb") for name in ("ours", best)],
        }


def grows_skip_gram(options: Options) -> dict:
    """Both of ours: "ours" is negative sampling, "theirs" the full softmax over the same text and vocabulary."""
    from course_lib.models.skip_gram import SkipGramConfig
    from course_lib.models.skip_gram_trainer import train_skip_gram
    from course_lib.text.vocabulary import Vocabulary

    with tempfile.TemporaryDirectory() as place:
        n_words = write_corpus(options.dataset("enwiki2015"), Path(place) / "corpus.txt", GROWTH_WORDS)
        sentences = read_corpus(Path(place) / "corpus.txt")
    vocabularies = {size: Vocabulary.from_sentences(sentences, max_size=size) for size in VOCABULARIES}
    results: dict[str, list[list[dict]]] = {"negative": [], "softmax": []}  # objective -> size -> round
    for size in VOCABULARIES:

        def side(objective: str, size: int = size):
            def run(number: int) -> dict:
                config = SkipGramConfig(**{**SETTINGS, "objective": objective})
                started = time.perf_counter()
                train_skip_gram(
                    sentences,
                    config,
                    vocabulary=vocabularies[size],
                    seed=number,
                    device="cpu",
                    threads=options.threads,
                    progress=False,
                )
                return {"speed": n_words / (time.perf_counter() - started)}

            return run

        print(f"  |V| = {size}", flush=True)
        for objective, rounds in interleaved({name: side(name) for name in results}, options.pairs).items():
            results[objective].append(rounds)
    speeds = {name: [round(middle(rounds)) for rounds in by_size] for name, by_size in results.items()}
    return {
        "what": f"time against |V|, {VOCABULARIES[0]} to {VOCABULARIES[-1]}: exponent for negative sampling (ours) and "
        "full softmax (theirs); the ratio is their speed at the largest |V|",
        "ours": round(growth(speeds["negative"]), 3),
        "theirs": round(growth(speeds["softmax"]), 3),
        "unit": "exponent",
        **ratios(results["negative"][-1], results["softmax"][-1]),
        "quality": {},
        "sizes": {"words": n_words, "vocabulary": list(VOCABULARIES), "words/s": speeds, "dim": SETTINGS["dim"]},
        "threads": options.threads,
        "precision": "float32",
        "peak_mb": [],
    }


def growth(speeds: list[float]) -> float:
    """b in time = a * |V| ** b: the slope of a straight line through the logarithms."""
    x, y = [math.log(size) for size in VOCABULARIES], [-math.log(speed) for speed in speeds]
    x_mean, y_mean = mean(x), mean(y)
    return sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True)) / sum((a - x_mean) ** 2 for a in x)


ROWS = {"skip-gram-cpu": skip_gram_cpu, "grows-skip-gram": grows_skip_gram}

if __name__ == "__main__":
    side, corpus, vectors, seed, threads = islice(sys.argv, 1, None)
    print(json.dumps(run_side(side, corpus, vectors, int(seed), int(threads))))
