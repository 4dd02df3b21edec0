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


def _score(
    emissions, transitions, start, end, tags, mask, *, words_mask=True, steps_mask="to", end_at_last=True, parts="swte"
):
    """`parts` names what is added: start, words, transitions, end. A step is masked by the word it leads "to" or comes
    "from", or not at all."""
    words = emissions.gather(2, tags[..., None])[..., 0]
    steps = transitions[tags[:, :-1], tags[:, 1:]]
    last = tags.gather(1, mask.sum(1, keepdim=True) - 1)[:, 0] if end_at_last else tags[:, -1]
    every = {
        "s": start[tags[:, 0]],
        "w": (words * mask if words_mask else words).sum(1),
        "t": (steps * {"to": mask[:, 1:], "from": mask[:, :-1], None: 1}[steps_mask]).sum(1),
        "e": end[last],
    }
    return sum(every[part] for part in parts)


def _tables(emissions, transitions, start, end, tags, mask, words):
    """Of rows and columns a whole table is taken where pairs are meant: for the words, or for the steps."""
    scores = []
    for emission, path, real in zip(emissions, tags, mask, strict=True):
        emission, path = emission[real], path[real]
        own = emission[:, path] if words else emission[range(len(path)), path]
        steps = transitions[path[:-1], path[1:]] if words else transitions[path[:-1]][:, path[1:]]
        scores.append(start[path[0]] + own.sum() + steps.sum() + end[path[-1]])
    return torch.stack(scores)


def _without_one(emissions, mask, last):
    """The emissions, 0 for the last word of each sentence, or else for the first."""
    here, beside = torch.ones_like(mask[:, :1]), mask[:, 1:]
    stays = torch.cat([beside, ~here], 1) if last else torch.cat([~here, here.expand_as(beside)], 1)
    return emissions * stays[..., None]


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


PROBES = [
    _probe("one sentence, no padding", [[0, 1, 2, 0]], [4], 5),
    _probe("two sentences, one of them padded", [[2, 1, 1, 0, 2], [1, 2, 0, 1, 2]], [5, 3], 3),
    _probe("a sentence of one word", [[2, 1, 0], [0, 1, 2]], [1, 3], 7),
]
MISTAKES = [
    (
        "padding counts",
        lambda *a: _score(*a, words_mask=False, steps_mask=None, end_at_last=False),
        lambda *a: _score(*a, words_mask=False, steps_mask=None),
        lambda *a: _score(*a, words_mask=False, steps_mask="from"),
    ),
    ("emissions at padding count", lambda *a: _score(*a, words_mask=False)),
    (
        "steps into padding count",
        lambda *a: _score(*a, steps_mask=None),
        lambda *a: _score(*a, steps_mask="from"),
        lambda *a: _score(*a, steps_mask="from", end_at_last=False),
    ),
    ("the last column is taken for the last tag", lambda *a: _score(*a, end_at_last=False)),
    (
        "a table of rows and columns instead of pairs",
        lambda *a: _tables(*a, words=True),
        lambda *a: _tables(*a, words=False),
    ),
    (
        "an emission is missing",
        lambda e, *a: _score(_without_one(e, a[-1], False), *a),
        lambda e, *a: _score(_without_one(e, a[-1], True), *a),
    ),
    ("start and end are exchanged", lambda e, t, start, end, *a: _score(e, t, end, start, *a)),
    ("the transitions are turned round", lambda emissions, transitions, *a: _score(emissions, transitions.T, *a)),
    ("start is missing", lambda *a: _score(*a, parts="wte")),
    ("end is missing", lambda *a: _score(*a, parts="swt")),
    ("start and end are missing", lambda *a: _score(*a, parts="wt")),
    ("the transitions are missing", lambda *a: _score(*a, parts="swe")),
    ("a probability instead of a score", lambda *a: path_score(*a).exp()),
    ("one score for the whole batch", lambda *a: path_score(*a).sum()),
]
EXERCISE = Exercise("3.3", path_score, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12)
