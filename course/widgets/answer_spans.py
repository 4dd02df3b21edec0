"""`span_explorer(tokens, start, end)`: why this answer? Every span's score is the sum of a start and an end score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import traitlets

from course.widgets.base import CourseWidget, check_finite, check_whole, limits, module, percent, style, svg_text
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, t

MOST_TOKENS, LISTED, MOST_REFUSED = 200, 5, 3
FLOOR = -8.0  # log-probability that has no bar any more: 0.03 %


class Span(NamedTuple):
    """Tokens start..end of the passage, both included; score: start score + end score, unbounded."""

    start: int
    end: int
    score: float


def by_score(start: np.ndarray, end: np.ndarray, max_answer: int) -> tuple[list[Span], list[Span]]:
    """The valid spans, start <= end < start + max_answer, and the other pairs that beat the best of them: what the best
    start and the best end, taken apart, give. Best first, of equal ones the leftmost and shortest.

    start, end  scores [token]. Devlin et al. 2018, arXiv:1810.04805, section 4.2.
    """
    sums = np.add.outer(start, end)
    places = (divmod(place, len(sums)) for place in np.argsort(-sums, axis=None, kind="stable").tolist())
    spans = [Span(i, j, float(sums[i, j])) for i, j in places]
    valid = [span for span in spans if 0 <= span.end - span.start < max_answer]
    refused = [span for span in spans if span.score > valid[0].score]
    return valid, refused


def log_probabilities(scores: np.ndarray) -> np.ndarray:
    """log softmax over the last axis, in nats."""
    top = scores.max(-1, keepdims=True)
    return scores - top - np.log(np.exp(scores - top).sum(-1, keepdims=True))


class SpanExplorer(CourseWidget):
    _esm, _css = module("answer_spans", kit=("kit", "handle")), style("answer_spans")
    title = key("Why this answer?")
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    scores = traitlets.Bytes().tag(sync=True)  # float32 [start or end, token]
    null = traitlets.Float(None, allow_none=True).tag(sync=True)  # score of "no answer", a sum as those of spans are
    max_answer = traitlets.Int().tag(sync=True)
    start = traitlets.Int(0).tag(sync=True)
    end = traitlets.Int(0).tag(sync=True)
    linear = traitlets.Bool(False).tag(sync=True)  # bars show probabilities, not their logarithms

    @property
    def height(self) -> int:
        """About what lines of tokens and the list take at the full width; a narrower page scrolls."""
        rows = len(self.spans()) + len(self.refused()) + (self.null is not None)
        return min(1_400, 380 + 28 * rows + 140 * (1 + len(self.tokens) // 25))

    _limits = limits("span_explorer", start="tokens", end="tokens")

    def table(self) -> np.ndarray:
        """The shipped scores [start or end, token]."""
        return np.frombuffer(self.scores, "<f4").reshape(2, -1).astype(float)

    def spans(self) -> list[Span]:
        return by_score(*self.table(), self.max_answer)[0][:LISTED]

    def refused(self) -> list[Span]:
        return by_score(*self.table(), self.max_answer)[1][:MOST_REFUSED]

    def log_probability(self, start: int, end: int) -> float:
        """Of a span, in nats: log P(start) + log P(end)."""
        logs = log_probabilities(self.table())
        return float(logs[0, start] + logs[1, end])

    def finding(self) -> str:
        i, j, (start, end) = self.start, self.end, self.table()
        valid, score = by_score(start, end, self.max_answer)[0], start[i] + end[j]
        first, rank = valid[0], 1 + sum(span.score > score for span in valid)
        beaten = score > first.score
        values = {"start": self.tokens[i], "end": self.tokens[j], "span": f"“{self._text(i, j)}”", "n": j - i + 1}
        best = t("{span} with {log}", span=f"“{self._text(*first[:2])}”", log=self._log(*first[:2]))
        values |= {"most": self.max_answer, "log": self._log(i, j), "best": best}
        values |= {"rank": f"{rank:,}", "all": f"{len(valid):,}"}
        if j < i and beaten:
            says = key(
                "Start “{start}”, end “{end}”: the end stands before the start, no answer, though its log-probability "
                "{log} is higher than that of the best answer, {best}."
            )
        elif j < i:
            says = key(
                "Start “{start}”, end “{end}”: the end stands before the start, no answer, and its log-probability "
                "{log} is not higher than that of the best answer, {best}."
            )
        elif j - i >= self.max_answer and beaten:
            says = key(
                "{span} has {n} tokens, and an answer at most {most}, though its log-probability {log} is higher than "
                "that of the best answer, {best}."
            )
        elif j - i >= self.max_answer:
            says = key(
                "{span} has {n} tokens, and an answer at most {most}, and its log-probability {log} is not higher than "
                "that of the best answer, {best}."
            )
        elif rank > 1:
            says = key("{span} has log-probability {log}: number {rank} of {all} valid spans. The best is {best}.")
        elif len(valid) > 1:
            says = key("{span} has log-probability {log}: the best of all {all} valid spans.")
        else:
            says = key("{span} has log-probability {log}: the only valid span.")
        says = t(says, **values)
        if self.null is not None:
            both = {"none": _signed(self.null), "score": _signed(first.score)}
            silent = key("“No answer” scores {none}, the best span {score}: the model does not answer.")
            speaks = key("“No answer” scores {none}, the best span {score}: the model answers.")
            says += f" {t(silent if self.null > first.score else speaks, **both)}"
        return says

    def still(self) -> str:
        logs, n = log_probabilities(self.table()), len(self.tokens)
        parts = [svg_text(14, 42, self.question[:100])]
        lines = self._lines(100, 5)
        base, step = 130 + 18 * len(lines), 732 / n
        heights = (np.exp(logs) if self.linear else (1 - logs / FLOOR).clip(0)) * 44
        bars = {"#9aa7b4": "", "#0072b2": ""}  # one path for all of a colour: a third of the bytes
        for base_y, tall, chosen in ((base, -heights[0], self.start), (base + 6, heights[1], self.end)):
            for place in np.flatnonzero(np.abs(tall) > 0.05):
                colour = "#0072b2" if place == chosen else "#9aa7b4"
                bars[colour] += f"M{14 + step * (place + 0.5):.1f} {base_y}v{tall[place]:.1f}"
        width = max(0.6, step - 2)
        parts += [f'<path d="{d}" stroke="{colour}" stroke-width="{width:.1f}"/>' for colour, d in bars.items()]
        top = base + 86
        parts.append(svg_text(14, top - 12, t("above: start, below: end, token by token"), ' fill="#666"'))
        struck = ' text-decoration="line-through" fill="#666"'
        rows = [(self._line(span), "") for span in self.spans()] + [(self._line(one), struck) for one in self.refused()]
        rows += [] if self.null is None else [(t("no answer: score {score}", score=_signed(self.null)), "")]
        parts += [svg_text(14, top + 12 + 20 * row, says, look) for row, (says, look) in enumerate(rows)]
        height = top + 20 + 20 * len(rows)
        return self._picture(height, "".join(parts), lines, top=62)

    def _text(self, start: int, end: int) -> str:
        """Of a span: its first four and last two tokens if it is long; of an end before the start: the two tokens."""
        if end < start:
            return f"{self.tokens[start]} … {self.tokens[end]}"
        words = self.tokens[start : end + 1]
        parts = [words] if len(words) <= 7 else [words[:4], words[-2:]]
        return " … ".join(" ".join(part).replace(" ##", "") for part in parts)

    def _line(self, span: Span) -> str:
        values = {"span": self._text(*span[:2]), "score": _signed(span.score), "log": self._log(*span[:2])}
        return t("{span}: score {score}, log-probability {log}", **values)

    def _log(self, start: int, end: int) -> str:
        value = self.log_probability(start, end)
        return f"{_signed(value)} ({percent(math.exp(value))})"


def span_explorer(
    tokens: Sequence[str],
    start: Sequence[float] | np.ndarray,
    end: Sequence[float] | np.ndarray,
    question: str = "",
    null: float | None = None,
    max_answer: int = 30,
) -> SpanExplorer:
    """The best spans of a passage; move the start and the end, and read what the pair scores.

    tokens      of the passage only, 1 to 200: without the question, [CLS] and [SEP]
    start, end  scores (logits) [token], before any softmax
    null        score of "no answer": start score + end score of [CLS]
    max_answer  most tokens of an answer
    Probabilities are over the given tokens.
    """
    words, table = [str(token) for token in tokens], [numbers("span_explorer: the scores", row) for row in (start, end)]
    null = None if null is None else float(numbers("span_explorer: the scores", null))
    n = len(words)
    if not 1 <= n <= MOST_TOKENS:
        raise CourseError(f"span_explorer: {n} tokens. Give 1 to {MOST_TOKENS}: a window of the passage.")
    if any(scores.shape != (n,) for scores in table):
        raise CourseError(f"span_explorer: start and end are {[scores.shape for scores in table]} for {n} tokens.")
    check_finite("span_explorer", "start, end or null", [*table[0], *table[1], null or 0])
    check_whole("span_explorer", "max_answer", max_answer, 1, 1_000)
    scores = np.stack(table).astype("<f4").tobytes()
    widget = SpanExplorer(tokens=words, question=str(question), scores=scores, null=null, max_answer=max_answer)
    widget.start, widget.end, _ = widget.spans()[0]
    return widget


def _signed(value: float) -> str:
    rounded = math.floor(100 * abs(value) + 0.5) / 100
    return f"{'−' if value < 0 and rounded else ''}{rounded:.2f}"
