"""Transformers of a few thousand numbers for tests, and the way of their weights into PyTorch's."""

from collections.abc import Sequence

import torch
from torch import nn

from course_lib.models.attention import MultiHeadAttention
from course_lib.models.left_to_right_lm import LeftToRightLM
from course_lib.models.transformer import TransformerConfig
from course_lib.text.pieces import Pieces


def small_config(**settings) -> TransformerConfig:
    return TransformerConfig(
        **{"d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 17, "dropout": 0.1, "max_units": 317, **settings}
    )


def small_lm(words: Sequence[str], *, bpe: bool = False, **settings) -> LeftToRightLM:
    pieces = Pieces.bpe([words], 97) if bpe else Pieces.words([words])
    return LeftToRightLM(small_config(**settings), pieces)


@torch.no_grad()
def copy_attention(theirs: nn.MultiheadAttention, ours: MultiHeadAttention) -> None:
    theirs.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.key.weight, ours.value.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.key.bias, ours.value.bias]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())
