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
    _probe("a draw just below 1", [[6, 5]], [[0.1, 0.1]], [[0.85, 0.85]], [[1 - 2**-24, 0.5]], 19),
]
MISTAKES = [
    ("all chosen pieces become [MASK]", "fate < 0.8 => fate < 1"),
    ("no chosen piece stays", "fate < 0.9 => fate < 1"),
    ("nothing is replaced at random", "fate < 0.9 => fate < 0.8"),
    ("a loss on all pieces", "torch.where(chosen, ids, -100) => ids"),
    ("a loss on all ordinary pieces", "where(chosen => where(ids > 4"),
    ("a loss at [MASK] only", "where(chosen => where(hidden", "where(chosen => where(read == 4"),
    ("no loss where the piece stayed", "where(chosen => where(read != ids", "where(chosen => where(hidden | replaced"),
    ("the labels are what is read", "chosen, ids => chosen, read"),
    ("0 where nothing is asked", "-100 => 0"),
    (
        "[MASK] is overwritten",
        (
            "& ~hidden & => &",
            "torch.where(hidden, 4, torch.where(replaced, others, ids)) => torch.where(replaced, others, ids)",
        ),
    ),
    ("special pieces and padding are chosen", " & (ids > 4) => "),
    ("special pieces are chosen", "ids > 4 => ids != 0"),
    ("padding is chosen", "ids > 4 => (ids > 4) | (ids == 0)"),
    ("[UNK] is chosen", "ids > 4 => (ids > 4) | (ids == 1)"),
    ("[MASK] is chosen", "ids > 4 => ids > 3"),
    ("[UNK] and [MASK] are chosen", "ids > 4 => (ids > 3) | (ids == 1)"),
    (
        "a random piece beyond the vocabulary",
        "vocab_size - 5 => vocab_size",
        "5 + (draw * (vocab_size - 5)).long() => (5 + draw * (vocab_size - 5)).long()",
    ),
    ("a random piece may be special", "5 + (draw * (vocab_size - 5)) => (draw * vocab_size)"),
    (
        "a number on the border is below it",
        "choose < => choose - 1e-6 <",
        "fate < => fate - 1e-6 <",
        ("choose < => choose - 1e-6 <", "fate < => fate - 1e-6 <"),
    ),
    (
        "80, 10 and 10 % of all pieces",
        ("hidden = chosen => hidden = (ids > 4)", "replaced = chosen => replaced = (ids > 4)"),
    ),
]
EXERCISE = Exercise("7.1", mask_tokens, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15, learns=False)
