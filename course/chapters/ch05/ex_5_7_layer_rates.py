"""Exercise 5.7: which layers learn at a step, and how fast. Source: Howard & Ruder 2018, arXiv:1801.06146, sections 3.2
and 3.3."""

from dataclasses import dataclass

from course.check.exercise import Exercise, Probe


def layer_rates(step: int, total: int, per_pass: int, n_layers: int, rate: float, factor: float, share) -> list[float]:
    """The learning rate of each layer at `step` (from 0) of `total`, from the head down to the word vectors; 0 while a
    layer is closed. per_pass: steps of one pass over the data; share(step, total): of the full rate, the triangle.
    layer_rates(7, 20, 5, 3, 0.1, 2.0, lambda step, total: 0.5) -> [0.05, 0.025, 0.0]"""
    now = rate * share(step, total)
    return [now / factor**below if step >= below * per_pass else 0.0 for below in range(n_layers)]


@dataclass(frozen=True)
class _Share:
    name: str

    def __call__(self, step, total):
        if not 0 <= step < total:
            raise ValueError(f"share was asked for step {step} of {total}")
        return (1 + step) / (2 + total) if 5 * step < total else (total - step) / (1 + total)


def _rates(
    opens=lambda k, n, per_pass: k * per_pass, slower=lambda k, factor, n: factor**k, since=lambda step, start: step
):
    """opens(k, n layers, per_pass): the step at which layer k opens, 0: the head; slower(k, factor, n layers): what
    its rate is divided by; since(step, start): where on the triangle it is."""

    def model(step, total, per_pass, n, rate, factor, share):
        starts = [opens(k, n, per_pass) for k in range(n)]
        return [
            rate / slower(k, factor, n) * share(since(step, start), total) if step >= start else 0.0
            for k, start in enumerate(starts)
        ]

    return model


def _one_at_a_time(step, total, per_pass, n, *given):
    found = layer_rates(step, total, per_pass, n, *given)
    return [one if k == min(step // per_pass, n - 1) else 0.0 for k, one in enumerate(found)]


def _of_the_pass(step, total, per_pass, n, rate, factor, share):
    return layer_rates(step, total, per_pass, n, rate, factor, lambda *_: share(step % per_pass, per_pass))


def _no_triangle(*given):
    return layer_rates(*given[:-1], lambda step, total: 1.0)


SHARE = _Share("triangle")
PROBES = [
    Probe("the first step: only the head", 0, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("the last step of the first pass", 7, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("the first step of the second pass", 8, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("the third pass", 21, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("more passes than layers", 47, 60, 10, 3, 0.02, 2.0, SHARE),
]
MISTAKES = [
    ("from the bottom", lambda *a: layer_rates(*a)[::-1]),
    ("opened from the bottom", _rates(opens=lambda k, n, per_pass: (n - 1 - k) * per_pass)),
    ("all at once", _rates(opens=lambda *_: 0)),
    ("a pass too early", _rates(opens=lambda k, n, per_pass: max(0, k - 1) * per_pass)),
    (
        "a step too late",
        _rates(opens=lambda k, n, per_pass: k * per_pass + (k > 0)),
        _rates(opens=lambda k, n, per_pass: k * per_pass + 1),
    ),
    (
        "a pass too late",
        _rates(opens=lambda k, n, per_pass: (k + 1) * per_pass),
        _rates(opens=lambda k, n, per_pass: (k + 1) * per_pass if k else 0),
    ),
    (
        "a step too early",
        _rates(opens=lambda k, n, per_pass: (k + 1) * per_pass - 1),
        _rates(opens=lambda k, n, per_pass: k * per_pass - 1),
    ),
    (
        "only one layer at a time",
        _one_at_a_time,
        lambda *a: _one_at_a_time(*a) if a[0] // a[2] < a[3] else [0.0] * a[3],
    ),
    ("one rate for all layers", _rates(slower=lambda *_: 1)),
    (
        "the wrong end is fast",
        _rates(slower=lambda k, factor, n: factor**-k),
        _rates(slower=lambda k, factor, n: factor ** (n - 1 - k)),
    ),
    ("divided by the factor times the place", _rates(slower=lambda k, factor, n: max(1, factor * k))),
    ("the head is divided, too", _rates(slower=lambda k, factor, n: factor ** (k + 1))),
    ("a triangle of its own for each layer", _rates(since=lambda step, start: step - start)),
    ("a triangle in each pass", _of_the_pass),
    ("no triangle", _no_triangle),
    ("closed layers are left out", lambda *a: [rate for rate in layer_rates(*a) if rate]),
    ("the full rate is not used", lambda *a: layer_rates(*a[:4], 1.0, *a[5:])),
]
EXERCISE = Exercise("5.7", layer_rates, PROBES, MISTAKES, difficulty=3, importance=5, minutes=12)
