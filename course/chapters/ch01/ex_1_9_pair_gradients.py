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


def _numbers(n_pairs, n_negatives, dim, scale=1.0):
    """Rows with nothing special about them."""
    v = (torch.arange(1.0, 1 + n_pairs * dim) * 5).sin().reshape(n_pairs, dim)
    u = (torch.arange(2.0, 2 + n_pairs * (1 + n_negatives) * dim) * 7).sin().reshape(n_pairs, 1 + n_negatives, dim)
    return v * scale, u * scale


_TO_V, _TO_U = 'torch.einsum("pk,pkd->pd", error, u)', 'torch.einsum("pk,pd->pkd", error, v)'
_V_ALONG_V, _U_ALONG_U = f"{_TO_V} => error.sum(1, keepdim=True) * v", f"{_TO_U} => error[..., None] * u"


PROBES = [
    Probe("one pair, one negative", *_numbers(1, 1, 3)),
    Probe("one pair, three negatives", *_numbers(1, 3, 2, 1.5)),
    Probe("three pairs", *_numbers(3, 4, 5)),
    Probe("large scores", *_numbers(2, 3, 3, 30.0)),
]
MISTAKES = [
    ("uphill", "return => error = -error\n    return"),
    ("every answer is no", "error[:, 0] -= 1 => ..."),
    ("every answer is yes", "[:, 0] => "),
    ("yes and no are swapped", "[:, 0] => [:, 1:]"),
    ("the context is taken for the last", "[:, 0] => [:, -1]"),
    ("the sigmoid is missing", ".sigmoid() => "),
    (
        "the slope of the sigmoid is multiplied in",
        "error[:, 0] -= 1 => slope = error * (1 - error)\n    error[:, 0] -= 1\n    error *= slope",
    ),
    (
        "what is answered well moves most",
        "-= 1 => *= -1",
        "error[:, 0] -= 1 => error = 1 - error\n    error[:, 0] *= -1",
        "-= 1 => *= -1\n    error[:, 1:] = 1 - error[:, 1:]",
    ),
    ("a softmax over the drawn words", "sigmoid() => softmax(1)"),
    (
        "the mean over the questions",
        "return => error = error / error.shape[1]\n    return",
        "-= 1 => -= 1\n    error[:, 1:] /= error.shape[1] - 1",
        f"{_TO_V} => {_TO_V} / error.shape[1]",
    ),
    ("the mean over the pairs", "return => error = error / len(error)\n    return"),
    (
        "one kind of question moves the centre",
        f"{_TO_V} => error[:, :1] * u[:, 0]",
        'pd", error, u) => pd", error[:, 1:], u[:, 1:])',
    ),
    ("a row is moved along itself", _V_ALONG_V, _U_ALONG_U, (_V_ALONG_V, _U_ALONG_U)),
    (
        "the pairs are added up",
        f"{_TO_U} => error.T @ v",
        '->pd" => ->d"',
        ('->pd" => ->d"', f"{_TO_U} => error.T @ v"),
    ),
    ("the two results are swapped", lambda v, u: pair_gradients(v, u)[::-1]),
    ("the exponential overflows", Seen(lambda got, *_: not all(torch.as_tensor(g).isfinite().all() for g in got))),
]
EXERCISE = Exercise("1.9", pair_gradients, PROBES, MISTAKES, 4, 5, 25, without=AUTOGRAD, learns=False)
