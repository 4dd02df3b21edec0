"""A Transformer language model that reads from left to right, as GPT does: each piece predicts the next one.

Source: Radford et al. 2018 ("Improving Language Understanding by Generative Pre-Training"), section 3.1; its layers
are Vaswani et al. 2017's, causal, without an encoder to look at.
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.data.batch import Batch, piece_batch, places_of
from course_lib.data.records import Sentence
from course_lib.data.streams import StreamBatch
from course_lib.models.attention import causal_mask
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.transformer import PositionedEmbedding, TransformerConfig, TransformerEncoder
from course_lib.text.pieces import Pieces
from course_lib.text.word_pieces import VOCABULARY_FILE, WordPieces


class LeftToRightLM(ContextEncoder):
    """Layer 0 is a piece plus its position, counted in pieces; layer n sees no piece later than its own.

    A sentence is read as [BOS] w1 w2 ..., so the first word is predicted too. Its vector is the last word's on top.
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
        return self._logits(self.stack(self.embedding(ids), causal=True))

    def loss(self, batch: StreamBatch | Batch) -> dict[str, Any]:
        """Mean negative log-likelihood (nats) of the next piece; exp of it is the perplexity.

        StreamBatch  running text: every target counts; a step begins without knowledge of the one before
        Batch        sentences as `batch` makes them: every piece counts, the first too, and the end
        """
        if isinstance(batch, StreamBatch):
            states = self.stack(self.embedding(batch.ids), causal=True).flatten(0, 1)
            targets = batch.targets.flatten()
        else:
            ids, places = batch.ids["pieces"], batch.ids["predicting"]
            last = torch.arange(ids.shape[1], device=ids.device) == batch.ids["real"].sum(1, keepdim=True) - 1
            targets = F.pad(ids[:, 1:], (0, 1)).masked_fill(last, self.pieces.end).flatten()[places]
            states = self.stack(self.embedding(ids), causal=True).flatten(0, 1)[places]  # no logits at padding
        return {"loss": F.cross_entropy(self._logits(states), targets), "count": len(targets)}

    def attentions(self, batch: Batch) -> tuple[list[Float[Tensor, "batch head query key"]], list[list[str]]]:
        """Weights per layer, and each row's pieces with [BOS] in front; columns and rows past its end are padding."""
        ids, lengths = batch.ids["pieces"], batch.ids["real"].sum(1).tolist()
        weights = self.stack.attentions(
            self.stack.trace(self.embedding(ids), causal=True), causal_mask(ids.shape[1], device=ids.device)
        )
        return weights, [self.pieces.tokens(row[:n]) for row, n in zip(ids.tolist(), lengths, strict=True)]

    def _logits(self, states: Float[Tensor, "*rows d_model"]) -> Float[Tensor, "*rows vocab"]:
        return states @ self.embedding.tokens.weight.T

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        most = None if self.max_units is None else self.max_units + 1
        rows = [(sentence,) for sentence in first]
        batch = piece_batch(rows, self.pieces, unit, self.pieces.begin, None, most, type(self).__name__)
        batch.ids["predicting"] = places_of(batch.ids["real"])
        return batch

    def _states(self, batch: Batch) -> Encoding:
        ids = batch.ids
        # Padding stands on the right, where no real piece looks: the causal mask is enough.
        layers = torch.stack(self.stack.trace(self.embedding(ids["pieces"]), causal=True))
        rows = torch.arange(len(batch), device=layers.device)
        sentence = layers[-1, rows, ids["real"].sum(1) - 1]
        return Encoding(layers[:, rows[:, None], ids["places"]], batch.mask, batch.segment, sentence)

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return list(zip(self.layer_names, [[self.embedding], *self.stack.groups()], strict=True))

    def _files(self) -> dict[str, str]:
        return self.pieces.files()

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, str]) -> LeftToRightLM:
        kind = WordPieces if VOCABULARY_FILE in files else Pieces
        return cls(TransformerConfig(**config), kind.from_files(files))
