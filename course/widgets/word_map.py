"""`embedding_map({window: vectors}, words)`: a map of words, their neighbours, sums of words, and a slider of windows.

Everything the page computes, it computes from the small table that is shipped to it: each word's unit vector along its
24 main directions, a byte per number. Python has the same functions on the same numbers, so both give the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import traitlets

from course.widgets.base import BOLD, CourseWidget, limits, module, style, svg_text
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, t

DIRECTIONS = 24  # of the shipped vectors. Of 50 directions they keep nine of ten neighbours, of 24 all
MOST_WORDS = 200
NEIGHBOURS = 10


def compress(vectors: np.ndarray) -> np.ndarray:
    """Unit rows along their main directions as whole numbers -127 ... 127: [word, direction] int8.

    The directions are those of the table as it is (not centred), so that products of rows stay what they were.
    """
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    _, _, directions = np.linalg.svd(unit, full_matrices=False)
    rows = unit @ directions[:DIRECTIONS].T
    rows = np.pad(rows, ((0, 0), (0, DIRECTIONS - rows.shape[1])))
    rows /= np.maximum(np.abs(rows).max(1, keepdims=True), 1e-12)
    return np.rint(127 * rows).astype(np.int8)


def cosines(table: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Cosine of every row of the shipped table [word, direction] with a target [direction]."""
    rows, target = table.astype(float), np.asarray(target, float)
    size = np.sqrt((rows**2).sum(1) * (target**2).sum())
    return np.divide(rows @ target, size, out=np.zeros(len(rows)), where=size > 0)


def nearest(table: np.ndarray, word: int, k: int) -> list[tuple[int, float]]:
    """The k words nearest to a word (number), without it, as (number, cosine), the first of equals first."""
    scores = cosines(table, table[word])
    order = [i for i in np.argsort(-scores, kind="stable").tolist() if i != word]
    return [(i, float(scores[i])) for i in order[:k]]


def map_places(tables: Sequence[np.ndarray]) -> np.ndarray:
    """Places of the words on the map as whole numbers -9999 ... 9999: [window, word, 2] int16.

    Two main directions per table; each map is turned, mirrored and scaled onto the one before (Procrustes), so that
    dots move as little as the vectors allow; then each is stretched, along and across, until it fills its frame.
    """
    maps: list[np.ndarray] = []
    for vectors in tables:
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        left, size, _ = np.linalg.svd(unit - unit.mean(0), full_matrices=False)
        places = left[:, :2] * size[:2]
        places = np.pad(places, ((0, 0), (0, 2 - places.shape[1])))
        places /= max(float(np.abs(places).max()), 1e-12)
        if maps:
            turn_left, stretch, turn_right = np.linalg.svd(places.T @ maps[-1])
            places = places @ turn_left @ turn_right * (stretch.sum() / max(float((places**2).sum()), 1e-12))
        maps.append(places)
    drawn = np.stack(maps)
    low, high = drawn.min(1, keepdims=True), drawn.max(1, keepdims=True)
    return np.rint(9999 * (2 * drawn - low - high) / np.maximum(high - low, 1e-12)).astype("<i2")


