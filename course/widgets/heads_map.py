"""`attention_heatmap(weights, tokens, ...)`: what does this head look at, and does it mean anything?"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import traitlets

from course.widgets.base import CourseWidget, limits, module, style, svg_text, with_sign
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, t, t_label

MOST = 40  # tokens in a row or a column
EXACT = 4_096  # weights that travel as float32; more travel as bytes, in steps of 1/255
SPECIALS = {"[CLS]", "[SEP]", "[BOS]", "[EOS]", "[PAD]", "<s>", "</s>"}
KINDS = ("encoder", "decoder", "cross")
Pairs = Sequence[tuple[int, int]]


class HeadSummary(NamedTuple):
    """Per head: entropy (nats, mean over queries), mean distance in words, share of gold queries whose strongest key
    is gold; and the best fixed offset of all (key - query) with the share that it gets right by itself."""

    entropy: np.ndarray
    distance: np.ndarray
    agreement: np.ndarray | None
    best_offset: tuple[int, float] | None


def head_summary(weights: np.ndarray, gold: Pairs | None = None) -> HeadSummary:
    """What each head looks at; with gold pairs (query, key), how often it is right and how often a mere offset is."""
    weights = np.asarray(weights, float)
    total = weights.sum(-1)
    looks = total > 0  # a query that may look at nothing has no say
    share = weights / np.where(looks, total, 1)[..., None]
    n = np.maximum(looks.sum(-1), 1)
    entropy = -(share * np.log(np.where(share > 0, share, 1))).sum(-1).sum(-1) / n
    steps = np.abs(np.arange(weights.shape[-1]) - np.arange(weights.shape[-2])[:, None])
    distance = (share * steps).sum((-1, -2)) / n
    if not gold:
        return HeadSummary(entropy, distance, None, None)
    answers = {query: {k for q, k in gold if q == query} for query, _ in gold}
    top = weights.argmax(-1)
    agreement = np.mean([np.isin(top[..., q], sorted(keys)) for q, keys in answers.items()], axis=0)
    offsets = sorted({key - query for query, key in gold}, key=lambda o: (abs(o), o))
    shares = [np.mean([q + offset in keys for q, keys in answers.items()]) for offset in offsets]
    best = int(np.argmax(shares))
    return HeadSummary(entropy, distance, agreement, (offsets[best], float(shares[best])))


def offset_name(offset: int) -> str:
    names = {-1: t("the previous word"), 0: t("the same place"), 1: t("the next word")}
    far = t("{n} words to the left" if offset < 0 else "{n} words to the right", n=abs(offset))
    return names.get(offset, far)


class AttentionHeatmap(CourseWidget):
    _esm, _css = module("heads_map"), style("heads_map")
    title = key("What does this head look at?")
    shape = traitlets.List(traitlets.Int()).tag(sync=True)  # layers, heads, queries, keys
    weights = traitlets.Bytes().tag(sync=True)  # [layer, head, query, key], float32 or uint8
    exact = traitlets.Bool().tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sources = traitlets.List(traitlets.Unicode()).tag(sync=True)  # the keys' tokens
    kind = traitlets.Unicode().tag(sync=True)
    gold = traitlets.Dict().tag(sync=True)  # relation -> [[query, key], ...]
    tested = traitlets.Dict().tag(sync=True)  # relation -> {"agreement": [layer][head], "baselines": {name: share}}
    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    query = traitlets.Int(0).tag(sync=True)
    key = traitlets.Int(-1).tag(sync=True)  # -1: the strongest
    relation = traitlets.Unicode("").tag(sync=True)  # "": no overlay
    hide = traitlets.Bool(False).tag(sync=True)  # [CLS], [SEP] and the like

    _limits = limits(
        "attention_heatmap",
        layer=lambda now: (0, now.shape[0] - 1),
        head=lambda now: (0, now.shape[1] - 1),
        query="tokens",
        key=lambda now: (-1, len(now.sources) - 1),
        relation=lambda now: ["", *now.gold],
    )

    @property
    def height(self) -> int:
        """As the pictures need it side by side: a square for each query, or the small heads, whichever is more."""
        layers, _, queries, _ = self.shape
        return 440 + max(80 + 34 * queries, 40 + 66 * layers)

    def table(self) -> np.ndarray:
        """The weights as they travel: [layer, head, query, key]."""
        raw = np.frombuffer(self.weights, "<f4" if self.exact else "u1").reshape(self.shape).astype(float)
        return raw if self.exact else raw / 255

    def summary(self) -> HeadSummary:
        return head_summary(self.table(), self.gold.get(self.relation))

    def finding(self) -> str:
        row, summary = self.table()[self.layer, self.head, self.query], self.summary()
        keys = [k for k, token in enumerate(self.sources) if not (self.hide and token in SPECIALS)]
        values = {"head": f"{self.layer + 1}.{self.head + 1}", "word": self.tokens[self.query]}
        if not row.any() or not keys:
            return t("Head {head}: “{word}” may look at nothing here.", **values)
        top = max(keys, key=lambda k: row[k])
        values |= {"best": self.sources[top], "share": _percent(row[top])}
        looks = key("Head {head}: “{word}” looks most at “{best}” ({share}).")
        if len(keys) < len(row):
            values["taken"] = _percent(sum(row) - sum(row[k] for k in keys))
            looks = key(
                "Head {head}: “{word}” looks most at “{best}” ({share}), after {taken} for the hidden special tokens."
            )
        n = f"{np.exp(summary.entropy[self.layer, self.head]):.1f}"
        says = [t(looks, **values), t("It looks at {n} words on average.", n=n)]
        if self.relation:
            answers = [k for q, k in self.gold[self.relation] if q == self.query]
            if answers:
                right = row.argmax() in answers
                named = key("Right: the {relation} is {gold}.") if right else key("Wrong: the {relation} is {gold}.")
                gold = ", ".join(f"“{self.sources[k]}”" for k in answers)
                says.append(t(named, relation=t_label(self.relation), gold=gold))
            if len({q for q, _ in self.gold[self.relation]}) > 1:  # some offset always finds the only one
                offset, share = summary.best_offset
                of = {"agrees": _percent(summary.agreement[self.layer, self.head]), "alone": _percent(share)}
                links = key("In this sentence it finds {agrees} of these links; {offset} alone would find {alone}.")
                says.append(t(links, offset=offset_name(offset), **of))
            if test := self.tested.get(self.relation):
                of = {"tested": _percent(test["agreement"][self.layer][self.head])}
                of["against"] = ", ".join(f"{name} {_percent(v)}" for name, v in test["baselines"].items())
                with_rivals = key("Over the test sentences: {tested} ({against}).")
                says.append(t(with_rivals if of["against"] else "Over the test sentences: {tested}.", **of))
        return " ".join(says)

    def still(self) -> str:
        table, gold = self.table()[self.layer, self.head], {tuple(p) for p in self.gold.get(self.relation, [])}
        size, left, top = min(26.0, 560 / len(self.sources)), 130, 168
        cells = [
            f'<rect x="{left + size * k:.1f}" y="{top + size * q:.1f}" width="{size - 1:.1f}" height="{size - 1:.1f}" '
            f'fill="#08407f" fill-opacity="{table[q, k]:.3f}"'
            + (' stroke="#d55e00" stroke-width="2"' if (q, k) in gold else "")
            + "/>"
            for q in range(len(self.tokens))
            for k in range(len(self.sources))
        ]
        for q, token in enumerate(self.tokens):
            cells.append(svg_text(left - 8, f"{top + size * (q + 0.5) + 4:.1f}", token[:14], ' text-anchor="end"'))
        for k, token in enumerate(self.sources):
            turned = f"translate({left + size * (k + 0.5) + 4:.1f},{top - 8}) rotate(-55)"
            cells.append(f'<text transform="{turned}">{html.escape(token[:12])}</text>')
        height = top + size * len(self.tokens) + 16
        return self._picture(round(height), "".join(cells), self._lines(most=3))


def attention_heatmap(
    weights: np.ndarray,
    tokens: Sequence[str],
    keys: Sequence[str] | None = None,
    gold: Mapping[str, Pairs] | Pairs | None = None,
    kind: str = "encoder",
    *,
    tested: Mapping[str, Mapping] | None = None,
    layer: int = 0,
    head: int = 0,
    query: int = 0,
) -> AttentionHeatmap:
    """All heads small, one head large, one query's view as arcs; gold links as outlines.

    weights  attention weights, each row summing to 1 (or to 0 where a query may look at nothing)
    keys     what is looked at, if other than the tokens themselves: the source sentence of cross attention
    gold     {relation: [(query, key), ...]}, such as {"head": [(0, 1)]}; a bare list is called "gold"
    kind     "encoder", "decoder" (later keys are hatched: they may not be seen), "cross"
    tested   {relation: {"agreement": [layer, head], "baselines": {"nearest noun": 0.55}}}, measured over test sentences
    At most 40 tokens a side.
    """
    table, tokens = numbers("attention_heatmap: the weights", weights), [str(token) for token in tokens]
    sources = tokens if keys is None else [str(key) for key in keys]
    if kind not in KINDS:
        raise CourseError(f"attention_heatmap: kind={kind!r}. Use one of: {', '.join(KINDS)}.")
    if table.ndim != 4 or table.shape[2:] != (len(tokens), len(sources)) or 0 in table.shape:
        size = f"{len(tokens)} queries and {len(sources)} keys"
        raise CourseError(f"attention_heatmap: weights {table.shape} for {size}. Give [layer, head, query, key].")
    if max(table.shape[2:]) > MOST:
        n = max(table.shape[2:])
        raise CourseError(f"attention_heatmap: {n} tokens do not fit. Show a window of at most {MOST}.")
    if not np.isfinite(table).all() or table.min() < 0 or table.max() > 1 + 1e-4:
        raise CourseError("attention_heatmap: a weight is not between 0 and 1. Give weights, after the softmax.")
    links = {} if not gold else dict(gold) if isinstance(gold, Mapping) else {"gold": gold}
    for name, pairs in links.items():
        if bad := [pair for pair in pairs if not (0 <= pair[0] < len(tokens) and 0 <= pair[1] < len(sources))]:
            raise CourseError(f"attention_heatmap: the {name} link {tuple(bad[0])} lies outside the sentence.")
    links = {str(name): [[int(q), int(k)] for q, k in pairs] for name, pairs in links.items() if len(pairs)}
    exact = table.size <= EXACT
    raw = table.astype("<f4") if exact else np.rint(table.clip(0, 1) * 255).astype("u1")
    measured = {
        name: {
            "agreement": numbers("attention_heatmap: the agreements", test["agreement"]).round(4).tolist(),
            "baselines": {t_label(str(k)): float(v) for k, v in test.get("baselines", {}).items()},
        }
        for name, test in (tested or {}).items()
    }
    seen = {"shape": list(table.shape), "weights": raw.tobytes(), "exact": exact, "tokens": tokens, "sources": sources}
    first = {"layer": layer, "head": head, "query": query, "relation": next(iter(links), "")}
    return AttentionHeatmap(**seen, **first, kind=kind, gold=links, named=links, tested=measured)


def _percent(share: float) -> str:
    return with_sign(f"{100 * share:.0f}")
