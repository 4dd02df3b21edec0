"""Wrong answers to the exercises of chapter 6 as readers write them: see `cells.py`."""

import math
from collections import Counter
from itertools import pairwise

import torch


def each_column(factor):
    """Each column has a speed of its own."""

    def answer(n, d_model):
        angles = torch.arange(n)[:, None] / 10_000 ** (factor * torch.arange(d_model) / d_model)
        return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos())

    return answer


def most_frequent(text, named=lambda pair: pair):
    pairs = [named(pair) for pieces, occurs in text.items() for pair in [*pairwise(pieces)] * occurs]
    return max(dict.fromkeys(pairs), key=pairs.count)


def joined(join):
    """join(pieces, pair)"""
    return lambda text: {join(pieces, most_frequent(text)): occurs for pieces, occurs in text.items()}


def in_one_bag(hypothesis, reference, orders):
    bags = [
        Counter(tuple(words[i : i + n]) for n in range(1, orders + 1) for i in range(len(words) - n + 1))
        for words in (hypothesis, reference)
    ]
    share = (bags[0] & bags[1]).total() / bags[0].total()
    return share * min(1, math.exp(1 - len(reference) / len(hypothesis)))


def from_the_end(pieces, pair):
    new, i = list(pieces), len(pieces) - 2
    while i >= 0:
        if (new[i], new[i + 1]) == pair:
            new[i : i + 2] = ["".join(pair)]
            i -= 1
        i -= 1
    return tuple(new)


def most_frequent_apart(text):
    """As str.count counts: what it has found it does not look at again."""
    pairs = {pair for pieces in text for pair in pairwise(pieces)}
    rows = {"|" + "||".join(pieces) + "|": occurs for pieces, occurs in text.items()}
    return max(pairs, key=lambda pair: sum(row.count("|" + "||".join(pair) + "|") * rows[row] for row in rows))


def joined_with(text, pair):
    rows = {("|" + "||".join(pieces) + "|"): occurs for pieces, occurs in text.items()}
    old, new = "|" + "||".join(pair) + "|", "|" + "".join(pair) + "|"
    return {tuple(row.replace(old, new).strip("|").split("||")): occurs for row, occurs in rows.items()}


