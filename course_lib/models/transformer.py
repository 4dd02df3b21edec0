"""The Transformer: one layer, positions, the two stacks (an encoder, and a decoder that never looks ahead), and GPT.

Source: Vaswani et al. 2017, arXiv:1706.03762, section 3 and figure 1; learned positions as in BERT and GPT. Config
names and the paper's symbols: d_model, d_ff, n_layers = N, n_heads = h, dropout = P_drop. Masks are boolean, True = may
attend; shapes are batch first. Built on this too: Translator, BERT.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.data.batch import Batch, piece_batch
from course_lib.data.records import Sentence
from course_lib.data.streams import StreamBatch
from course_lib.models.attention import MultiHeadAttention, causal_mask
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.fast import Dropout
from course_lib.text.pieces import Pieces
from course_lib.text.word_pieces import VOCABULARY_FILE, WordPieces

States, AnyStates = Float[Tensor, "batch seq d_model"], Float[Tensor, "*place d_model"]
Mask = Bool[Tensor, "*#rows #seq key"] | None
CHOICES = {"positions": ("sinusoidal", "learned", "none"), "norm": ("post", "pre"), "activation": ("relu", "gelu")}


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
            assert getattr(self, name) in choices, f"{name}={getattr(self, name)!r}, not one of {choices}"


class FeedForward(nn.Module):
    """Section 3.3, equation 2: max(0, x W1 + b1) W2 + b2, at each position by itself."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.inner, self.outer = nn.Linear(config.d_model, config.d_ff), nn.Linear(config.d_ff, config.d_model)
        self.activation = {"relu": nn.ReLU, "gelu": nn.GELU}[config.activation]()
        for linear in (self.inner, self.outer):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, states: AnyStates) -> AnyStates:
        return self.outer(self.activation(self.inner(states)))


class Residual(nn.Module):
    """Around each sub-layer f, sections 3.1 and 5.4: x becomes after(x, f(before(x))).

    Post-norm: LayerNorm(x + Dropout(f(x))). Pre-norm: x + Dropout(f(LayerNorm(x))).
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(config.d_model, config.layer_norm_eps), Dropout(config.dropout)
        self.norm_first = config.norm == "pre"

    def before(self, states: AnyStates) -> AnyStates:
        return self.norm(states) if self.norm_first else states

    def after(self, states: AnyStates, found: AnyStates) -> AnyStates:
        states = states + self.dropout(found)
        return states if self.norm_first else self.norm(states)


class Layer(nn.Module):
    """Self-attention, in a decoder attention to the encoder's output, feed-forward: one box of figure 1."""

    def __init__(self, config: TransformerConfig, decoder: bool = False):
        super().__init__()
        sizes = config.d_model, config.n_heads, config.attention_dropout
        self.attention = MultiHeadAttention(*sizes)
        self.cross_attention = MultiHeadAttention(*sizes) if decoder else None
        self.feed_forward = FeedForward(config)
        self.attention_residual = Residual(config)
        self.cross_residual = Residual(config) if decoder else None
        self.feed_forward_residual = Residual(config)

    def forward(
        self,
        states: States,
        mask: Mask = None,
        memory: Float[Tensor, "rows source d_model"] | None = None,
        memory_mask: Mask = None,
        *,
        causal: bool = False,
        caches: tuple[dict, dict] | None = None,
        at: tuple[Int[Tensor, " place"], Int[Tensor, " place"]] | None = None,
    ) -> AnyStates:
        """memory: what the second attention of a decoder reads. caches: of its two attentions.

        at  rows and columns: only these places come out [place, d_model], as the feed-forward reads no others
        """
        own, cross = caches or (None, None)
        around = self.attention_residual
        states = around.after(states, self.attention(around.before(states), None, mask, causal=causal, cache=own))
        if memory is not None:
            around = self.cross_residual
            read = self.cross_attention(around.before(states), memory, memory_mask, cache=cross)
            states = around.after(states, read)
        states = states if at is None else states[at]
        around = self.feed_forward_residual
        return around.after(states, self.feed_forward(around.before(states)))


