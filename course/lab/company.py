"""Texts and counted company: what the claims about word vectors are measured on and against."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course.lab.controls import Text
from course.sources.handmade import handmade_names
from course.sources.on_disk import on_disk_sentences
from course.sources.public import locate
from course_lib.data.running_text import read_articles
from course_lib.language import key
from course_lib.models.head_base import seeded
from course_lib.text.vocabulary import Vocabulary
from course_lib.text.words import split_sentences, split_words


def text(source: str, n_words: int) -> Text:
    """Lower-case sentences, at least `n_words` words in all if there are so many, from "on-disk" or a public corpus."""
    if source == key("on-disk"):
        sentences = iter(on_disk_sentences(max_words=n_words).sentences)
    else:
        paragraphs = (p for article in read_articles(locate(source)) for p in article.paragraphs)
        sentences = (split_words(s.lower()) for p in paragraphs for s in split_sentences(p))
    taken, total = [], 0
    for sentence in sentences:
        taken.append(list(sentence))
        total += len(sentence)
        if total >= n_words:
            break
    return taken


def ppmi_rows(sentences: Text, vocabulary: Vocabulary, n_rows: int, window: int) -> Float[Tensor, "row context"]:
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
    return _ppmi(torch.from_numpy(counts.reshape(n_rows, -1))).float()


def _ppmi(counts: Float[Tensor, "row context"]) -> Float[Tensor, "row context"]:
    joint = counts / counts.sum()
    chance = joint.sum(1, keepdim=True) * joint.sum(0, keepdim=True)
    return (joint / chance).log().nan_to_num(0.0).clamp(min=0)


def centred_cosines(rows: Float[Tensor, "word dim"]) -> np.ndarray:
    """Cosines of all pairs, less what each word has with everybody: cos(i, j) - mean_i - mean_j + mean. [word, word]

    A frequent word is near to all others, in PPMI rows and in vectors of shuffled text alike: without this, frequency
    alone correlates the two, and the control with it.
    """
    unit = torch.nn.functional.normalize(rows, dim=1)
    cosines = (unit @ unit.T).fill_diagonal_(torch.nan)
    means = cosines.nanmean(1)
    return (cosines - means[:, None] - means + means.mean()).numpy()


def word_classes() -> dict[str, str]:
    """The part of speech that each word of the handmade tagged sentences has most often there."""
    seen: dict[str, Counter] = defaultdict(Counter)
    for example in handmade_names("en"):
        for word, tag in zip(example.sentence.words, example.tags["upos"], strict=True):
            seen[word.lower()][tag] += 1
    return {word: tags.most_common(1)[0][0] for word, tags in seen.items()}


def word_topics(sentences: Text, words: list[str], *, n_topics: int = 20, block: int = 40, seed: int = 0) -> list[int]:
    """A topic for each word: words that occur in the same blocks of sentences are grouped (PPMI, SVD, k-means)."""
    from sklearn.cluster import KMeans

    index = {word: row for row, word in enumerate(words)}
    counts = torch.zeros(len(words), 1 + len(sentences) // block)
    for number, sentence in enumerate(sentences):
        for word in sentence:
            if word in index:
                counts[index[word], number // block] += 1
    ppmi = _ppmi(counts)
    with seeded(seed):
        left, size, _ = torch.svd_lowrank(ppmi, q=min(50, *ppmi.shape))
    rows = torch.nn.functional.normalize(left * size, dim=1)
    return KMeans(n_topics, n_init=3, random_state=seed).fit_predict(rows.numpy()).tolist()
