"""`bertviz_view(attention, tokens, view)`: BertViz without a network, at the first Run All.

BertViz 1.4 loads require.js, d3 and jQuery from the network and writes tokens into a script. Here d3 and jQuery, which
come with the course, stand in a closed frame that may load nothing, and no token can end its script.
Source: Vig 2019, arXiv:1906.05714.
"""

from __future__ import annotations

import base64
import html
import json
import re
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np

from course.widgets.base import FOLDER, check_finite, module
from course.widgets.heads_map import attention_heatmap
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, language, t

VENDOR = FOLDER / "vendor"
VIEWS = {
    "head": key("BertViz, head view of {n} tokens."),
    "model": key("BertViz, model view of {n} tokens."),
    "neuron": key("BertViz, neuron view of {n} tokens."),
}
MOST = 40  # tokens that are shown
LONGEST = 12  # characters of a token: BertViz leaves about 90 pixels
WEIGHT_DIGITS, DIGITS = 2, 3  # of each weight (a line's opacity), and in the neuron view: a third of the page's size
_LESS = "\ue000"  # stands for < until the page's JSON is written
_REQUIRE = (  # what BertViz asks require.js for
    "window.require={config(){}};window.requirejs=function(names,then){"
    "var known={jquery:window.jQuery,d3:window.d3};then.apply(null,names.map(function(n){return known[n]}))};"
)
_FIT = (  # BertViz draws as wide as it likes, about 980 pixels in the model view: smaller where the page is narrower
    "function fit(){var s=document.body.style;s.zoom=1;"
    "s.zoom=Math.min(1,innerWidth/document.documentElement.scrollWidth)}"
    "addEventListener('load',fit);addEventListener('resize',fit);"
)
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


class BertVizView:
    """What a notebook shows: the frame, over a still picture of one head."""

    def __init__(self, page: str, text: str):
        self._page, self._text = page, text

    def _repr_html_(self) -> str:
        return self._page

    def __repr__(self) -> str:
        return self._text


