"""Wrong answers to exercise 5.5 as readers write them, each with the mistake that must be named."""

import torch


def run(x, w_in, matrices):
    rows = [torch.tanh(x[0] @ w_in)]
    for word, matrix in zip(x[1:], matrices[1:], strict=True):
        rows.append(torch.tanh(word @ w_in + rows[-1] @ matrix))
    return torch.stack(rows)


def with_weights(weights):
    """weights(w_rec, keep, p): the same at every step."""
    return lambda x, w_in, w_rec, keep, p: run(x, w_in, [weights(w_rec, keep, p)] * len(x))


def thinned_in_the_loop(x, w_in, w_rec, keep, p):
    return run(x, w_in, [w_rec * keep / (1 - p) ** (i + 1) for i in range(len(x))])


def states_dropped(x, w_in, w_rec, keep, p):
    state, states = torch.zeros(len(w_rec)), []
    for word in x:
        state = torch.tanh(word @ w_in + state @ w_rec) * keep[0] / (1 - p)
        states.append(state)
    return torch.stack(states)


WRONG = [
    (with_weights(lambda w_rec, keep, p: w_rec.masked_fill(~keep, 0)), "nothing is made larger"),
    (thinned_in_the_loop, "made larger at every word"),
    (with_weights(lambda w_rec, keep, p: w_rec * keep * (1 - p)), "multiplied by what is kept"),
    (with_weights(lambda w_rec, keep, p: w_rec * keep / p), "divided by p"),
    (with_weights(lambda w_rec, keep, p: w_rec.masked_fill(keep, 0) / (1 - p)), "the mask is turned round"),
    (lambda x, w_in, w, keep, p: run(x, w_in, [w, w * keep / (1 - p)] + [w] * (len(x) - 2)), "only at the first link"),
    (states_dropped, "states are dropped, not weights"),
    (with_weights(lambda w_rec, keep, p: w_rec), "nothing is dropped"),
]
