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


def _probe(shows, rows, d_model, step):
    """rows: the pieces of question and passage."""
    rows = [[11, *question, 4, *passage, 4] for question, passage in rows]
    n = max(map(len, rows))
    ids = torch.tensor([row + [0] * (n - len(row)) for row in rows])
    sizes = [ids.numel() * d_model, 2 * d_model, 2]
    numbers = ((torch.arange(sum(sizes)) * step % 31 - 14.0) / 12).split(sizes)
    return Probe(shows, numbers[0].reshape(*ids.shape, -1), ids, 4, numbers[1].reshape(2, -1), numbers[2])


_PASSAGE = "(n_seps == 1) & (ids != sep)"


PROBES = [
    _probe("one row", [([5, 6, 7], [8, 9, 6, 5])], 3, 5),
    _probe("two rows whose questions are equally long", [([5, 6], [7, 8, 9]), ([9, 7], [6, 5, 8])], 4, 7),
    _probe(
        "rows of several lengths, with padding", [([5], [6, 7, 8, 9, 5]), ([8, 6, 9], [7]), ([6, 5], [9, 8])], 5, 13
    ),
]
MISTAKES = [
    ("the question may answer", "n_seps == 1 => n_seps < 2"),
    ("padding may answer", "n_seps == 1 => n_seps > 0"),
    ("all behind the first [SEP] may answer", f"{_PASSAGE} => n_seps - (ids == sep).long() > 0"),
    (
        "a token of the passage is hidden",
        *(f"(ids != sep) => (ids != sep) & (ids.roll({shift}, 1) != sep)" for shift in (-1, 1)),
    ),
    ("the first [SEP] may answer", " & (ids != sep) => "),
    ("the last [SEP] may answer", f"{_PASSAGE} => (n_seps - (ids == sep).long() == 1) & (ids != 0)"),
    ("every [SEP] may answer", f"{_PASSAGE} => (n_seps == 1) | (ids == sep)"),
    ("only padding is hidden", f"{_PASSAGE} => ids != 0"),
    ("nothing is hidden", ".masked_fill(~allowed, -torch.inf) => "),
    ("no place for no answer", "allowed[:, 0] = True => ..."),
    ("the mask is turned round", "~allowed => allowed", ("allowed[:, 0] = True => ...", "~allowed => allowed")),
    (
        "the question instead of the passage",
        f"{_PASSAGE} => n_seps == 0",
        (f"{_PASSAGE} => n_seps == 0", "= True => = False"),
    ),
    (
        "the first row's mask for all",
        "~allowed => ~allowed[:1]",
        f"{_PASSAGE} => (torch.arange(ids.shape[1]) > ids[0].tolist().index(sep)) & (ids != sep) & (ids != 0)",
    ),
    ("hidden by a zero", ".masked_fill(~allowed, -torch.inf) => .mul(allowed)"),
    (
        "a large number instead of infinity",
        *(f"-torch.inf => {low}" for low in (-1e4, -1e9, -1e10, -1e30, torch.finfo(torch.float32).min)),
    ),
    ("plus infinity", "-torch.inf => torch.inf"),
    ("0 times minus infinity", ".masked_fill(~allowed, -torch.inf) => .add(~allowed * -torch.inf)"),
    ("no bias", " + bias => "),
    ("one bias for both", "+ bias => + bias[0]", "+ bias => + bias[1]"),
    ("start and end are exchanged", "torch.inf) => torch.inf).flip(0)"),
    ("only the start", "torch.inf) => torch.inf)[0]", "torch.inf) => torch.inf)[[0, 0]]"),
    ("the weight is reshaped", "weight.T => weight.reshape(-1, 2)"),
    ("the logits are reshaped", "movedim(-1, 0) => reshape(2, *ids.shape)"),
    ("start and end stand last", "torch.inf) => torch.inf).movedim(0, -1)"),
    ("start and end stand second", "torch.inf) => torch.inf).movedim(0, 1)"),
    (
        "probabilities instead of logits",
        "torch.inf) => torch.inf).softmax(-1)",
        "torch.inf) => torch.inf).log_softmax(-1)",
    ),
]
EXERCISE = Exercise("8.8", span_logits, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20, learns=False)
