"""Masked language modelling: which pieces are chosen, what stands in their place, and what is asked there.

Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1 and appendix A.1: 15 % of the pieces are chosen; of these 80 %
become [MASK], 10 % another piece at random, 10 % stay. Two knobs that the paper moves together are apart here, as in
Wettig et al. 2022, arXiv:2202.08005: `corrupt` (how much context is damaged), `predict` (how many answers are asked).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor


@dataclass(frozen=True)
class Masked:
    """ids: what the model reads; rows, columns: where it is asked; answers: the pieces that stood there."""

    ids: Int[Tensor, "batch piece"]
    rows: Int[Tensor, " chosen"]
    columns: Int[Tensor, " chosen"]
    answers: Int[Tensor, " chosen"]
    corrupted: Bool[Tensor, "batch piece"]


@dataclass(frozen=True)
class Masking:
    """How to mask. Specials ([CLS], [SEP], [MASK], [PAD], [UNK] as you like) are never chosen and never drawn.

    corrupt          share of the pieces that are chosen to be hidden, replaced or kept
    predict          share of the pieces that are asked for: a random part of the chosen ones; None asks for all of them
    to_mask, to_random  shares of the chosen that become [MASK], or a random piece; the rest stays as it is
    """

    vocab_size: int
    mask_id: int
    special_ids: Collection[int]
    corrupt: float = 0.15
    predict: float | None = None
    to_mask: float = 0.8
    to_random: float = 0.1

    def __post_init__(self) -> None:
        shares = self.to_mask, self.to_random, 1 - self.to_mask - self.to_random
        assert 0 < (self.predict or self.corrupt) <= self.corrupt <= 1, self
        assert min(shares) > -1e-9, f"{self}: shares of the chosen add up to at most 1"

    def __call__(
        self, ids: Int[Tensor, "batch piece"], mask: Bool[Tensor, "batch piece"], generator: torch.Generator
    ) -> Masked:
        """Mask a batch; `mask` is True at real pieces. The same generator state gives the same result.

        Each piece is chosen by itself, so a row may have none; a batch without any asks for one at random.
        """
        special = torch.zeros(self.vocab_size, dtype=torch.bool)
        special[list(self.special_ids)] = True
        may = mask & ~special[ids]
        assert may.any(), "all pieces are special"
        dice = torch.rand(ids.shape, generator=generator)
        chosen = may & (dice < self.corrupt)
        if not chosen.any():
            chosen.view(-1)[dice.masked_fill(~may, 2).argmin()] = True
        fate = torch.rand(ids.shape, generator=generator)
        allowed = (~special).nonzero().squeeze(1)
        drawn = allowed[torch.randint(len(allowed), ids.shape, generator=generator)]
        hidden = chosen & (fate < self.to_mask)
        replaced = chosen & ~hidden & (fate < self.to_mask + self.to_random)
        read = torch.where(hidden, self.mask_id, torch.where(replaced, drawn, ids))
        predicted = chosen
        if self.predict is not None and self.predict < self.corrupt:
            predicted = chosen & (torch.rand(ids.shape, generator=generator) < self.predict / self.corrupt)
            predicted = predicted if predicted.any() else chosen
        rows, columns = predicted.nonzero(as_tuple=True)
        return Masked(read, rows, columns, ids[rows, columns], chosen)
