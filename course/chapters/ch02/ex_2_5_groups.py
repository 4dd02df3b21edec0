"""Exercise 2.5: two learning rates in one network."""

import torch
from torch import nn

from course.check.exercise import Exercise, Probe, Seen


def parameter_groups(model: nn.Module, slow: str, rate: float) -> list[dict]:
    """Two groups for an optimizer, each {"params": list of parameters, "lr": learning rate}.
    First all other parameters at `rate`, then those of the layer called `slow` at a tenth of it.
    m = nn.ModuleDict({"a": nn.Embedding(5, 3), "b": nn.Embedding(7, 3)})
    parameter_groups(m, "a", 0.5) -> [{"params": [m.b.weight], "lr": 0.5}, {"params": [m.a.weight], "lr": 0.05}]"""
    slow_parameters = list(model.get_submodule(slow).parameters())
    slow_ids = {id(parameter) for parameter in slow_parameters}
    others = [parameter for parameter in model.parameters() if id(parameter) not in slow_ids]
    return [{"params": others, "lr": rate}, {"params": slow_parameters, "lr": rate / 10}]


class _Parameter(nn.Parameter):
    """Says that it is one when it is compared: a tensor with its numbers is another thing."""

    def tolist(self):
        return ["a parameter", *super().tolist()]


class _Tagger(nn.Module):
    """Probes are copied and compared with their copies, so two of these are equal when their parameters are.
    Its biases are all 0: they can be told apart by what they are, not by their numbers."""

    __hash__ = nn.Module.__hash__

    def __init__(self, *, tied: bool = False, frozen: bool = False):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.char_embedding = nn.Embedding(2, 3)
        self.embedding_filter = nn.Linear(3, 3)
        self.hidden = nn.Linear(3, 3)
        self.encoder = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        self.output = nn.Linear(3, 5)
        for i, (name, parameter) in enumerate(list(self.named_parameters())):
            layer, _, kind = name.rpartition(".")
            numbers = 100 * i + torch.arange(parameter.numel()).reshape(parameter.shape)
            setattr(self.get_submodule(layer), kind, _Parameter(numbers * float(kind == "weight")))
        if tied:
            self.output.weight = self.embedding.weight
        if frozen:
            self.hidden.requires_grad_(False)
            self.encoder.requires_grad_(False)

    def __eq__(self, other):
        mine, theirs = ([(n, p.tolist(), p.requires_grad) for n, p in m.named_parameters()] for m in (self, other))
        return mine == theirs


def _only(stays, groups):
    return [{**group, "params": [p for p in group["params"] if stays(p)]} for group in groups]


def _copies(groups):
    return [{**group, "params": [p.detach().clone() for p in group["params"]]} for group in groups]


def _same_parameters(got, expected, ordered=True):
    """Each group holds the parameters that it should hold."""
    arrange = list if ordered else lambda values: sorted(values, key=str)
    found, wanted = ([arrange(p.tolist() for p in group["params"]) for group in groups] for groups in (got, expected))
    return found == wanted


def _another_order(got, expected, *_):
    return _same_parameters(got, expected, ordered=False) and not _same_parameters(got, expected)


_SLOW = "model.get_submodule(slow).parameters()"
_BY_VALUE = "id(parameter) not in slow_ids => not any(parameter.equal(p) for p in slow_parameters)"


PROBES = [
    Probe("the embedding is slow", _Tagger(), "embedding", 0.5),
    Probe("the output layer uses the embedding's table too", _Tagger(tied=True), "embedding", 0.02),
    Probe("another layer is slow, and its bias holds the same numbers as others", _Tagger(), "hidden", 0.3),
    Probe("the slow layer uses the embedding's table too", _Tagger(tied=True), "output", 0.5),
    Probe("a layer inside another is slow", _Tagger(), "encoder.1", 0.5),
    Probe("some parameters are frozen for now", _Tagger(frozen=True), "hidden", 0.5),
]
MISTAKES = [
    ("the slow parameters are in both groups", " if id(parameter) not in slow_ids => "),
    (
        "a shared table is in both groups",
        "[parameter for parameter in model.parameters() if id(parameter) not in slow_ids] => "
        "[p for name, layer in model.named_children() if name != slow for p in layer.parameters()]",
    ),
    (
        "layers with a similar name are slow too",
        f"{_SLOW} => p for name, p in model.named_parameters() if slow in name",
        f"{_SLOW} => p for name, p in model.named_parameters() if name.startswith(slow)",
    ),
    (
        "a shared table is looked for by one name",
        f"{_SLOW} => p for name, p in model.named_parameters() if name.startswith(f'{{slow}}.')",
    ),
    ("always the embedding", lambda m, slow, rate: parameter_groups(m, "embedding", rate)),
    ("the other parameters are missing", lambda *a: parameter_groups(*a)[1:]),
    ("the slow parameters are missing", lambda *a: parameter_groups(*a)[:1]),
    ("frozen parameters are missing", lambda *a: _only(lambda p: p.requires_grad, parameter_groups(*a))),
    ("the biases are missing", lambda *a: _only(lambda p: p.ndim > 1, parameter_groups(*a))),
    (
        "the bias of the slow layer is forgotten",
        '"params": slow_parameters => "params": slow_parameters[:1]',
        f"list({_SLOW}) => [model.get_submodule(slow).weight]",
    ),
    (
        "parameters are compared by their numbers",
        _BY_VALUE,
        (
            _BY_VALUE,
            '"params": slow_parameters => "params": '
            "[p for p in model.parameters() if any(p.equal(q) for q in slow_parameters)]",
        ),
    ),
    ("looked for by `in`", Seen(lambda got, *_: isinstance(got, RuntimeError) and "size of tensor" in str(got))),
    ("copies instead of the parameters", lambda *a: _copies(parameter_groups(*a))),
    ("the groups are in the other order", lambda *a: parameter_groups(*a)[::-1]),
    ("iterators instead of lists", Seen(lambda got, *_: any(hasattr(group["params"], "__next__") for group in got))),
    ("the rates are wrong", Seen(lambda got, right, *_: all("lr" in g for g in got) and _same_parameters(got, right))),
    ("another order of the parameters", Seen(_another_order)),
]
EXERCISE = Exercise("2.5", parameter_groups, PROBES, MISTAKES, difficulty=3, importance=5, minutes=12)
