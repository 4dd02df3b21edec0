"""One training step of skip-gram on a block of text, as a few matrix products: for negative sampling and full softmax.

The gradients are written in closed form; tests hold them against autograd and against a loop over the pairs.
A step changes a row by -rate x gradient x cap. The cap is at most 1: a step adds up many pairs that all start from
the same old vectors, so a row with hundreds of pairs in one step would overshoot (from a rate of 0.035 on it does, and
grows without bound). Rows that expect more than ROW_CAP terms in a step are slowed down to what ROW_CAP terms do.
The full softmax has no sigma that flattens out for large scores, and all its rows pull together; there a row's move is
cut off at LONGEST_MOVE as well (without it, 2,000 words at a rate of 0.05 diverge).
"""

from __future__ import annotations

import math
from functools import lru_cache

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.models.skip_gram import SkipGram, negative_distribution
from course_lib.models.skip_gram_text import Layout

CHUNK = 16  # centres that share contexts and negatives; 8 to 32 are about equally fast
SHARED = 16  # negatives drawn per chunk, at least
CHUNKS = 32  # chunks in a step, at most
CHUNKS_ON_GPU = 128  # larger steps, for there each operation has its price, however small
ROW_CAP = 50  # terms
LONGEST_MOVE = 0.3  # of a row in one step, for the full softmax only; vectors are about 2 long


def random_windows(
    sentence: Int[Tensor, " token"], layout: Layout, generator: torch.Generator
) -> Bool[Tensor, "chunk centre context"]:
    """True where a centre and a token form a pair: the layout's contexts are a chunk and `window` tokens either side.

    Each centre draws its reach from 1 ... window, so a context at distance k counts with probability
    (window - k + 1) / window: near words weigh more. A pair lies within one sentence; a token is not its own context.
    """
    chunk, window, device = layout.chunk, layout.window, sentence.device
    shape = (layout.chunks, chunk, 1)
    reach = torch.randint(1, window + 1, shape, generator=generator, dtype=torch.int16, device=device)
    sentences = sentence.unfold(0, chunk + 2 * window, chunk)  # [chunk, context], a view
    same_sentence = sentences[:, None, :] == sentences[:, window : window + chunk, None]
    return (_distances(chunk, window, device) <= reach).logical_and_(same_sentence)


@lru_cache
def _distances(chunk: int, window: int, device: torch.device) -> Int[Tensor, "centre context"]:
    """From each centre to each token of its chunk's row; to itself it is out of everyone's reach."""
    centre = torch.arange(window, window + chunk)
    distance = (torch.arange(chunk + 2 * window) - centre[:, None]).abs()
    return distance.masked_fill(distance == 0, window + 1).to(device, torch.int16)


def sampled_loss(
    centres: Float[Tensor, "chunk centre dim"],
    targets: Float[Tensor, "chunk target dim"],
    pairs: Float[Tensor, "chunk centre context"],
    negatives: int,
) -> Float[Tensor, ""]:
    """Negative sampling, summed over all pairs. `targets`: the contexts' output vectors, then the shared negatives'.

    Every pair of a centre asks for `negatives` drawn words; the chunk's n shared ones stand for them, each weighted
    with negatives / n.
    """
    scores = centres @ targets.transpose(1, 2)
    true, drawn = scores.split([pairs.shape[2], targets.shape[1] - pairs.shape[2]], dim=2)
    weight = pairs.sum(2, keepdim=True) * negatives / drawn.shape[2]
    return -(pairs * F.logsigmoid(true)).sum() - (weight * F.logsigmoid(-drawn)).sum()


def sampled_gradients(
    centres: Float[Tensor, "chunk centre dim"],
    targets: Float[Tensor, "chunk target dim"],
    pairs: Float[Tensor, "chunk centre context"],
    negatives: int,
) -> tuple[Float[Tensor, "chunk centre dim"], Float[Tensor, "chunk target dim"]]:
    """Gradients of `sampled_loss`. Per score: sigma(score) - 1 for a pair, sigma(score) for a drawn word."""
    n_contexts, n_drawn = pairs.shape[2], targets.shape[1] - pairs.shape[2]
    error = torch.bmm(centres, targets.transpose(1, 2)).sigmoid_()  # [chunk, centre, target], changed in place below
    error[:, :, :n_contexts].sub_(1).mul_(pairs)
    error[:, :, n_contexts:].mul_(pairs.sum(2, keepdim=True).mul_(negatives / n_drawn))
    return torch.bmm(error, targets), torch.bmm(error.transpose(1, 2), centres)


def softmax_loss(
    centres: Float[Tensor, "row dim"], output: Float[Tensor, "word dim"], counts: Float[Tensor, "row word"]
) -> Float[Tensor, ""]:
    """Full softmax, summed over all pairs: counts[i, j] pairs have row i's word as centre and word j as context."""
    return -(counts * (centres @ output.T).log_softmax(1)).sum()


def softmax_gradients(
    centres: Float[Tensor, "row dim"], output: Float[Tensor, "word dim"], counts: Float[Tensor, "row word"]
) -> tuple[Float[Tensor, "row dim"], Float[Tensor, "word dim"]]:
    """The gradients of `softmax_loss`. Per score: pairs expected by the model minus pairs seen."""
    error = (centres @ output.T).softmax(1).mul_(counts.sum(1, keepdim=True)).sub_(counts)
    return error @ output, error.T @ centres


