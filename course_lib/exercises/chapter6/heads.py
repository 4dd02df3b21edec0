"""Exercise 6.3: split into heads and join. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def read_by_heads(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """What each query takes, the heads side by side: [batch, query, d_model]. values [batch, key, d_model]: head 0 owns
    the first d_model / n_heads numbers, and so on; weights [batch, head, query, key], after the softmax"""
    heads = values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)
    return (weights @ heads).transpose(1, 2).flatten(2)


def _split(values, weights):
    return values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)


def _join(heads):
    return heads.transpose(1, 2).flatten(2)


def _by_view(values, weights):
    batch, key, width = values.shape
    return values.reshape(batch, weights.shape[1], key, width // weights.shape[1])


def _stacked(heads):
    batch, head, query, dim = heads.shape
    return heads.reshape(batch, query, head * dim)


def _interleaved(values, weights):
    return _join(weights @ values.unflatten(-1, (-1, weights.shape[1])).permute(0, 3, 1, 2))


def _dealt_out(values, weights):
    return (weights @ _split(values, weights)).permute(0, 2, 3, 1).flatten(2)


def _probe(shows, batch, head, query, key, dim, step):
    values = ((torch.arange(batch * key * head * dim) * step % 23 - 11.0) / 4).reshape(batch, key, head * dim)
    weights = ((torch.arange(batch * head * query * key) * 5 % 13) / 3).reshape(batch, head, query, key).softmax(-1)
    return Probe(shows, (values, weights))


EXERCISE = Exercise(
    id="6.3",
    title="Split into heads and join",
    difficulty=3,
    importance=5,
    minutes=15,
    question="""
        The width of each word is cut into `n_heads` equal pieces, one for each head. Each head has its own weights and
        reads **its piece of every word**. Then the pieces are put side by side again. Write it without a loop: split
        the values, let each head read, join. (The projections before and after are left out.)
        Before you run it: a head's weights are 1 for the word itself and 0 for the others. What comes out?
    """,
    solution=read_by_heads,
    why="Each word gets its own piece back: with such weights in all heads the result is `values`, unchanged. As a "
    "test that is weak: a split and a join that are wrong in the same way pass it, too. `view` changes where an axis "
    "is cut, not which numbers lie side by side in memory. Only a transpose brings the head axis before the word axis.",
    hints=(
        "Write down the four axes after the split, and which of them `weights @ ...` multiplies.",
        "Two steps each way: cut the last axis in two, then exchange two axes. The way back is in the other order.",
        "The last axis becomes (n_heads, the rest) by unflatten or view. Then the head axis must change places with "
        "the word axis.",
    ),
    probes=(
        _probe("two heads", 1, 2, 3, 3, 5, 7),
        _probe("a batch of two texts, three heads", 2, 3, 5, 5, 2, 3),
        _probe("fewer queries than keys", 2, 2, 3, 7, 3, 5),
        _probe("one head", 1, 1, 2, 5, 3, 7),
    ),
    mistakes=(
        Mistake(
            "view without transpose, in the split",
            "A head gets whole words instead of a piece of each: words and heads are mixed.",
            model=lambda values, weights: _join(weights @ _by_view(values, weights)),
        ),
        Mistake(
            "view without transpose, in the join",
            "The result of a query is put together from several queries. Exchange the axes back first.",
            model=lambda values, weights: _stacked(weights @ _split(values, weights)),
        ),
        Mistake(
            "view without transpose, both ways",
            "Split and join undo each other, so the shapes fit. In between, a head does not read its piece of a word.",
            model=lambda values, weights: _stacked(weights @ _by_view(values, weights)),
        ),
        Mistake(
            "the pieces are dealt out like cards",
            "A head owns every n-th number. It should own numbers that stand side by side, in the split and the join.",
            model=lambda values, weights: (
                _interleaved(values, weights).unflatten(-1, (weights.shape[1], -1)).mT.flatten(2)
            ),
        ),
        Mistake(
            "split like cards, joined side by side",
            "In the split a head owns every n-th number, in the join it does not.",
            model=_interleaved,
        ),
        Mistake(
            "split side by side, joined like cards",
            "In the join the heads take turns, number by number. They should stand side by side.",
            model=_dealt_out,
        ),
        Mistake(
            "the mean of the heads",
            "All heads read the whole width and are averaged. Each should read its own piece.",
            model=lambda values, weights: weights.mean(1) @ values,
        ),
        Mistake(
            "the first head's weights for all",
            "All pieces are read with the same weights. Each head has its own.",
            model=lambda values, weights: weights[:, 0] @ values,
        ),
        Mistake(
            "not joined",
            "The result still has an axis for the heads. Exchange it back and put the pieces side by side.",
            seen=lambda got, expected, *_: got.ndim == 4,
        ),
        Mistake(
            "every head reads everything",
            "The result is n_heads times too wide.",
            seen=lambda got, expected, values, weights: (
                weights.shape[1] > 1 and got.shape[-1] == weights.shape[1] * values.shape[-1]
            ),
        ),
    ),
)