def sinusoidal_positions(n: int, d_model: int) -> Float[Tensor, "position d_model"]:
    """Section 3.5: PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i+1) = cos of the same.

    Sine and cosine come in pairs: of an odd d_model the last sine has no cosine.
    """
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
            table = sinusoidal_positions(min(config.max_units, 4_096), config.d_model)  # more when it is asked for
            self.register_buffer("table", table, persistent=False)
        self.dropout = Dropout(config.dropout)

    def forward(self, ids: Int[Tensor, "batch seq"], start: int = 0) -> Float[Tensor, "batch seq d_model"]:
        """Vectors of ids that stand at positions start, start + 1, ..."""
        states, end = self.tokens(ids) * self.scale, start + ids.shape[1]
        if self.kind == "learned":
            assert end <= len(self.positions.weight), f"position {end} of {len(self.positions.weight)}"
            states = states + self.positions.weight[start:end]
        elif self.kind == "sinusoidal" and end <= len(self.table):
            states = states + self.table[start:end]
        elif self.kind == "sinusoidal":
            states = states + sinusoidal_positions(end, states.shape[-1])[start:].to(states)
        return self.dropout(states)


class Stack(nn.Module):
    """n_layers layers; with pre-norm a last layer norm on top. Vectors in, vectors out: no embedding here."""

    def __init__(self, config: TransformerConfig, decoder: bool = False):
        super().__init__()
        self.layers = nn.ModuleList(Layer(config, decoder) for _ in range(config.n_layers))
        self.norm = nn.LayerNorm(config.d_model, config.layer_norm_eps) if config.norm == "pre" else nn.Identity()

    def groups(self) -> list[list[nn.Module]]:
        """For the layer groups of an encoder: each layer, the last with the norm on top."""
        return [*([layer] for layer in self.layers[:-1]), [self.layers[-1], self.norm]]


class TransformerEncoder(Stack):
    """The left side of figure 1; with `causal` it is the body of GPT."""

    def forward(self, states: States, mask: Mask = None, *, causal: bool = False) -> States:
        return self.trace(states, mask, causal=causal)[-1]

    def trace(self, states: States, mask: Mask = None, *, causal: bool = False) -> list[States]:
        """The states given, and those after each layer; the last are what `forward` gives."""
        found = [states]
        for layer in self.layers:
            found.append(layer(found[-1], mask, causal=causal))
        return [*found[:-1], self.norm(found[-1])]

    def at(
        self, rows: Int[Tensor, " place"], columns: Int[Tensor, " place"], states: States, mask: Mask = None
    ) -> AnyStates:
        """What `forward` gives at these places, for less work."""
        for layer in self.layers[:-1]:
            states = layer(states, mask)
        return self.norm(self.layers[-1](states, mask, at=(rows, columns)))

    def attentions(self, found: Sequence[States], mask: Mask = None) -> list[Float[Tensor, "batch head query key"]]:
        """Each layer's attention weights, from what `trace` gave and the mask it was given (with the causal one)."""
        pairs = zip(self.layers, found[:-1], strict=True)
        return [layer.attention.weights(layer.attention_residual.before(states), None, mask) for layer, states in pairs]


class TransformerDecoder(Stack):
    """The right side of figure 1."""

    def __init__(self, config: TransformerConfig):
        super().__init__(config, decoder=True)

    def forward(
        self,
        states: States,
        memory: Float[Tensor, "rows source d_model"],
        memory_mask: Mask = None,
        *,
        caches: list[tuple[dict, dict]] | None = None,
    ) -> States:
        """No position sees a later one, so padding on the right of `states` needs no mask.

        caches  a pair of dicts for each layer, empty at first: then `states` are the next step [row, 1, d_model]
        """
        for number, layer in enumerate(self.layers):
            pair = None if caches is None else caches[number]
            states = layer(states, None, memory, memory_mask, causal=caches is None, caches=pair)
        return self.norm(states)

    def cross_attentions(
        self, states: States, memory: Float[Tensor, "batch source d_model"], memory_mask: Mask = None
    ) -> list[Float[Tensor, "batch head seq source"]]:
        """Where each state looks in `memory`, layer by layer."""
        weights = []
        for layer in self.layers:
            around = layer.attention_residual
            queries = around.after(states, layer.attention(around.before(states), causal=True))
            weights.append(layer.cross_attention.weights(layer.cross_residual.before(queries), memory, memory_mask))
            states = layer(states, None, memory, memory_mask, causal=True)
        return weights


