"""How the course's figures look, in both languages, and the board of the session."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from matplotlib import font_manager
from matplotlib.figure import Figure

from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, seed_interval
from course_lib.language import key, language, t, t_label

HANGUL_FONT = Path(__file__).parent / "fonts" / "CourseHangul-Regular.ttf"

# Okabe and Ito's colours, told apart by all eyes; label text stays dark, since six of the eight are too light for text.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A8F98", "#000000")


def use_course_style() -> None:
    """Set matplotlib's defaults for the course. May be called again at any time."""
    # Titles are bold, the Hangul font has one weight: matplotlib would say so on stderr in every chapter.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    if HANGUL_FONT.is_file() and not any(font.name == "Course Hangul" for font in font_manager.fontManager.ttflist):
        font_manager.fontManager.addfont(HANGUL_FONT)
    installed = {font.name for font in font_manager.fontManager.ttflist}
    known = ("NanumGothic", "Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans CJK KR")
    hangul, weight = [name for name in known if name in installed], "bold"
    if language() == "ko":  # the same picture on every machine, in the font's one weight
        hangul, weight = [], "normal"
    matplotlib.rcParams.update(
        {
            "font.family": ["DejaVu Sans", *hangul[:1], "Course Hangul"],
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.titleweight": weight,
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": matplotlib.cycler(color=OKABE_ITO[:7]),
            "axes.axisbelow": True,
            "figure.figsize": (6.4, 3.8),
            "figure.dpi": 100,
            "figure.facecolor": "white",  # figures are pictures: readable on a dark page, too
            "figure.constrained_layout.use": True,
            "image.cmap": "cividis",
            "lines.linewidth": 1.8,
        }
    )


def recorded_board() -> dict[str, tuple[int, dict[int, Interval]]]:
    """What the course's systems get on the roles of words, five seeds each; empty if it was not recorded.

    system -> (its chapter, number of labelled sentences -> F1 in %), in the course's order
    """
    path = data_dir("recorded", "board.json")
    if not path.exists():
        return {}
    found: dict[str, tuple[int, dict[int, list[float]]]] = {}
    for row in json.loads(path.read_text(encoding="utf-8"))["rows"]:
        if row["language"] == language():
            found.setdefault(row["system"], (row["chapter"], {}))[1].setdefault(row["labels"], []).append(row["f1"])
    return {name: (chapter, {n: seed_interval(f1) for n, f1 in by.items()}) for name, (chapter, by) in found.items()}


def score_board(recorded: Mapping, own: Mapping[str, Mapping[int, float]], chapter: int) -> Figure:
    """F1 on the roles of words, a row for each system: the reader's own bar above the recorded one, which has a line
    from end to end of its interval. Systems of later chapters are grey.

    recorded  system -> (chapter, number of labelled sentences -> Interval); own: system -> the same numbers -> F1 in %
    """
    names = [*recorded, *(name for name in own if name not in recorded)]
    labels = sorted({n for _, by in recorded.values() for n in by} | {n for by in own.values() for n in by})
    if not names:
        raise CourseError(t("The board is empty: nothing was recorded, and session.score put nothing on it."))
    size = (8.6, 1.2 + 0.42 * len(names))
    figure, panels = plt.subplots(1, len(labels), figsize=size, sharey=True, squeeze=False)
    for axes, n in zip(panels[0], labels, strict=True):
        for row, name in enumerate(names):
            of, by = recorded.get(name, (0, {}))
            down = 0.2 if name in own else 0
            if n in by:
                mean, later = by[n].estimate, of > chapter
                spread = [[mean - by[n].low], [by[n].high - mean]]
                axes.barh(
                    row + down, mean, 0.34, color="#D5D8DC" if later else "#9CC5E3", xerr=spread, ecolor="#5A6068"
                )
            if n in own.get(name, {}):
                axes.barh(row - 0.2, own[name][n], 0.34, color="#D55E00")
                axes.annotate(f"{own[name][n]:.0f}", (own[name][n], row - 0.2), xytext=(3, 0), va="center",
                              textcoords="offset points")  # fmt: skip
        axes.set(xlim=(0, 100), xlabel=t("F1 in %"), title=t("{n} labelled sentences", n=n))
    shown = [t_label(name) if name in recorded else name for name in names]
    panels[0][0].set_yticks(range(len(names)), shown)
    for tick, name in zip(panels[0][0].get_yticklabels(), names, strict=True):
        tick.set(color="#5A6068" if recorded.get(name, (0,))[0] > chapter else "black", parse_math=False)
    panels[0][0].invert_yaxis()
    patches = {key("yours"): "#D55E00", key("recorded, five seeds"): "#9CC5E3", key("of later chapters"): "#D5D8DC"}
    drawn = {matplotlib.colors.to_hex(bar.get_facecolor()).upper() for axes in panels[0] for bar in axes.patches}
    handles = {
        t(name): plt.Rectangle((0, 0), 1, 1, color=colour) for name, colour in patches.items() if colour in drawn
    }
    figure.legend(handles.values(), handles, loc="outside upper left", ncols=3, frameon=False)
    return closed(figure)


def closed(figure: Figure) -> Figure:
    """Shown once, as the last line of a cell: pyplot does not show it again."""
    plt.close(figure)
    return figure
