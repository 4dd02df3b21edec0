"""Wrong answers to exercise 7.6 as readers write them, each with the mistake that must be named."""

import torch


def other(piece, vocab_size):
    return int(piece) + 1 if piece + 1 < vocab_size else 0


def with_piece(ids, k, piece):
    return torch.tensor([*ids[:k].tolist(), int(piece), *ids[k + 1 :].tolist()])


def runs(network, ids, vocab_size):
    """The states with each piece changed, [run, state, d_model]."""
    return torch.stack([network(with_piece(ids, k, other(ids[k], vocab_size))) for k in range(len(ids))])


def right(network, ids, vocab_size):
    return (runs(network, ids, vocab_size) != network(ids)).any(2).T


def never_put_back(network, ids, vocab_size):
    n, first, row = len(ids), network(ids), ids.clone()
    table = torch.zeros(n, n, dtype=torch.bool)
    for k in range(n):
        row[k] = other(row[k], vocab_size)
        table[:, k] = (network(row) != first).any(1)
    return table


def the_rest_too(network, ids, vocab_size):
    first, found = network(ids), []
    for k in range(len(ids)):
        row = torch.tensor([other(p, vocab_size) if j >= k else int(p) for j, p in enumerate(ids)])
        found.append((network(row) != first).any(1).tolist())
    return [list(column) for column in zip(*found, strict=True)]


def everything_else(network, ids, vocab_size):
    first, found = network(ids), []
    for k in range(len(ids)):
        row = torch.tensor([int(p) if j == k else other(p, vocab_size) for j, p in enumerate(ids)])
        found.append((network(row) != first).any(1).tolist())
    return [list(column) for column in zip(*found, strict=True)]


def to_zero(network, ids, vocab_size):
    states = torch.stack([network(with_piece(ids, k, 0)) for k in range(len(ids))])
    return (states != network(ids)).any(2).T


def to_the_last(network, ids, vocab_size):
    states = torch.stack([network(with_piece(ids, k, vocab_size - 1)) for k in range(len(ids))])
    return (states != network(ids)).any(2).T


def piece_by_state(*inputs):
    return right(*inputs).T.tolist()


def own_state(network, ids, vocab_size):
    first, states = network(ids), runs(network, ids, vocab_size)
    table = [[False] * len(ids) for _ in ids]
    for k in range(len(ids)):
        table[k][k] = bool((states[k, k] != first[k]).any())
    return table


def others_only(*inputs):
    return right(*inputs).fill_diagonal_(False)


def equal(network, ids, vocab_size):
    return (runs(network, ids, vocab_size) == network(ids)).all(2).T


def all_of_them(network, ids, vocab_size):
    return (runs(network, ids, vocab_size) != network(ids)).all(2).T


def first_number(network, ids, vocab_size):
    return (runs(network, ids, vocab_size)[..., 0] != network(ids)[..., 0]).T


def sums(network, ids, vocab_size):
    return (runs(network, ids, vocab_size) - network(ids)).sum(2).ne(0).T


def nearly(network, ids, vocab_size):
    first = network(ids)
    return [
        [not torch.allclose(states[q], first[q]) for states in runs(network, ids, vocab_size)] for q in range(len(ids))
    ]


def distances(network, ids, vocab_size):
    return (runs(network, ids, vocab_size) - network(ids)).abs().amax(2).T


def ones_and_zeros(*inputs):
    return right(*inputs).int()


def any_state(*inputs):
    return right(*inputs).any(0)


def same_tensor(network, ids, vocab_size):
    first, changed, columns = network(ids), ids, []
    for k in range(len(ids)):
        changed[k] = other(ids[k], vocab_size)
        columns.append((network(changed) != first).any(1))
    return torch.stack(columns, 1)


def no_wrap(network, ids, vocab_size):
    return torch.stack([network(with_piece(ids, k, [*range(vocab_size)][ids[k] + 1])) for k in range(len(ids))])


def not_below_the_vocabulary(network, ids, vocab_size):
    return torch.stack([(network(with_piece(ids, k, vocab_size)) != network(ids)).any(1) for k in range(len(ids))], 1)


def plus_one(network, ids, vocab_size):
    return torch.stack([(network(with_piece(ids, k, ids[k] + 1)) != network(ids)).any(1) for k in range(len(ids))], 1)


def minus_one(network, ids, vocab_size):
    return torch.stack([(network(with_piece(ids, k, ids[k] - 1)) != network(ids)).any(1) for k in range(len(ids))], 1)


def gradient(network, ids, vocab_size):
    return torch.autograd.functional.jacobian(network, ids.float()).abs().sum(1) > 0


WRONG = [
    (never_put_back, "the changes pile up"),
    (the_rest_too, "all pieces from k on are changed"),
    (everything_else, "all pieces but k are changed"),
    (to_zero, "changed to piece 0"),
    (to_the_last, "changed to the last piece"),
    (piece_by_state, "rows and columns are exchanged"),
    (own_state, "only a piece's own state is looked at"),
    (others_only, "the diagonal is left out"),
    (equal, "True means that nothing moved"),
    (all_of_them, "all numbers must move"),
    (first_number, "a look at the first number only"),
    (sums, "the sum of a state is compared"),
    (nearly, "a tolerance hides a faint trace"),
    (distances, "amounts instead of True and False"),
    (ones_and_zeros, "amounts instead of True and False"),
    (any_state, "one row instead of a table"),
    (same_tensor, "changes its input"),
    (no_wrap, "error"),
    (not_below_the_vocabulary, "error"),
    (plus_one, "error"),
    (minus_one, "error"),
    (gradient, "error"),
]
