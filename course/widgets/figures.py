"""The plots that several chapters draw, in the colours of the systems.

Each function returns a closed matplotlib Figure: as the last line of a cell it is shown once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from course.figures import OKABE_ITO, closed
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import columns, key, t, t_label

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True)
class SystemStyle:
    """How one system looks in all chapters: colour, marker and line, so that none carries the meaning alone."""

    colour: str
    marker: str
    line: str


SYSTEMS = {
    key("random"): SystemStyle("#8A8F98", "x", ":"),
    key("skip-gram"): SystemStyle("#E69F00", "o", "-"),
    "TagLM": SystemStyle("#56B4E9", "s", "--"),
    "CoVe": SystemStyle("#CC79A7", "D", "-."),
    "ELMo": SystemStyle("#009E73", "^", "-"),
    "ULMFiT": SystemStyle("#D55E00", "v", "--"),
    key("left-to-right Transformer"): SystemStyle("#6A51A3", "P", "-."),
    "BERT": SystemStyle("#0072B2", "*", "-"),
    key("BERT, two passes"): SystemStyle("#332288", "h", ":"),
    "MiniLM": SystemStyle("#000000", "X", "-"),
    key("MiniLM, two passes"): SystemStyle("#661100", "p", ":"),
}

# What a network starts from, where one figure compares several starts; baselines are dashed in orange.
STARTS = {
    key("from scratch"): SystemStyle("#8A8F98", "o", "-"),
    key("general LM"): SystemStyle("#0072B2", "s", "-"),
    key("general + target LM"): SystemStyle("#D55E00", "v", "-"),
    key("pre-trained"): SystemStyle("#0072B2", "s", "-"),
    "MiniLM": SystemStyle("#CC79A7", "v", "-"),
}
BASELINE = SystemStyle("#E69F00", "^", "--")


@dataclass(frozen=True)
class Panel:
    """One task's curves. curves, baseline: {name: rows of (x, score, low, high)}; unit: the text at the y axis."""

    title: str
    unit: str
    curves: Mapping[str, Sequence[Sequence[float]]]
    baseline: Mapping[str, Sequence[Sequence[float]]]


def learning_curves(
    curves: Mapping[str, Sequence[Sequence[float]]],
    *,
    x: str,
    y: str,
    title: str,
    baselines: Mapping[str, float] | None = None,
    between: tuple[float, float] | None = None,
    blur: float = 0,
) -> Figure:
    """Scores over label counts or tokens (log scale), with intervals.

    curves     {name: rows of (x, score, low, high)}; a system's name gives its own colour
    baselines  {name: score}: thin level lines, labelled at the left
    between    the lowest and the highest y
    blur       the height of a bar at the bottom: two scores that are no further apart may differ by chance
    """
    figure, axes = plt.subplots()
    if between is not None:
        axes.set_ylim(between)
    ends: list[tuple[float, float, str, bool]] = []  # y, x, name of each curve's last point; is it the only one?
    for number, (name, rows) in enumerate(curves.items()):
        style = SYSTEMS.get(name, SystemStyle(OKABE_ITO[number % 7], MARKERS[number % 8], "-"))
        points = _curve(axes, f"learning_curves: {name!r}", rows, style)
        ends.append((points[-1, 1], points[-1, 0], t_label(name), len(points) == 1))
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    for name, score in (baselines or {}).items():
        axes.axhline(score, color="#8A8F98", lw=1)
        axes.annotate(t_label(name), (0.01, score), xytext=(0, -11), **place)
    if blur:
        low, high = axes.get_ylim()
        height = low + 0.07 * (high - low)
        axes.errorbar(0.72, height, blur / 2, color="#5A6068", capsize=4, transform=axes.get_yaxis_transform())
        says = t("a difference of {n} points", n=f"{blur:g}")
        axes.annotate(says, (0.72, height), xytext=(8, 0), va="center", fontsize=9, **place)
    axes.set_xscale("log")
    axes.set(xlabel=x, ylabel=y, title=title)
    _label_ends(axes, ends)
    return closed(figure)


