"""The pictures of README.md and README.ko.md, and how high the site's frames are: `python -m tests.notebooks.pictures`.

Both come from the stored notebooks in headless Chromium; take them anew when those were built anew.
"""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from course.figures import recorded_board, score_board, use_course_style
from course.site.build import build_site
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.language import language, speaking, t, t_label
from tests.notebooks.environment import ROOT
from tests.notebooks.lab import browser
from tests.notebooks.stored import open_widget, stored_widget

HEIGHTS = ROOT / "course" / "site" / "heights.toml"
FOLDER = ROOT / "docs" / "pictures"  # the Korean ones in ko/
EDITIONS = {"en": "", "ko": "ko/"}
WIDTH = 1400  # pixels: sharp where a page shows 700 on a fine screen
MOST_BYTES = 150_000  # a test holds it: choose a simpler state


@dataclass(frozen=True)
class Picture:
    """A widget of a stored chapter, brought into a state that shows what it is for; or its still picture.

    In the language spoken now: of its edition, by the words that it shows there.
    """

    chapter: str
    title: str
    steps: Callable | None = None  # of the frame: what a reader would press; None: the picture that needs no script


def _mostly_one_layer(frame) -> None:
    weight = frame.get_by_label(t("w, {layer}", layer=t_label("layer 1")))
    weight.fill("10")  # ten times the raw weight
    weight.blur()  # the frame of the keyboard's focus is no part of the picture


def _one_word_and_its_aligned_one(frame) -> None:
    grid = frame.locator("svg[role=application]")
    for key in ("ArrowDown",) * 2 + ("ArrowRight",) * 8:
        grid.press(key)
    grid.blur()


def _a_gap_with_a_plain_answer(frame) -> None:
    sentence = {"en": "the band released their second album .", "ko": "배우 들 의 연기 가 좋았다 ."}[language()]
    frame.get_by_label(t("given sentence")).select_option(label=sentence)


PICTURES = {
    "generations": Picture("00_start_here", "One word through the generations"),
    "mix": Picture("04_elmo", "Which layers does a task want?", _mostly_one_layer),
    "attention": Picture("06_transformer", "What does this head look at?", _one_word_and_its_aligned_one),
    "fill_mask": Picture("07_bert", "What does it expect here?", _a_gap_with_a_plain_answer),
}


def take(chromium, picture: Picture) -> bytes:
    """The widget as a PNG of 256 colours, taken at twice its size and made smaller to `WIDTH`."""
    chapter, title = EDITIONS[language()] + picture.chapter, t(picture.title)
    if picture.steps is None:
        page = chromium.new_context(device_scale_factor=2).new_page()
        page.set_content(re.search(r"<img[^>]+>", stored_widget(chapter, title))[0])
        shown = page.locator("img")
    else:
        page, frame = open_widget(chromium, chapter, title, scale=2)
        picture.steps(frame)
        page.mouse.move(0, 0)  # nothing stands under the pointer
        page.wait_for_timeout(500)  # longer than any motion
        shown = frame.locator("section.cw")
    taken = shown.screenshot()
    page.context.close()
    return small_png(taken)


def board() -> bytes:
    """The recorded board, as a chapter's figure shows it."""
    data = io.BytesIO()
    use_course_style()
    score_board(recorded_board(), {}, 9).savefig(data, format="png", dpi=200)
    return small_png(data.getvalue())


def small_png(picture: bytes) -> bytes:
    from PIL import Image

    large = Image.open(io.BytesIO(picture))
    size = (WIDTH, round(large.height * WIDTH / large.width))
    small = large.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    data = io.BytesIO()
    small.quantize(256, dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
    return data.getvalue()


HIGH = "frame => frame.clientHeight"


def heights(chromium, page: Path) -> list[tuple[int, int]]:
    """How high each frame of a page of the site is with all that it shows, 360 and 1000 wide."""
    found = []
    for width in (360, 1000):
        with chromium.new_context(viewport={"width": width, "height": 800}) as context:
            tab = context.new_page()
            tab.goto(page.as_uri())
            frames = tab.locator("main iframe")
            for frame in frames.all():
                frame.scroll_into_view_if_needed()  # out of sight it is not laid out
                inside = frame.content_frame.locator("body")
                inside.locator("> :not(script)").first.wait_for()
                while abs(frame.evaluate(HIGH) - inside.evaluate("body => body.scrollHeight")) > 20:  # or margins
                    tab.wait_for_timeout(100)
            found.append([frame.evaluate(HIGH) for frame in frames.all()])
    return list(zip(*found, strict=True))


def all_heights(chromium) -> dict[str, list[tuple[int, int]]]:
    with tempfile.TemporaryDirectory() as folder:
        build_site(ROOT, Path(folder))
        pages = sorted(page for page in Path(folder).rglob("*.html") if page.stem[0] in "0123456789A")
        return {
            f"{'ko' if page.parent.name == 'ko' else 'en'}/{page.stem}": found
            for page in pages
            if (found := heights(chromium, page))
        }


def main(folder: Path = FOLDER) -> None:
    (folder / EDITIONS["ko"]).mkdir(parents=True, exist_ok=True)
    with browser() as chromium:
        with atomic_file(HEIGHTS, "w") as file:
            file.writelines(f'"{name}" = {json.dumps(found)}\n' for name, found in all_heights(chromium).items())
        for edition, below in EDITIONS.items():
            with speaking(edition):
                taken = {name: take(chromium, picture) for name, picture in PICTURES.items()} | {"board": board()}
            for name, data in taken.items():
                with atomic_file(folder / f"{below}{name}.png") as file:
                    file.write(data)
                print(f"docs/pictures/{below}{name}.png: {len(data) / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    try:
        main()
    except CourseError as error:
        raise SystemExit(str(error)) from error
