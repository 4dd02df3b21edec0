"""Filling gaps: what BERT expects at each [MASK]. Devlin et al. 2018, arXiv:1810.04805, section 3.1, task 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.evaluating import evaluating
from course_lib.text.word_pieces import MASK

if TYPE_CHECKING:
    from course_lib.models.bert import Bert


def fill_masks(model: Bert, sentence: Sentence | str | Sequence[str], k: int) -> list[list[tuple[str, float]]]:
    """For each [MASK] the k most probable pieces, best first, with their probability among all pieces."""
    if "mlm" in model.fresh_heads:
        raise CourseError(
            "Bert.fill: the file of this published BERT held no masked-LM head, so its guesses would be noise. "
            "Train the head (Bert.loss), or use another BERT."
        )
    words = _words_and_masks(sentence)
    pieces = model.pieces
    ids = [pieces.cls]
    for word in words:
        ids += [pieces.mask] if word == MASK else pieces.ids([word])
    columns = [place for place, i in enumerate(ids) if i == pieces.mask]
    if not columns:
        raise CourseError(f"Bert.fill: no word of {' '.join(words)[:80]!r} is {MASK}. Put it where a word is asked.")
    if not 1 <= k <= len(pieces):
        raise CourseError(f"Bert.fill: k={k}. Use a number from 1 to {len(pieces)}, the pieces there are.")
    return guesses(model, [*ids, pieces.sep], columns, k)


def guesses(model: Bert, ids: Sequence[int], columns: Sequence[int], k: int) -> list[list[tuple[str, float]]]:
    """The k most probable pieces at `columns` of the row `ids`, best first, with their probability among all pieces."""
    pieces, places = model.pieces, torch.tensor(columns, device=model.device)
    with evaluating(model):
        hidden = model(torch.tensor([list(ids)], device=model.device)).hidden_states[-1]
        probabilities = model.logits(hidden, torch.zeros_like(places), places).softmax(-1)
    best = probabilities[:, : len(pieces)].topk(k)  # a table may have more rows than there are pieces
    return [
        list(zip(pieces.tokens(row), values, strict=True))
        for row, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def _words_and_masks(sentence: Sentence | str | Sequence[str]) -> list[str]:
    """Words, with [MASK] whole: the course's tokeniser would cut it at its brackets."""
    if not isinstance(sentence, str):
        return list(Sentence.of(sentence).words)
    parts = [Sentence.of(part).words for part in sentence.split(MASK)]
    return [word for number, part in enumerate(parts) for word in ((MASK,) if number else ()) + part]
