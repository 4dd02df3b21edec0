"""The widgets of the stored notebooks, alive without a kernel, in headless Chromium."""

from __future__ import annotations

import nbformat

from course_lib.errors import CourseError
from tests.notebooks.environment import ROOT

PAGE = (
    '<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#fff}img{display:none}'
    "iframe{height:1600px!important}</style>%s"  # higher than any widget: nothing is cut by a scroll bar
)


def stored_widget(name: str, title: str) -> str:
    """The stored HTML of the first output of chapter `name` whose text begins with `title`.

    Raises CourseError if the chapter shows no such widget.
    """
    path = ROOT / "notebooks" / f"{name}.ipynb"
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if data.get("text/plain", "").startswith(title) and "<iframe" in data.get("text/html", ""):
                return data["text/html"]
    raise CourseError(f"{path.name} stores no widget with the title {title!r}. Build it: make notebooks NAME={name}.")


def open_widget(chromium, name: str, title: str, *, width: int = 1000, scale: float = 1.0):
    """(page, frame) with that widget alone on a light page, `width` CSS pixels wide, drawn."""
    context = chromium.new_context(
        viewport={"width": width, "height": 1000}, device_scale_factor=scale, color_scheme="light"
    )
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.set_content(PAGE % stored_widget(name, title))
    frame = page.locator("iframe").element_handle().content_frame()
    frame.locator("section.cw .say").wait_for()
    frame.evaluate("() => document.fonts.ready.then(() => true)")
    return page, frame
