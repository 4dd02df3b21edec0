"""The one form in which a notebook is stored: two runs that say the same give the same bytes."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
KEPT_METADATA = ("tags", "slideshow")
FOLDED = "hide-input"  # the tag of a cell whose code stands behind a click: JupyterLab reads another mark
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
_OVERWRITTEN = re.compile(r"^.*\r(?=[^\n])", re.MULTILINE)  # what a progress bar wrote before its last state


def normalise(notebook: NotebookNode, root: Path) -> None:
    """In place: no kernel details, widget state, random ids, addresses or paths; counts 1, 2, 3 ..."""
    notebook.metadata = nbformat.from_dict(KERNEL)
    count = 0
    for cell in notebook.cells:
        cell.metadata = kept_metadata(cell)
        if cell.cell_type != "code":
            continue
        if cell.execution_count is not None:
            count += 1
            cell.execution_count = count
        cell.outputs = _merge_streams(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = cell.execution_count
            _normalise_output(output, root)


def kept_metadata(cell: NotebookNode) -> NotebookNode:
    """What is stored of a cell's metadata: its tags and slide type, and that its code is folded."""
    kept = {key: cell.metadata[key] for key in KEPT_METADATA if key in cell.metadata}
    if FOLDED in kept.get("tags", []):
        kept["jupyter"] = {"source_hidden": True}
    return nbformat.from_dict(kept)


def render(notebook: NotebookNode) -> str:
    """The text of the .ipynb file."""
    return nbformat.writes(notebook) + "\n"


def texts_of(output: NotebookNode) -> list[str]:
    """All text that a reader may meet in one output; pictures are not text."""
    if output.output_type == "stream":
        return [output.text]
    if output.output_type == "error":
        return [output.evalue, *output.traceback]
    return [value for mime, value in output.data.items() if isinstance(value, str) and not _is_picture(mime)]


def _is_picture(mime: str) -> bool:
    return mime.startswith("image/") and mime != "image/svg+xml"


def _merge_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Neighbouring pieces of one stream become one: how a print is cut into messages is chance."""
    merged: list[NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    for output in merged:
        if output.output_type == "stream":
            output.text = _OVERWRITTEN.sub("", output.text)
    return merged


def _normalise_output(output: NotebookNode, root: Path) -> None:
    if output.output_type == "stream":
        output.text = _clean(output.text, root)
    elif output.output_type == "error":
        output.evalue = _clean(output.evalue, root)
        output.traceback = [_clean(line, root) for line in output.traceback]
    else:
        data = output.data
        if WIDGET_VIEW in data and ("text/html" in data or "image/png" in data):
            del data[WIDGET_VIEW]  # its id is random; without it a stored page shows the picture beside it
        elif WIDGET_VIEW in data:
            data[WIDGET_VIEW]["model_id"] = ""  # Lab then hides it when the file is opened
        for mime, value in data.items():
            if isinstance(value, str) and not _is_picture(mime):
                data[mime] = _clean(value, root)


def _clean(text: str, root: Path) -> str:
    """Without memory addresses, and with files of the project named from its root (also in IPython's `~` form)."""
    spellings = [f"{root}/", f"{root}\\"]
    if root.is_relative_to(Path.home()):
        spellings.append(f"~/{root.relative_to(Path.home()).as_posix()}/")
    for spelling in spellings:
        text = text.replace(spelling, "")
    return _ADDRESS.sub("at 0x0", text)
