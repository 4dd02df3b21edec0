"""`one_hot_row(matrix, words)`: a one-hot vector times a table collapses to one row, and so does the gradient."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import traitlets

from course.widgets.base import BOLD, CourseWidget, check_finite, limits, module, style, svg_text
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, t

MOST_WORDS, MOST_NUMBERS = 12, 8
SIZES = (1_000, 10_000, 50_000, 200_000)  # of a vocabulary, beside the one that is shown


class OneHotRow(CourseWidget):
    _esm, _css = module("one_row"), style("one_row")
    title, height = key("What does the product do? A one-hot vector times a table"), 520
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    matrix = traitlets.List().tag(sync=True)  # [word][number], two digits
    sizes = traitlets.List(traitlets.Int()).tag(sync=True)
    word = traitlets.Int(0).tag(sync=True)
    backward = traitlets.Bool(False).tag(sync=True)
    times = traitlets.Int(1).tag(sync=True)  # how often the word stands in the batch: 1 to 3
    size = traitlets.Int(0).tag(sync=True)  # place in `sizes`
    _limits = limits("one_hot_row", word="words", size="sizes", times=(1, 3))

    def finding(self) -> str:
        word, n, m = self.words[self.word], len(self.words), len(self.matrix[0])
        if self.backward:
            one = key(
                "Backward: only the row of “{word}” gets the gradient, because the word stands 1 time in the "
                "batch. {zeros} of {n} rows get zeros."
            )
            several = key(
                "Backward: only the row of “{word}” gets the sum of {times} gradients, because the word stands "
                "{times} times in the batch. {zeros} of {n} rows get zeros."
            )
            return t(one if self.times == 1 else several, word=word, times=self.times, zeros=n - 1, n=n)
        size = self.sizes[self.size]
        values = {"word": word, "place": self.word + 1, "n": n, "zeros": n - 1, "m": m}
        return t(
            "“{word}” is a 1 at place {place} of {n}: the other {zeros} rows are multiplied by 0, and its row "
            "comes out as it is. With {size} words that is {products} multiplications, to copy {m} numbers.",
            **values,
            size=f"{size:,}",
            products=f"{size * m:,}",
        )

    def still(self) -> str:
        cells = []
        for i, word in enumerate(self.words):
            y, on = 96 + 24 * i, i == self.word
            look = BOLD if on else ' fill="#8a8f98"'
            cells += [svg_text(14, y, word[:16], look), svg_text(160, y, str(int(on)), look)]
            cells += [svg_text(230 + 62 * j, y, f"{v:.2f}", look) for j, v in enumerate(self.matrix[i])]
        bottom, look = 96 + 24 * len(self.words) + 20, ' fill="#d55e00"'
        cells.append(svg_text(14, bottom, t("the product: one row"), look))
        row = [v + 0 for v in self.matrix[self.word]]  # 0 for -0, as a sum gives
        cells += [svg_text(230 + 62 * j, bottom, f"{v:.2f}", look) for j, v in enumerate(row)]
        return self._picture(bottom + 20, "".join(cells))


def one_hot_row(matrix: np.ndarray, words: Sequence[str]) -> OneHotRow:
    """Pick a word: zeros fade and one row of the table stays; backward, the gradient reaches the same row.

    matrix [word, number] with at most 12 rows of 8 numbers, words: one per row, each once.
    """
    matrix, words = numbers("one_hot_row: the matrix's rows", matrix), [str(w) for w in words]
    if matrix.ndim != 2 or matrix.shape[0] != len(words) or not words or matrix.shape[1] == 0:
        raise CourseError(f"one_hot_row: {len(words)} words, a matrix of shape {matrix.shape}. Give one row per word.")
    if len(words) > MOST_WORDS or matrix.shape[1] > MOST_NUMBERS:
        size, most = f"{len(words)} words of {matrix.shape[1]} numbers", f"{MOST_WORDS} rows of {MOST_NUMBERS}"
        raise CourseError(f"one_hot_row: {size} do not fit. Show at most {most}.")
    if len(set(words)) < len(words):
        raise CourseError("one_hot_row: a word stands twice in the list. Each word has one row.")
    check_finite("one_hot_row", "the matrix", matrix)
    return OneHotRow(words=words, matrix=matrix.round(2).tolist(), sizes=[len(words), *SIZES], size=len(SIZES))
