"""The embedding layer, twice: as it is explained (one-hot rows times a matrix) and as it is computed (a lookup).

One-hot rows [k, n] times the table [n, m] give [k, m]: k words, n words in the vocabulary, m dimensions. All products
in a sum but one are 0 times something, so the sum is a row of the table, and looking it up gives the same numbers.
The gradient is the same too: a row gets the sum of the gradients at the places of its word, an unused row zeros.
One difference: if the table holds NaN or infinity, 0 times it is NaN, and the product spoils every word.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Float, Shaped
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.models.limits import at_least


class _Table(nn.Module):
    """One trainable row per word, drawn from a standard normal distribution, as in `nn.Embedding`."""

    def __init__(self, vocabulary_size: int, dim: int):
        super().__init__()
        at_least(1, type(self).__name__, vocabulary_size=vocabulary_size, dim=dim)
        self.weight: Float[Tensor, "vocabulary dim"] = nn.Parameter(torch.randn(vocabulary_size, dim))

    def extra_repr(self) -> str:
        return "{}, {}".format(*self.weight.shape)

    def _checked(self, ids: Tensor) -> Tensor:
        """The ids as int64. On a GPU an id too large would end the whole process, so it is caught here."""
        size = len(self.weight)
        if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
            raise CourseError(
                f"{type(self).__name__} got ids of type {ids.dtype}. Ids are integers: use torch.tensor([...]).long()."
            )
        if ids.numel():
            for wrong in torch.stack(ids.aminmax()).tolist():
                if not 0 <= wrong < size:
                    raise CourseError(
                        f"{type(self).__name__}: id {wrong} is outside a vocabulary of size {size}. "
                        f"Use ids from 0 to {size - 1}; give words that are not in it the id of an unknown word."
                    )
        return ids.long()


class OneHotEmbedding(_Table):
    """The product as it is written: time and memory grow with the size of the vocabulary. For understanding only."""

    def forward(self, ids: Shaped[Tensor, "*place"]) -> Float[Tensor, "*place dim"]:
        """Integer ids -> their rows of the table."""
        ids = self._checked(ids)
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

    def forward(self, ids: Shaped[Tensor, "*place"]) -> Float[Tensor, "*place dim"]:
        """Integer ids -> their rows of the table."""
        return F.embedding(self._checked(ids), self.weight, sparse=self.sparse)
