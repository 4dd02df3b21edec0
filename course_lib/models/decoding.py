"""From a model that scores the next piece to a whole sentence: the best piece each time, or several sentences at once.

Source: Vaswani et al. 2017, arXiv:1706.03762, section 6.1 (beam 4, alpha 0.6, at most input length + 50 pieces);
Wu et al. 2016, arXiv:1609.08144, section 7 (length penalty, equation 14; without its coverage penalty).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.models.attention import padding_mask
from course_lib.models.encoder import evaluating


class DecoderState:
    """A translation under way: `width` rows for each sentence, one step at a time.

    With a cache the encoder's keys are projected once, and a step computes its own position only; without one each
    step reads the whole prefix anew (slow: it is there to be compared with).

    limits  most steps per sentence, by default its length + 50 (Vaswani et al. 2017, section 6.1)
    """

    EXTRA_STEPS = 50

    def __init__(
        self,
        model: Any,  # a Translator; not imported, since translator.py imports this file
        sentences: Sequence[Any],
        *,
        width: int = 1,
        max_steps: int | None = None,
        cache: bool = True,
    ):
        device, (source, mask) = model.embedding.tokens.weight.device, model.source(sentences)
        self.model, self.pieces, self.step_number = model, model.pieces, 0
        lengths = mask.sum(1) + self.EXTRA_STEPS if max_steps is None else torch.full((len(mask),), max_steps)
        if model.config.positions == "learned":
            lengths = lengths.clamp(max=model.config.max_units)
        self.limits = lengths.tolist()
        mask = mask.to(device)
        self.mask, self.memory = padding_mask(mask), model.read_source(source.to(device), mask)
        self.caches = [({}, {}) for _ in model.decoder.layers] if cache else None
        self.prefix = torch.empty(len(mask) * width, 0, dtype=torch.long, device=device)  # read so far, without a cache

    def step(self, ids: Int[Tensor, " row"]) -> Float[Tensor, "row vocab"]:
        """Read one piece a row; logits for the next. [PAD] and [BOS] are never next."""
        ids = ids[:, None]
        if self.caches is None:
            ids = self.prefix = torch.cat([self.prefix, ids], 1)
        start = 0 if self.caches is None else self.step_number
        embedded = self.model.embedding(ids, start=start)
        states = self.model.decoder(embedded, self.memory, self.mask, caches=self.caches)[:, -1]
        self.step_number += 1
        logits = self.model.logits(states).float()
        logits[:, [self.pieces.padding, self.pieces.begin]] = -torch.inf
        return logits

    def reorder(self, rows: Int[Tensor, " row"]) -> None:
        """Row i goes on from row rows[i], one of the same sentence: the projected encoder keys stay where they are."""
        self.prefix = self.prefix[rows]
        for own, _ in self.caches or ():
            own.update({name: part.index_select(0, rows) for name, part in own.items()})  # faster than part[rows]


@dataclass(frozen=True)
class Hypothesis:
    """A sentence found. ids: without [BOS] and [EOS]; score: log-probability (nats) / length penalty.

    ended  False if it was cut at the most steps allowed
    """

    ids: tuple[int, ...]
    text: str
    score: float
    ended: bool


def length_penalty(length: int, alpha: float | int) -> float:
    """lp(Y) = ((5 + |Y|) / 6)^alpha; |Y| counts [EOS]. 0 leaves the log-probability as it is, and favours the short."""
    return ((5 + length) / 6) ** alpha


def greedy(
    model: nn.Module, source: Sequence[Any], *, max_steps: int | None = None, cache: bool = True
) -> list[Hypothesis]:
    """The likeliest piece at each step, without going back: a beam of one. Score: log-probability."""
    return beam_search(model, source, beam=1, alpha=0, max_steps=max_steps, cache=cache)


def beam_search(
    model: nn.Module,
    source: Sequence[Any],
    *,
    beam: int = 4,
    alpha: float | int = 0.6,
    max_steps: int | None = None,
    cache: bool = True,
) -> list[Hypothesis]:
    """The best sentence among those that keep `beam` beginnings alive at each step.

    A beginning that takes [EOS] leaves the beam, and its score / length penalty competes with those that left before.
    A sentence is done when no living one can overtake: even if it lost nothing more and grew to the limit.

    model      a Translator; it is put into eval mode meanwhile
    max_steps  pieces at most; default: the model's own limit for each sentence
    cache      False computes every step from scratch: the same result, slower
    """
    assert beam >= 1
    with evaluating(model):
        state = DecoderState(model, source, width=beam, max_steps=max_steps, cache=cache)
        device, n = state.memory.device, len(state.limits)
        limits = torch.tensor(state.limits, device=device)
        reach = torch.tensor([length_penalty(limit, alpha) for limit in state.limits], device=device)
        first_row = torch.arange(n, device=device)[:, None] * beam
        ids = torch.full((n, beam), state.pieces.begin, device=device)
        chosen = ids.new_zeros(n * beam, max(state.limits))
        scores = torch.full((n, beam), -torch.inf, device=device)
        scores[:, 0] = 0.0  # the rows of a sentence begin alike: one of them is enough
        best_scores = torch.full((n,), -torch.inf, device=device)
        best: list[list[int]] = [[] for _ in range(n)]
        for step in range(1, max(state.limits) + 1):
            log_p = state.step(ids.flatten()).log_softmax(-1).view(n, beam, -1)
            scores, places = (scores[..., None] + log_p).flatten(1).topk(beam)
            rows = (first_row + places // log_p.shape[-1]).flatten()
            ids = places % log_p.shape[-1]
            chosen[:, : step - 1] = chosen[rows, : step - 1]
            chosen[:, step - 1] = ids.flatten()

            ended = (ids == state.pieces.end) | (limits <= step)[:, None]
            final = torch.where(ended, scores / length_penalty(step, alpha), -torch.inf)
            top, which = final.max(1)
            for sentence in (top > best_scores).nonzero().flatten().tolist():
                best[sentence] = chosen[sentence * beam + int(which[sentence]), :step].tolist()
            best_scores = torch.maximum(best_scores, top)
            scores = scores.masked_fill(ended, -torch.inf)
            hopeless = scores.amax(1) / reach <= best_scores
            scores = scores.masked_fill(hopeless[:, None], -torch.inf)
            if hopeless.all():
                break
            if beam > 1:
                state.reorder(rows)
    found = []
    for row, score in zip(best, best_scores.tolist(), strict=True):
        ids = tuple(row[:-1] if (ended := row[-1] == state.pieces.end) else row)
        found.append(Hypothesis(ids, state.pieces.text(ids), score, ended))
    return found
