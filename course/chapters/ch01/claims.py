"""The claims of chapter 1: word vectors from company, the window, negative sampling, one vector per type."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course.lab.company import centred_cosines, ppmi_rows, text, word_classes, word_topics
from course.lab.controls import Text, shuffled_sentences, shuffled_text, window_mean
from course.lab.similarity import word_similarity
from course.ledger import Exact, Measurement, by_seed, claim, means
from course.sources.handmade import handmade_senses
from course.sources.rated_pairs import load_simlex999, load_wordsim353
from course_lib.data.records import SenseExample
from course_lib.evaluation import spearman
from course_lib.models.shipped import load
from course_lib.models.skip_gram import SkipGramConfig
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.text.vocabulary import Vocabulary

CONFIG = SkipGramConfig(dim=64, window=5, epochs=5)


@claim(
    "C1.1",
    full={"source": "enwiki2015", "n_words": 6_000_000, "n_rows": 2_000, "n_pairs": 5_000, "shipped": "skipgram-en"},
)
def same_company_similar_vectors(
    *, source: str = "on-disk", n_words: int = 600_000, n_rows: int = 1_000, n_pairs: int = 1_500, shipped: str = ""
) -> Measurement:
    """Vectors of one half of the text against PPMI rows counted on the other half, over pairs of like count."""
    sentences = text(source, n_words)
    half, other_half = sentences[::2], sentences[1::2]
    vocabulary = Vocabulary.from_sentences(half, min_count=CONFIG.min_count, max_size=5 * n_rows)
    n_rows = min(n_rows, len(vocabulary))
    log_counts = np.log(np.array(vocabulary.counts)[:n_rows])
    first, second = np.random.default_rng(0).integers(n_rows, size=(2, 20 * n_pairs))
    alike = (first != second) & (np.abs(log_counts[first] - log_counts[second]) < np.log(2))
    first, second = first[alike][:n_pairs], second[alike][:n_pairs]

    company = ppmi_rows(other_half, vocabulary, n_rows, CONFIG.window)
    learned, control = (
        train_skip_gram(part, CONFIG, vocabulary=vocabulary, seed=0, progress=False).input.weight.detach()[:n_rows]
        for part in (half, shuffled_text(half, 0))
    )
    frequency = -np.abs(log_counts[first] - log_counts[second])
    company, learned, control = (centred_cosines(rows)[first, second] for rows in (company, learned, control))
    shared = {"unit": "rho", "clusters": first, "statistic": lambda rows: spearman(rows[:, 0], rows[:, 1])}
    return Measurement(
        np.stack([learned, company], 1),
        control=Measurement(np.stack([control, company], 1), **shared),
        baselines={"frequency alone": spearman(frequency, company)},
        parts=_ratings(shipped) if shipped else {},
        data=source,
        **shared,
    )


def _ratings(shipped: str) -> dict[str, float]:
    """Spearman correlation of a shipped table's cosines with people's ratings."""
    vectors = load(shipped).word_vectors()
    sets = {"WordSim-353": load_wordsim353(), "SimLex-999": load_simlex999()}
    return {f"{name} of {shipped}": word_similarity(vectors, pairs).spearman for name, pairs in sets.items()}


@claim("C1.2", full={"source": "enwiki2015", "n_words": 4_000_000})
def window_decides_the_likeness(
    *, source: str = "on-disk", n_words: int = 600_000, windows: Sequence[int] = (1, 2, 5, 10), n_seeds: int = 5
) -> dict[str, Measurement]:
    """Slopes over log2(window) of two shares of the ten nearest neighbours: same part of speech, same topic."""
    sentences = text(source, n_words)
    half, other_half = sentences[::2], sentences[1::2]
    vocabulary = Vocabulary.from_sentences(half, min_count=CONFIG.min_count)
    classes = word_classes()
    words = [word for word in vocabulary.words if word.isalpha() and word in classes]
    topics = word_topics(other_half, words)
    labels = {"function": np.array([classes[word] for word in words]), "topic": np.array(topics)}
    rows = [vocabulary.index[word] for word in words]

    def shares(part: Text, seed: int) -> dict[str, list[float]]:
        """Per label the share of neighbours that have the query's, a number for each window."""
        found: dict[str, list[float]] = {name: [] for name in labels}
        for window in windows:
            config = replace(CONFIG, window=window, epochs=3)
            table = train_skip_gram(part, config, vocabulary=vocabulary, seed=seed, progress=False)
            near = np.array(_nearest(table.input.weight.detach()[rows], 10))
            for name, label in labels.items():
                found[name].append(100 * float((label[near] == label[:, None]).mean()))
        return found

    real = [shares(half, seed) for seed in range(n_seeds)]
    control = [shares(shuffled_sentences(half, seed), seed) for seed in range(n_seeds)]
    steps = np.log2(np.array(windows))
    measured = {}
    for name, label in labels.items():
        slopes, moved = ([float(np.polyfit(steps, run[name], 1)[0]) for run in runs] for runs in (real, control))
        by_window = np.mean([run[name] for run in real], 0)
        chance = 100 * float((label[:, None] == label).mean())
        measured[name] = by_seed(
            slopes,
            "points per doubling",
            control=by_seed(moved, "points per doubling"),
            baselines={f"{name}: share among random words, in %": chance},
            parts=means("{}: share at window {}, in %", {name: by_window}, windows),
            data=f"{source}, {len(words)} words with a known part of speech",
        )
    return measured


