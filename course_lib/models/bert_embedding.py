"""What goes into BERT, and the numbers that every part of it starts from.

Source: Devlin et al. 2018, arXiv:1810.04805, section 3 and figure 2.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.models.bert_config import INITIAL_STD, BertConfig
from course_lib.models.positions import sinusoidal_positions
from course_lib.models.transformer_layers import Dropout


class BertEmbedding(nn.Module):
    """Piece plus position plus segment, then layer norm and dropout. The piece is not scaled, unlike in 2017."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.max_units, config.d_model)
        self.segments = nn.Embedding(config.n_segments, config.d_model)
        self.norm, self.dropout = nn.LayerNorm(config.d_model, config.layer_norm_eps), Dropout(config.dropout)

    def forward(
        self, input_ids: Int[Tensor, "batch seq"], token_type_ids: Int[Tensor, "batch seq"] | None = None
    ) -> Float[Tensor, "batch seq d_model"]:
        segments = self.segments.weight[0] if token_type_ids is None else self.segments(token_type_ids)
        positions = self.positions.weight[: input_ids.shape[1]]
        return self.dropout(self.norm(self.tokens(input_ids) + positions + segments))

    @torch.no_grad()
    def start_from_sinusoids(self, amplitude: float = 0.06) -> None:
        """Put `amplitude` times sines and cosines into the table of positions, which is learned from there.

        Raises CourseError if d_model is odd: sines and cosines come in pairs.
        """
        n, d_model = self.positions.weight.shape
        if d_model % 2:
            raise CourseError(f"BertEmbedding: sinusoids need an even d_model, this one is {d_model}.")
        self.positions.weight.copy_(amplitude * sinusoidal_positions(n, d_model))


def draw(module: nn.Module) -> None:
    """N(0, 0.02) for matrices and tables, 0 for biases: the authors' start (theirs is cut off at two deviations)."""
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=INITIAL_STD)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
