"""What BERT is pre-trained on: hidden pieces, and whether the second sentence follows the first.

Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1 and appendix A.2: the loss is the sum of both means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.device import move
from course_lib.errors import CourseError
from course_lib.models.bert_config import BertConfig


@dataclass(frozen=True)
class MaskedPairs:
    """A batch for `Bert.loss`: rows [CLS] a [SEP], or [CLS] a [SEP] b [SEP], with some pieces hidden.

    rows, columns   the places that are asked; answers: the pieces that stood there (all three from data.masking)
    token_type_ids  segments; None: all 0. attention_mask: True at real pieces; None: no padding
    next            does b follow a? None: the next sentence is not asked for
    """

    input_ids: Int[Tensor, "batch seq"]
    rows: Int[Tensor, " chosen"]
    columns: Int[Tensor, " chosen"]
    answers: Int[Tensor, " chosen"]
    token_type_ids: Int[Tensor, "batch seq"] | None = None
    attention_mask: Bool[Tensor, "batch seq"] | None = None
    next: Bool[Tensor, " batch"] | None = None

    def to(self, device: torch.device | str) -> MaskedPairs:
        return replace(self, **move(vars(self), device))

    def __len__(self) -> int:
        return self.input_ids.shape[0]


class Pooler(nn.Module):
    """tanh(W h + b) of [CLS]'s last state: what the next-sentence head reads."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)

    def forward(self, states: Float[Tensor, "batch seq d_model"]) -> Float[Tensor, "batch d_model"]:
        return self.dense(states[:, 0]).tanh()


class MaskedLMHead(nn.Module):
    """Logits over the pieces: dense, gelu, layer norm, then the token table itself as output layer, plus a bias."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.d_model, config.d_model)
        self.norm = nn.LayerNorm(config.d_model, config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(
        self, states: Float[Tensor, "chosen d_model"], table: Float[Tensor, "vocab d_model"]
    ) -> Float[Tensor, "chosen vocab"]:
        return F.linear(self.norm(F.gelu(self.dense(states))), table, self.bias)


class NextSentenceHead(nn.Linear):
    """Two logits for a pair: 0, the second sentence follows; 1, it does not. The order of published checkpoints."""

    def __init__(self, config: BertConfig):
        super().__init__(config.d_model, 2)


def pretraining_loss(
    logits: Float[Tensor, "chosen vocab"],
    answers: Int[Tensor, " chosen"],
    follows: Float[Tensor, "batch 2"] | None = None,
    next: Bool[Tensor, " batch"] | None = None,
) -> dict[str, Any]:
    """Means in nats: "mlm" per asked piece, "nsp" per pair, "loss" their sum; accuracies.

    "count": pieces asked; "counts": of what is a mean over pairs, their number.

    Raises CourseError if no piece is asked: the mean of nothing is no number.
    """
    if not len(answers):
        raise CourseError("Bert.loss: the batch asks for no piece. Mask it with course_lib.data.masking first.")
    mlm = F.cross_entropy(logits, answers)
    parts = {"loss": mlm, "count": len(answers), "mlm": mlm.detach(), "mlm_accuracy": _accuracy(logits, answers)}
    if next is None:
        return parts
    other = (~next).long()
    nsp = F.cross_entropy(follows, other)
    parts |= {"loss": mlm + nsp, "nsp": nsp, "nsp_accuracy": _accuracy(follows, other)}
    return parts | {"counts": {"nsp": len(other), "nsp_accuracy": len(other)}}


def _accuracy(logits: Float[Tensor, "row choice"], answers: Int[Tensor, " row"]) -> Float[Tensor, ""]:
    return (logits.detach().argmax(-1) == answers).float().mean()