@claim("C1.3", full={"source": "enwiki2015", "n_words": 3_000_000})
def negative_sampling_keeps_the_neighbours(
    *, source: str = "on-disk", n_words: int = 300_000, vocab_size: int = 2_000, n_queries: int = 1_000, seed: int = 0
) -> Measurement:
    """How many of a word's ten softmax neighbours does negative sampling find, from shuffled text to a second run?"""
    sentences = text(source, n_words)
    config = replace(CONFIG, max_size=vocab_size, min_count=1)
    softmax = replace(config, objective="softmax")
    vocabulary = Vocabulary.from_sentences(sentences, max_size=vocab_size)
    started, seconds, tables = time.perf_counter(), {}, {}
    for name, part, settings, run in (
        ("softmax", sentences, softmax, seed),
        ("ceiling", sentences, softmax, seed + 1),
        ("negative", sentences, config, seed + 1),
        ("second negative", sentences, config, seed + 2),
        ("floor", shuffled_text(sentences, seed), softmax, seed + 1),
    ):
        tables[name] = train_skip_gram(part, settings, vocabulary=vocabulary, seed=run).input.weight.detach()
        seconds[name], started = time.perf_counter() - started, time.perf_counter()
    near = {name: [set(row) for row in _nearest(table, 10)[:n_queries]] for name, table in tables.items()}

    def shared(one: str, other: str) -> list[float]:
        return [len(mine & theirs) / 10 for mine, theirs in zip(near[one], near[other], strict=True)]

    overlap = [shared(name, "softmax") for name in ("negative", "ceiling", "floor")]
    negative, ceiling, floor = (float(np.mean(shares)) for shares in overlap)
    return Measurement(
        np.stack(overlap, 1),
        "share of the ceiling",
        statistic=_share_of_ceiling,
        baselines={"floor: shuffled text": floor, "ceiling: another softmax seed": ceiling},
        parts={
            "overlap@10 of negative sampling with softmax": negative,
            "overlap@10 of two runs of negative sampling": float(np.mean(shared("negative", "second negative"))),
            "time of the full softmax / time of negative sampling": seconds["softmax"] / seconds["negative"],
        },
        data=f"{source}, {len(vocabulary)} word types",
    )


def _share_of_ceiling(rows: np.ndarray) -> float:
    """rows [word, (negative, ceiling, floor)] of overlaps -> how far between floor and ceiling, minus 1."""
    negative, ceiling, floor = rows.mean(0)
    return float((negative - floor) / (ceiling - floor) - 1)


def _nearest(rows: Float[Tensor, "word dim"], k: int) -> list[list[int]]:
    unit = torch.nn.functional.normalize(rows, dim=1)
    cosines = unit @ unit.T
    cosines.fill_diagonal_(-torch.inf)
    return cosines.topk(k).indices.tolist()


@claim("C1.4")
def one_vector_per_type() -> Exact:
    """Cosine of two occurrences of a type, and sense accuracy with ties counted for what they are: guesses."""
    vectors = load("skipgram-en").word_vectors()
    by_word: dict[str, list[SenseExample]] = {}
    for example in handmade_senses("en"):
        if (form := example.sentence.words[example.position].lower()) in vectors and form == example.word:
            by_word.setdefault(example.word, []).append(example)
    errors, own, window = [0.0], [], []
    for examples in by_word.values():
        rows = torch.stack([vectors[e.sentence.words[e.position].lower()] for e in examples])
        errors.append(float((torch.nn.functional.cosine_similarity(rows[:1], rows) - 1).abs().max()))
        labels = [e.sense for e in examples]
        own.append(tied_accuracy(rows, labels) - 1 / len(set(labels)))
        window.append(tied_accuracy(torch.stack([window_mean(vectors, e) for e in examples]), labels))
    return Exact(
        max(*errors, *map(abs, own)),
        "largest error",
        detail=f"{len(by_word)} words, {sum(map(len, by_word.values()))} occurrences",
        parts={"mean of the window's static vectors: balanced sense accuracy": float(np.mean(window))},
        data="handmade senses (en), shipped word vectors",
    )


def tied_accuracy(rows: Float[Tensor, "occurrence dim"], labels: Sequence[str]) -> float:
    """Balanced accuracy of the nearest other occurrence's sense, each left out in turn; ties are fair guesses."""
    unit = torch.nn.functional.normalize(rows.double(), dim=1)
    cosines = (unit @ unit.T).round(decimals=9)
    cosines.fill_diagonal_(-torch.inf)
    is_sense = torch.tensor([[label == name for label in labels] for name in sorted(set(labels))])
    nearest = torch.stack([cosines[:, own].amax(1) for own in is_sense])
    tied = (nearest == nearest.amax(0)).double()
    right = is_sense * tied / tied.sum(0)
    return float((right.sum(1) / is_sense.sum(1)).mean())
