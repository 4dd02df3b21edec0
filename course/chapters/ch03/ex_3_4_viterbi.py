"""Exercise 3.4: the best tag sequence. Source: Viterbi 1967; Rabiner 1989, section III.B (with backpointers)."""

import torch

from course.chapters.ch03.ex_3_5_log_partition import log_partition
from course.check.exercise import Exercise, Probe


def viterbi(emissions: torch.Tensor, transitions: torch.Tensor, start: torch.Tensor, end: torch.Tensor) -> list[int]:
    """The tag sequence with the highest score. emissions [word, tag], transitions [from, to], start [tag], end [tag]
    viterbi(torch.tensor([[2.0, 0.0], [0.0, 1.0]]), torch.zeros(2, 2), torch.zeros(2), torch.zeros(2)) -> [0, 1]"""
    best = start + emissions[0]
    pointers = []
    for emission in emissions[1:]:
        best, before = (best[:, None] + transitions).max(dim=0)
        best = best + emission
        pointers.append(before)
    path = [int((best + end).argmax())]
    for before in reversed(pointers):
        path.append(int(before[path[-1]]))
    return path[::-1]


def _best_with_ends(emissions, transitions, start, end):
    """The emissions alone, with the scores of both ends."""
    scores = emissions.clone()
    scores[0] += start
    scores[-1] += end
    return scores.argmax(dim=1).tolist()


def _left_to_right(emissions, transitions, start, end):
    """Decides each word when it comes: no way back."""
    path, before = [], start
    for emission, after in zip(emissions, [0] * (len(emissions) - 1) + [end], strict=True):
        path.append(int((before + emission + after).argmax()))
        before = transitions[path[-1]]
    return path


def _best_per_word(emissions, transitions, start, end):
    """Right scores, but the path is read off word by word, without backpointers."""
    best = [start + emissions[0]]
    for emission in emissions[1:]:
        best.append((best[-1][:, None] + transitions).amax(dim=0) + emission)
    best[-1] = best[-1] + end
    return [int(scores.argmax()) for scores in best]


def _ends(of, start=True, end=True):
    """The mistake `of`, with the scores of both ends or without."""
    return lambda e, t, s, z: of(e, t, s if start else s * 0, z if end else z * 0)


def _marginal(emissions, transitions, start, end):
    """The most probable tag of each word, all other tags summed over."""
    with torch.enable_grad():
        emissions = emissions.clone().requires_grad_()
        total = log_partition(emissions, transitions, start, end)
        return torch.autograd.grad(total, emissions)[0].argmax(dim=1).tolist()


def _numbers(rows):
    return torch.tensor([[float(number) for number in row.split()] for row in rows.split("/")])


def _probe(shows, emissions, transitions, start, end):
    return Probe(shows, _numbers(emissions), transitions, _numbers(start)[0], _numbers(end)[0])


_BIO = _numbers("0 0 -9 / 0 -1 2 / 0 -1 1")  # O, B-PER, I-PER: no I-PER after O
_OPEN = _numbers(".5 -1 1 / 2 0 -1.5 / -1 1.5 .5")
PROBES = [
    _probe(
        "tags O, B-PER, I-PER; a step from O to I-PER costs 9", "1 .6 0 / .2 .5 1.5 / 1.5 .1 0", _BIO, "0 0 0", "0 0 0"
    ),
    _probe("four words, scores at both ends", "0 1 .5 / 1 0 .5 / .2 .9 1 / 1 .3 .9", _OPEN, "2 0 -1", "-3 0 1"),
    _probe(
        "five words, scores at both ends",
        ".5 0 .4 / 0 2 1 / 1.5 1 0 / 0 .3 .8 / .7 .6 .1",
        _OPEN.roll(1, 0),
        "-1 1.5 0",
        "-.5 2.5 -1",
    ),
    _probe(
        "six words, scores at both ends",
        ".2 .9 .1 / .8 0 .4 / 0 .6 .7 / .3 .3 1.1 / .4 .7 0 / .6 .5 .9",
        _OPEN.roll(1, 1),
        "-.5 .4 1.5",
        "1.2 -2 .3",
    ),
    Probe(
        "twenty words",
        *[((torch.arange(60.0) * 7).sin() * 2).reshape(20, 3), _OPEN, *_numbers("-.5 .4 1.5 / 1.2 -2 .3")],
    ),
    _probe("one word only", "1 0 .5", _OPEN, "0 0 1", "0 2 .4"),
]
MISTAKES = [
    ("each word takes its own best tag", lambda e, *_: e.argmax(dim=1).tolist(), _best_with_ends),
    (
        "each word is decided when it comes",
        _left_to_right,
        _ends(_left_to_right, end=False),
        _ends(_left_to_right, start=False, end=False),
        lambda e, t, start, end: _left_to_right(e, t, start, end * (len(e) > 1)),
    ),
    ("the path is read without backpointers", _best_per_word, _ends(_best_per_word, end=False)),
    ("the emission of the first word is missing", "emissions[0] => 0 * emissions[0]"),
    ("the most probable tag of each word", _marginal),
    ("the transitions are turned round", "+ transitions => + transitions.T"),
    ("the maximum is over the wrong axis", "dim=0 => dim=1", "best[:, None] => best"),
    ("the pointers are not followed", "path[-1] => path[0]", "reversed(pointers) => pointers"),
    ("a step leads to the first word", lambda e, t, start, end: viterbi(e, t, (start[:, None] + t).amax(0), end)),
    ("start and end are missing", ("start + => ", "best + end => best")),
    ("start is missing", "start + => "),
    ("end is missing", "best + end => best"),
    ("the path is not turned round", "path[::-1] => path"),
    ("the worst sequence", ("max(dim => min(dim", "argmax => argmin")),
]
EXERCISE = Exercise("3.4", viterbi, PROBES, MISTAKES, difficulty=4, importance=4, minutes=20)
