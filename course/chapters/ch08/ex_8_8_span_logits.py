"""Exercise 8.8: the head that marks an answer. Source: Devlin et al. 2019, arXiv:1810.04805, sections 4.2 and 4.3."""

import torch

from course.check.exercise import Exercise, Probe


def span_logits(
    states: torch.Tensor, ids: torch.Tensor, sep: int, weight: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    """Logits of start and end [2, row, place]; minus infinity where no answer may be. states [row, place, d_model]: the
    encoder's top states; ids [row, place]: [CLS] question [SEP] passage [SEP], then padding, with 0; sep: the id of
    [SEP]; weight [2, d_model], bias [2]: of the start, of the end.
    span_logits(torch.ones(1, 5, 1), torch.tensor([[8, 5, 9, 6, 9]]), 9, torch.ones(2, 1), torch.zeros(2)).softmax(-1)
    -> [[[0.5, 0, 0, 0.5, 0]], [[0.5, 0, 0, 0.5, 0]]]"""
    n_seps = (ids == sep).cumsum(dim=1)  # of each place: how many [SEP] the row has up to there
    allowed = (n_seps == 1) & (ids != sep)
    allowed[:, 0] = True
    logits = states @ weight.T + bias
    return logits.movedim(-1, 0).masked_fill(~allowed, -torch.inf)


def _seps(ids, sep):
    """Up to each place, and before it."""
    n = (ids == sep).cumsum(1)
    return n, n - (ids == sep).long()


def _passage(ids, sep):
    return (_seps(ids, sep)[0] == 1) & (ids != sep)


def _first(ids, sep):
    return (torch.arange(ids.shape[1]) == 0).expand_as(ids)


def _allowed(ids, sep):
    return _passage(ids, sep) | _first(ids, sep)


def _masked(logits, allowed):
    return logits.masked_fill(~allowed, -torch.inf)


def _head(
    may=_allowed,
    hide=_masked,
    scores=lambda states, weight, bias: states @ weight.T + bias,
    last=lambda logits: logits,
):
    """may(ids, sep): where an answer may be; hide(logits [2, row, place], may); last(logits): what comes after it."""

    def model(states, ids, sep, weight, bias):
        return last(hide(scores(states, weight, bias).movedim(-1, 0), may(ids, sep)))

    return model


def _but_beside(shift):
    """Without the tokens that stand beside a [SEP]: before it (-1) or behind it (1)."""
    return lambda ids, sep: (_passage(ids, sep) & (ids.roll(shift, 1) != sep)) | _first(ids, sep)


def _reshaped(states, ids, sep, weight, bias):
    return _masked((states @ weight.T + bias).reshape(2, *ids.shape), _allowed(ids, sep))


def _times_infinity(logits, allowed):
    return logits + (~allowed) * -torch.inf


def _probe(shows, rows, d_model, step):
    """rows: the pieces of question and passage."""
    rows = [[11, *question, 4, *passage, 4] for question, passage in rows]
    n = max(map(len, rows))
    ids = torch.tensor([row + [0] * (n - len(row)) for row in rows])
    sizes = [ids.numel() * d_model, 2 * d_model, 2]
    numbers = ((torch.arange(sum(sizes)) * step % 31 - 14.0) / 12).split(sizes)
    return Probe(shows, numbers[0].reshape(*ids.shape, -1), ids, 4, numbers[1].reshape(2, -1), numbers[2])


PROBES = [
    _probe("one row", [([5, 6, 7], [8, 9, 6, 5])], 3, 5),
    _probe("two rows whose questions are equally long", [([5, 6], [7, 8, 9]), ([9, 7], [6, 5, 8])], 4, 7),
    _probe(
        "rows of several lengths, with padding", [([5], [6, 7, 8, 9, 5]), ([8, 6, 9], [7]), ([6, 5], [9, 8])], 5, 13
    ),
]
MISTAKES = [
    ("the question may answer", _head(lambda ids, sep: (_seps(ids, sep)[0] < 2) & (ids != sep))),
    ("padding may answer", _head(lambda i, s: ((_seps(i, s)[0] > 0) & (i != s)) | _first(i, s))),
    ("all behind the first [SEP] may answer", _head(lambda i, s: (_seps(i, s)[1] > 0) | _first(i, s))),
    ("a token of the passage is hidden", *(_head(_but_beside(shift)) for shift in (-1, 1))),
    ("the first [SEP] may answer", _head(lambda i, s: (_seps(i, s)[0] == 1) | _first(i, s))),
    ("the last [SEP] may answer", _head(lambda i, s: ((_seps(i, s)[1] == 1) & (i != 0)) | _first(i, s))),
    ("every [SEP] may answer", _head(lambda i, s: _allowed(i, s) | (i == s))),
    ("only padding is hidden", _head(lambda ids, sep: ids != 0)),
    ("nothing is hidden", _head(lambda ids, sep: torch.ones_like(ids) > 0)),
    ("no place for no answer", _head(_passage)),
    ("the mask is turned round", _head(lambda *a: ~_allowed(*a)), _head(lambda *a: ~_passage(*a))),
    (
        "the question instead of the passage",
        _head(lambda ids, sep: _seps(ids, sep)[0] == 0),
        _head(lambda ids, sep: (_seps(ids, sep)[0] == 0) & ~_first(ids, sep)),
    ),
    ("the first row's mask for all", _head(lambda *a: _allowed(*a)[:1].expand_as(a[0]))),
    ("hidden by a zero", _head(hide=lambda logits, allowed: logits * allowed)),
    (
        "a large number instead of infinity",
        *(
            _head(hide=lambda logits, allowed, low=low: logits.masked_fill(~allowed, low))
            for low in (-1e4, -1e9, -1e10, -1e30, torch.finfo(torch.float32).min)
        ),
    ),
    ("plus infinity", _head(hide=lambda logits, allowed: logits.masked_fill(~allowed, torch.inf))),
    ("0 times minus infinity", _head(hide=_times_infinity)),
    ("no bias", _head(scores=lambda states, weight, bias: states @ weight.T)),
    ("one bias for both", *(_head(scores=lambda s, w, b, k=k: s @ w.T + b[k]) for k in (0, 1))),
    ("start and end are exchanged", _head(last=lambda logits: logits.flip(0))),
    ("only the start", _head(last=lambda logits: logits[0]), _head(last=lambda logits: logits[[0, 0]])),
    ("the weight is reshaped", _head(scores=lambda s, w, b: s @ w.reshape(-1, 2) + b)),
    ("the logits are reshaped", _reshaped),
    ("start and end stand last", _head(last=lambda logits: logits.movedim(0, -1))),
    ("start and end stand second", _head(last=lambda logits: logits.movedim(0, 1))),
    (
        "probabilities instead of logits",
        _head(last=lambda logits: logits.softmax(-1)),
        _head(last=lambda logits: logits.log_softmax(-1)),
    ),
]
EXERCISE = Exercise("8.8", span_logits, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20, learns=False)