def curve_panels(panels: Sequence[Panel], *, x: str, whole: bool = False) -> Figure:
    """Curves of several tasks over a log axis: bands, a tick at each point, one legend; no value, an empty panel.

    whole  the vertical axes run from 0 to 100
    """
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    size = (3.1 * columns, 3 * rows)  # broader ones a slide shows smaller
    figure, grid = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        styles = {name: STARTS.get(name, SystemStyle(OKABE_ITO[3], "D", "-")) for name in panel.curves}
        for name, line in {**panel.curves, **panel.baseline}.items():
            _curve(axes, f"curve_panels: {name!r}", line, styles.get(name, BASELINE), ms=5, label=t_label(name))
        axes.set_title(t_label(panel.title))
        dashed = [t("dashed: {name}", name=t_label(name)) for name in panel.baseline]
        axes.set(xlabel="; ".join([x, *dashed]), ylabel=t_label(panel.unit))
        if not axes.lines:
            axes.set(xticks=[], yticks=[])
            continue
        axes.set_xscale("log")
        places = sorted({int(place) for line in axes.lines for place in line.get_xdata()})
        axes.set_xticks(places, [f"{place:,}" for place in places])
        axes.minorticks_off()
        if whole:
            axes.set(ylim=(0, 100), ylabel=t_label(panel.unit).replace(", ", "\n"))
    for axes in grid.flat[len(panels) :]:
        axes.remove()
    starts = {line.get_label(): line for axes in figure.axes for line in axes.lines if line.get_linestyle() == "-"}
    if starts:
        figure.legend(starts.values(), starts.keys(), loc="outside upper left", ncols=4, frameon=False)
    return closed(figure)


