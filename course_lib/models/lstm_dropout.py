"""The dropouts of AWD-LSTM: of recurrent weights, of whole words, and with one mask for all time steps.

Source: Merity et al. 2018, arXiv:1708.02182, section 2 (weight drop), 4.2 (variational dropout), 4.3 (embedding
dropout). All of them are off in eval mode, and what is kept is scaled by 1 / (1 - p).
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

State = tuple[Float[Tensor, "1 batch _"], Float[Tensor, "1 batch _"]]  # an LSTM's output and cell


class LockedDropout(nn.Module):
    """Variational dropout: a text loses the same coordinates at every time step."""

    def __init__(self, p: float | int):
        super().__init__()
        self.p = p

    def forward(self, hidden: Float[Tensor, "batch seq dim"]) -> Float[Tensor, "batch seq dim"]:
        if not self.training or self.p == 0:
            return hidden
        return hidden * F.dropout(hidden.new_ones(hidden.shape[0], 1, hidden.shape[2]), self.p)


class WordDropEmbedding(nn.Embedding):
    """A table whose rows are dropped whole: a dropped word is missing wherever it stands in the batch."""

    def __init__(self, n_words: int, dim: int, p: float | int):
        super().__init__(n_words, dim)
        self.p = p

    def forward(self, ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq dim"]:
        vectors = super().forward(ids)
        if not self.training or self.p == 0:
            return vectors
        # One factor per row of the table, looked up like the vectors: the table itself is not copied.
        return vectors * F.dropout(self.weight.new_ones(len(self.weight)), self.p)[ids][..., None]


class WeightDropLSTM(nn.Module):
    """One LSTM layer whose recurrent matrix loses entries, the same ones at every step of a call (DropConnect).

    `functional_call` runs the fused LSTM with the thinned matrix in place of the parameter. So the gradient reaches
    the parameter through the mask, nothing on the module changes, and there is no loop over time.
    """

    def __init__(self, input_dim: int, hidden: int, p: float | int):
        super().__init__()
        self.lstm = nn.LSTM(input_dim, hidden, batch_first=True)
        self.p = p

    def forward(
        self, vectors: Float[Tensor, "batch seq input_dim"], state: State | None = None
    ) -> tuple[Float[Tensor, "batch seq hidden"], State]:
        """Output at every step, and the state after the last. `state` is where it starts; None: zeros."""
        if not self.training or self.p == 0:
            return self.lstm(vectors, state)
        thinned = {"weight_hh_l0": F.dropout(self.lstm.weight_hh_l0, self.p)}
        return torch.func.functional_call(self.lstm, thinned, (vectors, state))
