"""Attention: every query reads a weighted mean of the values; the weights come from how well it fits each key.

Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1 (equation 1) and section 3.2.2 (several heads).
Masks are boolean: True = this query may attend to this key.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.errors import CourseError


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


def causal_mask(n_queries: int, n_past: int = 0, device: torch.device | None = None) -> Bool[Tensor, "query key"]:
    """No query sees a later key. The queries are the last of n_past + n_queries positions."""
    return torch.ones(n_queries, n_past + n_queries, dtype=torch.bool, device=device).tril(n_past)


def padding_mask(real: Bool[Tensor, "batch key"]) -> Bool[Tensor, "batch 1 key"]:
    """Every query sees the real keys only. Join it with a causal mask by &."""
    return real[:, None, :]


class KeyValueCache:
    """Keys and values, cut into heads, that later queries use again. [batch, head, step, d_head]

    Room for all steps is made once; `append` writes the new ones behind the filled part.
    """

    def __init__(self, keys: Float[Tensor, "batch head step dim"], values: Float[Tensor, "batch head step dim"]):
        self.keys, self.values, self.filled, self.complete = keys, values, keys.shape[2], True

    @classmethod
    def empty(cls, batch: int, steps: int, attention: MultiHeadAttention) -> KeyValueCache:
        """Room for `steps` steps of `attention`."""
        like = attention.query.weight
        shape = (batch, attention.n_heads, steps, like.shape[0] // attention.n_heads)
        cache = cls(like.new_empty(shape), like.new_empty(shape))
        cache.filled, cache.complete = 0, False
        return cache

    def append(
        self, keys: Float[Tensor, "batch head new dim"], values: Float[Tensor, "batch head new dim"]
    ) -> tuple[Float[Tensor, "batch head filled dim"], Float[Tensor, "batch head filled dim"]]:
        """All keys and values so far, the new ones last."""
        end = self.filled + keys.shape[2]
        self.keys[:, :, self.filled : end] = keys
        self.values[:, :, self.filled : end] = values
        self.filled = end
        return self.keys[:, :, :end], self.values[:, :, :end]

    def reorder(self, rows: Int[Tensor, " batch"]) -> None:
        """Row i becomes what row rows[i] was; only the filled part is moved."""
        for part in (self.keys, self.values):
            part[:, :, : self.filled] = part[rows, :, : self.filled]


class MultiHeadAttention(nn.Module):
    """Attention in n_heads sub-spaces of width d_model / n_heads, joined by one more projection.

    Vaswani et al. 2017, section 3.2.2: W^Q, W^K, W^V of all heads side by side are `query`, `key`, `value`; W^O is
    `output`. All have a bias, which the paper leaves out and its successors (BERT, GPT) have. `dropout` is the
    probability that a weight is dropped in training.
    """

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0):
        super().__init__()
        if n_heads < 1 or d_model < n_heads or d_model % n_heads:
            near = max(1, d_model // max(n_heads, 1)) * max(n_heads, 1)
            raise CourseError(
                f"MultiHeadAttention: d_model={d_model} cannot be cut into n_heads={n_heads} equal heads. "
                f"Use n_heads >= 1 and a multiple of it, such as d_model={near}."
            )
        self.n_heads, self.dropout = n_heads, dropout
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))
        for linear in (self.query, self.key, self.value, self.output):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(
        self,
        query: Float[Tensor, "batch query d_model"],
        key: Float[Tensor, "batch key d_model"] | None = None,
        value: Float[Tensor, "batch key d_model"] | None = None,
        mask: Shaped[Tensor, "*#batch #query #keys"] | None = None,
        need_weights: bool = False,
        *,
        causal: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Float[Tensor, "batch query d_model"], Float[Tensor, "batch head query keys"] | None]:
        """Output, and each head's weights if asked for (otherwise PyTorch's fused kernel, which never forms them).

        key, value    default: the query (self-attention), and the key
        causal        queries are the last positions of the keys, and none sees a later one; may be joined with `mask`
        cache         self-attention: the keys of `query` are appended and all so far are read. A complete cache (from
                      `project`): its keys are read, nothing is projected. If it has fewer rows than the query,
                      neighbouring query rows share one (the beams of one sentence).
        """
        mask = _boolean(mask)
        shape = query.shape
        if cache is None and key is None and value is None:
            queries, keys, values = self._project_all(query)
        elif cache is not None and cache.complete:
            queries = self._heads(self.query(query.reshape(cache.keys.shape[0], -1, shape[-1])))
            keys, values = cache.keys, cache.values
        else:
            queries = self._heads(self.query(query))
            keys, values = self.project(query if key is None else key, value)
            if cache is not None:
                keys, values = cache.append(keys, values)
        n_queries, n_keys = queries.shape[2], keys.shape[2]
        fused_causal = causal and mask is None and n_queries == n_keys
        if causal and n_queries > 1 and not fused_causal:
            past = causal_mask(n_queries, n_keys - n_queries, query.device)
            mask = past if mask is None else mask & past
        if mask is not None and mask.ndim == 3:
            mask = mask[:, None]
        if need_weights:
            if fused_causal:
                mask = causal_mask(n_queries, device=query.device)
            heads, weights = attend(queries, keys, values, mask)
            if self.training and self.dropout:
                heads = F.dropout(weights, self.dropout) @ values
        else:
            heads, weights = self._fused(queries, keys, values, mask, fused_causal), None
        joined = heads.transpose(1, 2).reshape(shape)
        return self.output(joined), weights

    def project(
        self, key: Float[Tensor, "batch key d_model"], value: Float[Tensor, "batch key d_model"] | None = None
    ) -> tuple[Float[Tensor, "batch head key dim"], Float[Tensor, "batch head key dim"]]:
        """Keys and values, cut into heads."""
        return self._heads(self.key(key)), self._heads(self.value(key if value is None else value))

    def _project_all(self, states: Float[Tensor, "batch seq d_model"]) -> tuple[Tensor, ...]:
        # self-attention: one product with the three matrices side by side takes less time than three
        three = (self.query, self.key, self.value)
        weight, bias = torch.cat([one.weight for one in three]), torch.cat([one.bias for one in three])
        return tuple(self._heads(part) for part in F.linear(states, weight, bias).chunk(3, dim=-1))

    def _heads(self, states: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch head seq dim"]:
        return states.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def _fused(
        self,
        queries: Float[Tensor, "batch head query dim"],
        keys: Float[Tensor, "batch head key dim"],
        values: Float[Tensor, "batch head key dim"],
        mask: Bool[Tensor, "*#batch #query #key"] | None,
        causal: bool,
    ) -> Float[Tensor, "batch head query dim"]:
        dropout = self.dropout if self.training else 0.0
        if mask is None:
            return F.scaled_dot_product_attention(queries, keys, values, dropout_p=dropout, is_causal=causal)
        # What the kernels give for a row of False is not one thing: such a row sees everything, then gives zeros.
        nothing = ~mask.any(-1, keepdim=True)
        heads = F.scaled_dot_product_attention(queries, keys, values, mask | nothing, dropout_p=dropout)
        return heads.masked_fill(nothing, 0.0)


def _boolean(mask: Tensor | None) -> Tensor | None:
    if mask is not None and mask.dtype != torch.bool:
        raise CourseError(
            f"attention: the mask is {mask.dtype}. Use a boolean one, True = may attend, e.g. mask.bool()."
        )
    return mask
