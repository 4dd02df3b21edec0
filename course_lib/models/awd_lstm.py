"""AWD-LSTM: a language model of stacked LSTMs, kept from overfitting by five kinds of dropout. ULMFiT starts from it.

Source: Merity et al. 2018, arXiv:1708.02182 (section 2: weight drop, 4.2: variational dropout, 4.3: embedding dropout);
Howard & Ruder 2018, arXiv:1801.06146, section 3.1 (its use). All dropouts are off in eval mode, and what is kept is
scaled by 1 / (1 - p). Simpler than Merity et al.: every step has the same length, and the optimizer is whatever `fit`
is given (they average SGD).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.data.batch import Batch
from course_lib.data.streams import StreamBatch, TextStreams
from course_lib.models.encoder import ContextEncoder, Encoding, Sentences, stacked
from course_lib.models.fast import Dropout
from course_lib.models.projected_lstm import turned
from course_lib.text.vocabulary import Vocabulary

State = tuple[Float[Tensor, "1 batch _"], Float[Tensor, "1 batch _"]]  # an LSTM's output and cell
Ids, Vectors = Int[Tensor, "batch seq"], Float[Tensor, "batch seq dim"]


class LockedDropout(nn.Module):
    """Variational dropout: a text loses the same coordinates at every time step."""

    def __init__(self, p: float | int):
        super().__init__()
        self.p = p

    def forward(self, hidden: Vectors) -> Vectors:
        if not self.training or self.p == 0:
            return hidden
        return hidden * F.dropout(hidden.new_ones(hidden.shape[0], 1, hidden.shape[2]), self.p)


class WordDropEmbedding(nn.Embedding):
    """A table whose rows are dropped whole: a dropped word is missing wherever it stands in the batch."""

    def __init__(self, n_words: int, dim: int, p: float | int):
        super().__init__(n_words, dim)
        self.p = p

    def forward(self, ids: Ids) -> Vectors:
        vectors = super().forward(ids)
        if not self.training or self.p == 0:
            return vectors
        # One factor per row of the table, looked up like the vectors: the table itself is not copied.
        return vectors * F.dropout(self.weight.new_ones(len(self.weight)), self.p)[ids][..., None]


class WeightDropLSTM(nn.Module):
    """One LSTM layer whose recurrent matrix loses entries, the same ones at every step of a call (DropConnect).

    `functional_call` runs the fused LSTM with the thinned matrix: the gradient reaches the parameter through the mask.
    """

    def __init__(self, input_dim: int, hidden: int, p: float | int):
        super().__init__()
        self.lstm = nn.LSTM(input_dim, hidden, batch_first=True)
        self.dropout = Dropout(p)

    def forward(
        self, vectors: Float[Tensor, "batch seq input_dim"], state: State | None = None
    ) -> tuple[Float[Tensor, "batch seq hidden"], State]:
        """Output at every step, and the state after the last. `state` is where it starts; None: zeros."""
        if not self.training or self.dropout.p == 0:
            return self.lstm(vectors, state)
        thinned = {"weight_hh_l0": self.dropout(self.lstm.weight_hh_l0)}
        return torch.func.functional_call(self.lstm, thinned, (vectors, state))


BEGIN = 0  # the row of the begin mark; the words of the vocabulary follow
DIRECTIONS = ("forward", "backward")


@dataclass(frozen=True)
class AWDLSTMConfig:
    """Sizes, dropouts (probabilities) and the weights of the two penalties. The defaults are fastai's.

    vocab_size  words of the vocabulary; the table has one row more, for the begin mark
    alpha       weight of the activation penalty (AR), beta of the penalty on its changes over time (TAR)
    """

    vocab_size: int
    emb_dim: int = 400
    hidden: int = 1152
    n_layers: int = 3
    direction: str = "forward"
    embedding_dropout: float | int = 0.02  # whole words
    input_dropout: float | int = 0.25  # coordinates of the word vectors
    weight_dropout: float | int = 0.2  # entries of the recurrent matrices
    hidden_dropout: float | int = 0.15  # coordinates between two layers
    output_dropout: float | int = 0.1  # coordinates before the softmax
    alpha: float | int = 2.0
    beta: float | int = 1.0

    @classmethod
    def paper(cls, vocab_size: int) -> AWDLSTMConfig:
        """Howard & Ruder 2018, section 4.1 (hyperparameters)."""
        inner = {"input_dropout": 0.4, "weight_dropout": 0.5, "hidden_dropout": 0.3, "output_dropout": 0.4}
        return cls(vocab_size, hidden=1150, embedding_dropout=0.05, **inner)

    @classmethod
    def small(cls, vocab_size: int, direction: str = "forward") -> AWDLSTMConfig:
        """Trains on two cores in minutes."""
        return cls(vocab_size, emb_dim=128, hidden=256, n_layers=2, direction=direction)


class Softmax(nn.Module):
    """Scores of the next word: the input table once more (tied weights), plus a bias of each word."""

    def __init__(self, n_words: int):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(n_words))

    def forward(self, hidden: Vectors, table: Float[Tensor, "word dim"]) -> Float[Tensor, "batch seq word"]:
        return F.linear(hidden, table, self.bias)


class AWDLSTM(ContextEncoder):
    """Words in; the states of each LSTM and the scores of the next word out. One direction.

    The backward model reads each text from its last word to its first. Every text starts with a begin mark, which is
    no unit. A word that the vocabulary lacks is looked up in lower case, then counts as its `unknown`.

    layers   word vector, LSTM 1, ..., LSTM n of widths [emb_dim, hidden, ..., hidden, emb_dim]
    sentence the top state after the word that was read last
    """

    kind = "awd-lstm"

    def __init__(self, config: AWDLSTMConfig, vocabulary: Vocabulary):
        super().__init__()
        assert config.direction in DIRECTIONS, f"direction={config.direction!r} is not one of {DIRECTIONS}"
        assert len(vocabulary) == config.vocab_size, f"{len(vocabulary)} words for vocab_size={config.vocab_size}"
        assert vocabulary.unknown is not None, "the vocabulary needs a word for all unknown ones: unknown='<unk>'"
        self.config, self.vocabulary = config, vocabulary
        n = config.n_layers
        self.dims = (config.emb_dim, *[config.hidden] * (n - 1), config.emb_dim)
        self.layer_names = ("word", *(f"LSTM {number}" for number in range(1, n + 1)))
        self.sentence_dim = config.emb_dim
        self.embedding = WordDropEmbedding(config.vocab_size + 1, config.emb_dim, config.embedding_dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # Merity et al. 2018, section 5
        self.input_dropout = LockedDropout(config.input_dropout)
        self.lstms = nn.ModuleList(
            WeightDropLSTM(narrow, wide, config.weight_dropout) for narrow, wide in pairwise(self.dims)
        )
        # After each LSTM but the last, whose output meets the output dropout.
        self.hidden_dropouts = nn.ModuleList(LockedDropout(config.hidden_dropout) for _ in range(n - 1))
        self.output_dropout = LockedDropout(config.output_dropout)
        self.softmax = Softmax(config.vocab_size + 1)

    # -- the network --------------------------------------------------------------------------------------------------
    def forward(
        self, ids: Ids, carry: Sequence[State] | None = None
    ) -> tuple[list[Float[Tensor, "batch seq _"]], list[State]]:
        """What each layer puts out (word vectors first, before the dropout that follows), and the states to go on from.

        ids: rows of the table in reading order. carry: the states after the ids before these; None: zeros.
        """
        outputs, states = [self.embedding(ids)], []
        dropouts = [self.input_dropout, *self.hidden_dropouts]
        for number, (lstm, dropout) in enumerate(zip(self.lstms, dropouts, strict=True)):
            output, state = lstm(dropout(outputs[-1]), None if carry is None else carry[number])
            outputs.append(output)
            states.append(state)
        return outputs, states

    def logits(self, top: Vectors) -> Float[Tensor, "batch seq word"]:
        """Scores of the next id from the top layer's states."""
        return self.softmax(top, self.embedding.weight)

    def loss(self, batch: StreamBatch) -> dict[str, Any]:
        """Mean loss of a step of running text (see `streams`), in nats per word.

        In training the two penalties are part of "loss": "activation" (AR: large states) and "temporal_activation"
        (TAR: states that change fast), Merity et al. 2018, section 4.6. "cross_entropy" is the loss without them;
        its exp is the perplexity.
        """
        outputs, carry = self(batch.ids, batch.carry)
        top = outputs[-1]
        dropped = self.output_dropout(top)
        cross_entropy = F.cross_entropy(self.logits(dropped).flatten(0, 1), batch.targets.flatten())
        losses = {"loss": cross_entropy, "count": batch.targets.numel(), "cross_entropy": cross_entropy}
        if self.training:
            change = top[:, 1:] - top[:, :-1]
            losses["activation"] = self.config.alpha * dropped.square().mean()
            # A step of one word has no change.
            losses["temporal_activation"] = self.config.beta * change.square().sum() / max(change.numel(), 1)
            losses["loss"] = cross_entropy + losses["activation"] + losses["temporal_activation"]
        return {**losses, "carry": carry}

    # -- text in ------------------------------------------------------------------------------------------------------
    def row(self, word: str) -> int:
        """The table row of a word: its own, its lower-case form's, or the unknown words'."""
        index = self.vocabulary.index
        return 1 + index.get(word, index.get(word.lower(), index[self.vocabulary.unknown]))

    def streams(self, documents: Sentences, batch_size: int, length: int, *, seed: int = 0) -> TextStreams:
        """Documents as training steps for `fit`: each with its begin mark, in this model's reading order."""
        step = 1 if self.config.direction == "forward" else -1
        rows = [[BEGIN, *map(self.row, document.words[::step])] for document in self._checked(documents)]
        return TextStreams(rows, batch_size, length, seed=seed)

    def reading_order(self, batch: Batch) -> Ids:
        """The rows that the network reads for a batch: the begin mark, then the words. [batch, 1 + unit]"""
        ids = batch.ids["words"]
        if self.config.direction == "backward":
            ids = turned(ids, batch.mask)
        return F.pad(ids, (1, 0), value=BEGIN)

    def adapted(self, vocabulary: Vocabulary | None = None, **changes: float | int) -> AWDLSTM:
        """A copy for other text: another vocabulary, and other dropouts by name (`weight_dropout=0.5`).

        Words that both vocabularies hold keep their row and bias; new words get the mean of all (as fastai does).
        """
        old = self.vocabulary
        vocabulary = old if vocabulary is None else vocabulary
        new = AWDLSTM(replace(self.config, vocab_size=len(vocabulary), **changes), vocabulary)
        weights = self.state_dict()
        same = {**old.index, vocabulary.unknown: old.index[old.unknown]}
        rows = torch.tensor([BEGIN, *(1 + same.get(word, -2) for word in vocabulary.words)])  # -1: a new word
        for name in ("embedding.weight", "softmax.bias"):
            table = weights[name]
            weights[name] = torch.cat([table, table.mean(0, keepdim=True)])[rows]  # -1 is the mean, put last
        new.load_state_dict(weights)
        return new.to(self.device).train(self.training)

    # -- the contract -------------------------------------------------------------------------------------------------
    def _states(self, batch: Batch) -> Encoding:
        outputs, _ = self(self.reading_order(batch))
        lengths = batch.mask.sum(1)
        sentence = outputs[-1][torch.arange(len(lengths), device=lengths.device), lengths]
        layers = stacked([output[:, 1:] for output in outputs])
        if self.config.direction == "backward":
            layers = torch.stack([turned(layer, batch.mask) for layer in layers])
        return Encoding(layers, batch.mask, batch.segment, sentence)

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        dropouts = [*self.hidden_dropouts, self.output_dropout]
        lstms = [[lstm, dropout] for lstm, dropout in zip(self.lstms, dropouts, strict=True)]
        return [
            *zip(self.layer_names, [[self.embedding, self.input_dropout], *lstms], strict=True),
            ("softmax", [self.softmax]),
        ]

    def _files(self) -> dict[str, str]:
        return {"vocabulary.json": self.vocabulary.to_json()}

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> AWDLSTM:
        return cls(AWDLSTMConfig(**config), Vocabulary.from_json(files["vocabulary.json"]))
