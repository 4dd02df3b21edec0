"""Exercise 7.1: what BERT reads and what it is asked. Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1, task
1, and appendix A.1."""

import torch

from course.check.exercise import Exercise, Probe


def mask_tokens(
    ids: torch.Tensor, choose: torch.Tensor, fate: torch.Tensor, draw: torch.Tensor, vocab_size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """(what is read, labels), both [batch, piece]; a label is -100 where nothing is asked. ids [batch, piece]: 0 to 4
    are [PAD], [UNK], [CLS], [SEP], [MASK]; choose, fate, draw [batch, piece]: random numbers, 0 or more and below 1.
    mask_tokens(torch.tensor([[7, 8]]), *torch.tensor([[[0.1, 0.9]]] * 3), 9) -> ([[4, 8]], [[7, -100]])"""
    chosen = (choose < 0.15) & (ids > 4)
    hidden = chosen & (fate < 0.8)
    replaced = chosen & ~hidden & (fate < 0.9)
    others = 5 + (draw * (vocab_size - 5)).long()
    read = torch.where(hidden, 4, torch.where(replaced, others, ids))
    return read, torch.where(chosen, ids, -100)


def _ordinary(ids):
    return ids > 4


def _drawn(draw, vocab_size):
    return 5 + (draw * (vocab_size - 5)).long()


def _masked(may=_ordinary, to_mask=0.8, to_random=0.1, drawn=_drawn, damaged=None, asked=None, nothing=-100):
    """may(ids): places that can be chosen; damaged(chosen, may), asked(chosen, hidden, replaced, read, ids): places."""

    def model(ids, choose, fate, draw, vocab_size):
        chosen = may(ids) & (choose < 0.15)
        places = damaged(chosen, may(ids)) if damaged else chosen
        hidden = places & (fate < to_mask)
        replaced = places & ~hidden & (fate < to_mask + to_random - 1e-6)  # 0.8 + 0.1 is a little more than 0.9
        read = ids.masked_fill(hidden, 4).where(~replaced, drawn(draw, vocab_size))
        return read, ids.where(asked(chosen, hidden, replaced, read, ids) if asked else chosen, torch.tensor(nothing))

    return model


def _labels_of_what_is_read(ids, *dice):
    read, labels = _masked()(ids, *dice)
    return read, read.where(labels != -100, labels)


def _overwritten(ids, choose, fate, draw, vocab_size):
    """A piece at random also where [MASK] was put."""
    read, labels = _masked()(ids, choose, fate, draw, vocab_size)
    return torch.where((labels != -100) & (fate < 0.9), _drawn(draw, vocab_size), read), labels


def _to_the_border(least, lower):
    """Numbers that stand on a border fall below it. least, lower: how much is taken off `choose` and `fate`."""
    return lambda ids, choose, fate, *a: mask_tokens(ids, choose - least, fate - lower, *a)


def _probe(shows, ids, choose, fate, draw, vocab_size):
    return Probe(shows, torch.tensor(ids), *map(torch.tensor, (choose, fate, draw)), vocab_size)


_LOW, _HIGH = 0.02, 0.6
PROBES = [
    _probe(
        "each fate",
        [[2, 7, 11, 6, 9, 13, 8, 3]],
        [[_HIGH, 0.10, 0.90, 0.05, 0.14, _HIGH, 0.01, _HIGH]],
        [[0.50, 0.03, 0.10, 0.85, 0.95, 0.85, 0.79, 0.50]],
        [[0.52, 0.22, 0.72, 0.63, 0.33, 0.43, 0.82, 0.12]],
        25,
    ),
    _probe(
        "special pieces and padding have low numbers, too",
        [[2, 12, 1, 4, 3, 7, 3, 0, 0], [2, 9, 8, 3, 10, 3, 0, 0, 0]],
        [[_LOW, _LOW, _LOW, _LOW, _LOW, 0.2, _LOW, _LOW, _HIGH], [_LOW, _HIGH, _LOW, _LOW, 0.16, _LOW, _LOW, 0, 0]],
        [[0.10, 0.40, 0.20, 0.1, 0.85, 0.91, 0.95, 0.3, 0.83], [0.83, 0.85, 0.93, 0.10, 0.2, 0.7, 0.82, 0.6, 0.1]],
        [[0.55, 0.10, 0.35, 0.2, 0.65, 0.9, 0.45, 0.7, 0.30], [0.27, 0.15, 0.60, 0.80, 0.4, 0.3, 0.77, 0.5, 0.9]],
        17,
    ),
    _probe(
        "the first and the last piece are drawn",
        [[6, 5, 7, 8, 9]],
        [[0.12, 0.03, 0.149, 0.15, 0.08]],
        [[0.80, 0.89, 0.85, 0.85, 0.88]],
        [[0.0, 0.99, 0.5, 0.5, 0.1]],
        11,
    ),
]
MISTAKES = [
    ("all chosen pieces become [MASK]", _masked(to_mask=1.0)),
    ("no chosen piece stays", _masked(to_random=0.3)),
    ("nothing is replaced at random", _masked(to_random=0.0)),
    ("a loss on all pieces", _masked(asked=lambda chosen, *_: torch.ones_like(chosen))),
    ("a loss on all ordinary pieces", _masked(asked=lambda *a: a[-1] > 4)),
    (
        "a loss at [MASK] only",
        _masked(asked=lambda chosen, hidden, *_: hidden),
        _masked(asked=lambda *a: a[-2] == 4),
    ),
    (
        "no loss where the piece stayed",
        _masked(asked=lambda chosen, hidden, replaced, read, ids: read != ids),
        _masked(asked=lambda chosen, hidden, replaced, read, ids: hidden | replaced),
    ),
    ("the labels are what is read", _labels_of_what_is_read),
    ("0 where nothing is asked", _masked(nothing=0)),
    ("[MASK] is overwritten", _overwritten),
    ("special pieces and padding are chosen", _masked(may=lambda ids: torch.ones_like(ids, dtype=torch.bool))),
    ("special pieces are chosen", _masked(may=lambda ids: ids != 0)),
    ("padding is chosen", _masked(may=lambda ids: (ids > 4) | (ids == 0))),
    ("[UNK] is chosen", _masked(may=lambda ids: (ids > 4) | (ids == 1))),
    ("[MASK] is chosen", _masked(may=lambda ids: ids >= 4)),
    ("[UNK] and [MASK] are chosen", _masked(may=lambda ids: (ids > 3) | (ids == 1))),
    ("a random piece beyond the vocabulary", _masked(drawn=lambda draw, vocab_size: 5 + (draw * vocab_size).long())),
    ("a random piece may be special", _masked(drawn=lambda draw, vocab_size: (draw * vocab_size).long())),
    ("a number on the border is below it", *(_to_the_border(*by) for by in ((1e-6, 0), (0, 1e-6), (1e-6, 1e-6)))),
    ("80, 10 and 10 % of all pieces", _masked(damaged=lambda chosen, may: may)),
]
EXERCISE = Exercise("7.1", mask_tokens, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
