"""Linear-chain conditional random field: the probability of a whole tag sequence, not of one tag after the other.

Source: Lafferty, McCallum & Pereira 2001 (the model); Lample et al. 2016, arXiv:1603.01360, section 2.2 (over the
scores of a biLSTM). The score of tags y for a sentence of n words with emissions P and transitions A is

    start[y_1] + sum_i P[i, y_i] + sum_i A[y_i, y_(i+1)] + end[y_n]

and its probability is exp(score) divided by the sum of exp(score) over all K^n tag sequences. A softmax for each word
is the special case in which A, start and end are 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib.errors import CourseError

Emissions, Mask = Float[Tensor, "batch unit tag"], Bool[Tensor, "batch unit"]
Tags = Int[Tensor, "batch unit"]


class LinearChainCRF(nn.Module):
    """Scores for tag bigrams; the emissions come from outside.

    transitions  [from, to]: score of tag `to` right after tag `from`
    start, end   [tag]: score of a sentence's first and last tag

    All start at 0, where the field equals a softmax for each word. Masks are boolean, real units first, padding after;
    what emissions and tags hold at padding changes nothing.
    """

    def __init__(self, n_tags: int):
        super().__init__()
        self.transitions = nn.Parameter(torch.zeros(n_tags, n_tags))
        self.start = nn.Parameter(torch.zeros(n_tags))
        self.end = nn.Parameter(torch.zeros(n_tags))
        self.register_buffer("_forbidden", torch.zeros(n_tags, n_tags, dtype=torch.bool), persistent=False)
        self.register_buffer("_forbidden_start", torch.zeros(n_tags, dtype=torch.bool), persistent=False)

    def log_likelihood(self, emissions: Emissions, tags: Tags, mask: Mask) -> Float[Tensor, " batch"]:
        """Log-probability of each tag sequence, in nats; the loss is minus its mean.

        Raises CourseError for a mask with a hole or an empty row.
        """
        self._check(mask)
        emissions, tags = emissions.masked_fill(~mask[..., None], 0), tags.long().masked_fill(~mask, 0)
        return self._score(emissions, tags, mask) - self._log_partition(emissions, mask)

    def marginals(self, emissions: Emissions, mask: Mask) -> Float[Tensor, "batch unit tag"]:
        """Probability of each tag at each unit, all other tags summed over; 0 at padding. Same errors.

        It is the gradient of the log-partition by the emissions: what the forward-backward algorithm computes.
        """
        self._check(mask)
        with torch.enable_grad():
            emissions = emissions.detach().masked_fill(~mask[..., None], 0).requires_grad_()
            return torch.autograd.grad(self._log_partition(emissions, mask).sum(), emissions)[0]

    @torch.no_grad()
    def decode(self, emissions: Emissions, mask: Mask) -> list[list[int]]:
        """The most probable tag sequence of each row, as long as the row (Viterbi). Same errors.

        Of equally good ones the one with the smallest last tag, then the smallest before it, and so on. Forbidden steps
        are never taken; CourseError if no sequence is left.
        """
        self._check(mask)
        transitions = self.transitions.masked_fill(self._forbidden, -torch.inf)
        best = self.start.masked_fill(self._forbidden_start, -torch.inf) + emissions[:, 0]
        pointers = []
        for unit in range(1, mask.shape[1]):
            scores, tag_before = (best[:, :, None] + transitions).max(1)  # over `from`: [batch, to]
            best = torch.where(mask[:, unit, None], scores + emissions[:, unit], best)
            pointers.append(tag_before)
        score, last = (best + self.end).max(1)
        if not (score > -torch.inf).all():
            raise CourseError(
                f"LinearChainCRF.decode: row {int((~(score > -torch.inf)).nonzero()[0])} has no allowed tag sequence "
                "with a finite score. Forbid fewer steps, and look for infinite or missing emissions."
            )
        back = torch.stack(pointers, 1).tolist() if pointers else [[]] * len(mask)  # [row][unit][tag]: the tag before
        paths = []
        for tag, length, tags_before in zip(last.tolist(), mask.sum(1).tolist(), back, strict=True):
            path = [tag]
            for before in reversed(tags_before[: length - 1]):
                path.append(before[path[-1]])
            paths.append(path[::-1])
        return paths

    def forbid(self, from_tag: int | None, to_tag: int) -> None:
        """Never decode `to_tag` right after `from_tag`; None: never as a sentence's first tag.

        For decoding only: the likelihood, and so the training, stays as it is. Not saved with the weights.
        """
        if from_tag is None:
            self._forbidden_start[to_tag] = True
        else:
            self._forbidden[from_tag, to_tag] = True

    def _score(self, emissions: Emissions, tags: Tags, mask: Mask) -> Float[Tensor, " batch"]:
        """The formula at the top of this file."""
        words = emissions.gather(2, tags[..., None])[..., 0].sum(1)  # 0 at padding
        steps = (self.transitions[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]).sum(1)
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1)[:, 0]
        return self.start[tags[:, 0]] + words + steps + self.end[last]

    def _log_partition(self, emissions: Emissions, mask: Mask) -> Float[Tensor, " batch"]:
        """log of the sum over all tag sequences, by the forward algorithm: time n K^2 instead of K^n."""
        alpha = self.start + emissions[:, 0]  # log of the sum over all beginnings that end in this tag
        for unit in range(1, mask.shape[1]):
            longer = (alpha[:, :, None] + self.transitions).logsumexp(1) + emissions[:, unit]
            alpha = torch.where(mask[:, unit, None], longer, alpha)
        return (alpha + self.end).logsumexp(1)

    def _check(self, mask: Mask) -> None:
        on_cpu = mask.device.type == "cpu"  # elsewhere each step would wait for the answer
        if on_cpu and (not mask[:, 0].all() or (mask[:, 1:] & ~mask[:, :-1]).any()):
            raise CourseError(
                "LinearChainCRF: every row of the mask needs its True values first, at least one of them, then only "
                "False. Drop empty sentences and put the padding at the end."
            )


def forbidden_bio(labels: Sequence[str]) -> list[tuple[int | None, int]]:
    """The steps that BIO labels rule out, as arguments of `forbid`: I-X only follows B-X or I-X, never starts.

    for step in forbidden_bio(["O", "B-PER", "I-PER"]):   # (None, 2) and (0, 2)
        crf.forbid(*step)
    """
    inside = [(number, label[2:]) for number, label in enumerate(labels) if label.startswith("I-")]
    before = [(None, "O"), *enumerate(labels)]
    return [
        (from_tag, to_tag)
        for to_tag, kind in inside
        for from_tag, label in before
        if label not in (f"B-{kind}", f"I-{kind}")
    ]
