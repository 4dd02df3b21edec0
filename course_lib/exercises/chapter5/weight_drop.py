"""Exercise 5.5: weight drop. Source: Merity et al. 2018, arXiv:1708.02182, section 2 (DropConnect on the recurrent
matrix)."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def weight_drop(x: torch.Tensor, w_in: torch.Tensor, w_rec: torch.Tensor, keep: torch.Tensor, p: float) -> torch.Tensor:
    """States [word, hidden] of a simple recurrent network, the first from zeros. x [word, dim]: inputs; w_in
    [dim, hidden]; w_rec [hidden, hidden]; keep [hidden, hidden]: True where an entry stays; p: share that is dropped"""
    thinned = w_rec * keep / (1 - p)
    state, states = torch.zeros(w_rec.shape[0]), []
    for word in x:
        state = torch.tanh(word @ w_in + state @ thinned)
        states.append(state)
    return torch.stack(states)


def _run(x, w_in, w_rec_at, state_at=lambda state, t: state):
    state, states = torch.zeros(w_in.shape[1]), []
    for t, word in enumerate(x):
        state = state_at(torch.tanh(word @ w_in + state @ w_rec_at(t)), t)
        states.append(state)
    return torch.stack(states)


def _probe(shows, word, dim, hidden, p, step):
    sizes = (word * dim, dim * hidden, hidden * hidden)
    numbers = (torch.arange(sum(sizes)) * step % 17 - 8.0) / 10
    x, w_in, w_rec = numbers.split(sizes)
    keep = (torch.arange(hidden * hidden) * 3 % 5 > 1).reshape(hidden, hidden)
    return Probe(shows, (x.reshape(word, dim), w_in.reshape(dim, hidden), w_rec.reshape(hidden, hidden), keep, p))


EXERCISE = Exercise(
    id="5.5",
    title="Weight drop",
    difficulty=3,
    importance=3,
    minutes=12,
    question="""
        Plain dropout between time steps would thin the memory of an LSTM anew at each word, until nothing old is left.
        AWD-LSTM drops entries of the **recurrent matrix** instead: the same entries at every word of a text. What is
        kept is multiplied by $1/(1-p)$, so that the sum stays as large as before. Here the network is a simple one,
        $h_t = \\tanh(x_t W + h_{t-1} U)$, and which entries of $U$ stay is given.
        Before you run it: does the state of the very first word change when entries of $U$ are dropped?
    """,
    solution=weight_drop,
    why="The first state does not change: before it there is no state that U could pass on. From the second on, each "
    "state is carried by the same thinned matrix, so that what survives one step can survive a hundred.",
    hints=(
        "The mask does not change from word to word. What can be done before the loop?",
        "There are two matrices. Only one of them links a state with the next.",
        "Thin and enlarge the recurrent matrix once, as a new tensor; then run the network as if nothing had happened.",
    ),
    probes=(
        _probe("five words, half dropped", 5, 2, 3, 0.5, 5),
        _probe("three words, a fifth dropped", 3, 3, 2, 0.2, 7),
        _probe("two words", 2, 2, 5, 0.4, 11),
    ),
    mistakes=(
        Mistake(
            "nothing is made larger",
            "The kept entries are as they were. In training the sums are then smaller than in use.",
            model=lambda x, w_in, w_rec, keep, p: _run(x, w_in, lambda t: w_rec * keep),
        ),
        Mistake(
            "made larger at every word",
            "The matrix grows from word to word. It is made larger once.",
            model=lambda x, w_in, w_rec, keep, p: _run(x, w_in, lambda t: w_rec * keep / (1 - p) ** (t + 1)),
        ),
        Mistake(
            "multiplied by what is kept",
            "The kept entries become smaller. They should make up for those that are gone.",
            model=lambda x, w_in, w_rec, keep, p: _run(x, w_in, lambda t: w_rec * keep * (1 - p)),
        ),
        Mistake(
            "divided by p",
            "The factor is right only for p = 1/2. What is left is 1 - p.",
            model=lambda x, w_in, w_rec, keep, p: _run(x, w_in, lambda t: w_rec * keep / p),
        ),
        Mistake(
            "the mask is turned round",
            "True means that an entry stays; here it goes.",
            model=lambda x, w_in, w_rec, keep, p: _run(x, w_in, lambda t: w_rec * ~keep / (1 - p)),
        ),
        Mistake(
            "only at the first link",
            "After the first link the whole matrix is back. The same entries stay away for the whole text.",
            model=lambda x, w_in, w_rec, keep, p: _run(x, w_in, lambda t: w_rec * keep / (1 - p) if t < 2 else w_rec),
        ),
        Mistake(
            "states are dropped, not weights",
            "Whole numbers of the state are lost, and stay lost for all that follows. The entries of the matrix "
            "should go.",
            model=lambda x, w_in, w_rec, keep, p: _run(
                x, w_in, lambda t: w_rec, lambda state, t: state * keep[0] / (1 - p)
            ),
        ),
        Mistake(
            "nothing is dropped",
            "The mask has no influence on the result.",
            model=lambda x, w_in, w_rec, keep, p: _run(x, w_in, lambda t: w_rec),
        ),
    ),
)
