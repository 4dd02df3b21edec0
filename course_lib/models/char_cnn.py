"""A word's vector from its characters: convolutions of several widths, maximum over positions, highway layers.

Source: Kim et al. 2016, arXiv:1508.06615, section 2.2 and 2.3 (the model); Peters et al. 2018, arXiv:1802.05365,
section 3.4 (sizes); Srivastava et al. 2015, arXiv:1505.00387, section 2 (highway layer).
As ELMo's code, and unlike Kim et al., the non-linearity is ReLU, not tanh, and a projection follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.text.characters import PADDING

_CARRY_BIAS = 2.0  # sigmoid(2) = 0.88 of the input passes at first; ELMo's code has -2 on the opposite gate


@dataclass(frozen=True)
class CharCNNConfig:
    n_characters: int  # ids, PADDING included: len(Characters)
    char_dim: int = 16
    filters: tuple[tuple[int, int], ...] = ((1, 32), (2, 32), (3, 64), (4, 128))  # (width in characters, how many)
    n_highway: int = 1
    out_dim: int = 128

    @classmethod
    def paper(cls, n_characters: int = 262) -> CharCNNConfig:
        """ELMo's sizes: 2048 filters. 262 ids = 256 bytes, 5 marks, padding."""
        filters = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
        return cls(n_characters, char_dim=16, filters=filters, n_highway=2, out_dim=512)

    @classmethod
    def small(cls, n_characters: int) -> CharCNNConfig:
        return cls(n_characters)


class Highway(nn.Module):
    """carry * x + (1 - carry) * relu(transform x), with carry = sigmoid(carry x) in (0, 1) for each dimension.

    Srivastava et al. 2015, equation 2, with T = 1 - C. What ELMo's code and files call "carry" is their T:
    its weights and biases enter here with the opposite sign.
    """

    def __init__(self, dim: int):
        super().__init__()
        self.transform = nn.Linear(dim, dim)
        self.carry = nn.Linear(dim, dim)
        for linear in (self.transform, self.carry):
            nn.init.normal_(linear.weight, std=1 / math.sqrt(dim))
        nn.init.zeros_(self.transform.bias)
        nn.init.constant_(self.carry.bias, _CARRY_BIAS)

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        return torch.lerp(self.transform(x).relu(), x, self.carry(x).sigmoid())


class CharCNN(nn.Module):
    """Character ids of a word in, its vector out. The word alone decides: padding after it changes nothing."""

    def __init__(self, config: CharCNNConfig):
        super().__init__()
        n_filters = sum(count for _, count in config.filters)
        self.config = config
        self.char_embedding = nn.Embedding(config.n_characters, config.char_dim, padding_idx=PADDING)
        self.convolutions = nn.ModuleList(nn.Conv1d(config.char_dim, count, width) for width, count in config.filters)
        self.highways = nn.ModuleList(Highway(n_filters) for _ in range(config.n_highway))
        self.projection = nn.Linear(n_filters, config.out_dim)
        nn.init.normal_(self.projection.weight, std=1 / math.sqrt(n_filters))
        nn.init.zeros_(self.projection.bias)

    def forward(self, ids: Int[Tensor, "*batch character"]) -> Float[Tensor, "*batch dim"]:
        """One vector per row of characters. Id 0 is padding, on the right; a row of padding gives some finite vector.

        A filter sees only places that lie wholly inside the word; a word shorter than the filter is filled up with
        zeros and seen once. (ELMo's code has 50 places for every word and lets the filters run over the padding: give
        padding an id of its own above 0.)
        """
        batch, rows = ids.shape[:-1], ids.reshape(-1, ids.shape[-1])
        features = self._features(rows)
        for highway in self.highways:
            features = highway(features)
        return self.projection(features).reshape(*batch, -1)

    def forward_unique(
        self, table: Int[Tensor, "word character"], index: Int[Tensor, "*batch"]
    ) -> Float[Tensor, "*batch dim"]:
        """Vectors of the words table[index], each row of `table` computed once: text repeats its words."""
        return F.embedding(index, self(table))

    def _features(self, rows: Int[Tensor, "row character"]) -> Float[Tensor, "row filter"]:
        """relu(max over places); the maximum comes first, it is the same and cheaper.

        A convolution is one product with all windows of its width: equal to `nn.Conv1d`, twice as fast on a CPU.
        """
        lengths = (rows != PADDING).sum(1)
        widest = max(width for width, _ in self.config.filters)
        rows = F.pad(rows, (0, max(0, widest - rows.shape[1])), value=PADDING)
        maxima = []
        for convolution, (width, _) in zip(self.convolutions, self.config.filters, strict=True):
            windows = self.char_embedding(rows.unfold(1, width, 1)).flatten(2)  # [row, place, width * char_dim]
            places = F.linear(windows, convolution.weight.transpose(1, 2).flatten(1), convolution.bias)
            last = (lengths - width).clamp(min=0)  # the last place wholly inside the word
            outside = torch.arange(places.shape[1], device=rows.device) > last[:, None]
            maxima.append(places.masked_fill(outside[..., None], -math.inf).amax(1))
        return torch.cat(maxima, 1).relu()
