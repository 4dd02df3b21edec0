"""What all widgets share: one display gives three pictures.

In JupyterLab a live widget, synced with Python. In a stored or exported page the same module in a closed frame, live
without a kernel and without a network. Where frames are taken away (a notebook that is not trusted): a still picture.
"""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path

import anywidget

FOLDER = Path(__file__).parent
_OWN_TO_JUPYTER = {"layout", "tabbable", "tooltip", "comm"}
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"
content="default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:">
<title>%(title)s</title><style>%(css)s</style></head><body class="alone"><script type="module">
const state = %(state)s, heard = {};
for (const [name, text] of Object.entries(%(bytes)s))
  state[name] = new DataView(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
const model = { get: name => state[name], save_changes() {}, off() {},
  on: (names, f) => names.split(" ").forEach(name => (heard[name] ??= []).push(f)),
  set(name, value) {
    if (state[name] === value) return;
    state[name] = value;
    (heard["change:" + name] ?? []).forEach(f => f());
  } };
const widget = (await import("data:text/javascript;base64,%(module)s")).default;
widget.render({ model, el: document.body });
</script></body></html>"""


def module(name: str) -> str:
    """The ES module of a widget: an anywidget module cannot import a neighbour, so the shared kit stands before it."""
    return (FOLDER / "kit.js").read_text("utf-8") + (FOLDER / f"{name}.js").read_text("utf-8")


def style(name: str) -> str:
    """The widget's style sheet after the shared one."""
    return (FOLDER / "kit.css").read_text("utf-8") + (FOLDER / f"{name}.css").read_text("utf-8")


class CourseWidget(anywidget.AnyWidget):
    """A subclass sets `_esm`, `_css`, `title` and `height`, its synced traits, and writes two methods:

    finding() -> str   the sentence on top for the present state
    still() -> str     an SVG of the present state: the same numbers, title and finding
    """

    title = "Widget"
    height = 600  # pixels of the frame on a page without a kernel

    def __repr__(self) -> str:
        """The same on every machine, since it is stored with the notebook."""
        return f"{self.title}: {self.finding()}"

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, "text/plain": repr(self), "text/html": self.page()}, metadata

    def page(self) -> str:
        """The live frame, laid over the still picture."""
        names = [n for n in sorted(self.traits(sync=True)) if not n.startswith("_") and n not in _OWN_TO_JUPYTER]
        values = {name: getattr(self, name) for name in names}
        raw = {n: base64.b64encode(v).decode() for n, v in values.items() if isinstance(v, bytes)}
        document = _PAGE % {
            "title": html.escape(self.title),
            "css": self._css,
            "state": _json({name: value for name, value in values.items() if name not in raw}),
            "bytes": _json(raw),
            "module": base64.b64encode(str(self._esm).encode()).decode(),
        }
        picture = base64.b64encode(self.still().encode()).decode()
        return (
            f'<div style="position:relative;max-width:1000px;height:{self.height}px">'
            f'<img alt="{html.escape(repr(self))}" style="max-width:100%" src="data:image/svg+xml;base64,{picture}">'
            f'<iframe sandbox="allow-scripts" title="{html.escape(self.title)}" srcdoc="{html.escape(document)}" '
            'style="position:absolute;left:0;top:0;width:100%;height:100%;border:0;background:#fff"></iframe></div>'
        )


def _json(value: object) -> str:
    """JSON that cannot end a script element: tokens are hostile."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")
