"""CoVe: word vectors in context from translation. McCann et al. 2017, arXiv:1708.00107, sections 3 and 4.

A network that translates must first read. Its reader, a two-layer biLSTM over static word vectors (CoVe), is kept when
the translation is learned, and the rest (Seq2Seq) is thrown away. The attention between them is Luong et al. 2015,
arXiv:1508.04025, section 3.1 ("general" score) with input feeding, section 3.3. McCann et al., eq. 2-5:

    h_t  = LSTM([z_{t-1}; a_{t-1}], h_{t-1})      z: vector of the last target word                     (2)
    w_t  = softmax(H (W_1 h_t + b_1))             H: the encoder's states, a row per source word        (3)
    a_t  = tanh(W_2 [H^T w_t; h_t] + b_2)         "context-adjusted" state                              (4)
    p_t  = softmax(W_out a_t + b_out)             the next target word                                  (5)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from course_lib.data.batch import Batch, pad, places_of
from course_lib.data.bucketing import loader
from course_lib.data.records import ParallelPair, Sentence, checked_sentences
from course_lib.models.attention import attend
from course_lib.models.encoder import (
    ContextEncoder,
    Encoding,
    Sentences,
    StaticVectors,
    empty_table,
    evaluating,
    masked_mean,
    stacked,
)
from course_lib.models.fast import run_lstm
from course_lib.models.word_vectors import WordVectors
from course_lib.text.vocabulary import Vocabulary

Step, Memory = Float[Tensor, "batch width"], Float[Tensor, "batch unit width"]
State = tuple[Step, Step]  # hidden state and cell of an LSTM


@dataclass(frozen=True)
class CoVeConfig:
    """dim: of a static word vector; hidden: of one direction of a biLSTM; dropout: on the input of each layer."""

    dim: int = 300
    hidden: int = 300
    n_layers: int = 2
    dropout: float = 0.2

    @classmethod
    def paper(cls) -> CoVeConfig:
        """300-dimensional GloVe, 2 x 300 wide, dropout 0.2 (section 4)."""
        return cls()

    @classmethod
    def small(cls) -> CoVeConfig:
        """For the word vectors that ship with the course."""
        return cls(dim=100, hidden=100)


class BiLSTM(nn.Module):
    """One layer in both directions, each a network of its own. Padding is never read."""

    def __init__(self, width: int, hidden: int, dropout: float):
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, below: Float[Tensor, "batch unit below"], lengths: Int[Tensor, " batch"]
    ) -> tuple[Float[Tensor, "batch unit width"], State]:
        """Per word [forward; backward], zeros at padding; and the state after all words, directions joined likewise."""
        output, (hidden, cell) = run_lstm(self.lstm, self.dropout(below), lengths)
        return output, (hidden.transpose(0, 1).flatten(1), cell.transpose(0, 1).flatten(1))


class CoVe(ContextEncoder):
    """MT-LSTM(GloVe(w)) of the paper's eq. 1 and 6. The paper's CoVe is the top layer, its task input eq. 7:
    [GloVe(w); CoVe(w)], here layers 0 and 2.

    Static vectors stay as they are in the paper: `freeze(["word"])` before training. Unlike the released code, which
    gives words without a vector zeros, they get the mean vector (see StaticVectors).
    """

    kind = "cove"

    def __init__(self, words: Sequence[str], vectors: Float[Tensor, "word dim"], config: CoVeConfig | None = None):
        super().__init__()
        self.config = config = config or CoVeConfig.paper()
        self.static = StaticVectors(words, vectors)
        assert self.static.dim == config.dim, f"word vectors of {self.static.dim} dimensions for dim={config.dim}"
        width = 2 * config.hidden
        self.layers = nn.ModuleList(
            BiLSTM(width if number else config.dim, config.hidden, config.dropout) for number in range(config.n_layers)
        )
        self.layer_names = ("word", *(f"biLSTM {number}" for number in range(1, config.n_layers + 1)))
        self.dims = (config.dim, *[width] * config.n_layers)
        self.sentence_dim = width

    @classmethod
    def from_word_vectors(cls, word_vectors: WordVectors, config: CoVeConfig | None = None) -> CoVe:
        return cls(word_vectors.words, word_vectors.vectors, config)

    def read(self, batch: Batch) -> tuple[list[Tensor], list[State]]:
        """All layers [batch, unit, dims[layer]], and the last state of each biLSTM, with which a decoder may start."""
        layers, states = [self.static.embedding(batch.ids["words"])], []
        for layer in self.layers:
            output, state = layer(layers[-1], batch.lengths)
            layers.append(output)
            states.append(state)
        return layers, states

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        return self.static._batch(first, second, unit)

    def _states(self, batch: Batch) -> Encoding:
        layers, _ = self.read(batch)
        return Encoding(stacked(layers), batch.mask, batch.segment, masked_mean(layers[-1], batch.mask))

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return list(zip(self.layer_names, [[self.static], *[[layer] for layer in self.layers]], strict=True))

    def _files(self) -> dict[str, str]:
        return self.static._files()

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> CoVe:
        words = json.loads(files["words.json"])
        return cls(words, empty_table(len(words), config["dim"]), CoVeConfig(**config))

    def _matrices(self, tensors: Mapping[str, Tensor]) -> list[str]:
        return ["static.embedding.weight"]


PADDING, BEGIN, END, UNKNOWN = range(4)
SPECIALS = ("[PAD]", "[BOS]", "[EOS]", "[UNK]")


@dataclass(frozen=True)
class Seq2SeqConfig:
    """dim: of a target word's vector. The decoder has the encoder's width and number of layers."""

    dim: int = 300
    dropout: float = 0.2

    @classmethod
    def paper(cls) -> Seq2SeqConfig:
        return cls()

    @classmethod
    def small(cls) -> Seq2SeqConfig:
        return cls(dim=100)


def target_vocabulary(pairs: Iterable[ParallelPair], *, min_count: int = 1) -> Vocabulary:
    """The words of the target side that stand there at least `min_count` times, after the special ones."""
    targets = (pair.target for pair in pairs)
    return Vocabulary.from_sentences(targets, min_count=min_count, specials=SPECIALS, unknown=SPECIALS[UNKNOWN])


class Seq2Seq(nn.Module):
    """A CoVe encoder and a decoder that looks back at it. `fit` trains both, except what is frozen in the encoder.

    encoder     its top layer is attended to; the decoder's layers start from its last states, layer by layer
    vocabulary  of the target language, from `target_vocabulary`
    """

    def __init__(self, encoder: CoVe, vocabulary: Vocabulary, config: Seq2SeqConfig | None = None):
        super().__init__()
        assert vocabulary.words[: len(SPECIALS)] == SPECIALS, "make the vocabulary with target_vocabulary(pairs)"
        self.config = config = config or Seq2SeqConfig.paper()
        self.encoder, self.vocabulary = encoder, vocabulary
        width = encoder.dims[-1]
        self.embedding = nn.Embedding(len(vocabulary), config.dim, padding_idx=PADDING)
        self.cells = nn.ModuleList(
            nn.LSTMCell(width if number else config.dim + width, width) for number in range(encoder.config.n_layers)
        )
        self.score = nn.Linear(width, width)  # W_1, b_1
        self.adjust = nn.Linear(2 * width, width)  # W_2, b_2
        self.output = nn.Linear(width, len(vocabulary))
        self.dropout = nn.Dropout(config.dropout)

    # -- batches ------------------------------------------------------------------------------------------------------
    def batch(self, pairs: Sequence[ParallelPair]) -> Batch:
        """The encoder's batch of the source sides, with labels.

        "target"  [batch, step]: [BOS], words, [EOS], padding
        "places"  [word]: of words that are predicted, counted through the rows of target[:, 1:]
        """
        batch = self.encoder.batch([pair.source for pair in pairs])
        targets = checked_sentences([pair.target for pair in pairs], "Seq2Seq, targets")
        target = pad([[BEGIN, *self.vocabulary.encode(target), END] for target in targets], PADDING)
        batch.labels |= {"target": target, "places": places_of(target[:, 1:] != PADDING)}
        return batch

    def batches(
        self, pairs: Sequence[ParallelPair], batch_size: int = 64, seed: int = 0
    ) -> Callable[[int], DataLoader]:
        """For `fit`: epoch -> batches of sentences of like length, each pair once."""
        lengths = [len(pair.source) + len(pair.target) for pair in pairs]
        return loader(pairs, lengths, self.batch, size=batch_size, seed=seed)

    # -- training -----------------------------------------------------------------------------------------------------
    def forward(self, batch: Batch) -> tuple[Float[Tensor, "batch step word"], Float[Tensor, "batch step unit"]]:
        """Logits of each next target word, given the true words before it, and where the decoder looked (w_t)."""
        adjusted, weights = self._read_along(batch)
        return self.output(adjusted), weights

    def loss(self, batch: Batch) -> dict[str, Tensor]:
        """Mean negative log-likelihood in nats of a target word, [EOS] included."""
        places, following = batch.labels["places"], batch.labels["target"][:, 1:].flatten()
        adjusted, _ = self._read_along(batch)
        logits = self.output(adjusted.flatten(0, 1)[places])
        return {"loss": F.cross_entropy(logits, following[places]), "count": len(places)}

    def _read_along(self, batch: Batch) -> tuple[Float[Tensor, "batch step width"], Float[Tensor, "batch step unit"]]:
        memory, adjusted, states = self._start(batch)
        looked, found = [], []
        for previous in batch.labels["target"][:, :-1].T:
            adjusted, weights, states = self._step(previous, adjusted, states, memory, batch.mask)
            found.append(adjusted)
            looked.append(weights)
        return torch.stack(found, 1), torch.stack(looked, 1)

    def _start(self, batch: Batch) -> tuple[Memory, Step, list[State]]:
        layers, states = self.encoder.read(batch)
        memory = self.dropout(layers[-1])
        return memory, memory.new_zeros(len(batch), memory.shape[-1]), states

    def _step(
        self,
        previous: Int[Tensor, " batch"],
        adjusted: Step,
        states: list[State],
        memory: Memory,
        mask: Bool[Tensor, "batch unit"],
    ) -> tuple[Step, Float[Tensor, "batch unit"], list[State]]:
        """Equations 2 to 4, for one target word."""
        below = torch.cat([self.dropout(self.embedding(previous)), adjusted], 1)
        after = []
        for cell, state in zip(self.cells, states, strict=True):
            after.append(cell(below, state))
            below = self.dropout(after[-1][0])
        context, weights = attend(self.score(below)[:, None], memory, memory, mask[:, None], scale=1.0)
        return self.dropout(torch.tanh(self.adjust(torch.cat([context[:, 0], below], 1)))), weights[:, 0], after

    # -- translating --------------------------------------------------------------------------------------------------
    def translate(self, sentences: Sentences, *, max_words: int = 50, batch_size: int = 64) -> list[list[str]]:
        """Greedy: always the likeliest next word, until [EOS] or `max_words`. Words of each sentence, input order."""
        found, records = [], checked_sentences(sentences, "Seq2Seq")
        with evaluating(self):
            for start in range(0, len(records), batch_size):
                found += self._greedy(self.encoder.batch(records[start : start + batch_size]), max_words)
        return found

    def _greedy(self, batch: Batch, max_words: int) -> list[list[str]]:
        batch = batch.to(self.encoder.device)
        memory, adjusted, states = self._start(batch)
        word = torch.full((len(batch),), BEGIN, device=memory.device)
        words, ended = [], torch.zeros_like(word, dtype=torch.bool)
        while len(words) < max_words and not ended.all():
            adjusted, _, states = self._step(word, adjusted, states, memory, batch.mask)
            word = self.output(adjusted)[:, END:].argmax(1) + END  # never padding or [BOS]
            ended = ended | (word == END)
            words.append(word.where(~ended, END))
        rows = torch.stack(words, 1).tolist()
        return [self.vocabulary.decode(i for i in row if i != END) for row in rows]
