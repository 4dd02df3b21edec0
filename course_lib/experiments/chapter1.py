"""The claims of chapter 1: word vectors from company, the window, negative sampling, one vector per type."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.data.handmade import handmade_senses
from course_lib.data.on_disk import on_disk_sentences
from course_lib.data.records import SenseExample
from course_lib.data.running_text import corpus_files, read_articles
from course_lib.evaluation import spearman
from course_lib.experiments.measurement import Exact, Measurement, claim
from course_lib.models.skip_gram import SkipGramConfig, WordVectors
from course_lib.models.skip_gram_trainer import train_skip_gram
from course_lib.text.vocabulary import Vocabulary
from course_lib.text.words import split_sentences, split_words

SkipGramText = list[list[str]]
CONFIG = SkipGramConfig(dim=64, window=5, epochs=5)


def text(source: str, n_words: int) -> SkipGramText:
    """Lower-case sentences, at least `n_words` words in all if there are so many, from "on-disk" or a public corpus."""
    if source == "on-disk":
        sentences = iter(on_disk_sentences().sentences)
    else:
        paragraphs = (p for article in read_articles(corpus_files(source)) for p in article.paragraphs)
        sentences = (split_words(s.lower()) for p in paragraphs for s in split_sentences(p))
    taken, total = [], 0
    for sentence in sentences:
        taken.append(list(sentence))
        total += len(sentence)
        if total >= n_words:
            break
    return taken


def shuffled_text(sentences: SkipGramText, seed: int) -> SkipGramText:
    """The same words and sentence lengths, every word moved to a random place: the same counts, no company."""
    words = np.array([word for sentence in sentences for word in sentence], dtype=object)
    np.random.default_rng(seed).shuffle(words)
    moved = iter(words.tolist())
    return [list(islice(moved, len(sentence))) for sentence in sentences]


def ppmi_rows(
    sentences: SkipGramText, vocabulary: Vocabulary, n_rows: int, window: int
) -> Float[Tensor, "row context"]:
    """Positive pointwise mutual information, max(0, log p(w, c) / (p(w) p(c))), of the commonest words with all words.

    Counted over all pairs at most `window` apart in a sentence (Levy and Goldberg 2014, NIPS, section 3.1).
    """
    gap = [-1] * window  # no pair crosses it
    ids = np.array([i for s in sentences for i in (*(vocabulary.index.get(w, -1) for w in s), *gap)])
    counts = np.zeros(n_rows * len(vocabulary))
    for shift in range(1, window + 1):
        for centre, context in ((ids[:-shift], ids[shift:]), (ids[shift:], ids[:-shift])):
            known = (centre >= 0) & (centre < n_rows) & (context >= 0)
            counts += np.bincount(centre[known] * len(vocabulary) + context[known], minlength=len(counts))
    joint = torch.from_numpy(counts.reshape(n_rows, -1)) / counts.sum()
    chance = joint.sum(1, keepdim=True) * joint.sum(0, keepdim=True)
    return (joint / chance).log().nan_to_num(0.0).clamp(min=0).float()


def centred_cosines(rows: Float[Tensor, "word dim"]) -> np.ndarray:
    """Cosines of all pairs, less what each word has with everybody: cos(i, j) - mean_i - mean_j + mean. [word, word]

    A frequent word is near to all others, in PPMI rows and in vectors of shuffled text alike: without this, frequency
    alone correlates the two, and the control with it.
    """
    unit = torch.nn.functional.normalize(rows, dim=1)
    cosines = (unit @ unit.T).fill_diagonal_(torch.nan)
    means = cosines.nanmean(1)
    return (cosines - means[:, None] - means + means.mean()).numpy()


@claim("C1.1", full={"source": "enwiki2015", "n_words": 6_000_000, "n_rows": 2_000, "n_pairs": 5_000})
def same_company_similar_vectors(
    *, source: str = "on-disk", n_words: int = 800_000, n_rows: int = 1_000, n_pairs: int = 1_500, seed: int = 0
) -> Measurement:
    """Vectors of one half of the text against PPMI rows counted on the other half, over pairs of like count."""
    sentences = text(source, n_words)
    half, other_half = sentences[::2], sentences[1::2]
    vocabulary = Vocabulary.from_sentences(half, min_count=CONFIG.min_count, max_size=5 * n_rows)
    n_rows = min(n_rows, len(vocabulary))
    log_counts = np.log(np.array(vocabulary.counts)[:n_rows])
    first, second = np.random.default_rng(seed).integers(n_rows, size=(2, 20 * n_pairs))
    alike = (first != second) & (np.abs(log_counts[first] - log_counts[second]) < np.log(2))
    first, second = first[alike][:n_pairs], second[alike][:n_pairs]

    company = ppmi_rows(other_half, vocabulary, n_rows, CONFIG.window)
    learned, control = (
        train_skip_gram(part, CONFIG, vocabulary=vocabulary, seed=seed).input.weight.detach()[:n_rows]
        for part in (half, shuffled_text(half, seed))
    )
    frequency = -np.abs(log_counts[first] - log_counts[second])
    company, learned, control = (centred_cosines(rows)[first, second] for rows in (company, learned, control))
    shared = {"unit": "rho", "clusters": first, "statistic": lambda rows: spearman(rows[:, 0], rows[:, 1])}
    return Measurement(
        np.stack([learned, company], 1),
        control=Measurement(np.stack([control, company], 1), **shared),
        baselines={"frequency alone": spearman(frequency, company)},
        data=source,
        **shared,
    )


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
        ("floor", shuffled_text(sentences, seed), softmax, seed + 1),
    ):
        tables[name] = train_skip_gram(part, settings, vocabulary=vocabulary, seed=run).input.weight.detach()
        seconds[name], started = time.perf_counter() - started, time.perf_counter()
    near = {name: _nearest(table, 10)[:n_queries] for name, table in tables.items()}
    overlap = [
        [len(set(mine) & set(reference)) / 10 for mine, reference in zip(near[name], near["softmax"], strict=True)]
        for name in ("negative", "ceiling", "floor")
    ]
    negative, ceiling, floor = (float(np.mean(shares)) for shares in overlap)
    return Measurement(
        np.stack(overlap, 1),
        "share of the ceiling",
        statistic=_share_of_ceiling,
        baselines={"floor: shuffled text": floor, "ceiling: another softmax seed": ceiling},
        parts={
            "overlap@10 of negative sampling with softmax": negative,
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
def one_vector_per_type(*, language: str = "en", vectors: WordVectors | None = None) -> Exact:
    """Cosine of two occurrences of a type, and sense accuracy with ties counted for what they are: guesses."""
    senses = handmade_senses(language)
    if vectors is None:
        types = sorted({word.lower() for e in senses for word in e.sentence.words})
        vectors = WordVectors(types, torch.randn(len(types), 50, generator=torch.Generator().manual_seed(0)))
    by_word: dict[str, list[SenseExample]] = {}
    for example in senses:
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
        data=f"handmade senses ({language})",
    )


def window_mean(vectors: WordVectors, example: SenseExample, reach: int = 5) -> Float[Tensor, " dim"]:
    """The mean vector of the words around an occurrence, without itself; zeros if none is known."""
    words = example.sentence.words
    around = range(max(0, example.position - reach), min(len(words), example.position + reach + 1))
    rows = [vectors[words[i].lower()] for i in around if i != example.position and words[i].lower() in vectors]
    return torch.stack(rows).mean(0) if rows else torch.zeros(vectors.vectors.shape[1])


def tied_accuracy(rows: Float[Tensor, "occurrence dim"], labels: Sequence[str]) -> float:
    """Balanced accuracy of the nearest other occurrence's sense, each left out in turn; ties count as fair guesses.

    If all occurrences are equally near, the guess is fair over the senses, so the result is 1 / number of senses.
    """
    unit = torch.nn.functional.normalize(rows.double(), dim=1)
    cosines = (unit @ unit.T).round(decimals=9)
    cosines.fill_diagonal_(-torch.inf)
    names = sorted(set(labels))
    is_sense = torch.tensor([[label == name for name in names] for label in labels])  # [occurrence, sense]
    best = cosines.max(1, keepdim=True).values == cosines  # the tied nearest
    reached = (best[:, :, None] & is_sense[None]).any(1).double()  # senses among the tied nearest, [occurrence, sense]
    right = (reached * is_sense).sum(1) / reached.sum(1)
    return float(np.mean([right[is_sense[:, k]].mean() for k in range(len(names))]))
