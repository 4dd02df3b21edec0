"""Exercise 3.3: the score of a tag sequence in a linear-chain CRF. Source: Lample et al. 2016, arXiv:1603.01360,
section 2.2."""

import torch

from course.check.exercise import Exercise, Probe


def path_score(
    emissions: torch.Tensor,
    transitions: torch.Tensor,
    start: torch.Tensor,
    end: torch.Tensor,
    tags: torch.Tensor,
    mask: torch.Tensor,
) -> torch.Tensor:
    """Score of each row's tag sequence, [batch]. emissions [batch, word, tag], transitions [from, to], start [tag],
    end [tag], tags [batch, word], mask [batch, word]: True at real words, padding after them.
    path_score(torch.ones(1, 3, 2), torch.eye(2), torch.ones(2), torch.ones(2), torch.tensor([[0, 0, 1]]),
    torch.tensor([[True, True, False]])) -> tensor([5.0])"""
    scores = []
    for row, length in enumerate(mask.sum(dim=1)):
        path = tags[row, :length]
        words = emissions[row, range(length), path].sum()
        steps = transitions[path[:-1], path[1:]].sum()
        scores.append(start[path[0]] + words + steps + end[path[-1]])
    return torch.stack(scores)


def fixed_numbers(*shape, step):
    """Fixed numbers between -3 and 3 with nothing special about them."""
    return (torch.arange(torch.Size(shape).numel()) * step % 13 - 6.0).reshape(shape) / 2


def _probe(shows, tags, lengths, step):
    tags = torch.tensor(tags)
    batch, word = tags.shape
    mask = torch.arange(word) < torch.tensor(lengths)[:, None]
    emissions, transitions = fixed_numbers(batch, word, 3, step=step), fixed_numbers(3, 3, step=step + 1)
    start, end = fixed_numbers(3, step=step + 2) + 1, fixed_numbers(3, step=step + 3) - 1
    return Probe(shows, emissions, transitions, start, end, tags, mask)


_ALL_WORDS = "range(length), path => range(tags.shape[1]), tags[row]"
_ALL_STEPS = "path[:-1], path[1:] => tags[row, :-1], tags[row, 1:]"
_STEP_OUT = "path[:-1], path[1:] => tags[row, : length + 1][:-1], tags[row, 1 : length + 1]"
_LAST_COLUMN = "end[path[-1]] => end[tags[row, -1]]"


PROBES = [
    _probe("one sentence, no padding", [[0, 1, 2, 0]], [4], 5),
    _probe("two sentences, one of them padded", [[2, 1, 1, 0, 2], [1, 2, 0, 1, 2]], [5, 3], 3),
    _probe("a sentence of one word", [[2, 1, 0], [0, 1, 2]], [1, 3], 7),
]
MISTAKES = [
    ("padding counts", (_ALL_WORDS, _ALL_STEPS, _LAST_COLUMN), (_ALL_WORDS, _ALL_STEPS), (_ALL_WORDS, _STEP_OUT)),
    ("emissions at padding count", _ALL_WORDS),
    ("steps into padding count", _ALL_STEPS, _STEP_OUT, (_STEP_OUT, _LAST_COLUMN)),
    ("the last column is taken for the last tag", _LAST_COLUMN),
    (
        "a table of rows and columns instead of pairs",
        "range(length) => :length",
        "path[:-1], path[1:] => path[:-1]][:, path[1:]",
    ),
    (
        "an emission is missing",
        "range(length), path => range(1, length), path[1:]",
        "range(length), path => range(length - 1), path[:-1]",
    ),
    ("start and end are exchanged", "start[path[0]] + words + steps + end => end[path[0]] + words + steps + start"),
    ("the transitions are turned round", "path[:-1], path[1:] => path[1:], path[:-1]"),
    ("start is missing", "start[path[0]] + => "),
    ("end is missing", " + end[path[-1]] => "),
    ("start and end are missing", ("start[path[0]] + => ", " + end[path[-1]] => ")),
    ("the transitions are missing", " + steps => "),
    ("a probability instead of a score", "stack(scores) => stack(scores).exp()"),
    ("one score for the whole batch", "stack(scores) => stack(scores).sum()"),
]
EXERCISE = Exercise("3.3", path_score, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12)
