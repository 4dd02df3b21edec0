"""Exercise 3.6: one attention step of the translator CoVe comes from. Source: McCann et al. 2017, arXiv:1708.00107,
section 3, equations 3 and 4."""

import torch

from course.check.exercise import Exercise, Probe, Seen


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
    return Probe(shows, numbers[:, 0], numbers[:, 1:], torch.arange(word) < torch.tensor(lengths)[:, None])


PROBES = [
    _probe("two sentences without padding", [3, 3], 3, 4, 5),
    _probe("one sentence is padded", [5, 2], 5, 3, 7),
    _probe("one real word", [1, 4, 3], 4, 5, 3),
]
MISTAKES = [
    ("padding gets weight", lambda q, s, m: _read(_scores(q, s, m).softmax(1), s)),
    ("the mask comes after the softmax", lambda q, s, m: _read(_after_softmax(q, s, m), s)),
    ("a masked score of 0", lambda q, s, m: _read((_scores(q, s, m) * m).softmax(1), s)),
    (
        "the softmax runs over the batch",
        lambda q, s, m: _read(_scores(q, s, m).softmax(0), s),
        lambda q, s, m: _read(_masked(_scores(q, s, m), m).softmax(0).nan_to_num(), s),
    ),
    ("the scores are scaled", lambda q, s, m: _read(_masked(_scores(q, s, m) / q.shape[1] ** 0.5, m).softmax(1), s)),
    (
        "the scores are cosines",
        lambda q, s, m: _read(_masked(torch.nn.functional.cosine_similarity(q[:, None], s, dim=2), m).softmax(1), s),
    ),
    (
        "only the best word is read",
        lambda q, s, m: _read(
            torch.nn.functional.one_hot(_masked(_scores(q, s, m), m).argmax(1), s.shape[1]).float(), s
        ),
    ),
    ("the plain mean of the states", _unmasked_context),
    ("not divided by the sum of the weights", lambda q, s, m: _read(_scores(q, s, m).exp() * m, s)),
    ("the mask is turned round", Seen(lambda got, expected, q, s, m: (got[0][m] == 0).all() or got[0].isnan().any())),
]
EXERCISE = Exercise("3.6", attention_step, PROBES, MISTAKES, difficulty=3, importance=5, minutes=10)