def bertviz_view(
    attention: Sequence[np.ndarray],
    tokens: Sequence[str],
    view: str = "head",
    *,
    queries: Sequence[np.ndarray] | None = None,
    keys: Sequence[np.ndarray] | None = None,
    layer: int = 0,
    head: int = 0,
) -> BertVizView:
    """BertViz's head, model or neuron view of one sentence.

    attention      per layer [head, token, token] (arrays or tensors; a first dimension of 1 may stand in front)
    queries, keys  per layer [head, token, dim]: what the neuron view multiplies
    layer, head    where the view opens, from 0
    Over 40 tokens the first 40 are shown, and the picture says so.
    """
    if find_spec("bertviz") is None:
        raise CourseError("bertviz_view: BertViz is not installed. Install it: pip install --no-deps bertviz")
    if view not in VIEWS:
        raise CourseError(f"bertviz_view: view={view!r}. Use one of: {', '.join(VIEWS)}.")
    n_all, shown = len(tokens), min(len(tokens), MOST)
    weights = _layers("attention", attention, (n_all, n_all))[:, :, :shown, :shown]
    if not (0 <= layer < weights.shape[0] and 0 <= head < weights.shape[1]):
        n, of = weights.shape[:2]
        raise CourseError(f"bertviz_view: layer {layer}, head {head}; there are {n} layers of {of}.")
    words = [word if len(word) <= LONGEST else word[: LONGEST - 1] + "…" for word in map(str, tokens[:shown])]
    if view == "neuron":
        if queries is None or keys is None:
            raise CourseError("bertviz_view: the neuron view multiplies queries and keys. Give both, per layer.")
        parts = [_layers(name, x, (n_all, None))[:, :, :shown] for name, x in (("queries", queries), ("keys", keys))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # BertViz leaves its script files open
        if view == "neuron":
            body, height = _neuron_view(weights, *parts, words, layer, head), 120 + 30 * shown
        else:
            body, height = _view(view, weights, words, layer, head)
    note = t("The first {n} of {all} tokens are shown.", n=shown, all=n_all) if shown < n_all else ""
    still = attention_heatmap(weights.clip(0, 1), words, layer=layer, head=head).still()
    return BertVizView(_page(body, height, note, still), f"{t(VIEWS[view], n=shown)} {note}".strip())


def _view(view: str, weights: np.ndarray, words: list[str], layer: int, head: int) -> tuple[str, int]:
    import bertviz
    import torch

    tables = [torch.from_numpy(table[None]) for table in weights.round(WEIGHT_DIGITS)]
    safe, n = [word.replace("<", _LESS) for word in words], len(words)
    if view == "head":
        page = bertviz.head_view(tables, safe, layer=layer, heads=[head], html_action="return")
        return page.data, 90 + round(22.5 * n)
    page = bertviz.model_view(tables, safe, display_mode="light", html_action="return")
    thumbnails = len(tables) * (n * 84 / weights.shape[1] + 10) + 38  # the sums of BertViz's model_view.js
    return page.data, round(24 + max(thumbnails, 18 * n + 55))


def _neuron_view(
    weights: np.ndarray, queries: np.ndarray, keys: np.ndarray, words: list[str], layer: int, head: int
) -> str:
    """BertViz asks a model and a tokenizer; these two hand it what is already computed."""
    import torch
    from bertviz.neuron_view import show

    parts = [[torch.from_numpy(rows[None].round(DIGITS)) for rows in part] for part in (weights, queries, keys)]
    layers = [dict(zip(("attn", "queries", "keys"), part, strict=True)) for part in zip(*parts, strict=True)]

    class Model(torch.nn.Module):
        def forward(self, *ids: Any) -> tuple[None, list[dict]]:
            return None, layers

    tokenizer = SimpleNamespace(
        cls_token="[CLS]",
        sep_token="[SEP]",
        tokenize=lambda text: [word.replace("<", _LESS) for word in words[1:-1]],  # without these two
        convert_tokens_to_ids=lambda pieces: list(range(len(pieces))),
    )
    page = show(Model(), "bert", tokenizer, "x", display_mode="light", layer=layer, head=head, html_action="return")
    return page.data


def _layers(name: str, layers: Sequence, size: tuple[int, int | None]) -> np.ndarray:
    """[layer, head, token, ...] as float64: rounded float32 would be written with 17 digits."""
    tables = [numbers(f"bertviz_view: the {name} of a layer", table) for table in layers]
    tables = [table[0] if table.ndim == 4 and len(table) == 1 else table for table in tables]
    shapes, n = {table.shape for table in tables}, size[0]
    if n == 0 or len(shapes) != 1 or not all(len(s) == 3 and s[1] == n and size[1] in (None, s[2]) for s in shapes):
        raise CourseError(f"bertviz_view: {name} of {shapes or 'nothing'} for {n} tokens. Give [head, token, ...].")
    check_finite("bertviz_view", name, tables)
    return np.stack(tables)


def _page(body: str, height: int, note: str, still: str) -> str:
    body, n = re.subn(r'<script src="https?://[^"]*require[^"]*"></script>', "", body)
    if n != 1:
        raise CourseError("bertviz_view: this BertViz loads its scripts in another way. Install bertviz 1.4.")
    body = body.replace(r"\ue000", r"\u003c").replace(_LESS, "&lt;")
    reached = f"const HEAD={json.dumps(t('head {head}', head='#'))};" + module("bertviz_keys", kit=())
    scripts = "".join(f"<script>{(VENDOR / f).read_text('utf-8')}</script>" for f in ("jquery.min.js", "d3.min.js"))
    document = (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><title>BertViz</title>'
        f"<style>body{{margin:4px;background:#fff;font-family:sans-serif}}</style>"
        f"{scripts}<script>{_REQUIRE}{_FIT}{reached}</script></head><body>{body}<p>{note}</p></body></html>"
    )
    height += 40 if note else 0
    picture = base64.b64encode(still.encode()).decode()
    return (
        f'<div style="position:relative;width:100%;height:{height}px">'
        f'<img alt="{t("attention of one head")}" style="max-width:100%;max-height:100%" '
        f'src="data:image/svg+xml;base64,{picture}">'
        f'<iframe sandbox="allow-scripts" title="BertViz" srcdoc="{html.escape(document)}" '
        f'style="position:absolute;left:0;top:0;width:100%;height:100%;border:0;background:#fff"></iframe></div>'
    )
