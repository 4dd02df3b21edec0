"""Exercise 1.9: the gradient of the negative-sampling loss. Source: Mikolov et al. 2013, arXiv:1310.4546, equation 4;
its derivative: Goldberg & Levy 2014, arXiv:1402.3722."""

import torch

from course.check.exercise import AUTOGRAD, Exercise, Probe, Seen


def pair_gradients(v: torch.Tensor, u: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient of each pair's loss for the rows it asks, in the shapes of v and u. v [pair, dim]: the centre's row;
    u [pair, 1 + K, dim]: the rows of the output table, the context's first, then those of the K negatives.
    pair_gradients(torch.tensor([[0.0, 2.0]]), torch.tensor([[[3.0, 0.0], [1.0, 0.0]]]))
    -> (tensor([[-1.0, 0.0]]), tensor([[[0.0, -1.0], [0.0, 1.0]]]))"""
    error = torch.einsum("pkd,pd->pk", u, v).sigmoid()
    error[:, 0] -= 1
    return torch.einsum("pk,pkd->pd", error, u), torch.einsum("pk,pd->pkd", error, v)


def _answers(scores, true=0):
    """1 at the place of the context."""
    return torch.zeros_like(scores).index_fill(1, torch.tensor([true % scores.shape[1]]), 1)


def _error(scores):
    return scores.sigmoid() - _answers(scores)


def _to_v(error, v, u):
    return torch.einsum("pk,pkd->pd", error, u)


def _to_u(error, v, u):
    return torch.einsum("pk,pd->pkd", error, v)


def _gradients(error=_error, to_v=_to_v, to_u=_to_u):
    """error(scores) [pair, 1 + K]: how far each question moves; to_v, to_u(error, v, u)"""

    def model(v, u):
        moved = error(torch.einsum("pkd,pd->pk", u, v))
        return to_v(moved, v, u), to_u(moved, v, u)

    return model


def _sloped(scores):
    return _error(scores) * scores.sigmoid() * (1 - scores.sigmoid())


def _sigmoid_of(context, negatives):
    """In the place of the errors: the sigmoids of the scores with these signs."""

    def error(scores):
        signs = torch.cat([torch.full_like(scores[:, :1], context), torch.full_like(scores[:, 1:], negatives)], dim=1)
        return (signs * scores).sigmoid() * (1 - 2 * _answers(scores))

    return error


def _mean_negatives(scores):
    error = _error(scores)
    return torch.cat([error[:, :1], error[:, 1:] / (scores.shape[1] - 1)], dim=1)


def _numbers(n_pairs, n_negatives, dim, scale=1.0):
    """Rows with nothing special about them."""
    v = (torch.arange(1.0, 1 + n_pairs * dim) * 5).sin().reshape(n_pairs, dim)
    u = (torch.arange(2.0, 2 + n_pairs * (1 + n_negatives) * dim) * 7).sin().reshape(n_pairs, 1 + n_negatives, dim)
    return v * scale, u * scale


PROBES = [
    Probe("one pair, one negative", *_numbers(1, 1, 3)),
    Probe("one pair, three negatives", *_numbers(1, 3, 2, 1.5)),
    Probe("three pairs", *_numbers(3, 4, 5)),
    Probe("large scores", *_numbers(2, 3, 3, 30.0)),
]
MISTAKES = [
    ("uphill", _gradients(lambda scores: -_error(scores))),
    ("every answer is no", _gradients(torch.sigmoid)),
    ("every answer is yes", _gradients(lambda scores: scores.sigmoid() - 1)),
    ("yes and no are swapped", _gradients(lambda scores: scores.sigmoid() - 1 + _answers(scores))),
    ("the context is taken for the last", _gradients(lambda scores: scores.sigmoid() - _answers(scores, -1))),
    ("the sigmoid is missing", _gradients(lambda scores: scores - _answers(scores))),
    ("the slope of the sigmoid is multiplied in", _gradients(_sloped)),
    (
        "what is answered well moves most",
        _gradients(_sigmoid_of(1, 1)),
        _gradients(_sigmoid_of(-1, -1)),
        _gradients(_sigmoid_of(1, -1)),
    ),
    ("a softmax over the drawn words", _gradients(lambda scores: scores.softmax(1) - _answers(scores))),
    (
        "the mean over the questions",
        _gradients(lambda scores: _error(scores) / scores.shape[1]),
        _gradients(_mean_negatives),
    ),
    ("the mean over the pairs", _gradients(lambda scores: _error(scores) / len(scores))),
    (
        "one kind of question moves the centre",
        _gradients(to_v=lambda error, v, u: error[:, :1] * u[:, 0]),
        _gradients(to_v=lambda error, v, u: _to_v(error[:, 1:], v, u[:, 1:])),
    ),
    (
        "a row is moved along itself",
        _gradients(to_v=lambda error, v, u: error.sum(1, keepdim=True) * v),
        _gradients(to_u=lambda error, v, u: error[..., None] * u),
        _gradients(lambda s: _error(s), lambda e, v, u: e.sum(1, keepdim=True) * v, lambda e, v, u: e[..., None] * u),
    ),
    (
        "the pairs are added up",
        _gradients(to_u=lambda error, v, u: error.T @ v),
        _gradients(to_v=lambda error, v, u: _to_v(error, v, u).sum(0)),
        _gradients(to_v=lambda e, v, u: _to_v(e, v, u).sum(0), to_u=lambda error, v, u: error.T @ v),
    ),
    ("the two results are swapped", lambda v, u: pair_gradients(v, u)[::-1]),
    ("the exponential overflows", Seen(lambda got, *_: not all(torch.as_tensor(g).isfinite().all() for g in got))),
]
EXERCISE = Exercise("1.9", pair_gradients, PROBES, MISTAKES, 4, 5, 25, without=AUTOGRAD, learns=False)
