"""Transformers of a few thousand numbers for tests, and the way of their weights into PyTorch's."""

from collections.abc import Sequence

import torch
from torch import nn

from course_lib.models.attention import MultiHeadAttention
from course_lib.models.transformer import LeftToRightLM, TransformerConfig
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


def copy_layers(theirs: nn.TransformerEncoder | nn.TransformerDecoder, ours: nn.Module) -> None:
    """The weights of our stack into PyTorch's, layer by layer."""
    for mine, other in zip(ours.layers, theirs.layers, strict=True):
        copy_attention(other.self_attn, mine.attention)
        residuals = [mine.attention_residual, mine.feed_forward_residual]
        if mine.cross_attention is not None:
            copy_attention(other.multihead_attn, mine.cross_attention)
            residuals.insert(1, mine.cross_residual)
        for number, residual in enumerate(residuals, start=1):
            getattr(other, f"norm{number}").load_state_dict(residual.norm.state_dict())
        other.linear1.load_state_dict(mine.feed_forward.inner.state_dict())
        other.linear2.load_state_dict(mine.feed_forward.outer.state_dict())
