"""Exercise 2.5: two learning rates in one network."""

import torch
from torch import nn

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def parameter_groups(model: nn.Module, slow: str, rate: float) -> list[dict]:
    """Two groups for an optimizer, each {"params": list of parameters, "lr": learning rate}.
    First all other parameters at `rate`, then those of the layer called `slow` at a tenth of it."""
    slow_parameters = list(model.get_submodule(slow).parameters())
    slow_ids = {id(parameter) for parameter in slow_parameters}
    others = [parameter for parameter in model.parameters() if id(parameter) not in slow_ids]
    return [{"params": others, "lr": rate}, {"params": slow_parameters, "lr": rate / 10}]


class _Tagger(nn.Module):
    """Probes are copied and compared with their copies, so two of these are equal when their parameters are."""

    __hash__ = nn.Module.__hash__

    def __init__(self, *, tied: bool = False):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.char_embedding = nn.Embedding(2, 3)
        self.embedding_filter = nn.Linear(3, 3)
        self.hidden = nn.Linear(3, 3)
        self.output = nn.Linear(3, 5)
        if tied:
            self.output.weight = self.embedding.weight
        with torch.no_grad():
            for i, parameter in enumerate(self.parameters()):
                parameter.copy_(100 * i + torch.arange(parameter.numel()).reshape(parameter.shape))

    def __eq__(self, other):
        mine, theirs = ([(n, p.tolist(), p.requires_grad) for n, p in m.named_parameters()] for m in (self, other))
        return mine == theirs


def _groups(model, rate, is_slow):
    """`is_slow` looks at a parameter's name."""
    others, slow = ([p for n, p in model.named_parameters() if is_slow(n) == side] for side in (False, True))
    return [{"params": others, "lr": rate}, {"params": slow, "lr": rate / 10}]


def _by_layer(model, slow, rate):
    others = [p for name, layer in model.named_children() if name != slow for p in layer.parameters()]
    return [{"params": others, "lr": rate}, parameter_groups(model, slow, rate)[1]]


def _without_biases(groups):
    return [{**group, "params": [p for p in group["params"] if p.ndim > 1]} for group in groups]


def _same_parameters(got, expected, ordered=True):
    """Each group holds the parameters it should hold."""
    arrange = list if ordered else lambda values: sorted(values, key=str)
    found, wanted = ([arrange(p.tolist() for p in group["params"]) for group in groups] for groups in (got, expected))
    return found == wanted


EXERCISE = Exercise(
    id="2.5",
    title="Fast layers and a slow table",
    difficulty=3,
    importance=5,
    minutes=12,
    question="""
        Pre-trained vectors are good already, and the layers above them are random. So let the table learn slowly.
        An optimizer takes a list of **groups**, each with its own learning rate. Write the function that makes two:
        first all other parameters of the model at `rate`, then those of the layer called `slow` at a tenth of it.
        `model.get_submodule(slow)` is that layer. Each parameter must be in exactly one group, in the model's order.
        Before you run it: does `model.parameters()` contain the parameters of the embedding?
    """,
    solution=parameter_groups,
    why="`model.parameters()` runs through all layers, so the slow ones have to be taken out. `in` does not do it: it "
    "compares tensors number by number. Two parameters are the same one if they are the same object, and id tells. "
    "That also puts a table which two layers share into one group only.",
    hints=(
        "First collect the slow parameters. What must then be removed from the list of all parameters?",
        "Do not ask `parameter in slow_list`: == compares tensors number by number. Ask whether two are the same "
        "object.",
        "Python's id gives one number per object: make a set of the ids of the slow parameters. Walk through all "
        "parameters and keep those whose id is not in it.",
    ),
    probes=(
        Probe("the embedding is slow", (_Tagger(), "embedding", 0.5)),
        Probe("the output layer uses the embedding's table too", (_Tagger(tied=True), "embedding", 0.02)),
        Probe("another layer is slow", (_Tagger(), "output", 0.3)),
        Probe("the slow layer uses the embedding's table too", (_Tagger(tied=True), "output", 0.5)),
    ),
    mistakes=(
        Mistake(
            "the slow parameters are in both groups",
            "`model.parameters()` contains those of the slow layer as well. PyTorch's optimizers refuse a parameter "
            "that is in two groups.",
            model=lambda m, *a: [{"params": list(m.parameters()), "lr": a[1]}, parameter_groups(m, *a)[1]],
        ),
        Mistake(
            "a shared table is in both groups",
            "Two layers share one table, and it is in both groups. Look at the parameters, not only at the layers.",
            model=_by_layer,
        ),
        Mistake(
            "layers with a similar name are slow too",
            "`char_embedding` became slow with `embedding`. A layer's name must fit as a whole, not in part.",
            model=lambda m, slow, rate: _groups(m, rate, lambda n: slow in n),
        ),
        Mistake(
            "layers with a similar name are slow too",
            "`embedding_filter` became slow with `embedding`. Where does the name of a layer end?",
            model=lambda m, slow, rate: _groups(m, rate, lambda n: n.startswith(slow)),
        ),
        Mistake(
            "a shared table is looked for by one name",
            "A table that two layers share is listed under one name only, that of the first. Under the other one it is "
            "not found. Look at the parameters, not at names.",
            model=lambda m, slow, rate: _groups(m, rate, lambda n: n.split(".")[0] == slow),
        ),
        Mistake(
            "always the embedding",
            "With another `slow` the result stays the same. Use the parameter.",
            model=lambda m, slow, rate: parameter_groups(m, "embedding", rate),
        ),
        Mistake(
            "the other parameters are missing",
            "The result has one group, and the optimizer moves nothing but what it is given.",
            model=lambda *a: parameter_groups(*a)[1:],
        ),
        Mistake(
            "the slow parameters are missing",
            "The slow layer is in no group, so it is frozen. Slow is not frozen.",
            model=lambda *a: parameter_groups(*a)[:1],
        ),
        Mistake(
            "the biases are missing",
            "Only the weights are in the groups. A bias is a parameter too, and would never be trained.",
            model=lambda *a: _without_biases(parameter_groups(*a)),
        ),
        Mistake(
            "the groups are in the other order",
            "The slow group comes second.",
            model=lambda *a: parameter_groups(*a)[::-1],
        ),
        Mistake(
            "iterators instead of lists",
            "A group holds an iterator, which is empty after its first use. Make a list of it.",
            seen=lambda got, *_: any(hasattr(group["params"], "__next__") for group in got),
        ),
        Mistake(
            "the rates are wrong",
            "The parameters are where they should be, the rates are not: `rate` for the others, a tenth of it for the "
            "slow layer.",
            seen=lambda got, expected, *_: _same_parameters(got, expected),
        ),
        Mistake(
            "another order of the parameters",
            "Nothing is missing, but the order is not the model's; a set has none. A saved optimizer finds its "
            "parameters by their place.",
            seen=lambda got, expected, *_: _same_parameters(got, expected, ordered=False),
        ),
    ),
)
