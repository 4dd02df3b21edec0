"""Wrong answers to the exercises of chapter 4 as readers write them: see `cells.py`."""

import torch
from torch import nn
from torch.nn.functional import cosine_similarity


def marks_left_out(words, ids, filters):
    known = [[ids.get(c, 1) for c in word] for word in words]
    rows = nn.utils.rnn.pad_sequence([torch.tensor([2, *row, 3]) for row in known], batch_first=True)
    return rows, torch.stack([filters[:, row].max(dim=1).values for row in known])


def by_guess(known, known_senses, test, test_senses):
    hits = {}
    for row, sense in zip(test, test_senses, strict=True):
        guess = known_senses[int(cosine_similarity(known, row[None]).argmax())]
        hits.setdefault(guess, []).append(guess == sense)
    return sum(sum(own) / len(own) for own in hits.values()) / len(hits)


def centroid(known, known_senses, test, test_senses):
    labels = torch.tensor(known_senses)
    means = torch.stack([known[labels == sense].mean(dim=0) for sense in labels.unique()])
    guesses = labels.unique()[[int(cosine_similarity(means, row[None]).argmax()) for row in test]]
    right = torch.tensor(test_senses)
    return float(torch.stack([(guesses == right)[right == s].float().mean() for s in right.unique()]).mean())


