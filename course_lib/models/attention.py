"""Attention: every query reads a weighted mean of the values; the weights come from how well it fits each key.

Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1 (equation 1) and section 3.2.2 (several heads).
Masks are boolean: True = this query may attend to this key.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.errors import CourseError
from course_lib.language import t


def attend(
    query: Float[Tensor, "*#rows query dim"],
    key: Float[Tensor, "*#rows key dim"],
    value: Float[Tensor, "*#rows key width"],
    mask: Shaped[Tensor, "*#rows #query #key"] | None = None,
    scale: float | None = None,
) -> tuple[Float[Tensor, "*rows query width"], Float[Tensor, "*rows query key"]]:
    """softmax(Q K^T * scale) V, and the weights. Vaswani et al. 2017, equation 1: scale = 1 / sqrt(dim).

    A query that may attend to nothing gets zeros: as output and as weights. Raises CourseError for a mask that is not
    boolean: 0 and 1 would be added to the scores by other libraries and hide nothing.
    """
    mask = _boolean(mask)
    scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    if mask is None:
        weights = scores.softmax(-1)
    else:
        # The lowest number, not -inf: a row of -inf alone would be NaN, and so would its gradient.
        weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ value, weights


def causal_mask(n: int, device: torch.device | None = None) -> Bool[Tensor, "query key"]:
    """No query sees a later key."""
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def padding_mask(real: Bool[Tensor, "batch key"]) -> Bool[Tensor, "batch 1 key"]:
    """Every query sees the real keys only. Join it with a causal mask by &."""
    return real[:, None, :]


class MultiHeadAttention(nn.Module):
    """Attention in n_heads sub-spaces of width d_model / n_heads, joined by one more projection.

    Vaswani et al. 2017, section 3.2.2: W^Q, W^K, W^V of all heads side by side are `query`, `key`, `value`; W^O is
    `output`. All have a bias, which the paper leaves out and its successors (BERT, GPT) have. `dropout` is the
    probability that a weight is dropped in training.
    """

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0):
        super().__init__()
        assert n_heads > 0, n_heads
        assert d_model % n_heads == 0, f"d_model={d_model} cannot be cut into n_heads={n_heads} equal heads"
        self.n_heads, self.dropout = int(n_heads), dropout
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))
        for linear in (self.query, self.key, self.value, self.output):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(
        self,
        states: Float[Tensor, "batch query d_model"],
        context: Float[Tensor, "rows key d_model"] | None = None,
        mask: Shaped[Tensor, "*#rows #query #keys"] | None = None,
        *,
        causal: bool = False,
        cache: dict[str, Tensor] | None = None,
    ) -> Float[Tensor, "batch query d_model"]:
        """What the states read in `context`, by default in themselves. PyTorch's kernel never forms the weights.

        causal  no state reads a later one; may be joined with `mask`, not with `cache`
        cache   keys and values of earlier steps. Those of `states` are added; those of a `context` are projected in
                the first step, and read again in later ones. A context with fewer rows than the states is shared by
                neighbouring rows (the beams of one sentence)
        """
        if cache and context is not None:
            keys, values = cache["keys"], cache["values"]
        else:
            read = states if context is None else context
            keys, values = self.heads(self.key(read)), self.heads(self.value(read))
            if cache:
                keys, values = torch.cat([cache["keys"], keys], 2), torch.cat([cache["values"], values], 2)
            if cache is not None:
                cache.update(keys=keys, values=values)
        # one row of queries for each row of keys: the beams of a sentence stand side by side
        queries = self.heads(self.query(states.reshape(len(keys), -1, states.shape[-1])))  # [rows, head, query, dim]
        if causal and mask is not None:
            mask = mask & causal_mask(states.shape[1], device=states.device)
        mask, dropout = _per_head(mask), self.dropout if self.training else 0.0
        if mask is None:
            found = F.scaled_dot_product_attention(queries, keys, values, dropout_p=dropout, is_causal=causal)
        else:
            # What the kernels give for a row of False is not one thing: such a row sees everything, then gives zeros.
            nothing = ~mask.any(-1, keepdim=True)
            found = F.scaled_dot_product_attention(queries, keys, values, mask | nothing, dropout_p=dropout)
            found = found.masked_fill(nothing, 0.0)
        return self.output(found.transpose(1, 2).reshape(states.shape))

    def weights(
        self,
        states: Float[Tensor, "batch query d_model"],
        context: Float[Tensor, "batch key d_model"] | None = None,
        mask: Shaped[Tensor, "*#batch #query #key"] | None = None,
    ) -> Float[Tensor, "batch head query key"]:
        """How much each head reads of each key, without dropout: what `forward` never forms."""
        queries, keys = self.heads(self.query(states)), self.heads(self.key(states if context is None else context))
        return attend(queries, keys, keys, _per_head(mask))[1]

    def heads(self, states: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch head seq dim"]:
        return states.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)


def _per_head(mask: Tensor | None) -> Tensor | None:
    """A boolean mask [batch, query, key] for all heads alike: [batch, 1, query, key]."""
    mask = _boolean(mask)
    return mask[:, None] if mask is not None and mask.ndim == 3 else mask


def _boolean(mask: Tensor | None) -> Tensor | None:
    if mask is not None and mask.dtype != torch.bool:
        raise CourseError(
            t("attention: the mask is {kind}. Use a boolean one, True = may attend, e.g. mask.bool().", kind=mask.dtype)
        )
    return mask
