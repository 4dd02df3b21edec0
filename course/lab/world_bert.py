"""Small BERTs that learn in seconds, and their one-way twins, for the claims of chapter 7.

model = world_bert(seed=0)      # a Bert of the invented world, in eval mode: model.encode([["The", "bank", ...]])

A twin is the same network with a one-way mask, trained to predict the piece beside each one instead of a hidden one.
Devlin et al. 2018, section 5.1, compare BERT with such a network ("LTR").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course.lab.bert_batches import MASKED, Asked, Row, Shares, sentence_rows
from course.lab.world_bilm import world_text
from course_lib.device import seed_everything
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.transformer import TransformerEncoder
from course_lib.text.word_pieces import SPECIALS, WordPieces
from course_lib.training import fit
from course_lib.training.schedules import rise_and_fall

RATE = 3e-3
N_WORDS = 60_000
Schedule = Callable[[int, int], float]


def rise(step: int, total: int, steps: int = 20) -> float:
    """Up for some steps, then the same rate for ever: for curves, whose points must not depend on where they end."""
    return min(1.0, (step + 1) / steps)


class OneWay(nn.Module):
    """A stack in which each place sees itself and what stands before it; backward: and what stands after it."""

    def __init__(self, stack: TransformerEncoder, *, backward: bool):
        super().__init__()
        self.both_ways, self.backward = stack, backward

    @property
    def layers(self) -> nn.ModuleList:
        return self.both_ways.layers

    @property
    def norm(self) -> nn.Module:
        return self.both_ways.norm

    def trace(
        self,
        states: Float[Tensor, "batch seq d_model"],
        mask: Bool[Tensor, "batch 1 seq"] | None = None,
        **settings: Any,
    ) -> tuple[list[Float[Tensor, "batch seq d_model"]], list]:
        sees = torch.ones(states.shape[1], states.shape[1], dtype=torch.bool, device=states.device)
        sees = sees.triu() if self.backward else sees.tril()
        return self.both_ways.trace(states, sees if mask is None else sees & mask, **settings)


@lru_cache(maxsize=16)
def world_bert(
    seed: int = 0,
    *,
    steps: int = 400,
    shares: Shares = MASKED,
    objective: str = "masked",
    width: int = 64,
    rate: float = RATE,
) -> Bert:
    """Trained on sentences of the world, whole words as pieces; the text is always the same. Cached: do not change it.

    objective  "masked"; or "left-to-right", "right-to-left": the one-way twins, asked at all places
    """
    model = new_bert(whole_words(world_text(N_WORDS)), seed, objective=objective, width=width)
    return train_bert(model, world_rows(), seed, steps=steps, objective=objective, shares=shares, rate=rate)


@lru_cache(maxsize=1)
def world_rows() -> tuple[Row, ...]:
    text = world_text(N_WORDS)
    return sentence_rows(text, whole_words(text))


@lru_cache(maxsize=4)
def whole_words(text: tuple[tuple[str, ...], ...]) -> WordPieces:
    """Every word is a piece of its own; 's is two, since BERT cuts at the apostrophe."""
    words = {part for words in text for word in words for part in word.replace("'", " ' ").split()}
    return WordPieces([*SPECIALS, *sorted(words)], lowercase=False)


def new_bert(pieces: WordPieces, seed: int, *, objective: str = "masked", width: int = 64) -> Bert:
    """Untrained. With one seed and width all objectives start from the same numbers."""
    seed_everything(seed)
    config = BertConfig(
        vocab_size=len(pieces),
        d_model=width,
        n_heads=4,
        n_layers=2,
        d_ff=2 * width,
        max_units=64,
        dropout=0.0,
        attention_dropout=0.0,
    )
    model = Bert(config, pieces)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:  # 0.02 is for 768 numbers in a row: their sum would be too quiet here
                parameter *= (BertConfig.paper().d_model / width) ** 0.5
    if objective != "masked":
        model.stack = OneWay(model.stack, backward=objective == "right-to-left")
    return model.eval()


def train_bert(
    model: Bert,
    rows: Sequence[Row],
    seed: int,
    *,
    steps: int,
    objective: str = "masked",
    shares: Shares = MASKED,
    rate: float = RATE,
    nsp: bool = False,
    schedule: Schedule = rise_and_fall,
    watchers: Sequence[Callable[[int, dict], object]] = (),
) -> Bert:
    """In eval mode; steps=0 leaves it untrained."""
    if steps:
        fit(
            model,
            Asked(rows, model.pieces, objective=objective, shares=shares, nsp=nsp, seed=seed),
            steps=steps,
            learning_rate=rate,
            schedule=schedule,
            betas=(0.9, 0.98),
            watchers=watchers,
            show=False,
        )
    return model.eval()
