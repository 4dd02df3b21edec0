"""Wrong answers to exercise 5.1 as readers write them, each with the mistake that must be named."""


def only_p(step, total, cut_frac, ratio):
    cut = int(total * cut_frac)
    return step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_frac - 1))


def slow_fall(step, total, cut_frac, ratio):
    cut = int(total * cut_frac)
    p = step / cut if step < cut else 1 - (step - cut) / total
    return (1 + p * (ratio - 1)) / ratio


def no_floor(step, total, cut_frac, ratio):
    cut = total * cut_frac
    p = step / cut if step < cut else 1 - (step - cut) / (total - cut)
    return (1 + p * (ratio - 1)) / ratio


WRONG = [
    (only_p, "the rate is only p"),
    (lambda step, total, cut_frac, ratio: only_p(step, total, cut_frac, ratio) + 1 / ratio, "the floor is added to p"),
    (lambda step, total, cut_frac, ratio: (1 + (1 - step / total) * (ratio - 1)) / ratio, "the rise is forgotten"),
    (slow_fall, "the fall ends too late"),
    (lambda step, n, share, r: (1 + only_p(step, n, 1 - share, r) * (r - 1)) / r, "rise and fall are exchanged"),
    (no_floor, "cut is not rounded down"),
    (lambda step, total, share, ratio: 1 + only_p(step, total, share, ratio) * (ratio - 1), "no division by the ratio"),
]
