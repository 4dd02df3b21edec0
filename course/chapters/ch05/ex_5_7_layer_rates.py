"""Exercise 5.7: which layers learn at a step, and how fast. Source: Howard & Ruder 2018, arXiv:1801.06146, sections 3.2
and 3.3."""

from dataclasses import dataclass

from course.check.exercise import Exercise, Probe


def layer_rates(step: int, total: int, per_pass: int, n_layers: int, rate: float, factor: float, share) -> list[float]:
    """The learning rate of each layer at `step` (from 0) of `total`, from the head down to the word vectors; 0 while a
    layer is closed. n_layers: with the head; per_pass: steps of one pass over the data; share(step, total): of the full
    rate, the triangle.
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


SHARE = _Share("triangle")
PROBES = [
    Probe("the first step: only the head", 0, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("the last step of the first pass", 7, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("the first step of the second pass", 8, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("the third pass", 21, 40, 8, 4, 0.01, 2.6, SHARE),
    Probe("more passes than layers", 47, 60, 10, 3, 0.02, 2.0, SHARE),
]
MISTAKES = [
    ("from the bottom", "range(n_layers)] => range(n_layers)][::-1]"),
    ("opened from the bottom", "below * per_pass => (n_layers - 1 - below) * per_pass"),
    ("all at once", " if step >= below * per_pass else 0.0 => "),
    ("a pass too early", "below * per_pass => (below - 1) * per_pass"),
    ("a step too late", "below * per_pass => below * per_pass + (below > 0)", "step >= => step >"),
    ("a pass too late", "below * => (below + 1) *", "step >= below * => not below or step >= (below + 1) *"),
    ("a step too early", "step >= below * => step + 1 >= (below + 1) *", "step >= => step + 1 >="),
    (
        "only one layer at a time",
        "step >= below * per_pass => below == min(step // per_pass, n_layers - 1)",
        "step >= below * per_pass => below == step // per_pass",
    ),
    ("one rate for all layers", " / factor**below => "),
    ("the wrong end is fast", "now / => now *", "**below => ** (n_layers - 1 - below)"),
    ("the newest layer is the fastest", "**below => ** (min(n_layers, step // per_pass + 1) - 1 - below)"),
    ("divided by the factor times the place", "factor**below => max(1, factor * below)"),
    ("the head is divided, too", "**below => ** (below + 1)"),
    (
        "a triangle of its own for each layer",
        "now / => rate * share(step - below * per_pass, total) /",
        "now / => rate * share(step - below * per_pass, total - below * per_pass) /",
    ),
    ("a triangle in each pass", "share(step, total) => share(step % per_pass, per_pass)"),
    ("no triangle", " * share(step, total) => "),
    ("closed layers are left out", lambda *a: [rate for rate in layer_rates(*a) if rate]),
    ("the full rate is not used", "rate * share => share"),
]
EXERCISE = Exercise("5.7", layer_rates, PROBES, MISTAKES, difficulty=3, importance=5, minutes=12)
