"""`softmax_saturation()`: why attention divides by sqrt(d_k), moved by hand.

Scores are real sums q.k of independent normal entries, so their spread grows with sqrt(d_k). The page holds the scores
of the first d entries of one query and eight keys for each d_k of a grid, and computes softmax and Jacobian from them.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import traitlets

from course.widgets.base import CourseWidget, limits, module, style, svg_text, with_sign
from course_lib.language import key, t

GRID = sorted({round(2 ** (i / 4)) for i in range(41)})  # d_k: 1 to 1024
FACTORS = [1, 2, 3, 5, 10, 20, 30, 50, 100]
SPREADS = [2 ** (i / 4 - 4) for i in range(49)]  # standard deviation of what enters the softmax: 1/16 to 256
KEYS = {
    "en": ["She", "rowed", "across", "the", "river", "to", "the", "bank"],
    "ko": ["저", "바다", "멀리", "흰", "배가", "홀로", "떠", "있다"],
    "notes": ["key 1", "key 2"],
}
NOTES = (0.3, 0.4)
DRAWS = 4


class Saturation(NamedTuple):
    """weights y [token], jacobian dy_i / dz_j [token, token], norm: its Frobenius norm; of each row of scores."""

    weights: np.ndarray
    jacobian: np.ndarray
    norm: float


def saturation(scores: np.ndarray, factor: float = 1.0, temperature: float = 1.0) -> Saturation:
    """The softmax of z = scores * factor / temperature, and how far it still listens: y_i (delta_ij - y_j)."""
    z = np.asarray(scores, float) * factor / temperature
    powers = np.exp(z - z.max(-1, keepdims=True))
    y = powers / powers.sum(-1, keepdims=True)
    jacobian = y[..., None] * (np.eye(y.shape[-1]) - y[..., None, :])
    return Saturation(y, jacobian, np.linalg.norm(jacobian, axis=(-2, -1)))


@cache
def score_paths() -> np.ndarray:
    """[draw, key, place in GRID]: q.k over the first d entries of q and k, all independent, mean 0, variance 1.

    The draw whose gradient at d_k = 64 is nearest to the typical one stands first.
    """
    rng = np.random.default_rng(8)
    q, k = rng.normal(size=(DRAWS, 1, GRID[-1])), rng.normal(size=(DRAWS, 8, GRID[-1]))
    paths = (q * k).cumsum(2)[:, :, np.array(GRID) - 1]
    typical = typical_norms()[SPREADS.index(8), 1]
    return paths[np.argsort([abs(math.log(saturation(p[:, GRID.index(64)]).norm / typical)) for p in paths])]


@cache
def typical_norms() -> np.ndarray:
    """[spread, 3]: 10 %, 50 % and 90 % of the Jacobian's norm over draws of eight normal scores of that spread."""
    draws = np.random.default_rng(9).normal(size=(10_000, 8))
    return np.array([np.quantile(saturation(spread * draws).norm, [0.1, 0.5, 0.9]) for spread in SPREADS])


