"""One layer of the Transformer: attention, feed-forward, and what stands around both: residual and layer norm.

Source: Vaswani et al. 2017, arXiv:1706.03762, section 3 and figure 1. Config names and the paper's symbols: d_model,
d_ff, n_layers = N, n_heads = h, dropout = P_drop. Masks are boolean, True = may attend; shapes are batch first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.errors import CourseError
from course_lib.models.attention import KeyValueCache, MultiHeadAttention

CHOICES = {
    "positions": ("sinusoidal", "learned", "none"),
    "norm": ("post", "pre"),
    "activation": ("relu", "gelu"),
}


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and choices. Raises CourseError that names the setting which cannot work."""

    d_model: int = 512
    n_heads: int = 8
    n_layers: int = 6  # of the encoder, and as many of the decoder
    d_ff: int = 2048
    dropout: float = 0.1  # on each sub-layer's output and on the embeddings (section 5.4)
    attention_dropout: float = 0.0  # on the attention weights; not in the paper, 0.1 in BERT and in PyTorch's layers
    positions: str = "sinusoidal"
    max_units: int = 512  # places in a learned table of positions
    norm: str = "post"  # the paper's; "pre" (Xiong et al. 2020, arXiv:2002.04745) trains without warm-up
    activation: str = "relu"
    layer_norm_eps: float = 1e-5
    label_smoothing: float = 0.1  # of the Translator (section 5.4)

    @classmethod
    def paper(cls) -> TransformerConfig:
        """The base model, table 3."""
        return cls()

    @classmethod
    def small(cls) -> TransformerConfig:
        """Trains in a minute on two cores."""
        return cls(d_model=128, n_heads=4, n_layers=2, d_ff=512, max_units=256, norm="pre")

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise CourseError(
                    f"TransformerConfig: {name}={getattr(self, name)!r}. Use one of: {', '.join(choices)}."
                )
        if wrong := [name for name in ("n_layers", "d_ff", "max_units") if getattr(self, name) < 1]:
            raise CourseError(f"TransformerConfig: {wrong[0]}={getattr(self, wrong[0])}. Use 1 or more.")
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise CourseError(f"TransformerConfig: d_model={self.d_model} is odd; sine and cosine come in pairs.")


class Dropout(nn.Dropout):
    """nn.Dropout, on a CPU in less than half its time: one random integer of 64 bits decides over four numbers.

    p is met to 1 / 65,536. PyTorch draws anew for every number, which is a tenth of a small network's training step.
    """

    def forward(self, states: Shaped[Tensor, "*rows"]) -> Shaped[Tensor, "*rows"]:
        dropped = round(self.p * 2**16)
        if not self.training or not 0 < dropped < 2**16 or states.device.type != "cpu":
            return F.dropout(states, self.p, self.training)
        drawn = torch.empty(-(-states.numel() // 4), dtype=torch.long).random_(torch.iinfo(torch.long).min, None)
        sixteen_bits = drawn.view(torch.int16)[: states.numel()].view(states.shape)  # -32,768 ... 32,767, each as often
        keep = sixteen_bits >= dropped - 2**15
        return states * keep.to(states.dtype).mul_(2**16 / (2**16 - dropped))


class FeedForward(nn.Module):
    """Section 3.3, equation 2: max(0, x W1 + b1) W2 + b2, at each position by itself."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.inner, self.outer = nn.Linear(config.d_model, config.d_ff), nn.Linear(config.d_ff, config.d_model)
        self.activation = {"relu": nn.ReLU, "gelu": nn.GELU}[config.activation]()
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, states: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows d_model"]:
        return self.outer(self.activation(self.inner(states)))


class Residual(nn.Module):
    """Around each sub-layer f, after sections 3.1 and 5.4.

    Post-norm: LayerNorm(x + Dropout(f(x))). Pre-norm: x + Dropout(f(LayerNorm(x))).
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(config.d_model, config.layer_norm_eps), Dropout(config.dropout)
        self.norm_first = config.norm == "pre"

    def forward(
        self, states: Float[Tensor, "batch seq d_model"], sublayer: Callable[[Tensor], tuple[Tensor, Tensor | None]]
    ) -> tuple[Float[Tensor, "batch seq d_model"], Tensor | None]:
        """`sublayer` gives its output and its attention weights, or None; they are handed on."""
        output, weights = sublayer(self.norm(states) if self.norm_first else states)
        states = states + self.dropout(output)
        return states if self.norm_first else self.norm(states), weights


def _attention(config: TransformerConfig) -> MultiHeadAttention:
    return MultiHeadAttention(config.d_model, config.n_heads, config.attention_dropout)


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward: the left side of figure 1. With `causal` it is a layer of GPT."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.attention, self.feed_forward = _attention(config), FeedForward(config)
        self.attention_residual, self.feed_forward_residual = Residual(config), Residual(config)

    def forward(
        self,
        states: Float[Tensor, "batch seq d_model"],
        mask: Bool[Tensor, "*#batch #seq seq"] | None = None,
        *,
        causal: bool = False,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch seq d_model"], Float[Tensor, "batch head seq seq"] | None]:
        """States and, if asked for, attention weights."""
        states, weights = self.attention_residual(
            states, lambda x: self.attention(x, mask=mask, causal=causal, need_weights=need_weights)
        )
        return self.feed_forward_residual(states, lambda x: (self.feed_forward(x), None))[0], weights


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to the encoder's output, feed-forward: the right side of figure 1."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.attention, self.cross_attention, self.feed_forward = (
            _attention(config),
            _attention(config),
            FeedForward(config),
        )
        self.attention_residual, self.cross_residual, self.feed_forward_residual = (Residual(config) for _ in range(3))

    def forward(
        self,
        states: Float[Tensor, "batch seq d_model"],
        memory: Float[Tensor, "batch source d_model"] | None,
        memory_mask: Bool[Tensor, "*#rows #seq source"] | None = None,
        *,
        caches: tuple[KeyValueCache, KeyValueCache] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch seq d_model"], Float[Tensor, "batch head seq source"] | None]:
        """States and, if asked for, the weights of the cross-attention.

        caches  (own steps so far, projected memory): `states` are the next steps, and `memory` is not read
        """
        own, cross = caches or (None, None)
        states, _ = self.attention_residual(states, lambda x: self.attention(x, causal=True, cache=own))
        states, weights = self.cross_residual(
            states,
            lambda x: self.cross_attention(x, memory, mask=memory_mask, need_weights=need_weights, cache=cross),
        )
        return self.feed_forward_residual(states, lambda x: (self.feed_forward(x), None))[0], weights