class LeftToRightLM(ContextEncoder):
    """GPT: each piece predicts the next one. Radford et al. 2018 ("Improving Language Understanding by Generative
    Pre-Training"), section 3.1.

    Layer 0 is a piece plus its position, counted in pieces; layer n sees no piece later than its own. A sentence is
    read as [BOS] w1 w2 ..., so the first word is predicted too. Its vector is the last word's on top.
    One table serves as input embedding and output weight.
    """

    kind = "left-to-right-lm"

    def __init__(self, config: TransformerConfig, pieces: Pieces | WordPieces):
        super().__init__()
        self.config, self.pieces = config, pieces
        self.embedding = PositionedEmbedding(len(pieces), config)
        self.stack = TransformerEncoder(config)
        self.layer_names = ("piece", *(f"layer {number}" for number in range(1, config.n_layers + 1)))
        self.dims = (config.d_model,) * (config.n_layers + 1)
        self.sentence_dim = config.d_model
        self.max_units = config.max_units - 1 if config.positions == "learned" else None  # one place is for [BOS]

    def forward(self, ids: Int[Tensor, "batch seq"]) -> Float[Tensor, "batch seq vocab"]:
        """Logits for the piece after each one."""
        return self.stack(self.embedding(ids), causal=True) @ self.embedding.tokens.weight.T

    def loss(self, batch: StreamBatch) -> dict[str, Any]:
        """Mean negative log-likelihood (nats) of the next piece of running text; exp of it is the perplexity.

        A step begins without knowledge of the one before.
        """
        loss = F.cross_entropy(self(batch.ids).flatten(0, 1), batch.targets.flatten())
        return {"loss": loss, "count": batch.targets.numel()}

    def attentions(self, batch: Batch) -> tuple[list[Float[Tensor, "batch head query key"]], list[list[str]]]:
        """Weights per layer, and each row's pieces with [BOS] in front; columns and rows past its end are padding."""
        ids, lengths = batch.ids["pieces"], batch.ids["real"].sum(1).tolist()
        weights = self.stack.attentions(
            self.stack.trace(self.embedding(ids), causal=True), causal_mask(ids.shape[1], device=ids.device)
        )
        return weights, [self.pieces.tokens(row[:n]) for row, n in zip(ids.tolist(), lengths, strict=True)]

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        most = None if self.max_units is None else self.max_units + 1
        rows = [(sentence,) for sentence in first]
        return piece_batch(rows, self.pieces, unit, end=None, most=most, name=type(self).__name__)

    def _states(self, batch: Batch) -> Encoding:
        ids = batch.ids
        # Padding stands on the right, where no real piece looks: the causal mask is enough.
        layers = torch.stack(self.stack.trace(self.embedding(ids["pieces"]), causal=True))
        rows = torch.arange(len(batch), device=layers.device)
        sentence = layers[-1, rows, ids["real"].sum(1) - 1]
        return Encoding(layers[:, rows[:, None], ids["places"]], batch.mask, batch.segment, sentence)

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return list(zip(self.layer_names, [[self.embedding], *self.stack.groups()], strict=True))

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> LeftToRightLM:
        kind = WordPieces if VOCABULARY_FILE in files else Pieces
        return cls(TransformerConfig(**config), kind.from_files(files))


def __getattr__(name: str):
    """Translator stands in its own file, which is built on this one, and is found here too."""
    if name != "Translator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module("course_lib.models.translator").Translator
