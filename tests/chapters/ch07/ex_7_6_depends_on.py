"""Wrong answers to exercise 7.6 as readers write them, each with the mistake that must be named."""

import torch


def other(piece, vocab_size):
    return int(piece) + 1 if piece + 1 < vocab_size else 0


def runs(network, ids, vocab_size, change=other):
    """The states with each piece changed, [run, state, d_model]."""
    rows = [[*ids[:k].tolist(), int(change(ids[k], vocab_size)), *ids[k + 1 :].tolist()] for k in range(len(ids))]
    return torch.stack([network(torch.tensor(row)) for row in rows])


def right(network, ids, vocab_size, change=other):
    return (runs(network, ids, vocab_size, change) != network(ids)).any(2).T


def changed(change):
    """change(piece, vocab_size): what is put in its place."""
    return lambda network, ids, vocab_size: right(network, ids, vocab_size, change)


def compared(compare):
    """compare(states of all runs, states without a change)."""
    return lambda network, ids, vocab_size: compare(runs(network, ids, vocab_size), network(ids))


def where(is_changed):
    """is_changed(j, k): is piece j another one in run k?"""

    def answer(network, ids, vocab_size):
        first, found = network(ids), []
        for k in range(len(ids)):
            row = [other(piece, vocab_size) if is_changed(j, k) else int(piece) for j, piece in enumerate(ids)]
            found.append((network(torch.tensor(row)) != first).any(1).tolist())
        return [list(column) for column in zip(*found, strict=True)]

    return answer


def own_state(states, first):
    n = range(len(first))
    return [[k == q and bool((states[k, k] != first[k]).any()) for k in n] for q in n]


def nearly(states, first):
    return [[not torch.allclose(run[q], first[q]) for run in states] for q in range(len(first))]


def same_tensor(network, ids, vocab_size):
    first, changed, columns = network(ids), ids, []
    for k in range(len(ids)):
        changed[k] = other(ids[k], vocab_size)
        columns.append((network(changed) != first).any(1))
    return torch.stack(columns, 1)


WRONG = [
    (where(lambda j, k: j <= k), "the changes pile up"),
    (where(lambda j, k: j >= k), "all pieces from k on are changed"),
    (where(lambda j, k: j != k), "all pieces but k are changed"),
    (changed(lambda piece, vocab_size: 0), "changed to piece 0"),
    (changed(lambda piece, vocab_size: vocab_size - 1), "changed to the last piece"),
    (lambda *inputs: right(*inputs).T.tolist(), "rows and columns are exchanged"),
    (compared(own_state), "only a piece's own state is looked at"),
    (lambda *inputs: right(*inputs).fill_diagonal_(False), "the diagonal is left out"),
    (compared(lambda states, first: (states == first).all(2).T), "True means that nothing moved"),
    (compared(lambda states, first: (states != first).all(2).T), "all numbers must move"),
    (compared(lambda states, first: (states[..., 0] != first[..., 0]).T), "a look at the first number only"),
    (compared(lambda states, first: (states - first).sum(2).ne(0).T), "the sum of a state is compared"),
    (compared(nearly), "a tolerance hides a faint trace"),
    (compared(lambda states, first: (states - first).abs().amax(2).T), "amounts instead of True and False"),
    (lambda *inputs: right(*inputs).int(), "amounts instead of True and False"),
    (lambda *inputs: right(*inputs).any(0), "one row instead of a table"),
    (same_tensor, "changes its input"),
    (changed(lambda piece, vocab_size: vocab_size), "error"),
    (changed(lambda piece, vocab_size: piece + 1), "error"),
    (changed(lambda piece, vocab_size: piece - 1), "error"),
    (lambda network, ids, n: torch.autograd.functional.jacobian(network, ids.float()).abs().sum(1) > 0, "error"),
]
