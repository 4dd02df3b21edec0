"""The Transformer's two stacks: an encoder that reads in both directions, a decoder that never looks ahead.

Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.1 and figure 1. Vectors in, vectors out: the embedding is in
positions.py, one layer in transformer_layers.py. Built on these: Translator, LeftToRightLM, BERT.
"""

from __future__ import annotations

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.models.attention import KeyValueCache
from course_lib.models.transformer_layers import DecoderLayer, EncoderLayer, TransformerConfig

__all__ = ["TransformerConfig", "TransformerDecoder", "TransformerEncoder"]


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
    ) -> tuple[list[Float[Tensor, "batch seq d_model"]], list[Float[Tensor, "batch head seq seq"] | None]]:
        """Each layer's states, the last one as `forward` gives it, and each layer's attention weights if asked for."""
        outputs, weights = [], []
        for layer in self.layers:
            states, own = layer(states, mask, causal=causal, need_weights=need_weights)
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
    if name == "Translator":
        from course_lib.models.translator import Translator

        return Translator
    if name == "LeftToRightLM":
        from course_lib.models.left_to_right_lm import LeftToRightLM

        return LeftToRightLM
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
