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


def _after_another(inputs, outputs, gradients, centre, context, negatives, rate):
    for one in torch.arange(len(centre)).split(1):
        ids = centre[one], context[one], negatives[one]
        inputs, outputs = sgd_step(inputs, outputs, gradients, *ids, rate)
    return inputs, outputs


def _probe(shows, n_words, dim, centre, context, negatives, rate):
    numbers = (torch.arange(1.0, 1 + 2 * n_words * dim) * 5).sin().reshape(2, n_words, dim)
    ids = (torch.tensor(ids) for ids in (centre, context, negatives))
    return Probe(shows, *numbers, _Gradients("gradients"), *ids, rate)


def _last(table, _, ids, change, alpha):
    """-= for each row in turn, from the table as it was."""
    moved = table.clone()
    for i, row in zip(ids.tolist(), change, strict=True):
        moved[i] = table[i] + alpha * row
    return moved


def _mean(table, _, ids, change, alpha):
    counts = ids.bincount(minlength=len(table)).clamp(min=1)
    return table + torch.zeros_like(table).index_add(0, ids, change, alpha=alpha) / counts[:, None]


def _last_in_each(table, asked, to_u, alpha, parts):
    """-= once for each group of columns of the rows."""
    for part in parts:
        table = _last(table, 0, asked[:, part].flatten(), to_u[:, part].flatten(0, 1), alpha)
    return table


_V_ONCE, _U_ONCE = "inputs.index_add( => _last(inputs, ", "outputs.index_add( => _last(outputs, "
_U_MOVED = "outputs.index_add(0, asked.flatten(), to_u.flatten(0, 1), alpha=-rate)"
_CONTEXTS_FIRST, _BY_COLUMNS = (
    "(slice(0, 1), slice(1, None))",
    "map(slice, range(asked.shape[1]), range(1, 1 + asked.shape[1]))",
)


PROBES = [
    _probe("one pair", 5, 3, [2], [4], [[0, 1]], 0.5),
    _probe("two pairs without a common word", 7, 2, [1, 5], [0, 3], [[2, 4], [6, 1]], 0.25),
    _probe("a centre that comes twice", 7, 3, [3, 1, 3], [0, 2, 6], [[4], [1], [5]], 0.3),
    _probe(
        "negatives that come twice, one of them a context", 5, 3, [0, 2, 4], [1, 3, 1], [[2, 2], [1, 0], [4, 3]], 0.4
    ),
]
MISTAKES = [
    ("uphill", "-rate => rate"),
    (
        "a repeated word moves once",
        (_V_ONCE, _U_ONCE),
        _V_ONCE,
        _U_ONCE,
        (_V_ONCE, f"{_U_MOVED} => _last_in_each(outputs, asked, to_u, -rate, {_CONTEXTS_FIRST})"),
        (_V_ONCE, f"{_U_MOVED} => _last_in_each(outputs, asked, to_u, -rate, {_BY_COLUMNS})"),
    ),
    (
        "a repeated word moves by the mean",
        ("inputs.index_add( => _mean(inputs, ", "outputs.index_add( => _mean(outputs, "),
    ),
    ("one pair after the other", _after_another),
    (
        "one table moves before the other is asked",
        "return moved, => to_u = gradients(moved[centre], outputs[asked])[1]\n    return moved,",
        f"moved = => to_v = gradients(inputs[centre], {_U_MOVED}[asked])[0]\n    moved =",
    ),
    ("the context comes last", "[context[:, None], negatives] => [negatives, context[:, None]]"),
    (
        "the rows come from the wrong tables",
        "inputs[centre], outputs[asked] => outputs[centre], inputs[asked]",
        "outputs[asked] => inputs[asked]",
        "inputs[centre] => outputs[centre]",
    ),
    (
        "a change reaches another word",
        "asked.flatten() => asked.T.flatten()",
        "asked.flatten() => torch.cat([asked[:, 0], asked[:, 1:].flatten()])",
    ),
    ("nothing has moved", "-rate => 0"),
    ("one table stays as it was", "0, 1), alpha=-rate => 0, 1), alpha=0", "to_v, alpha=-rate => to_v, alpha=0"),
    (
        "one kind of context stays as it was",
        "asked.flatten(), to_u.flatten(0, 1) => context, to_u[:, 0]",
        "asked.flatten(), to_u.flatten(0, 1) => negatives.flatten(), to_u[:, 1:].flatten(0, 1)",
    ),
    ("the learning rate is missing", "-rate => -1"),
    ("divided by the number of pairs", "-rate => -rate / len(centre)"),
    (
        "the changes instead of the tables",
        "puts.index_add => puts.mul(0).index_add",
        ("puts.index_add => puts.mul(0).index_add", "-rate => 1"),
        ("puts.index_add => puts.mul(0).index_add", "-rate => rate"),
    ),
    ("the two tables are swapped", lambda *a: sgd_step(*a)[::-1]),
]
EXERCISE = Exercise("1.10", sgd_step, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20, learns=False)
