"""`rate_designer(layers, steps)`: who learns when, and how fast. One learning-rate curve per layer on one timeline."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import traitlets

from course.widgets.base import CourseWidget, check_whole, limits, module, style, svg_text, with_sign
from course_lib.errors import CourseError
from course_lib.language import key, t


def layer_rates(
    n_layers: int, steps: int, opens: Sequence[int], factor: float = 2.6, cut: float = 0.1, ratio: float = 32.0
) -> np.ndarray:
    """Each layer's learning rate as a share of the highest one, input layer first.

    opens: the step from which each layer trains (`steps`: never). Slanted triangle: Howard and Ruder 2018, equation 3;
    each layer's rate is that of the layer above over `factor`.
    """
    t, top = np.arange(steps), math.floor(steps * cut)
    fall = top * (1 / cut - 1) if top else steps
    p = np.where(t < top, t / max(top, 1), 1 - (t - top) / fall)
    triangle = (1 + p.clip(0) * (ratio - 1)) / ratio
    lower = factor ** -np.arange(n_layers)[::-1].astype(float)
    return lower[:, None] * triangle * (t >= np.asarray(opens)[:, None])


def gradual_opens(n_layers: int, steps: int) -> list[int]:
    """The last layer at once, one more after each of 2 n equal parts: as `gradual` plans it for two epochs a layer."""
    return [steps * (n_layers - 1 - i) // (2 * n_layers) for i in range(n_layers)]


class RateDesigner(CourseWidget):
    _esm, _css = module("rate_plan", kit=("kit", "handle")), style("rate_plan")
    title, height = key("Who learns when?"), 560
    layers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    steps = traitlets.Int().tag(sync=True)
    opens = traitlets.List(traitlets.Int()).tag(sync=True)  # per layer; `steps`: never
    factor = traitlets.Float(2.6).tag(sync=True)  # this and the next two as in the paper, sections 3.2 and 3.3
    cut = traitlets.Float(0.1).tag(sync=True)
    ratio = traitlets.Float(32.0).tag(sync=True)
    _limits = limits("rate_designer", factor=(1, 5), cut=(0.01, 0.9), ratio=(1, 64))

    @traitlets.validate("opens")
    def _a_step_for_each_layer(self, proposal):
        value, n = proposal["value"], len(self.layers)
        if len(value) != n or not all(0 <= step <= self.steps for step in value):
            raise CourseError(f"rate_designer.opens is {value}. Give {n} steps from 0 to {self.steps}, one each.")
        return value

    def rates(self) -> np.ndarray:
        return layer_rates(len(self.layers), self.steps, self.opens, self.factor, self.cut, self.ratio)

    def shares(self) -> np.ndarray:
        """How much each layer may move: the area under its curve, as a share of all areas."""
        areas = self.rates().sum(1)
        return areas / max(areas.sum(), 1e-12)

    def finding(self) -> str:
        shares, trained = self.shares(), [i for i, step in enumerate(self.opens) if step < self.steps]
        if not trained:
            return t("All layers are frozen: nothing learns.")
        most, frozen = int(shares.argmax()), len(self.layers) - len(trained)
        first, values = trained[0], {"layer": self.layers[most], "share": _percent(shares[most])}
        if frozen:
            values |= {"frozen": frozen, "n": len(self.layers)}
            return t("“{layer}” may do {share} of the moving; {frozen} of {n} layers stay as they were.", **values)
        if first != most:
            values |= {"first": self.layers[first], "little": _percent(shares[first])}
            says = key(
                "“{layer}” may do {share} of the moving, “{first}” {little}: what it knows of the language is kept."
            )
        else:
            says = key("“{layer}” may do {share} of the moving: the lowest layer moves most, and forgets first.")
        if len(set(self.opens)) > 1:
            late = {"step": f"{max(self.opens):,}", "steps": f"{self.steps:,}"}
            return f"{t(says, **values)} {t('The last layer to open does so at step {step} of {steps}.', **late)}"
        return f"{t(says, **values)} {t('All layers open at once.')}"

    def still(self) -> str:
        rates, shares, n = self.rates(), self.shares(), len(self.layers)
        rows = []
        for place, i in enumerate(reversed(range(n))):
            base = 128 + 40 * place
            top, last = math.floor(self.steps * self.cut), self.steps - 1
            corners = sorted({self.opens[i], max(self.opens[i], top), last}) if self.opens[i] <= last else []
            points = [f"{170 + 440 * t / self.steps:.1f},{base - 30 * rates[i, t]:.1f}" for t in corners]
            start = 170 + 440 * self.opens[i] / self.steps
            rows.append(
                svg_text(14, base - 4, self.layers[i][:20])
                + f'<polygon points="{start:.1f},{base} {" ".join(points)} 610,{base}" fill="#5aa4cf"/>'
                f'<line x1="170" x2="610" y1="{base}" y2="{base}" stroke="#bbb"/>'
                + svg_text(626, base - 4, _percent(shares[i]))
            )
        height = 128 + 40 * n + 10
        rows.append(svg_text(170, height - 24, t("step {n}", n=0), ' fill="#666"'))
        rows.append(svg_text(610, height - 24, t("step {n}", n=f"{self.steps:,}"), ' fill="#666" text-anchor="end"'))
        return self._picture(height, "".join(rows))


def rate_designer(layers: Sequence[str], steps: int = 1_000) -> RateDesigner:
    """Drag the marks that open layers, bend the slanted triangle, change the factor between layers.

    layers: 2 to 12 names, input first (`[name for name, _ in model.layer_groups()]`); steps: of the whole fine-tuning.
    It starts as in the paper: one more layer with every pass over the data, from the last down, then all of them.
    """
    names = [str(name) for name in layers]
    if not 2 <= len(names) <= 12:
        raise CourseError(f"rate_designer: {len(names)} layers. Give 2 to 12 names, input first.")
    check_whole("rate_designer", "steps", steps, 20, 1_000_000)
    return RateDesigner(layers=names, steps=steps, opens=gradual_opens(len(names), steps))


def _percent(share: float) -> str:
    return with_sign("< 0.1" if 0 < share < 0.0005 else f"{100 * share:.1f}")
