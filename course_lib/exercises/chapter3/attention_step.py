"""Exercise 3.6: one attention step of the translator CoVe comes from. Source: McCann et al. 2017, arXiv:1708.00107,
section 3, equations 3 and 4."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe, several_ways


def attention_step(query: torch.Tensor, source: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(weights [batch, word], context [batch, dim]). query [batch, dim], source [batch, word, dim], mask [batch, word]:
    True at real source words."""
    scores = torch.einsum("bwd,bd->bw", source, query)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=1)
    return weights, torch.einsum("bw,bwd->bd", weights, source)


def _read(weights, source):
    return weights, (weights[..., None] * source).sum(1)


def _scores(query, source, mask):
    return (source * query[:, None]).sum(2)


def _masked(scores, mask):
    return scores.masked_fill(~mask, -torch.inf)


def _after_softmax(query, source, mask):
    return _scores(query, source, mask).softmax(1) * mask


def _unmasked_context(query, source, mask):
    weights = _masked(_scores(query, source, mask), mask).softmax(1)
    return weights, source.mean(1)


def _probe(shows, lengths, word, dim, step):
    batch = len(lengths)
    numbers = (torch.arange(batch * (word + 1) * dim) * step % 13 - 6.0).reshape(batch, word + 1, dim) / 5
    return Probe(shows, (numbers[:, 0], numbers[:, 1:], torch.arange(word) < torch.tensor(lengths)[:, None]))


EXERCISE = Exercise(
    id="3.6",
    title="One step of attention",
    difficulty=3,
    importance=5,
    minutes=10,
    question="""
        CoVe's encoder learned in a translator. Before each target word the decoder asks the source sentence: its state,
        passed through a linear layer, is the **query** $q$. Each source word $i$ has an encoder state $s_i$. The
        weights are the softmax of the scores $s_i \\cdot q$ over the real source words; the **context** is the sum of
        the states $s_i$, each times its weight. Return both. Padding gets weight 0.
        Before you run it: a sentence has one real word. What is its weight, whatever the score?
    """,
    solution=attention_step,
    why="The mask comes before the softmax, as minus infinity: the exponential makes it 0, and the real words share "
    "the whole weight 1. A score of 0 would not do: e to the 0 is 1.",
    hints=(
        "Write the shapes down first. Which axis goes away in the score, and which one in the context?",
        "The softmax runs over the source words. What must a score be, so that its exponential is exactly 0?",
        "Scores, then the mask, then the softmax, then the weighted sum of the same states.",
    ),
    probes=(
        _probe("two sentences without padding", [3, 3], 3, 4, 5),
        _probe("one sentence is padded", [5, 2], 5, 3, 7),
        _probe("one real word", [1, 4, 3], 4, 5, 3),
    ),
    mistakes=(
        Mistake(
            "padding gets weight",
            "The weights at padding are not 0: the mask has no effect.",
            model=lambda q, s, m: _read(_scores(q, s, m).softmax(1), s),
        ),
        Mistake(
            "the mask comes after the softmax",
            "Padding has weight 0, but the real words no longer share the whole weight: the rows do not sum to 1.",
            model=lambda q, s, m: _read(_after_softmax(q, s, m), s),
        ),
        Mistake(
            "a masked score of 0",
            "A score of 0 is a score like any other. Its exponential is 1.",
            model=lambda q, s, m: _read((_scores(q, s, m) * m).softmax(1), s),
        ),
        *several_ways(
            "the softmax runs over the batch",
            "The weights of one sentence depend on the other sentences. They should sum to 1 in each row.",
            lambda q, s, m: _read(_scores(q, s, m).softmax(0), s),
            lambda q, s, m: _read(_masked(_scores(q, s, m), m).softmax(0).nan_to_num(), s),
        ),
        Mistake(
            "the scores are scaled",
            "The scores are divided by the square root of the width. That belongs to the Transformer, in chapter 6.",
            model=lambda q, s, m: _read(_masked(_scores(q, s, m) / q.shape[1] ** 0.5, m).softmax(1), s),
        ),
        Mistake(
            "the scores are cosines",
            "The states were brought to length 1. Here the score is the plain dot product.",
            model=lambda q, s, m: _read(
                _masked(torch.nn.functional.cosine_similarity(q[:, None], s, dim=2), m).softmax(1), s
            ),
        ),
        Mistake(
            "only the best word is read",
            "The highest score takes all the weight. A softmax gives each real word its share.",
            model=lambda q, s, m: _read(
                torch.nn.functional.one_hot(_masked(_scores(q, s, m), m).argmax(1), s.shape[1]).float(), s
            ),
        ),
        Mistake(
            "the plain mean of the states",
            "The weights are right, and the context does not use them.",
            model=_unmasked_context,
        ),
        Mistake(
            "not divided by the sum of the weights",
            "The weights are exponentials of the scores. Each row should sum to 1.",
            model=lambda q, s, m: _read(_scores(q, s, m).exp() * m, s),
        ),
        Mistake(
            "the mask is turned round",
            "The real words got weight 0. In this course True means: keep.",
            seen=lambda got, expected, q, s, m: (got[0][m] == 0).all() or got[0].isnan().any(),
        ),
    ),
)
