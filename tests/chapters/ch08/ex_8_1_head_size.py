"""Wrong answers to exercise 8.1 as readers write them, each with the mistake that must be named."""

from torch import nn


def numbers(n_inputs, n_outputs, bias=True):
    layer = nn.Linear(n_inputs, n_outputs, bias=bias, device="meta")  # counts need no memory
    return sum(parameter.numel() for parameter in layer.parameters())


def read(task, width):
    return len(["u", "v", "difference", "product"]) * width if task == "pair apart" else width


def given(task, n_labels):
    return len(["start", "end"]) if task == "span" else n_labels


def right(task, n_labels, width, bias=True):
    return numbers(read(task, width), given(task, n_labels), bias)


def reading(n_inputs):
    """n_inputs(task, width)."""
    return lambda task, n_labels, width, *_: numbers(n_inputs(task, width), given(task, n_labels))


def giving(n_outputs):
    """n_outputs(task, n_labels)."""
    return lambda task, n_labels, width, *_: numbers(read(task, width), n_outputs(task, n_labels))


def per_place(*tasks):
    return lambda task, n_labels, width, n_pieces, _: right(task, n_labels, width) * (n_pieces if task in tasks else 1)


def softmax_over_places(task, n_labels, width, n_pieces, n_body):
    return 2 * numbers(width, n_pieces) if task == "span" else right(task, n_labels, width)


def four_layers(task, n_labels, width, n_pieces, n_body):
    layers = 4 if task == "pair apart" else 1
    return sum(numbers(width, given(task, n_labels)) for _ in range(layers))


WRONG = [
    (lambda task, n_labels, width, *_: right(task, n_labels, width, bias=False), "the biases are missing"),
    (lambda task, n_labels, width, *_: right(task, n_labels, width, bias=False) + 1, "one bias for all outputs"),
    (lambda task, n_labels, width, _, n_body: n_body + right(task, n_labels, width), "the body is counted"),
    (lambda task, n_labels, width, *_: numbers(width, width) + right(task, n_labels, width), "the pooler is counted"),
    (per_place("tokens", "span"), "weights for each place"),
    (per_place("tokens"), "weights for each place of a tagged row"),
    (softmax_over_places, "a span has as many outputs as places"),
    (lambda task, n_labels, width, *_: n_labels * numbers(read(task, width), 1), "a span has labels"),
    (giving(lambda task, n_labels: 1 if task == "span" else n_labels), "one output for a span"),
    (giving(lambda task, n_labels: len("BIE") if task == "span" else n_labels), "start, end and inside"),
    (reading(lambda task, width: width), "a pair apart is one vector"),
    (reading(lambda task, width: 2 * width if task == "pair apart" else width), "a pair apart is two vectors"),
    (reading(lambda task, width: 4 * width if "pair" in task else width), "every pair is four vectors"),
    (four_layers, "a bias for each of the four vectors"),
    (giving(lambda task, n_labels: 2 if task == "span" else n_labels - 1), "one label fewer"),
    (giving(lambda task, k: 1 if k == 2 and task != "span" else given(task, k)), "two labels share an output"),
]
