"""Wrong answers to exercise 8.1 as readers write them, each with the mistake that must be named."""

from torch import nn


def numbers(n_inputs, n_outputs, bias=True):
    layer = nn.Linear(n_inputs, n_outputs, bias=bias, device="meta")  # counts need no memory
    return sum(parameter.numel() for parameter in layer.parameters())


def read(task, width):
    return len(["u", "v", "difference", "product"]) * width if task == "pair apart" else width


def given(task, n_labels):
    return len(["start", "end"]) if task == "span" else n_labels


def no_bias(task, n_labels, width, n_pieces, n_body):
    return numbers(read(task, width), given(task, n_labels), bias=False)


def one_bias(task, n_labels, width, n_pieces, n_body):
    return numbers(read(task, width), given(task, n_labels), bias=False) + 1


def whole_network(task, n_labels, width, n_pieces, n_body):
    return n_body + numbers(read(task, width), given(task, n_labels))


def with_pooler(task, n_labels, width, n_pieces, n_body):
    return numbers(width, width) + numbers(read(task, width), given(task, n_labels))


def layer_per_place(task, n_labels, width, n_pieces, n_body):
    layer = numbers(read(task, width), given(task, n_labels))
    return n_pieces * layer if task in ("tokens", "span") else layer


def tagger_per_place(task, n_labels, width, n_pieces, n_body):
    return numbers(read(task, width), given(task, n_labels)) * (n_pieces if task == "tokens" else 1)


def softmax_over_places(task, n_labels, width, n_pieces, n_body):
    if task == "span":
        return numbers(width, n_pieces) + numbers(width, n_pieces)
    return numbers(read(task, width), n_labels)


def labels_for_all(task, n_labels, width, n_pieces, n_body):
    return n_labels * numbers(read(task, width), 1)


def one_for_a_span(task, n_labels, width, n_pieces, n_body):
    return numbers(read(task, width), 1 if task == "span" else n_labels)


def inside_too(task, n_labels, width, n_pieces, n_body):
    return numbers(read(task, width), len("BIE") if task == "span" else n_labels)


def always_one_vector(task, n_labels, width, n_pieces, n_body):
    return numbers(width, given(task, n_labels))


def two_sides(task, n_labels, width, n_pieces, n_body):
    return numbers(2 * width if task == "pair apart" else width, given(task, n_labels))


def all_pairs_alike(task, n_labels, width, n_pieces, n_body):
    return numbers(4 * width if "pair" in task else width, given(task, n_labels))


def four_layers(task, n_labels, width, n_pieces, n_body):
    layers = 4 if task == "pair apart" else 1
    return sum(numbers(width, given(task, n_labels)) for _ in range(layers))


def last_label_is_the_rest(task, n_labels, width, n_pieces, n_body):
    return numbers(read(task, width), 2 if task == "span" else n_labels - 1)


def sigmoid(task, n_labels, width, n_pieces, n_body):
    n = given(task, n_labels)
    return numbers(read(task, width), 1 if n == 2 and task != "span" else n)


WRONG = [
    (no_bias, "the biases are missing"),
    (one_bias, "one bias for all outputs"),
    (whole_network, "the body is counted"),
    (with_pooler, "the pooler is counted"),
    (layer_per_place, "weights for each place"),
    (tagger_per_place, "weights for each place of a tagged row"),
    (softmax_over_places, "a span has as many outputs as places"),
    (labels_for_all, "a span has labels"),
    (one_for_a_span, "one output for a span"),
    (inside_too, "start, end and inside"),
    (always_one_vector, "a pair apart is one vector"),
    (two_sides, "a pair apart is two vectors"),
    (all_pairs_alike, "every pair is four vectors"),
    (four_layers, "a bias for each of the four vectors"),
    (last_label_is_the_rest, "one label fewer"),
    (sigmoid, "two labels share an output"),
]
