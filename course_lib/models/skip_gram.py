"""Skip-gram: a word's vector is whatever helps to predict the words around it.

    centre word i -> v_i, its row of the input table -> scores v_i . u_j against the rows of the output table
    full softmax        -log( exp(v_i . u_j) / sum over all words k of exp(v_i . u_k) )             cost grows with |V|
    negative sampling   -log sigma(v_i . u_j) - sum over n drawn words k of log sigma(-v_i . u_k)   cost grows with n

j is a word at most `window` places from i in the same sentence. Every word has two vectors; those of the input table
are "the word vectors". Here is the model, to be read; `skip_gram_trainer.py` trains it fast.
Source: Mikolov et al. 2013, arXiv:1301.3781 (the model) and arXiv:1310.4546 (negatives, subsampling); where paper and
program word2vec.c differ, the program is followed, as all later programs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.device import Movable
from course_lib.models.word_vectors import WordVectors
from course_lib.text.vocabulary import Vocabulary

Ids, Drawn = Int[Tensor, " pair"], Int[Tensor, "pair drawn"]


@dataclass(frozen=True)
class SkipGramConfig:
    """Sizes and training settings; the defaults are those of word2vec.c, save dim."""

    dim: int = 100
    window: int = 5  # context words to either side, at most
    objective: str = "negative"  # or "softmax": over the whole vocabulary
    negatives: int = 5  # drawn words per pair (objective "negative")
    power: float | int = 0.75  # negatives are drawn in proportion to count ** power
    sample: float | int = 1e-3  # words with a larger share of the text are thinned out; 0 keeps all
    min_count: int = 5  # rarer words are dropped from the text
    max_size: int | None = None  # at most so many words, the most frequent
    epochs: int = 5
    learning_rate: float = 0.025  # falls linearly to almost 0

    @classmethod
    def paper(cls) -> SkipGramConfig:
        """Mikolov et al. 2013b, section 4: 300 dimensions, window 5, subsampling 1e-5 (for a billion words of news)."""
        return cls(dim=300, sample=1e-5)

    @classmethod
    def small(cls) -> SkipGramConfig:
        """For a text of a few hundred thousand words, trained before the reader's eyes."""
        return cls(dim=50, sample=1e-3, min_count=3)


def keep_probability(counts: Int[Tensor, " word"], sample: float | int) -> Float[Tensor, " word"]:
    """With which probability an occurrence of each word stays in the text, drawn anew in every epoch.

    f is the word's share of all tokens, t = sample: sqrt(t / f) + t / f, at most 1, as word2vec.c computes it. The
    paper has sqrt(t / f) alone. For t = 1e-3 a word that is 6 % of the text is kept 14.6 (paper: 12.9) times in 100.
    """
    if sample <= 0:
        return torch.ones(len(counts))
    threshold = sample / _shares(counts)  # t / f; infinite for a word that never occurs
    return (threshold.sqrt() + threshold).clamp(max=1).float()


def negative_distribution(counts: Int[Tensor, " word"], power: float | int = 0.75) -> Float[Tensor, " word"]:
    """The probabilities negatives are drawn with: unigram ** power, made to sum to 1.

    A word's unigram probability is its count / all TOKENS (not / |V|). The power lifts rare words: shares of
    90 and 10 % become 84 and 16 %.
    """
    raised = _shares(counts).pow(power)
    raised[counts == 0] = 0  # also for power 0, where 0 ** 0 would be 1
    return (raised / raised.sum()).float()


def _shares(counts: Int[Tensor, " word"]) -> Float[Tensor, " word"]:
    """count / number of tokens, in float64."""
    counts = counts.double().cpu()
    return counts / counts.sum()


@dataclass
class WordPairs(Movable):
    """A batch of (centre, context) word ids for `SkipGram.loss`; negatives are drawn there unless given."""

    centres: Ids
    contexts: Ids
    negatives: Drawn | None = None

    def __len__(self) -> int:
        return len(self.centres)


class SkipGram(nn.Module):
    """Two tables of word vectors and the two objectives."""

    def __init__(self, config: SkipGramConfig, vocabulary: Vocabulary):
        super().__init__()
        assert config.objective in ("negative", "softmax"), f"objective={config.objective!r}"
        self.config, self.vocabulary = config, vocabulary
        self.input = nn.Embedding(len(vocabulary), config.dim)
        self.output = nn.Embedding(len(vocabulary), config.dim)
        # word2vec's start: small random inputs, zero outputs. Every score is 0 then, every word equally likely.
        nn.init.uniform_(self.input.weight, -0.5 / config.dim, 0.5 / config.dim)
        nn.init.zeros_(self.output.weight)
        probabilities = negative_distribution(torch.tensor(vocabulary.counts), config.power)
        self.register_buffer("cumulative", probabilities.double().cumsum(0).clamp(max=1).float(), persistent=False)
        self.cumulative[self.cumulative == self.cumulative[-1]] = 1  # rounding must leave no gap at the end

    def draw_negatives(self, shape: Sequence[int], generator: torch.Generator | None = None) -> Int[Tensor, ...]:
        """Word ids drawn from `negative_distribution`: find a uniform number's place in the cumulative sums.

        word2vec.c redraws a negative that equals the context word; here it stays, as in the paper's formula.
        """
        uniform = torch.rand(*shape, generator=generator, device=self.cumulative.device)
        return torch.searchsorted(self.cumulative, uniform, right=True)

    def softmax_loss(self, centres: Ids, contexts: Ids) -> Float[Tensor, ""]:
        """Mean of -log P(context | centre) over the pairs, in nats; every word of the vocabulary is scored."""
        return F.cross_entropy(self.input(centres) @ self.output.weight.T, contexts.long())

    def negative_loss(self, centres: Ids, contexts: Ids, negatives: Drawn) -> Float[Tensor, ""]:
        """Mean over the pairs: tell the true context from each drawn word (1 + drawn yes-no questions, in nats)."""
        centre = self.input(centres)  # [pair, dim]
        true = (centre * self.output(contexts)).sum(-1)  # [pair]
        drawn = torch.einsum("pd,pnd->pn", centre, self.output(negatives))
        return -(F.logsigmoid(true) + F.logsigmoid(-drawn).sum(-1)).mean()

    def loss(self, batch: WordPairs) -> dict[str, Tensor | int]:
        """{"loss": mean per pair, "count": pairs}, by the objective of the config."""
        if self.config.objective == "softmax":
            return {"loss": self.softmax_loss(batch.centres, batch.contexts), "count": len(batch)}
        negatives = batch.negatives
        if negatives is None:
            negatives = self.draw_negatives((len(batch), self.config.negatives))
        return {"loss": self.negative_loss(batch.centres, batch.contexts, negatives), "count": len(batch)}

    def word_vectors(self) -> WordVectors:
        """A copy of the input table: what is meant by "the word vectors"."""
        return WordVectors(self.vocabulary.words, self.input.weight, self.vocabulary.counts)

    def output_vectors(self) -> WordVectors:
        """A copy of the output table: a word as context. Close to what it stands beside, not to what is like it."""
        return WordVectors(self.vocabulary.words, self.output.weight, self.vocabulary.counts)
