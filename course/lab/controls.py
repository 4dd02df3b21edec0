"""What several chapters measure against: untrained networks, means of a window, shuffled text.

Also `opened`, `opened_table`: the encoder or table that a claim is given, or the shipped one of that name.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from course_lib.data.records import SenseExample
from course_lib.models.awd_lstm import AWDLSTM
from course_lib.models.bert import Bert
from course_lib.models.cove import CoVe
from course_lib.models.encoder import ContextEncoder
from course_lib.models.head_base import seeded
from course_lib.models.lstm_lm import BiLM
from course_lib.models.shipped import load
from course_lib.models.transformer import LeftToRightLM
from course_lib.models.word_vectors import WordVectors

Text = list[list[str]]
Rows = Float[np.ndarray, "unit dim"]
WHOLE = 10**6  # reach of a window that is the whole sentence


def opened(encoder: ContextEncoder | str) -> ContextEncoder:
    """A checkpoint by its name, or the encoder as it is."""
    return load(encoder) if isinstance(encoder, str) else encoder


def opened_table(vectors: WordVectors | str) -> WordVectors:
    """The word vectors of a checkpoint by its name, or as they are."""
    return load(vectors).word_vectors() if isinstance(vectors, str) else vectors


def top_vectors(encoder: ContextEncoder, examples: Sequence[SenseExample]) -> Float[np.ndarray, "occurrence dim"]:
    """The word's vector in the top layer."""
    arrays = encoder.encode([example.sentence for example in examples], layer=-1)
    return np.stack([array[example.position] for array, example in zip(arrays, examples, strict=True)])


def untrained(encoder: ContextEncoder, seed: int = 0) -> ContextEncoder:
    """The same network over the same words before any training; a CoVe keeps the static vectors that it reads."""
    with seeded(seed):
        match encoder:
            case Bert() | LeftToRightLM():
                return type(encoder)(encoder.config, encoder.pieces).eval()
            case BiLM():
                return BiLM(encoder.config, encoder.vocabulary, encoder.characters).eval()
            case AWDLSTM():
                return AWDLSTM(encoder.config, encoder.vocabulary).eval()
            case CoVe():
                return CoVe.from_word_vectors(encoder.static.word_vectors(), encoder.config).eval()
    raise TypeError(f"untrained cannot make a {type(encoder).__name__} anew")


def window_mean(vectors: WordVectors, example: SenseExample, reach: int = 5) -> Float[Tensor, " dim"]:
    """The mean vector of the words around an occurrence, without itself; zeros if none is known."""
    words = example.sentence.words
    around = range(max(0, example.position - reach), min(len(words), example.position + reach + 1))
    rows = [vectors[words[i].lower()] for i in around if i != example.position and words[i].lower() in vectors]
    return torch.stack(rows).mean(0) if rows else torch.zeros(vectors.vectors.shape[1])


def window_means(rows: Rows, reach: int = 5) -> Rows:
    """For each word the mean of the vectors of up to `reach` words on either side, without its own; zeros if alone."""
    places = np.arange(len(rows))
    near = np.abs(places[:, None] - places) <= reach
    near &= places[:, None] != places
    return ((near @ rows) / np.maximum(near.sum(1, keepdims=True), 1)).astype(rows.dtype)


def nearest_mean_left_out(rows: Float[np.ndarray, "item dim"], labels: Sequence) -> Float[np.ndarray, " item"]:
    """`nearest_mean` (evaluation/probes.py) of each item in turn, the item itself left out of its sense's mean."""
    unit, names = F.normalize(torch.as_tensor(rows).double(), dim=1), sorted(set(labels))
    is_sense = torch.tensor([[label == name for name in names] for label in labels])
    assert (is_sense.sum(0) > 1).all(), "of a sense with one item nothing remains"
    own = is_sense.double()[:, :, None] * unit[:, None]  # [item, sense, dim]: the item, at its own sense
    means = F.normalize(is_sense.T.double() @ unit - own, dim=2)  # cosines of sums and of means are the same
    scores = torch.einsum("id,isd->is", unit, means)
    best = scores >= scores.amax(1, keepdim=True) - 1e-9  # rounding must not break a tie
    return ((best & is_sense).sum(1).double() / best.sum(1)).numpy()


def shuffled_text(sentences: Text, seed: int) -> Text:
    """The same words and sentence lengths, every word moved to a random place: the same counts, no company."""
    words = np.array([word for sentence in sentences for word in sentence], dtype=object)
    np.random.default_rng(seed).shuffle(words)
    moved = iter(words.tolist())
    return [list(islice(moved, len(sentence))) for sentence in sentences]


def shuffled_sentences(sentences: Text, seed: int) -> Text:
    """Every sentence keeps its words and loses their order: near and far neighbours become alike."""
    rng = np.random.default_rng(seed)
    return [[sentence[i] for i in rng.permutation(len(sentence))] for sentence in sentences]
