"""The embedding layer, twice: as it is explained (one-hot rows times a matrix) and as it is computed (a lookup).

One-hot rows [k, n] times the table [n, m] give [k, m]: k words, n words in the vocabulary, m dimensions. All products
in a sum but one are 0 times something, so the sum is a row of the table, and looking it up gives the same numbers.
The gradient is the same too: a row gets the sum of the gradients at the places of its word, an unused row zeros.
One difference: if the table holds NaN or infinity, 0 times it is NaN, and the product spoils every word.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn


class _Table(nn.Module):
    """One trainable row per word, drawn from a standard normal distribution, as in `nn.Embedding`."""

    def __init__(self, vocabulary_size: int, dim: int):
        super().__init__()
        self.weight: Float[Tensor, "vocabulary dim"] = nn.Parameter(torch.randn(vocabulary_size, dim))


class OneHotEmbedding(_Table):
    """The product as it is written: time and memory grow with the size of the vocabulary. For understanding only."""

    def forward(self, ids: Int[Tensor, "*place"]) -> Float[Tensor, "*place dim"]:
        """Integer ids -> their rows of the table."""
        one_hot = self.weight.new_zeros(*ids.shape, len(self.weight)).scatter_(-1, ids[..., None], 1)
        return one_hot @ self.weight


class LookupEmbedding(_Table):
    """The row itself. Forward, its time does not depend on the size of the vocabulary.

    sparse  False: the gradient is a full table, zeros for unused rows, and every optimizer takes it. But an optimizer
            with a memory, such as Adam, goes on moving a row that once had a gradient.
            True: the gradient holds the used rows only. `torch.optim.SGD` and `SparseAdam` take it.
    """

    def __init__(self, vocabulary_size: int, dim: int, *, sparse: bool = False):
        super().__init__(vocabulary_size, dim)
        self.sparse = sparse

    def forward(self, ids: Int[Tensor, "*place"]) -> Float[Tensor, "*place dim"]:
        """Integer ids -> their rows of the table."""
        return F.embedding(ids, self.weight, sparse=self.sparse)