def heat_map(
    values: np.ndarray, rows: Sequence[str], columns: Sequence[str], *, title: str, x: str, y: str, unit: str
) -> Figure:
    """A matrix of amounts as colours, light to dark; yes and no need no scale."""
    values = numbers("heat_map: the values", values)
    if values.shape != (len(rows), len(columns)):
        raise CourseError(f"heat_map: values {values.shape} for {len(rows)} rows and {len(columns)} columns.")
    figure, axes = plt.subplots(figsize=(2 + 0.42 * len(columns), 1.4 + 0.36 * len(rows)))
    yes_or_no = np.isin(values, (0, 1)).all()
    look = {"cmap": "Blues", "vmin": 0, "vmax": 1.4} if yes_or_no else {"cmap": "cividis_r"}
    image = axes.imshow(values, aspect="auto", **look)
    axes.set(xticks=range(len(columns)), yticks=range(len(rows)), xlabel=x, ylabel=y, title=title)
    axes.set_xticklabels(columns, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticklabels(rows)
    if not yes_or_no:
        figure.colorbar(image, label=unit)
    return closed(figure)


def course_timeline() -> Figure:
    """What was carried over, year by year: of the first text on arXiv or in print."""
    lanes = {key("a table"): 2, key("frozen features"): 1, key("a whole network"): 0}
    events = [  # year, lane, name, and where the name stands: above the line, or below it between two neighbours
        (2008.6, "a table", "Collobert & Weston", "center", 9),
        (2013.1, "a table", "skip-gram", "center", 9),
        (2015.9, "a whole network", "Dai & Le", "center", 9),
        (2017.3, "frozen features", "TagLM", "right", 9),
        (2017.6, "frozen features", "CoVe", "center", -17),
        (2018.1, "frozen features", "ELMo", "left", 9),
        (2018.05, "a whole network", "ULMFiT", "right", 9),
        (2018.45, "a whole network", "GPT", "center", -17),
        (2018.8, "a whole network", "BERT", "left", 9),
    ]
    figure, axes = plt.subplots(figsize=(8.6, 3.2))
    for lane in lanes.values():
        axes.axhline(lane, color="#D5D8DC", lw=1, zorder=0)
    for year, lane, name, side, up in events:
        system = "left-to-right Transformer" if name == "GPT" else name
        style = SYSTEMS.get(system, SystemStyle("#8A8F98", "o", "-"))
        axes.plot(year, lanes[lane], style.marker, color=style.colour, ms=10)
        axes.annotate(t_label(name), (year, lanes[lane]), xytext=(0, up), textcoords="offset points", ha=side)
    axes.set(yticks=list(lanes.values()), ylim=(-0.6, 2.6), xlim=(2007.8, 2020), xlabel=t("year"))
    axes.set_yticklabels(map(t, lanes))
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(t("What is carried over: from a first layer to every weight"))
    return closed(figure)


def two_steps() -> Figure:
    """Pre-training once, on text without labels; then four tasks with few labels each, on the same network."""
    figure, axes = plt.subplots(figsize=(8.6, 3.4))
    axes.set(xlim=(0, 100), ylim=(0, 40))
    axes.axis("off")

    def box(x: float, y: float, w: float, h: float, text: str, colour: str) -> None:
        axes.add_patch(plt.Rectangle((x, y), w, h, facecolor=colour, alpha=0.18, edgecolor=colour, lw=1.2))
        axes.text(x + w / 2, y + h / 2, text, ha="center", va="center")

    arrow = {"arrowstyle": "->", "lw": 1.6, "color": "#555555"}
    heading = {"weight": matplotlib.rcParams["axes.titleweight"], "ha": "center"}
    box(0, 14, 19, 12, t("much text,\nno labels"), "#8A8F98")
    box(27, 10, 21, 20, t("a network\nlearns to predict\nwords"), "#0072B2")
    axes.annotate("", (27, 20), (19, 20), arrowprops=arrow)
    tasks = (
        t("sentence: good or bad?"),
        t("pair: does it answer?"),
        t("word: is it a name?"),
        t("span: where is the answer?"),
    )
    for row, task in enumerate(tasks):
        y = 30.5 - 10 * row
        box(66, y, 34, 7.5, task, "#D55E00")
        axes.annotate("", (66, y + 3.7), (48, 20), arrowprops=arrow)
    axes.text(57, 38, t("its vectors,\nor its weights"), ha="center", va="top")
    axes.text(24, 38, t("1  pre-training, once"), va="top", **heading)
    axes.set_title(t("Two steps, four tasks"), pad=12)
    axes.text(83, 39.5, t("2  downstream tasks, few labels"), va="bottom", **heading)
    return closed(figure)


def _curve(axes, name: str, rows: Sequence[Sequence[float]], style: SystemStyle, **look: object) -> np.ndarray:
    """A line through (x, score) within a band from low to high. Returns the points."""
    points = numbers(f"{name}: the rows", rows)
    if points.ndim != 2 or points.shape[1] != 4:
        raise CourseError(f"{name} has shape {points.shape}. Give rows of (x, score, low, high).")
    axes.plot(*points[:, :2].T, style.line, color=style.colour, marker=style.marker, **look)
    axes.fill_between(*points[:, [0, 2, 3]].T, color=style.colour, alpha=0.18, lw=0)
    return points


def _label_ends(axes, ends: list[tuple[float, float, str, bool]]) -> None:
    """Names right of the last points; one that would stand in another goes left of a point without line, or up."""
    line, letter = 14.0, 6.0  # in points of type
    axes.figure.canvas.draw()  # the layout gives the axes their size
    dots = axes.transData.transform([(x, y) for y, x, *_ in ends]) * 72 / axes.figure.dpi
    taken = [(across, across, height) for across, height in dots]

    def in_the_way(start: float, end: float, top: float) -> list[float]:
        return [low for a, b, low in taken if a < end and start < b and abs(low - top) < line - 0.1]

    for (across, height), (y, x, name, alone) in sorted(zip(dots.tolist(), ends, strict=True), reverse=True):
        width = letter * (columns(name) + 3)
        room = across - width > axes.bbox.x0 * 72 / axes.figure.dpi and not in_the_way(across - width, across, height)
        left = alone and room and bool(in_the_way(across, across + width, height))
        start, top = across - width * left, height
        while hit := in_the_way(start, start + width, top):
            top = max(hit) + line
        taken.append((start, start + width, top))
        look = {"xytext": (-7 if left else 7, top - height), "ha": "right" if left else "left", "va": "center"}
        axes.annotate(name, (x, y), textcoords="offset points", **look)
