"""The last layer of a language model: from a state to a probability for every word, two ways.

Source of the cheaper one: Grave et al. 2017, arXiv:1609.04309, section 4 (adaptive softmax). It leans on ids in the
order of frequency, which a Vocabulary's are.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError

_DIVISOR = 4  # Grave et al. 2017, section 4.3: each rarer group has a quarter of the dimensions


class FullSoftmax(nn.Module):
    """A score for every word: exact, and the dearest when the vocabulary is large."""

    def __init__(self, dim: int, vocab_size: int):
        super().__init__()
        self.linear = nn.Linear(dim, vocab_size)
        nn.init.normal_(self.linear.weight, std=1 / math.sqrt(dim))
        nn.init.zeros_(self.linear.bias)

    def forward(self, states: Float[Tensor, "word dim"], targets: Int[Tensor, " word"]) -> Float[Tensor, " word"]:
        """-log p(target), in nats."""
        return F.cross_entropy(self.linear(states), targets, reduction="none")

    def log_probs(self, states: Float[Tensor, "word dim"]) -> Float[Tensor, "word vocab"]:
        return self.linear(states).log_softmax(-1)


class AdaptiveSoftmax(nn.Module):
    """First among the frequent words and one sign per group of rarer ones, then inside the group, in fewer dimensions.

    cutoffs  first id of each rarer group, rising: (2000, 10000) of 20000 words makes three groups
    """

    def __init__(self, dim: int, vocab_size: int, cutoffs: tuple[int, ...]):
        super().__init__()
        if not cutoffs or sorted(set(cutoffs)) != list(cutoffs) or cutoffs[0] < 1 or cutoffs[-1] >= vocab_size:
            raise CourseError(
                f"AdaptiveSoftmax: cutoffs={cutoffs} for {vocab_size} words. "
                f"Use rising numbers between 1 and {vocab_size - 1}, or softmax='full'."
            )
        if dim < _DIVISOR ** len(cutoffs):
            raise CourseError(
                f"AdaptiveSoftmax: {len(cutoffs)} rarer groups need {_DIVISOR ** len(cutoffs)} dimensions or more, the "
                f"states have {dim}. Use fewer cutoffs or a larger projection."
            )
        self.groups = nn.AdaptiveLogSoftmaxWithLoss(dim, vocab_size, list(cutoffs), div_value=_DIVISOR)

    def forward(self, states: Float[Tensor, "word dim"], targets: Int[Tensor, " word"]) -> Float[Tensor, " word"]:
        # PyTorch's version mixes types under autocast and fails: float32 here
        with torch.autocast(states.device.type, enabled=False):
            return -self.groups(states.float(), targets).output

    def log_probs(self, states: Float[Tensor, "word dim"]) -> Float[Tensor, "word vocab"]:
        with torch.autocast(states.device.type, enabled=False):
            return self.groups.log_prob(states.float())
