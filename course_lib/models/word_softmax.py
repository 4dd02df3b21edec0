"""The last layer of a language model: from a state to a probability for every word, three ways.

Each gives `forward(states, targets)`, nats per word, and `log_probs(states)`. Ids must be in the order of frequency (a
Vocabulary's are): both cheaper ways lean on it.
Source: Jozefowicz et al. 2016, arXiv:1602.02410, section 3.1 (sampled softmax with importance sampling); Grave et al.
2017, arXiv:1609.04309, section 4 (adaptive softmax); Bengio and Senecal 2008 (the estimate of the denominator).
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

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


class SampledSoftmax(FullSoftmax):
    """In training, the denominator is estimated from `n_samples` words drawn by frequency; in eval mode it is exact.

    Drawn with replacement from the log-uniform q(k) = log((k + 2) / (k + 1)) / log(V + 1), close to the word
    frequencies of natural text, once per call for all states. With the log q correction below, the expected
    denominator is the exact one. TensorFlow's loss, which ELMo used, corrects the target's own score too: it is
    minimal at the same place, but its value is no perplexity.
    """

    def __init__(self, dim: int, vocab_size: int, n_samples: int):
        super().__init__(dim, vocab_size)
        self.n_samples = n_samples

    def forward(self, states: Float[Tensor, "word dim"], targets: Int[Tensor, " word"]) -> Float[Tensor, " word"]:
        if not self.training:
            return super().forward(states, targets)
        weight, bias = self.linear.weight, self.linear.bias
        drawn = self.draw(states.device)
        log_expected = self.log_q(drawn) + math.log(self.n_samples)
        others = (F.linear(states, weight[drawn], bias[drawn]) - log_expected).float()
        others = others.masked_fill(drawn == targets[:, None], -math.inf)  # the target counts once, for certain
        target = ((states * weight[targets]).sum(-1) + bias[targets]).float()
        return torch.cat([target[:, None], others], dim=1).logsumexp(1) - target

    def draw(self, device: torch.device) -> Int[Tensor, " sample"]:
        """Word ids, the inverse of the distribution function at uniform numbers."""
        vocab_size = self.linear.out_features
        uniform = torch.rand(self.n_samples, device=device)
        return ((uniform * math.log(vocab_size + 1)).exp().long() - 1).clamp(0, vocab_size - 1)

    def log_q(self, ids: Int[Tensor, " sample"]) -> Float[Tensor, " sample"]:
        return (1 / (ids + 1)).log1p().log() - math.log(math.log(self.linear.out_features + 1))


class AdaptiveSoftmax(nn.Module):
    """First among the frequent words and one sign per group of rarer ones, then inside the group, in fewer dimensions.

    cutoffs  first id of each rarer group, rising: (2000, 10000) of 20000 words makes three groups
    """

    def __init__(self, dim: int, vocab_size: int, cutoffs: tuple[int, ...]):
        super().__init__()
        self.groups = nn.AdaptiveLogSoftmaxWithLoss(dim, vocab_size, list(cutoffs), div_value=_DIVISOR)

    def forward(self, states: Float[Tensor, "word dim"], targets: Int[Tensor, " word"]) -> Float[Tensor, " word"]:
        # PyTorch's version mixes types under autocast and fails: float32 here
        with torch.autocast(states.device.type, enabled=False):
            return -self.groups(states.float(), targets).output

    def log_probs(self, states: Float[Tensor, "word dim"]) -> Float[Tensor, "word vocab"]:
        with torch.autocast(states.device.type, enabled=False):
            return self.groups.log_prob(states.float())