WRONG = {
    "6.1": [
        ("no scale", " / query.shape[0] ** 0.5", ""),
        ("divided by the width", " ** 0.5", ""),
        ("multiplied by the root", "query / query", "query * query"),
        ("the root of the number of words", "query.shape", "keys.shape"),
        ("softmax over the wrong axis", "scores.softmax(dim=0) @ values", "(scores[None].softmax(dim=0) @ values)[0]"),
        ("keys instead of values", "@ values", "@ keys"),
        ("no softmax", ".softmax(dim=0)", ""),
        ("exponentials without a division", ".softmax(dim=0)", ".exp()"),
        ("the scale comes after the softmax", " / query.shape[0] ** 0.5", "", "(dim=0)", "(dim=0) / len(query) ** 0.5"),
        ("only the best word", "scores.softmax(dim=0) @ values", "values[scores.argmax()]"),
        ("weights instead of a result", " @ values", ""),
    ],
    "6.2": [
        ("plus off the diagonal", "- torch.outer(weights, ", "* (1 - 2 * weights) + torch.outer(weights, "),
        ("only the diagonal", "- torch.outer(weights, weights)", "* (1 - weights)"),
        ("the diagonal lacks its second part", "- torch.outer(weights, ", "* (1 + weights) - torch.outer(weights, "),
        ("the diagonal is like the rest", "torch.diag(weights) - ", "-"),
        ("1 - y in every entry", ".diag(weights) - torch.outer(weights, weights)", ".outer(weights, 1 - weights)"),
        ("all signs are turned round", "torch.diag", "-torch.diag", " - torch", " + torch"),
        ("the derivative of a sigmoid", ".softmax(dim=0)", ".sigmoid()", ".outer(weights, weights", ".diag(weights**2"),
        ("the scores instead of the weights", "scores.softmax(dim=0)", "scores"),
        ("the square is subtracted twice", "diag(weights)", "diag(weights * (1 - weights))"),
        ("only n numbers", "torch.diag(weights) - torch.outer(weights, weights)", "weights * (1 - weights)"),
        ("wrong", "torch.diag(weights) - torch.outer(weights, weights)", "torch.zeros(len(scores))"),
        ("large scores overflow", "scores.softmax(dim=0)", "scores.exp() / scores.exp().sum()"),
        (
            "wrong",
            "return torch.diag(weights) - torch.outer(weights, weights)",
            "return (torch.diag(weights) - torch.outer(weights, weights)).flatten()",
        ),
    ],
    "6.3": [
        (
            "view without transpose, in the split",
            "values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)",
            "values.view(len(values), weights.shape[1], values.shape[1], -1)",
        ),
        ("view without transpose, in the join", "transpose(1, 2).flatten(2", "view(len(values), weights.shape[2], -1"),
        (
            "view without transpose, both ways",
            "values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)",
            "values.view(len(values), weights.shape[1], values.shape[1], -1)",
            "(weights @ heads).transpose(1, 2).flatten(2)",
            "(weights @ heads).view(len(values), weights.shape[2], -1)",
        ),
        (
            "the pieces are dealt out like cards",
            "(weights.shape[1], -1)).transpose(1, 2)",
            "(-1, weights.shape[1])).permute(0, 3, 1, 2)",
            "heads).transpose(1, 2)",
            "heads).permute(0, 2, 3, 1)",
        ),
        (
            "split like cards, joined side by side",
            "(weights.shape[1], -1)).transpose(1, 2)",
            "(-1, weights.shape[1])).permute(0, 3, 1, 2)",
        ),
        ("split side by side, joined like cards", " @ heads).transpose(1, 2)", " @ heads).permute(0, 2, 3, 1)"),
        ("the mean of the heads", "(weights @ heads).transpose(1, 2).flatten(2", "(weights @ values[:, None]).mean(1"),
        ("the first head's weights for all", "weights @ heads", "weights[:, :1] @ heads"),
        ("every head reads everything", ".unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)", "[:, None]"),
        ("not joined", ".transpose(1, 2).flatten(2)", ""),
        ("wrong", "(weights @ heads)", "(2 * weights @ heads)"),
        ("wrong", ".transpose(1, 2).flatten(2)", ".mT"),
    ],
    "6.4": [
        ("padding is seen", " & real[:, None, :]", " & torch.ones_like(scores, dtype=torch.bool)"),
        ("later words are seen", ".tril()", ""),
        ("earlier words are hidden", "tril", "triu"),
        ("a word does not see itself", "tril()", "tril(-1)"),
        ("rows instead of columns", "real[:, None, :]", "real[:, :, None]"),
        ("rows and columns", "real[:, None, :]", "real[:, None, :] & real[:, :, None]"),
        ("one of the two is enough", "tril() &", "tril() |"),
        (
            "zeros and ones are added",
            "hidden.softmax(dim=-1).masked_fill(~may, 0.0)",
            "(scores + may.float()).softmax(dim=-1)",
        ),
        (
            "zeros and ones are multiplied",
            "hidden.softmax(dim=-1).masked_fill(~may, 0.0)",
            "(scores * may).softmax(dim=-1)",
        ),
        ("hidden after the softmax", "scores.masked_fill(~may, torch.finfo(scores.dtype).min)", "scores"),
        ("equal weights where nothing may be seen", ".masked_fill(~may, 0.0)", ""),
        ("a word always sees itself", "real[:, None, :]", "(real[:, None, :] | torch.eye(len(real[0])).bool())"),
        ("softmax over the queries", "softmax(dim=-1)", "softmax(dim=1)"),
        (
            "softmax over the queries",
            "torch.finfo(scores.dtype).min",
            "-torch.inf",
            "softmax(dim=-1).masked_fill(~may, 0.0)",
            "softmax(dim=1)",
        ),
        (
            "lowered scores where nothing may be seen",
            "hidden.softmax(dim=-1).masked_fill(~may, 0.0)",
            "(scores + (~may) * -10_000.0).softmax(dim=-1)",
        ),
        (
            "0 times minus infinity",
            "hidden.softmax(dim=-1).masked_fill(~may, 0.0)",
            "(scores + (~may) * -torch.inf).softmax(dim=-1)",
        ),
        (
            "earlier words are hidden",
            "tril",
            "triu",
            "torch.finfo(scores.dtype).min",
            "-torch.inf",
            ".masked_fill(~may, 0.0)",
            "",
        ),
        ("NaN where nothing may be seen", "torch.finfo(scores.dtype).min", "-torch.inf", ".masked_fill(~may, 0.0)", ""),
    ],
    "6.5": [
        ("first all sines, then all cosines", " 0::2]", " : d_model // 2]", " 1::2]", " d_model // 2 :]"),
        ("the exponent has i instead of 2i", ".arange(0, d_model, 2) / d_model)", ".arange(d_model // 2) / d_model)"),
        ("twice 2i", "2) / d_model", "2) * 2 / d_model"),
        ("a speed for each column", each_column(1)),
        ("a speed for each column, and twice too slow", each_column(2)),
        ("sine and cosine are exchanged", "angles.sin(), angles.cos()", "angles.cos(), angles.sin()"),
        ("counted from 1", "torch.arange(n)", "torch.arange(1, n + 1)"),
        ("only sines", "angles.cos()", "angles.sin()"),
        ("faster and faster", " / 10_000", " * 10_000"),
        ("places and numbers are exchanged", "return table", "return table.T"),
        ("wrong", "return table", "return table.T.roll(1, 0)"),
    ],
    "6.6": [
        ("types instead of tokens", "counts[pair] += count", "counts[pair] += 1"),
        ("a pair counts once for each word", "for pair in pairwise(pieces)", "for pair in set(pairwise(pieces))"),
        ("joined once for each word", "== best else", "== best and len(joined) == place else"),
        ("a joined piece is not used up", "place += width", "place += 1"),
        ("the last piece is lost", "while place < len(pieces):", "while place < len(pieces) - 1:"),
        ("joined from the right", joined(from_the_end)),
        (
            "replaced in a string",
            joined(lambda row, pair: tuple(" ".join(row).replace(" ".join(pair), "".join(pair)).split())),
        ),
        (
            "either order",
            "[pair] += count",
            "[tuple(sorted(pair))] += count",
            "= 2 if pieces",
            "= 2 if (*sorted(pieces",
            "2] ==",
            "2]),) ==",
        ),
        ("nothing is joined", "== best", "== ''"),
        (
            "another pair that spells the same is joined",
            "pieces[place : place + 2] == best",
            "''.join(pieces[place : place + 2]) == ''.join(best) and place < len(pieces) - 1",
        ),
        ("overlapping pairs are not counted", lambda text: joined_with(text, most_frequent_apart(text))),
        ("a pair instead of a text", "    after = {}", "    return best"),
        ("the pair is returned, too", "return after", "return after, best"),
    ],
    "6.7": [
        ("not clipped", "min(count, theirs[gram])", "count * (gram in theirs)"),
        ("each n-gram counts once at most", "min(count, theirs[gram])", "gram in theirs"),
        ("sets of n-grams", "min(count, theirs[gram])", "gram in theirs", "ours.total()", "len(ours)"),
        ("recall instead of precision", "ours.total()", "theirs.total()"),
        ("no penalty for a short translation", "return penalty * ", "return "),
        ("a bonus for a long translation", "min(1.0, ", "max(0.0, "),
        ("the penalty hits the long one", "len(reference) / len(hypothesis)", "len(hypothesis) / len(reference)"),
        (
            "the penalty is the plain ratio",
            "math.exp(1 - len(reference) / len(hypothesis))",
            "len(hypothesis) / len(reference)",
        ),
        ("the arithmetic mean", "math.prod(precisions) ** (1 / orders)", "sum(precisions) / orders"),
        ("the root is missing", " ** (1 / orders)", ""),
        ("only the longest n-grams", "math.prod(precisions) ** (1 / orders)", "precisions[-1]"),
        ("the arithmetic mean", "math.prod(precisions) ** (1 / orders)", "all(precisions) * sum(precisions) / orders"),
        ("the hits of all orders together", in_one_bag),
        ("orders without a hit are left out", "math.prod(precisions)", "math.prod(p or 1 for p in precisions)"),
        ("n-grams are glued", "tuple(words[i : i + n])", "''.join(words[i : i + n])"),
        ("100 times too large", "return penalty", "return 100 * penalty"),
    ],
}