WRONG = {
    "4.1": [
        ("a stacked network seen as two separate ones", "stacked and layer > 1", "False"),
        ("a stacked network leaks from layer 1 on", "layer > 1", "layer > 0"),
        ("ELMo's directions meet in layer 2", "stacked and layer > 1", "layer > 1"),
        ("every bidirectional network sees everything", "stacked and layer > 1", "True"),
        ("a state has not read its own word", "range(k + 1)", "range(k)", "range(k, n", "range(k + 1, n"),
        ("a state has read its target", "range(k + 1)", "range(k + 2)", "range(k, n", "range(max(0, k - 1), n"),
        ("layer 0 is taken for a state", "if layer == 0:", "if False:"),
        ("layer 0 is taken for a state", "layer == 0", "layer == 0 and not stacked", "layer > 1", "layer != 1"),
        ("the two networks are exchanged", "stacked and", "not stacked and"),
        ("both states read from the left", "range(k, n_words)", "range(k + 1)"),
        ("wrong", "{k}, {k}", "[k], [k]", "set(range(", "list(range("),
        ("the directions are exchanged", "range(k + 1)), set(range(k, n_words", "range(k, n_words)), set(range(k + 1"),
        ("positions are counted from 1", "{k}, {k}", "{k + 1}, {k + 1}", "set(range(", "set(i + 1 for i in range("),
    ],
    "4.2": [
        ("padding wins", "for row in rows]", "for row in [r + [0] * (max(map(len, rows)) - len(r)) for r in rows]]"),
        ("padding counts as 0", "amax(dim=1) ", "amax(dim=1).clamp(min=0 if len(row) < max(map(len, rows)) else -9) "),
        ("the marks are left out of the maximum", marks_left_out),
        ("the mean instead of the maximum", "amax", "mean"),
        ("the marks are missing", "[2, *(", "[*(", "), 3]", ")]"),
        ("the end comes after the padding", " + [0] * (width - len(row))", "[:-1] + [0] * (width - len(row)) + [3]"),
        ("unknown characters are dropped", ".get(character, 1) for character in word", "[c] for c in word if c in ids"),
        ("unknown characters become padding", "character, 1)", "character, 0)", "[:, row", "[:, [i for i in row if i]"),
        ("the rows are not padded", "[row + [0] * (width - len(row)) for row in rows]", "rows"),
        ("the axes are exchanged", "for row in rows], maxima", "for row in rows], maxima.T"),
        ("the end is missing", "), 3]", ")]"),
        ("a capital is taken for its small letter", "ids.get(character, 1)", "ids.get(character.lower(), 1)"),
        (
            "a capital is taken for its small letter",
            "get(character, 1)",
            "get(character, ids.get(character.lower(), 1))",
        ),
        ("padding on the left", "row + [0] * (width - len(row))", "[0] * (width - len(row)) + row"),
    ],
    "4.3": [
        ("the gate is turned round", "gate * x + (1 - gate)", "(1 - gate) * x + gate"),
        ("the gate has no sigmoid", "torch.sigmoid", ""),
        ("the ReLU is missing", "torch.relu", ""),
        (
            "the ReLU is around everything",
            "torch.relu",
            "",
            "return ",
            "return torch.relu(",
            "transform_bias)",
            "transform_bias))",
        ),
        ("a residual connection", "gate * x +", "x +"),
        ("the weights are not turned round", ".T + ", " + "),
        ("the biases are missing", " + carry_bias", "", " + transform_bias", ""),
        ("the gate is a softmax", "torch.sigmoid(", "torch.softmax(dim=1, input="),
        ("another function in the place of the ReLU", "torch.relu", "torch.tanh"),
        ("one of the weights is not turned round", "carry.T", "carry"),
        ("one of the weights is not turned round", "transform.T", "transform"),
        ("a bias is missing", " + carry_bias", ""),
        ("a bias is missing", " + transform_bias", ""),
        (
            "the two layers are exchanged",
            "x @ carry.T + carry_bias",
            "x @ transform.T + transform_bias",
            "relu(x @ transform.T + transform_bias)",
            "relu(x @ carry.T + carry_bias)",
        ),
        ("gate and new value come from the same layer", "carry.T + carry_bias", "transform.T + transform_bias"),
    ],
    "4.4": [
        ("no softmax", "raw.softmax(dim=0)", "raw"),
        ("the weights are not learned", "raw.softmax(dim=0)", "torch.zeros_like(raw).softmax(dim=0)"),
        ("gamma is missing", "gamma * ", ""),
        ("gamma is inside the softmax", "gamma * ", "", "raw.softmax", "(gamma * raw).softmax"),
        ("x is not doubled", "[x, x]", "[x, torch.zeros_like(x)]"),
        ("x is doubled in the wrong order", "torch.cat([x, x], dim=-1)", "torch.stack([x, x], dim=-1).flatten(1)"),
        ("the token layer is left out", "raw.softmax(dim=0), layers", "raw[1:].softmax(dim=0), layers[1:]"),
        ("only the top layer", 'torch.einsum("l,lwd->wd", raw.softmax(dim=0), layers)', "layers[-1]"),
        ("the layers are concatenated", '"l,lwd->wd"', '"l,lwd->wld"', "layers)\n", "layers).flatten(1)\n"),
        (
            "the directions are added",
            "torch.cat([x, x], dim=-1)",
            "x",
            "torch.cat([forward, backward], dim=-1)",
            "forward + backward",
        ),
        ("shares instead of a softmax", "raw.softmax(dim=0)", "raw / raw.sum()"),
        ("the token layer is taken for the last", "[words[None], states]", "[states, words[None]]"),
        (
            "the directions are joined along the words",
            "[x, x], dim=-1",
            "[x, x], dim=0",
            "backward], dim=-1",
            "backward], dim=1",
        ),
        (
            "one direction is left out",
            "torch.cat([x, x], dim=-1)",
            "x",
            "torch.cat([forward, backward], dim=-1)",
            "forward",
        ),
        ("x is multiplied by 2", "[x, x]", "[2 * x, 2 * x]"),
        ("the directions are exchanged", "[forward, backward]", "[backward, forward]"),
    ],
    "4.5": [
        ("the biases are missing", " + 1)", ")"),
        ("a filter is taken as one character wide", "width * char_dim", "char_dim"),
        ("a highway layer is taken as one linear layer", "n_highway * 2", "n_highway"),
        ("the highway layers are forgotten", " + highways", ""),
        ("the projection is missing", " + projection", ""),
        ("the characters' vectors are missing", "table + ", ""),
        ("the lookup table is as wide as there are filters", "n_words * out_dim", "n_words * n_filters"),
        (
            "width and number of filters are exchanged",
            "_, count in",
            "count, _ in",
            "width, count in",
            "count, width in",
        ),
        ("only one highway layer is counted", "n_highway * 2", "2"),
        ("a filter sees one number per character", "width * char_dim", "width"),
        ("the filters have no bias", "width * char_dim + 1", "width * char_dim"),
        ("the highway layers have no bias", "2 * (n_filters + 1)", "2 * n_filters"),
        ("the last layer has no bias", "projection = (n_filters + 1)", "projection = n_filters"),
        ("the linear layers have no bias", "(n_filters + 1)", "n_filters"),
        ("the lookup table is as wide as a character's vector", "n_words * out_dim", "n_words * char_dim"),
        ("wrong", "highways = n_highway", "highways = max(1, n_highway)"),
        ("the two numbers are exchanged", "return", "return n_words * out_dim,", "on, n_words * out_dim", "on"),
    ],
    "4.6": [
        (
            "not balanced",
            "sum(sum(shares) / len(shares) for shares in hits.values()) / len(hits)",
            "sum(map(sum, hits.values())) / len(test)",
        ),
        ("senses without a test are averaged in", "/ len(hits)", "/ (max(known_senses) + 1)"),
        ("the shares are taken by guess", by_guess),
        (
            "the dot product is not normalised",
            "torch.nn.functional.cosine_similarity",
            "(lambda a, b, dim: (a * b).sum(dim))",
        ),
        ("Euclidean distance", "torch.nn.functional.cosine_similarity", "(lambda a, b, dim: -(a - b).norm(dim=dim))"),
        ("the furthest occurrence", "argmax", "argmin"),
        ("the mean of a sense instead of its occurrences", centroid),
        ("a share above 1", "sum(sum(shares) / len(shares)", "sum(sum(shares)"),
        ("the shares are added up", " / len(hits)", ""),
        ("100 times too large", "return sum", "return 100 * sum"),
        (
            "wrong",
            "return sum(sum(shares) / len(shares) for shares in hits.values()) / len(hits)",
            "return [sum(shares) / len(shares) for shares in hits.values()]",
        ),
    ],
}
