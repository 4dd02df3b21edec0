"""The Transformer: one layer, positions, and the two stacks: an encoder, and a decoder that never looks ahead.

Source: Vaswani et al. 2017, arXiv:1706.03762, section 3 and figure 1; learned positions as in BERT and GPT. Config
names and the paper's symbols: d_model, d_ff, n_layers = N, n_heads = h, dropout = P_drop. Masks are boolean, True = may
attend; shapes are batch first. Attention itself is in attention.py. Built on this: Translator, LeftToRightLM, BERT.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.models.attention import KeyValueCache, MultiHeadAttention
from course_lib.models.fast import Dropout
from course_lib.models.limits import at_least, one_of

CHOICES = {
    "positions": ("sinusoidal", "learned", "none"),
    "norm": ("post", "pre"),
    "activation": ("relu", "gelu"),
}


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and choices."""

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
            one_of(choices, "TransformerConfig", **{name: getattr(self, name)})
        at_least(1, "TransformerConfig", n_layers=self.n_layers, d_ff=self.d_ff, max_units=self.max_units)
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise CourseError(f"TransformerConfig: d_model={self.d_model} is odd; sine and cosine come in pairs.")


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
        self,
        states: Float[Tensor, "batch seq d_model"],
        sublayer: Callable[[Tensor], tuple[Tensor, Tensor | None]],
        at: Int[Tensor, "batch place"] | None = None,
    ) -> tuple[Float[Tensor, "batch _ d_model"], Tensor | None]:
        """`sublayer` gives its output and its attention weights, or None; they are handed on. at: its places only."""
        output, weights = sublayer(self.norm(states) if self.norm_first else states)
        states = _at(states, at) + self.dropout(output)
        return states if self.norm_first else self.norm(states), weights


def _at(states: Shaped[Tensor, "batch seq d"], places: Int[Tensor, "batch place"] | None) -> Tensor:
    return states if places is None else states.take_along_dim(places[:, :, None], dim=1)


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
        at: Int[Tensor, "batch place"] | None = None,
    ) -> tuple[Float[Tensor, "batch _ d_model"], Float[Tensor, "batch head query seq"] | None]:
        """States and, if asked for, attention weights.

        at  places of each row: theirs alone are computed, from all the others (not with `causal`)
        """
        if at is not None and mask is not None and mask.shape[-2] > 1:
            mask = _at(mask.expand(len(states), -1, -1), at)

        def attention(x: Tensor) -> tuple[Tensor, Tensor | None]:
            key = None if at is None else x
            return self.attention(_at(x, at), key, mask=mask, causal=causal, need_weights=need_weights)

        states, weights = self.attention_residual(states, attention, at)
        return self.feed_forward_residual(states, lambda x: (self.feed_forward(x), None))[0], weights


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to the encoder's output, feed-forward: the right side of figure 1."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.attention, self.cross_attention = _attention(config), _attention(config)
        self.feed_forward = FeedForward(config)
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


def sinusoidal_positions(n: int, d_model: int) -> Float[Tensor, "position d_model"]:
    """Section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i+1) = cos of the same.

    Sine and cosine come in pairs: of an odd d_model the last sine has no cosine.
    """
    at_least(1, "sinusoidal_positions", d_model=d_model)
    at_least(0, "sinusoidal_positions", n=n)
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    angle = torch.arange(n)[:, None] * frequency
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)[:, :d_model]


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
                    "Cut the text with model.windows(text), or use a larger max_units."
                )
            return states + self.positions.weight[start:end]
        if end <= len(self.table):
            return states + self.table[start:end]
        return states + sinusoidal_positions(end, states.shape[-1])[start:].to(states)


class TransformerEncoder(nn.Module):
    """n_layers encoder layers; with pre-norm a last layer norm on top. Vectors in, vectors out: no embedding here."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model, config.layer_norm_eps) if config.norm == "pre" else nn.Identity()

    def forward(
        self,
        states: Float[Tensor, "batch seq d_model"],
        mask: Bool[Tensor, "*#batch #seq seq"] | None = None,
        *,
        causal: bool = False,
    ) -> Float[Tensor, "batch seq d_model"]:
        return self.trace(states, mask, causal=causal)[0][-1]

    def trace(
        self,
        states: Float[Tensor, "batch seq d_model"],
        mask: Bool[Tensor, "*#batch #seq seq"] | None = None,
        *,
        causal: bool = False,
        need_weights: bool = False,
        at: Int[Tensor, "batch place"] | None = None,
    ) -> tuple[list[Float[Tensor, "batch _ d_model"]], list[Float[Tensor, "batch head query seq"] | None]]:
        """Each layer's states, the last one as `forward` gives it, and each layer's attention weights if asked for.

        at  the last layer computes these places of each row only: all that a loss reads
        """
        outputs, weights = [], []
        for layer in self.layers:
            last = at if layer is self.layers[-1] else None
            states, own = layer(states, mask, causal=causal, need_weights=need_weights, at=last)
            outputs.append(states)
            weights.append(own)
        outputs[-1] = self.norm(states)
        return outputs, weights


class TransformerDecoder(nn.Module):
    """n_layers decoder layers; with pre-norm a last layer norm on top."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model, config.layer_norm_eps) if config.norm == "pre" else nn.Identity()

    def forward(
        self,
        states: Float[Tensor, "batch seq d_model"],
        memory: Float[Tensor, "batch source d_model"] | None,
        memory_mask: Bool[Tensor, "*#rows #seq source"] | None = None,
        *,
        caches: list[tuple[KeyValueCache, KeyValueCache]] | None = None,
    ) -> Float[Tensor, "batch seq d_model"]:
        """No position sees a later one, so padding on the right of `states` needs no mask. caches: one pair a layer."""
        return self.trace(states, memory, memory_mask, caches=caches)[0]

    def trace(
        self,
        states: Float[Tensor, "batch seq d_model"],
        memory: Float[Tensor, "batch source d_model"] | None,
        memory_mask: Bool[Tensor, "*#rows #seq source"] | None = None,
        *,
        caches: list[tuple[KeyValueCache, KeyValueCache]] | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch seq d_model"], list[Float[Tensor, "batch head seq source"] | None]]:
        """The top layer's states, and each layer's cross-attention weights if asked for."""
        weights = []
        for number, layer in enumerate(self.layers):
            cache = None if caches is None else caches[number]
            states, own = layer(states, memory, memory_mask, caches=cache, need_weights=need_weights)
            weights.append(own)
        return self.norm(states), weights


def __getattr__(name: str):
    """Translator and LeftToRightLM stand in their own files, and are found here too."""
    places = {"Translator": "translator", "LeftToRightLM": "left_to_right_lm"}
    if name not in places:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"course_lib.models.{places[name]}"), name)
