"""`occurrences({system: similarity}, sentences, positions, senses)`: one word or two? Its occurrences, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import traitlets

from course.widgets.base import CourseWidget, check_finite, check_occurrences, in_range, module, style, svg_text
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, t, t_label

MOST = 40
READERS = {"forward": key("reader|forward"), "backward": key("reader|backward"), "both": key("reader|both")}
EXACT = 1e-6  # two equal vectors of float32 have a cosine within that of 1


def within_between(similarity: np.ndarray, senses: Sequence[str]) -> tuple[float, float]:
    """Mean similarity of pairs of the same sense, and of different senses; no occurrence with itself."""
    same = np.array([[a == b for b in senses] for a in senses])
    pairs = ~np.eye(len(senses), dtype=bool)
    return float(similarity[same & pairs].mean()), float(similarity[~same].mean())


class Occurrences(CourseWidget):
    _esm, _css = module("sense_pairs"), style("sense_pairs")
    title, height = key("Is it one word or two?"), 720
    systems = traitlets.List(traitlets.Unicode()).tag(sync=True)
    table = traitlets.Bytes().tag(sync=True)  # int16 [system, occurrence, occurrence], 10,000 times the cosine
    sentences = traitlets.List().tag(sync=True)  # [occurrence][word]
    positions = traitlets.List(traitlets.Int()).tag(sync=True)
    senses = traitlets.List(traitlets.Unicode()).tag(sync=True)
    system = traitlets.Int(0).tag(sync=True)
    cell = traitlets.List(traitlets.Int()).tag(sync=True)  # row and column in the middle of attention

    @traitlets.validate("system", "cell")
    def _in_range(self, proposal):
        known = self.systems if proposal["trait"].name == "system" else self.senses
        return in_range("occurrences", proposal, 0, len(known) - 1)

    def similarity(self, system: int | None = None) -> np.ndarray:
        """The shipped cosines [occurrence, occurrence] of a system, four digits; 1 only where two are exactly alike."""
        n = len(self.senses)
        table = np.frombuffer(self.table, "<i2").reshape(len(self.systems), n, n)
        return table[self.system if system is None else system] / 10_000

    def alike(self) -> tuple[int, int, int]:
        """Pairs that are exactly alike; those whose sentences differ only before the word; only after it."""
        sides = [(words[:at], words[at + 1 :]) for words, at in zip(self.sentences, self.positions, strict=True)]
        rows, columns = np.nonzero(np.tril(self.similarity() == 1, -1))
        same = [(sides[i][0] == sides[j][0], sides[i][1] == sides[j][1]) for i, j in zip(rows, columns, strict=True)]
        return len(same), same.count((False, True)), same.count((True, False))

    def finding(self) -> str:
        same, other = within_between(self.similarity(), self.senses)
        word = self.sentences[0][self.positions[0]]
        gap = round(same, 2) - round(other, 2)
        if gap < 0.05:
            said = t("one word: the senses do not part")
        else:
            said = t("two words, in part") if gap < 0.2 else t("two words")
        alike, before, after = self.alike()
        n = len(self.senses)
        values = {"system": self.systems[self.system], "word": word, "alike": alike, "all": n * (n - 1) // 2}
        if alike:
            found = t(
                "{system}: {alike} of {all} pairs exactly alike; {before} differ only before “{word}”, "
                "{after} only after it.",
                **values,
                before=before,
                after=after,
            )
        else:
            found = t("{system}: none of {all} pairs of “{word}” exactly alike.", **values)
        means = {"same": f"{same:.2f}", "other": f"{other:.2f}"}
        return f"{found} {t('Same sense {same}, other sense {other}: {said}.', **means, said=said)}"

    def still(self) -> str:
        n, size = len(self.senses), 360
        step, table = size / n, self.similarity()
        low, high = (end(table[~np.eye(n, dtype=bool)]) for end in (np.min, np.max))  # as the page: over what is shown
        values = np.rint(10 * ((table - low) / (high - low) if high > low else np.ones((n, n))).clip(0, 1))
        cells = ""
        for level in range(1, 11):  # one path for all cells of one shade: a tenth of the bytes
            marks = "".join(
                f"M{14 + step * (j + 0.5):.1f} {84 + step * i:.1f}v{step:.1f}" for i, j in np.argwhere(values == level)
            )
            cells += f'<path d="{marks}" stroke="#0072b2" stroke-width="{step:.1f}" stroke-opacity="{level / 10}"/>'
        starts = [i for i in range(n) if i == 0 or self.senses[i] != self.senses[i - 1]]
        names = "".join(
            svg_text(size + 24, f"{84 + step * i + 14:.0f}", self.senses[i][:40])
            + f'<path d="M14 {84 + step * i:.1f}h{size + 6}" stroke="#d55e00"/>'
            for i in starts
        )
        return self._picture(460, cells + names)


def occurrences(
    similarity: Mapping[str, np.ndarray],
    sentences: Sequence[Sequence[str]],
    positions: Sequence[int],
    senses: Sequence[str],
) -> Occurrences:
    """Similarities of a word's occurrences, ordered by sense; a tab for each system or layer.

    similarity  {name: [occurrence, occurrence]} cosines; a name for each system or layer
    sentences   words of each occurrence's sentence; positions: where the word stands; senses: its sense there
    """
    n, tables = (
        len(senses),
        {name: numbers(f"occurrences: the cosines of {name!r}", table) for name, table in similarity.items()},
    )
    check_occurrences("occurrences", sentences, positions, senses, MOST)
    if not tables or any(table.shape != (n, n) for table in tables.values()):
        shapes = ", ".join(str(table.shape) for table in tables.values()) or "none"
        raise CourseError(f"occurrences: tables {shapes} for {n} senses. Give square tables of that size.")
    for name, table in tables.items():
        check_finite("occurrences", f"the table {name!r}", table)
    order = sorted(range(n), key=lambda i: list(senses).index(senses[i]))
    shipped = np.stack([table[np.ix_(order, order)].clip(-1, 1) for table in tables.values()])
    shipped = np.where(shipped > 1 - EXACT, 10_000, np.minimum(np.rint(10_000 * shipped), 9_999))
    return Occurrences(
        systems=[t(READERS[name]) if name in READERS else t_label(name) for name in tables],
        table=shipped.astype("<i2").tobytes(),
        sentences=[[str(word) for word in sentences[i]] for i in order],
        positions=[int(positions[i]) for i in order],
        senses=[t_label(str(senses[i])) for i in order],
        cell=[0, n - 1],
    )
