"""CoVe: word vectors in context from translation. McCann et al. 2017, arXiv:1708.00107, sections 3 and 4.

A network that translates must first read. Its reader, a two-layer biLSTM over static word vectors, is kept when the
translation is learned, and the rest is thrown away. The rest is in course_lib/models/seq2seq.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.data.batch import Batch
from course_lib.data.records import Sentence
from course_lib.models.encoder import ContextEncoder, Encoding, StaticVectors, empty_table, masked_mean, stacked
from course_lib.models.fast import run_lstm
from course_lib.models.word_vectors import WordVectors

State = tuple[Float[Tensor, "batch width"], Float[Tensor, "batch width"]]  # hidden state and cell of an LSTM


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
