"""Where a word stands: attention alone does not know it, so each position has a vector that is added to the token's.

Source: Vaswani et al. 2017, arXiv:1706.03762, sections 3.4 and 3.5; learned positions as in BERT and GPT.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.models.transformer_layers import Dropout, TransformerConfig


def sinusoidal_positions(n: int, d_model: int) -> Float[Tensor, "position d_model"]:
    """Section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i+1) = cos of the same. d_model is even."""
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    angle = torch.arange(n)[:, None] * frequency
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


class PositionedEmbedding(nn.Module):
    """A token's vector plus its position's, then dropout. Sections 3.4 (the factor sqrt(d_model)) and 3.5."""

    def __init__(self, vocab_size: int, config: TransformerConfig):
        super().__init__()
        self.kind, self.scale = config.positions, math.sqrt(config.d_model)
        self.tokens = nn.Embedding(vocab_size, config.d_model)
        # The table is the output layer too: logits of a normed state, and vectors times sqrt(d_model), have variance 1.
        nn.init.normal_(self.tokens.weight, std=1 / self.scale)
        if self.kind == "learned":
            self.positions = nn.Embedding(config.max_units, config.d_model)
            nn.init.normal_(self.positions.weight, std=math.sqrt(0.5))  # as loud as sinusoids
        elif self.kind == "sinusoidal":
            table = sinusoidal_positions(config.max_units, config.d_model)
            self.register_buffer("table", table, persistent=False)
        self.dropout = Dropout(config.dropout)

    def forward(self, ids: Int[Tensor, "batch seq"], start: int = 0) -> Float[Tensor, "batch seq d_model"]:
        """Vectors of ids that stand at positions start, start + 1, ..."""
        return self.dropout(self.positioned(self.tokens(ids) * self.scale, start))

    def positioned(self, states: Float[Tensor, "batch seq d"], start: int = 0) -> Float[Tensor, "batch seq d"]:
        end = start + states.shape[1]
        if self.kind == "none":
            return states
        if self.kind == "learned":
            if end > len(self.positions.weight):
                raise CourseError(
                    f"Position {end} was asked for, but only {len(self.positions.weight)} were learned. "
                    "Cut the text with course_lib.data.windows, or use a larger max_units."
                )
            return states + self.positions.weight[start:end]
        if end <= len(self.table):
            return states + self.table[start:end]
        return states + sinusoidal_positions(end, states.shape[-1])[start:].to(states)