class SoftmaxSaturation(CourseWidget):
    _esm, _css = module("saturation"), style("saturation")
    title, height = key("Why divide by √d_k? The softmax stops listening"), 860
    paths = traitlets.Bytes().tag(sync=True)  # float32 [draw, key, place in grid]
    norms = traitlets.List().tag(sync=True)
    grid = traitlets.List(GRID).tag(sync=True)
    factors = traitlets.List(FACTORS).tag(sync=True)
    spreads = traitlets.List(SPREADS).tag(sync=True)
    tokens = traitlets.Dict(KEYS).tag(sync=True)
    source = traitlets.Unicode("en").tag(sync=True)
    d_k = traitlets.Int(64).tag(sync=True)
    factor = traitlets.Int(1).tag(sync=True)  # for the notes' two scores
    scaled = traitlets.Bool(False).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    shift = traitlets.Int(0).tag(sync=True)  # added to all scores
    draw = traitlets.Int(0).tag(sync=True)

    _limits = limits(
        "softmax_saturation", source=list(KEYS), d_k=GRID, factor=FACTORS, temperature=(0.1, 10), draw=(0, DRAWS - 1)
    )

    def scores(self) -> np.ndarray:
        """Before scaling and temperature; what is added to all is in them."""
        if self.source == "notes":
            return np.array(NOTES) * self.factor + self.shift
        return score_paths().astype("<f4").astype(float)[self.draw, :, GRID.index(self.d_k)] + self.shift

    def numbers(self, scaled: bool | None = None) -> Saturation:
        """Of the scores, times 1 / sqrt(d_k) where it is on; `scaled`: as if it were on, or off."""
        on = self.source != "notes" and (self.scaled if scaled is None else scaled)
        return saturation(self.scores(), 1 / math.sqrt(self.d_k) if on else 1.0, self.temperature)

    def finding(self) -> str:
        now, names = self.numbers(), KEYS[self.source]
        top = int(now.weights.argmax())
        heard = math.exp(-sum(v * math.log(v) for v in now.weights if v > 0))
        values = {"word": names[top], "share": _percent(now.weights[top]), "size": _small(now.norm), "d": self.d_k}
        values |= {"root": f"{math.sqrt(self.d_k):.1f}", "heat": f"{self.temperature:.2f}", "heard": f"{heard:.1f}"}
        if self.shift:
            values["shift"] = self.shift
            says = key(
                "+{shift} on every score moves no weight: “{word}” keeps {share}, ‖J‖ stays {size}. "
                "A softmax sees only differences between scores."
            )
        elif self.source == "notes":
            if now.norm > 0.2:
                state = t("both keys are heard, and the gradient passes")
            elif now.norm > 0.01:
                state = t("one key is taking over, and the gradient shrinks")
            else:
                state = t("one key has everything, and the gradient is all but gone")
            says = key("[0.3, 0.4] × {factor} gives the weights [{weights}]: {state} (‖J‖ = {size}).")
            values |= {"factor": self.factor, "weights": ", ".join(map(_weight, now.weights)), "state": state}
        elif self.scaled and now.norm > 0.1:
            says = key(
                "Divided by √{d} = {root}, the scores keep a spread near 1: attention is shared by {heard} words, "
                "and the gradient passes (‖J‖ = {size})."
            )
        elif self.scaled:
            says = key(
                "Divided by √{d} = {root}, but sharp again: “{word}” takes {share} at temperature {heat} "
                "(‖J‖ = {size})."
            )
        elif now.norm > 0.15:
            says = key(
                "Without scaling at d_k = {d} the softmax still listens to {heard} words (‖J‖ = {size}). "
                "Move d_k to the right."
            )
        else:
            ratio = self.numbers(scaled=True).norm / max(now.norm, 1e-300)
            values["times"] = t("over 10,000") if ratio > 1e4 else f"{max(1, math.floor(ratio + 0.5)):,}"
            says = key(
                "Without scaling at d_k = {d}, “{word}” takes {share} and the gradient falls to {size}: "
                "{times} times smaller than with ÷ √d_k."
            )
        return t(says, **values)

    def still(self) -> str:
        now, names, raw = self.numbers(), KEYS[self.source], self.scores()
        rows, colour = [], "#0072b2" if self.scaled or self.source == "notes" else "#d55e00"
        for i, name in enumerate(names):
            y = 104 + 26 * i
            rows += [svg_text(14, y, name), svg_text(110, y, f"{raw[i]:.1f}")]
            rows.append(f'<rect x="180" y="{y - 12}" width="{260 * now.weights[i]:.1f}" height="14" fill="{colour}"/>')
            rows.append(svg_text(450, y, _percent(now.weights[i])))
            for j, value in enumerate(now.jacobian[i]):
                opacity = math.sqrt(min(1.0, abs(value) / 0.25))
                rows.append(
                    f'<rect x="{530 + 26 * j}" y="{y - 17}" width="24" height="24" fill-opacity="{opacity:.2f}" '
                    f'fill="{"#009e73" if value > 0 else "#b4538f"}"/>'
                )
        heads = [svg_text(x, 82, name, ' fill="#666"') for x, name in ((110, t("score")), (180, t("weight")))]
        heads.append(svg_text(738, 82, t("Jacobian: green plus, purple minus"), ' fill="#666" text-anchor="end"'))
        return self._picture(340, "".join(heads + rows))


def softmax_saturation(*, source: str = "en", d_k: int = 64, scaled: bool = False) -> SoftmaxSaturation:
    """Move d_k, divide by sqrt(d_k) or not, add 5 to all scores: scores, weights, Jacobian and gradient follow.

    source: "en", "ko" (eight words name the keys) or "notes" (the two scores [0.3, 0.4], times 1 to 100).
    d_k: 1 to 1024, a value of the slider.
    """
    paths = score_paths().astype("<f4").tobytes()
    norms = [[float(f"{v:.4g}") for v in row] for row in typical_norms()]
    return SoftmaxSaturation(paths=paths, norms=norms, source=source, d_k=d_k, scaled=scaled)


def _percent(x: float) -> str:
    return with_sign("> 99.9" if 0.9995 < x < 1 else "< 0.1" if 0 < x < 0.0005 else f"{100 * x:.1f}")


def _weight(x: float) -> str:
    return f"{x:.5f}" if 0.999 < x < 1 else _small(x)


def _small(x: float) -> str:
    """Three digits behind the point, or a power of ten."""
    if x >= 0.0005 or x == 0:
        return f"{x:.3f}"
    digits, power = f"{x:.1e}".split("e")
    return f"{digits}·10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