class _Step:
    """What both objectives share: tables, layout, caps. `keep`: the share of each word that stays in the text."""

    def __init__(self, model: SkipGram, keep: Float[Tensor, " word"]):
        self.model, config = model, model.config
        self.input, self.output = model.input.weight.detach(), model.output.weight.detach()  # same memory, no autograd
        self.device = self.input.device
        counts = torch.tensor(model.vocabulary.counts)
        share = counts * keep
        share = share / share.sum()  # of the thinned text
        negative = config.objective == "negative"
        terms_per_pair = 1 + config.negatives if negative else 2
        # A centre has window + 1 contexts on average: twice the mean reach (window + 1) / 2.
        terms = CHUNK * (config.window + 1) * terms_per_pair  # per chunk, all words together
        # As many chunks as an average token's row can bear: a small vocabulary is trained in small steps.
        most = CHUNKS if self.device.type == "cpu" else CHUNKS_ON_GPU
        chunks = min(most, max(1, int(ROW_CAP / (terms * float(share @ share)))))
        self.layout = Layout(chunks, CHUNK, config.window)
        # A drawn word gets its terms in one burst: one for each pair of the chunk, times negatives / shared.
        self.shared = max(SHARED, math.ceil(CHUNK * (config.window + 1) * config.negatives / ROW_CAP))
        drawn = negative_distribution(counts, config.power) if negative else share
        as_output = (share + drawn * (terms_per_pair - 1)) / terms_per_pair
        self.input_cap = (ROW_CAP / (chunks * terms * share)).clamp(max=1).to(self.device)
        self.output_cap = (ROW_CAP / (chunks * terms * as_output)).clamp(max=1).to(self.device)


class NegativeSamplingStep(_Step):
    def __call__(
        self,
        ids: Int[Tensor, " token"],
        sentence: Int[Tensor, " token"],
        rate: float,
        generator: torch.Generator,
        want_loss: bool,
    ) -> float | None:
        """Learn from one block. Returns the loss per pair before the step if `want_loss`, else None."""
        chunks, chunk, window = self.layout.chunks, self.layout.chunk, self.layout.window
        contexts = ids.unfold(0, chunk + 2 * window, chunk)  # [chunk, context]: overlapping views, no copy
        centre_ids = ids[window : window + self.layout.centres]
        drawn = self.model.draw_negatives((chunks, self.shared), generator)
        target_ids = torch.cat([contexts, drawn], dim=1).flatten()
        pairs = random_windows(sentence, self.layout, generator).float()

        centres = self.input.index_select(0, centre_ids).view(chunks, chunk, -1)
        targets = self.output.index_select(0, target_ids).view(chunks, -1, centres.shape[2])
        negatives, loss = self.model.config.negatives, None
        if want_loss:
            loss = float(sampled_loss(centres, targets, pairs, negatives) / pairs.sum().clamp(min=1))
        centre_gradient, target_gradient = sampled_gradients(centres, targets, pairs, negatives)
        _descend(self.input, centre_ids, centre_gradient.flatten(0, 1), self.input_cap, rate)
        _descend(self.output, target_ids, target_gradient.flatten(0, 1), self.output_cap, rate)
        return loss


class SoftmaxStep(_Step):
    def __call__(
        self,
        ids: Int[Tensor, " token"],
        sentence: Int[Tensor, " token"],
        rate: float,
        generator: torch.Generator,
        want_loss: bool,
    ) -> float | None:
        """Learn from one block. Returns the loss per pair before the step if `want_loss`, else None.

        Pairs with the same centre word share a row of scores, so a step costs (different centres) x |V|, whatever the
        number of pairs.
        """
        chunk, window, n_words = self.layout.chunk, self.layout.window, len(self.output)
        contexts = ids.unfold(0, chunk + 2 * window, chunk)
        in_chunk, centre, context = random_windows(sentence, self.layout, generator).nonzero(as_tuple=True)
        context_ids = contexts[in_chunk, context]
        centre_ids, row = contexts[in_chunk, centre + window].unique(return_inverse=True)
        counts = torch.bincount(row * n_words + context_ids, minlength=len(centre_ids) * n_words)
        counts = counts.view(-1, n_words).to(self.output.dtype)  # [different centre, word]

        centres, loss = self.input.index_select(0, centre_ids), None
        if want_loss:
            loss = float(softmax_loss(centres, self.output, counts) / max(len(row), 1))
        centre_gradient, output_gradient = softmax_gradients(centres, self.output, counts)
        centre_move = centre_gradient.mul_(self.input_cap.index_select(0, centre_ids).mul_(-rate)[:, None])
        self.input.index_add_(0, centre_ids, _cut_off(centre_move))
        self.output.add_(_cut_off(output_gradient.mul_(self.output_cap[:, None] * -rate)))
        return loss


def _cut_off(move: Float[Tensor, "row dim"]) -> Float[Tensor, "row dim"]:
    return move.mul_((LONGEST_MOVE / move.norm(dim=1, keepdim=True)).clamp_(max=1))


def _descend(
    table: Float[Tensor, "word dim"],
    ids: Int[Tensor, " row"],
    gradient: Float[Tensor, "row dim"],
    cap: Float[Tensor, " word"],
    rate: float,
) -> None:
    """table[ids] -= rate * cap[ids] * gradient, where an id may stand several times. Changes `gradient` too.

    index_add_ without its factor `alpha`, and index_select in place of [ids], are several times as fast on CPUs.
    """
    table.index_add_(0, ids, gradient.mul_(cap.index_select(0, ids).mul_(-rate)[:, None]))
