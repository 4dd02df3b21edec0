"""Wrong answers to the exercises of chapter 5 as readers write them: see `cells.py`."""

import math

import numpy as np


def drawn_on(sizes, scores, few, reached):
    if max(scores) >= reached:
        place = next(i for i, score in enumerate(scores) if score >= reached)
        sizes, scores = sizes[max(0, place - 1) : place + 1], scores[max(0, place - 1) : place + 1]
    if len(sizes) == 1:
        return sizes[0] / few
    slope, start = np.polyfit(np.log(sizes[-2:]), scores[-2:], 1)
    return math.exp((reached - start) / slope) / few


def last_crossing(sizes, scores, few, reached):
    need = sizes[0] if scores[0] >= reached else sizes[-1]
    for i in range(1, len(sizes)):
        if scores[i] >= reached:
            share = (reached - scores[i - 1]) / (scores[i] - scores[i - 1])
            need = sizes[i - 1] ** (1 - share) * sizes[i] ** share
    return need / few


WRONG = {
    "5.1": [
        ("the rate becomes negative", "max(0.0, p)", "p"),
        ("the rate is only p", "return (1 + max(0.0, p) * (ratio - 1)) / ratio", "return p"),
        ("the floor is added to p", "return (1 + max(0.0, p) * (ratio - 1)) / ratio", "return max(p, 0) + 1 / ratio"),
        (
            "the smallest rate is only a floor",
            "return (1 + max(0.0, p) * (ratio - 1)) / ratio",
            "return max(p, 1 / ratio)",
        ),
        ("the rise is forgotten", "math.floor(total * cut_frac)", "0"),
        ("the fall ends too late", "cut * (1 / cut_frac - 1)", "total"),
        ("the fall ends with the last step", "cut * (1 / cut_frac - 1)", "total - cut"),
        ("rise and fall are exchanged", "    cut = ", "    cut_frac = 1 - cut_frac\n    cut = "),
        ("cut is not rounded down", "math.floor", ""),
        ("cut is rounded up", "math.floor", "math.ceil"),
        ("wrong", "if cut else total", "if cut else total * 2"),
        ("wrong", "max(0.0, p)", "abs(p)"),
        ("no division by the ratio", " / ratio", ""),
    ],
    "5.4": [
        ("padding counts everywhere", "    lengths =", "    mask = torch.ones_like(mask)\n    lengths ="),
        ("the last column instead of the last word", "states[torch.arange(len(states)), lengths - 1]", "states[:, -1]"),
        ("padding wins the maximum", "states.masked_fill(~real, -torch.inf)", "states"),
        ("padding is 0 in the maximum", "-torch.inf", "0"),
        ("the mean is over the whole row", "sum(dim=1) / lengths[:, None]", "mean(dim=1)"),
        ("padding is part of the mean", "(states * real).sum(dim=1) / lengths[:, None]", "states.mean(dim=1)"),
        ("one word too far", "lengths - 1", "lengths.clamp(max=mask.shape[1] - 1)"),
        ("another order", "[last, largest, mean],", "[last, mean, largest],"),
        ("only one view", "[last, largest, mean],", "[mean],"),
        ("the views are added", "torch.cat([last, largest, mean], dim=1)", "last + largest + mean"),
        (
            "the numbers take turns",
            "torch.cat([last, largest, mean], dim=1)",
            "torch.dstack([last, largest, mean]).flatten(1)",
        ),
        ("0 times minus infinity", "states.masked_fill(~real, -torch.inf)", "(states - (~real) * torch.inf)"),
        ("wrong", "torch.cat([last", "torch.stack([last"),
        ("wrong", "[last, largest, mean],", "[largest, mean],"),
    ],
    "5.6": [
        (
            "a straight line on a plain axis",
            "math.exp(low + share * (high - low))",
            "(sizes[i - 1] + share * (sizes[i] - sizes[i - 1]))",
        ),
        ("the next measured size", "low + share * (high - low)", "high"),
        ("the size before", "low + share * (high - low)", "low"),
        ("the share is turned round", "low + share", "high - share"),
        ("the curve is drawn on beyond its end", drawn_on),
        ("never is infinite", "return sizes[-1] / few", "return math.inf"),
        ("the curve is drawn on before its beginning", "if scores[0] >= reached:", "if len(sizes) == 1:"),
        (
            "the curve is taken to grow",
            lambda sizes, scores, few, reached: np.exp(np.interp(reached, scores, np.log(sizes))) / few,
        ),
        ("the last crossing", last_crossing),
        ("wrong", "return sizes[-1] / few", "return sizes[scores.index(max(scores))] / few"),
        ("exactly reached does not count", ">= reached", "> reached"),
        ("labels instead of a factor", " / few", ""),
        ("the factor is turned round", "return ", "return (", "/ few", "/ few) ** -1"),
        ("doublings instead of a factor", "return ", "return math.log2(", "/ few", "/ few)"),
    ],
    "5.7": [
        ("from the bottom", "range(n_layers)]", "range(n_layers)][::-1]"),
        ("opened from the bottom", "below * per_pass", "(n_layers - 1 - below) * per_pass"),
        ("all at once", " if step >= below * per_pass else 0.0", ""),
        ("a pass too early", "below * per_pass", "(below - 1) * per_pass"),
        ("a step too late", "step >= below * per_pass", "step > below * per_pass or not below"),
        ("only one layer at a time", "step >= below * per_pass", "min(step // per_pass, n_layers - 1) == below"),
        ("one rate for all layers", "now / factor**below", "now"),
        ("the wrong end is fast", "now / factor", "now * factor"),
        ("divided by the factor times the place", "factor**below", "max(1, factor * below)"),
        ("the head is divided, too", "factor**below", "factor ** (below + 1)"),
        ("a triangle of its own for each layer", "now / ", "rate * share(max(0, step - below * per_pass), total) / "),
        ("no triangle", " * share(step, total)", ""),
        ("wrong", "else 0.0", "else rate"),
        ("the wrong end is fast", "factor**below", "factor ** (n_layers - 1 - below)"),
        (
            "closed layers are left out",
            " if step >= below * per_pass else 0.0 for below in range(n_layers)",
            " for below in range(min(n_layers, step // per_pass + 1))",
        ),
        ("the full rate is not used", "rate * share", "share"),
    ],
    "5.8": [
        (
            "the mark is taken for padding",
            "torch.arange(ids.shape[1]) <= torch.tensor([[len(text)] for text in texts])",
            "ids != 0",
        ),
        (
            "padding is pooled",
            "torch.arange(ids.shape[1]) <= torch.tensor([[len(text)] for text in texts])",
            "ids >= 0",
        ),
        ("real is one word short", "<= torch", "< torch"),
        ("real is turned round", "<= torch", "> torch"),
        ("no mark", "[0, *text]", "text", "<= torch", "< torch"),
        ("the mark is at the end", "[0, *text]", "[*text, 0]"),
        ("padding in front", "batch_first=True", "batch_first=True, padding_side='left'"),
        ("only the last state", "pool(", "(lambda h, real: h[range(len(h)), real.sum(1) - 1].repeat(1, 3))("),
        ("two softmaxes", "head(pool(encoder(ids), real))", "head(pool(encoder(ids), real)).softmax(1)"),
        ("the sum instead of the mean", "torch.tensor(labels))", "torch.tensor(labels), reduction='sum')"),
        ("a number for each text", "torch.tensor(labels))", "torch.tensor(labels), reduction='none')"),
    ],
}
