"""Exercise 1.10: one step of stochastic gradient descent on both tables. Source: Mikolov et al. 2013,
arXiv:1301.3781, section 4; the sum over a batch: as PyTorch's SGD moves an embedding layer."""

from dataclasses import dataclass

import torch

from course.check.exercise import Exercise, Probe


def sgd_step(
    inputs: torch.Tensor,
    outputs: torch.Tensor,
    gradients,
    centre: torch.Tensor,
    context: torch.Tensor,
    negatives: torch.Tensor,
    rate: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Both tables [word, dim] after one step. gradients(v, u), for rows v [pair, dim] and u [pair, 1 + K, dim], the
    context's first: the gradients of both. centre, context [pair], negatives [pair, K]: word ids; rate: learning rate.
    ids = torch.tensor([0]), torch.tensor([1]), torch.tensor([[0]])
    sgd_step(torch.ones(2, 1), torch.ones(2, 1), lambda v, u: (v, 3 * u), *ids, 0.25)
    -> (tensor([[0.75], [1.0]]), tensor([[0.25], [0.25]]))"""
    asked = torch.cat([context[:, None], negatives], dim=1)
    to_v, to_u = gradients(inputs[centre], outputs[asked])
    moved = inputs.index_add(0, centre, to_v, alpha=-rate)
    return moved, outputs.index_add(0, asked.flatten(), to_u.flatten(0, 1), alpha=-rate)


@dataclass(frozen=True)
class _Gradients:
    """Stands in for exercise 1.9. The places of u differ, so that their order is seen."""

    name: str

    def __call__(self, v, u):
        v, u = torch.as_tensor(v), torch.as_tensor(u)
        if v.dim() != 2 or u.dim() != 3 or u.shape[::2] != v.shape:
            raise ValueError(f"v is [pair, dim] and u [pair, 1 + K, dim], not {list(v.shape)} and {list(u.shape)}")
        error = (torch.einsum("pkd,pd->pk", u, v) + torch.arange(u.shape[1]) - 0.6).tanh()
        return torch.einsum("pk,pkd->pd", error, u), torch.einsum("pk,pd->pkd", error, v)


def _joined(context, negatives):
    return torch.cat([context[:, None], negatives], dim=1)


def _sum(table, ids, change):
    return table.index_add(0, ids, change)


def _last(table, ids, change):
    moved = table.clone()
    for i, row in zip(ids.tolist(), change, strict=True):
        moved[i] = table[i] + row
    return moved


def _last_of_each(groups):
    """-= once for each group of columns of the output table's rows: groups(1 + K) -> slices."""

    def model(inputs, outputs, gradients, centre, context, negatives, rate):
        asked, moved = _joined(context, negatives), outputs
        to_v, to_u = gradients(inputs[centre], outputs[asked])
        for part in groups(asked.shape[1]):
            moved = _last(moved, asked[:, part].flatten(), -rate * to_u[:, part].flatten(0, 1))
        return _last(inputs, centre, -rate * to_v), moved

    return model


def _mean(table, ids, change):
    counts = ids.bincount(minlength=len(table)).clamp(min=1)
    return table + _sum(torch.zeros_like(table), ids, change) / counts[:, None]


def _only_change(table, ids, change):
    return _sum(torch.zeros_like(table), ids, change)


def _step(
    join=_joined,
    add=(_sum, _sum),
    factor=lambda rate, n: -rate,
    rows=(0, 1),
    moves=(1, 1),
    asked_move=lambda to_u: to_u,
    laid_out=torch.flatten,
):
    """add: to each table; factor(rate, number of pairs); rows: the tables of the centres' rows and of the others;
    moves: does each table move; asked_move(to_u): the changes of the output table; laid_out(asked): its ids."""

    def model(inputs, outputs, gradients, centre, context, negatives, rate):
        asked, by = join(context, negatives), factor(rate, len(centre))
        first, second = ((inputs, outputs)[n] for n in rows)
        to_v, to_u = gradients(first[centre], second[asked])
        to_u = asked_move(to_u).flatten(0, 1)
        return add[0](inputs, centre, by * to_v * moves[0]), add[1](outputs, laid_out(asked), by * to_u * moves[1])

    return model


def _after_another(inputs, outputs, gradients, centre, context, negatives, rate):
    for one in torch.arange(len(centre)).split(1):
        ids = centre[one], context[one], negatives[one]
        inputs, outputs = sgd_step(inputs, outputs, gradients, *ids, rate)
    return inputs, outputs


def _moved_first(table):
    """The other table's gradients are computed when this one has moved."""

    def model(inputs, outputs, *rest):
        first = sgd_step(inputs, outputs, *rest)
        second = sgd_step(first[0] if table == 0 else inputs, first[1] if table == 1 else outputs, *rest)
        return (first[0], second[1]) if table == 0 else (second[0], first[1])

    return model


def _one_kind(first):
    return lambda to_u: to_u * ((torch.arange(to_u.shape[1]) == 0) == first)[:, None]


def _probe(shows, n_words, dim, centre, context, negatives, rate):
    numbers = (torch.arange(1.0, 1 + 2 * n_words * dim) * 5).sin().reshape(2, n_words, dim)
    ids = (torch.tensor(ids) for ids in (centre, context, negatives))
    return Probe(shows, *numbers, _Gradients("gradients"), *ids, rate)


PROBES = [
    _probe("one pair", 5, 3, [2], [4], [[0, 1]], 0.5),
    _probe("two pairs without a common word", 7, 2, [1, 5], [0, 3], [[2, 4], [6, 1]], 0.25),
    _probe("a centre that comes twice", 7, 3, [3, 1, 3], [0, 2, 6], [[4], [1], [5]], 0.3),
    _probe(
        "negatives that come twice, one of them a context", 5, 3, [0, 2, 4], [1, 3, 1], [[2, 2], [1, 0], [4, 3]], 0.4
    ),
]
MISTAKES = [
    ("uphill", _step(factor=lambda rate, n: rate)),
    (
        "a repeated word moves once",
        _step(add=(_last, _last)),
        _step(add=(_last, _sum)),
        _step(add=(_sum, _last)),
        _last_of_each(lambda n: (slice(0, 1), slice(1, n))),
        _last_of_each(lambda n: [slice(k, k + 1) for k in range(n)]),
    ),
    ("a repeated word moves by the mean", _step(add=(_mean, _mean))),
    ("one pair after the other", _after_another),
    ("one table moves before the other is asked", _moved_first(0), _moved_first(1)),
    ("the context comes last", _step(join=lambda context, negatives: torch.cat([negatives, context[:, None]], dim=1))),
    ("the rows come from the wrong tables", _step(rows=(1, 0)), _step(rows=(0, 0)), _step(rows=(1, 1))),
    (
        "a change reaches another word",
        _step(laid_out=lambda asked: asked.T.flatten()),
        _step(laid_out=lambda asked: torch.cat([asked[:, 0], asked[:, 1:].flatten()])),
    ),
    ("nothing has moved", _step(moves=(0, 0))),
    ("one table stays as it was", _step(moves=(1, 0)), _step(moves=(0, 1))),
    (
        "one kind of context stays as it was",
        _step(asked_move=_one_kind(True)),
        _step(asked_move=_one_kind(False)),
    ),
    ("the learning rate is missing", _step(factor=lambda rate, n: -1)),
    ("divided by the number of pairs", _step(factor=lambda rate, n: -rate / n)),
    (
        "the changes instead of the tables",
        _step(add=(_only_change, _only_change)),
        _step(add=(_only_change, _only_change), factor=lambda rate, n: 1),
        _step(add=(_only_change, _only_change), factor=lambda rate, n: rate),
    ),
    ("the two tables are swapped", lambda *a: sgd_step(*a)[::-1]),
]
EXERCISE = Exercise("1.10", sgd_step, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20, learns=False)
