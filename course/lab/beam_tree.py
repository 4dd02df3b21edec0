"""The beginnings that a beam keeps alive, step by step: what a figure of beam search shows."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from course_lib.errors import CourseError
from course_lib.models.decoding import length_penalty


class Beginning(NamedTuple):
    """`piece` after the beginning number `parent` of the step before; log_p of all its pieces, in nats.

    score  log_p over the length penalty; ended: its last piece is [EOS]
    """

    piece: str
    parent: int
    log_p: float
    score: float
    ended: bool


@torch.no_grad()
def beam_tree(model: Any, sentence: Any, *, beam: int = 3, steps: int = 5, alpha: float = 0.6) -> list[list[Beginning]]:
    """For each step the `beam` best beginnings, best first. An ended one stays in its place and is not continued.

    Simpler than decoding.beam_search: one sentence, and nothing stops early. Raises CourseError for beam or steps < 1.
    """
    if min(beam, steps) < 1:
        raise CourseError(f"beam_tree: beam={beam}, steps={steps}. Use 1 or more for both.")
    state = model.start([sentence], width=beam)
    ids = torch.full((beam,), state.pieces.begin)
    scores = torch.full((beam,), -torch.inf)
    scores[0] = 0.0  # all rows begin alike: one of them is enough
    levels = []
    for step in range(1, steps + 1):
        log_p = scores[:, None] + state.step(ids).log_softmax(-1)
        scores, places = log_p.flatten().topk(beam)
        parents, ids = places // log_p.shape[1], places % log_p.shape[1]
        ended = ids == state.pieces.end
        levels.append(
            [
                Beginning(piece, parent, score, score / length_penalty(step, alpha), end)
                for piece, parent, score, end in zip(
                    state.pieces.tokens(ids.tolist()), parents.tolist(), scores.tolist(), ended.tolist(), strict=True
                )
            ]
        )
        scores = scores.masked_fill(ended, -torch.inf)
        if ended.all():
            break
        state.reorder(parents)
    return levels
