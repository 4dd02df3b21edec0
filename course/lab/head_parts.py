"""Queries and keys of a BERT's heads: what BertViz's neuron view multiplies."""

from __future__ import annotations

import contextlib

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.data.batch import Batch
from course_lib.models.bert import Bert

Heads = list[Float[Tensor, "batch head seq dim"]]  # one per layer


@torch.no_grad()
def queries_and_keys(bert: Bert, batch: Batch) -> tuple[Heads, Heads]:
    """Per layer [batch, head, piece, dim]. softmax(query @ key / sqrt(dim)) is the weights of `bert.attentions`.

    Rows past the end of a sentence are padding.
    """
    queries: Heads = []
    keys: Heads = []

    def note(attention: torch.nn.Module, given: tuple[Tensor, ...]) -> None:
        queries.append(attention.query(given[0]).unflatten(-1, (attention.n_heads, -1)).transpose(1, 2))
        keys.append(attention.project(given[0])[0])

    with contextlib.ExitStack() as stack:
        for layer in bert.stack.layers:
            stack.callback(layer.attention.register_forward_pre_hook(note).remove)
        bert(batch.ids["pieces"], batch.ids["segments"], batch.ids["real"])
    return queries, keys
