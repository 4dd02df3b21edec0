"""The modules of the live pages as one script.

A page opened from the disk may load classic scripts, no ES modules: the files stand one after the other in a function.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
MODELS = ("tensors", "linear", "words", "pieces", "bert", "loader", "answers")


def script(modules: Sequence[str] = MODELS) -> str:
    """The named files of this folder, joined. The assembled product of linear.wat is put in as base64."""
    text = "\n".join((HERE / f"{name}.js").read_text(encoding="utf-8") for name in modules)
    wasm = base64.b64encode((HERE / "linear.wasm").read_bytes()).decode()
    return '(() => {\n"use strict";\n' + text.replace("@@linear.wasm@@", wasm) + "})();\n"