class EmbeddingMap(CourseWidget):
    _esm, _css = module("word_map"), style("word_map")
    title, height = key("What does the window decide? A map of words"), 780
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    windows = traitlets.List(traitlets.Int()).tag(sync=True)
    places = traitlets.Bytes().tag(sync=True)  # int16, little-endian [window, word, 2]
    table = traitlets.Bytes().tag(sync=True)  # int8 [window, word, direction]
    note = traitlets.Unicode().tag(sync=True)
    window = traitlets.Int(0).tag(sync=True)  # place in `windows`
    chosen = traitlets.Int(0).tag(sync=True)  # number of the word in the middle of attention
    sum = traitlets.List(traitlets.Int(), [0, 0, 0]).tag(sync=True)  # a, b, c of a - b + c
    inputs_may_answer = traitlets.Bool(False).tag(sync=True)
    _limits = limits("embedding_map", chosen="words", window="windows")

    def __init__(self, vectors: Mapping[int, np.ndarray], words: Sequence[str], **state):
        tables = [np.asarray(rows, dtype=float) for rows in vectors.values()]
        self.shipped = np.stack([compress(rows) for rows in tables])
        self.map = map_places(tables)
        note = t(
            "Map and lists know these {n} words only. A dot's place shows two directions of its vector, the cosines "
            "{directions}: what is near in the list need not be near on the map.",
            n=len(words),
            directions=min(DIRECTIONS, tables[0].shape[1]),
        )
        shipped = {"places": self.map.tobytes(), "table": self.shipped.tobytes(), "note": note}
        super().__init__(words=list(words), windows=list(vectors), **shipped, **state)

    def neighbours(self, window: int | None = None) -> list[tuple[int, float]]:
        """The ten of the chosen word at a window (place), by the shipped numbers."""
        return nearest(self.shipped[self.window if window is None else window], self.chosen, NEIGHBOURS)

    def finding(self) -> str:
        word, near = self.words[self.chosen], self.neighbours()
        if not near:
            return t("“{word}” is the only word here.", word=word)
        said = t("list| and ").join(f"“{self.words[i]}” ({cosine:.2f})" for i, cosine in near[:2])
        here = {"window": self.windows[self.window], "word": word, "said": said}
        one = key("Window {window}: nearest to “{word}” is {said}.")
        text = t(one if len(near) == 1 else "Window {window}: nearest to “{word}” are {said}.", **here)
        other = len(self.windows) - 1 if self.window == 0 else 0
        if other != self.window:
            stay = len({i for i, _ in near} & {i for i, _ in self.neighbours(window=other)})
            values = {"n": stay, "all": len(near), "other": self.windows[other]}
            text += " " + t("{n} of its {all} neighbours are also there at window {other}.", **values)
        return text

    def still(self) -> str:
        near = dict(self.neighbours())
        place = [(220 + x / 50, 280 - y / 50) for x, y in self.map[self.window].tolist()]

        def dots(numbers, colour: str, width: int) -> str:
            marks = "".join(f"M{place[i][0]:.0f} {place[i][1]:.0f}h0" for i in numbers)
            return f'<path d="{marks}" stroke="{colour}" stroke-width="{width}" stroke-linecap="round"/>'

        shown = dots(range(len(place)), "#b0b5bb", 4) + dots(near, "#0072b2", 8) + dots([self.chosen], "#d55e00", 11)
        names, taken = "", []
        for i in [self.chosen, *near]:  # a name that would lie on another is left to the list
            x, y = place[i][0] + 6, place[i][1] + 4
            if not any(abs(y - other_y) < 14 and abs(x - other_x) < 90 for other_x, other_y in taken):
                names += svg_text(f"{x:.0f}", f"{y:.0f}", self.words[i][:14])
                taken.append((x, y))
        said = [f"{self.words[i][:22]} {cosine:.2f}" for i, cosine in near.items()]
        listed = "".join(svg_text(460, 114 + 22 * row, line) for row, line in enumerate(said))
        heading = svg_text(460, 90, t("nearest, with cosine"), BOLD)
        return self._picture(500, shown + names + heading + listed, self._lines(100))


def embedding_map(
    vectors: Mapping[int, np.ndarray] | np.ndarray, words: Sequence[str], *, window: int | None = None, word: str = ""
) -> EmbeddingMap:
    """A map of at most 200 words that a reader can ask, live.

    vectors  {window: [word, dim]} of models that differ in their window, or one [word, dim]; arrays or tensors
    words    one per row
    window, word  what is shown first; default: the first of each
    """
    vectors = dict(vectors) if isinstance(vectors, Mapping) else {5: vectors}
    words = [str(w) for w in words]
    if not words or not vectors or len(words) > MOST_WORDS:
        given = f"{len(words)} words and {len(vectors)} tables"
        raise CourseError(f"embedding_map got {given}. Give 1 to {MOST_WORDS} words and a table.")
    for width, rows in vectors.items():
        rows = numbers(f"embedding_map: the vectors at window {width}", rows)
        if rows.ndim != 2 or len(rows) != len(words) or not rows.shape[1]:
            given = f"{len(words)} words, but vectors of shape {rows.shape}"
            raise CourseError(f"embedding_map: {given} at window {width}.")
        if not np.isfinite(rows).all():
            bad = words[int(np.argmin(np.isfinite(rows).all(1)))]
            raise CourseError(f"embedding_map: the vector of {bad[:60]!r} at window {width} holds NaN or infinity.")
        vectors[width] = rows
    if word and word not in words:
        raise CourseError(f"embedding_map: {word[:60]!r} is not among the {len(words)} words. Choose one of them.")
    if window is not None and window not in vectors:
        raise CourseError(f"embedding_map: there is no window {window}. There are: {', '.join(map(str, vectors))}.")
    chosen, place = words.index(word or words[0]), 0 if window is None else list(vectors).index(window)
    return EmbeddingMap(vectors, words, chosen=chosen, window=place)
