"""The pictures of both READMEs: stored small, each with words for who cannot see it; taken from a live widget."""

import io
import re
from dataclasses import replace

import pytest
from PIL import Image, ImageChops

from tests.notebooks import pictures
from tests.notebooks.environment import ROOT
from tests.notebooks.lab import browser, find_browser

READMES = {"": "README.md", "ko/": "README.ko.md"}  # where its pictures lie in their folder
NAMES = [*pictures.PICTURES, "board"]


@pytest.mark.parametrize(("below", "readme"), READMES.items())
def test_readme_shows_each_picture_with_a_description(below, readme):
    text = (ROOT / readme).read_text(encoding="utf-8")
    shown = {name: words for words, name in re.findall(rf"!\[([^\]]*)\]\(docs/pictures/{below}(\w+)\.png\)", text)}
    assert set(shown) == set(NAMES) == {path.stem for path in (pictures.FOLDER / below).glob("*.png")}
    assert all(len(words.split()) >= 10 for words in shown.values())


@pytest.mark.parametrize("name", [below + name for below in READMES for name in NAMES])
def test_a_stored_picture_is_a_small_png_of_the_right_width(name):
    path = pictures.FOLDER / f"{name}.png"
    assert path.stat().st_size <= pictures.MOST_BYTES
    with Image.open(path) as image:
        assert (image.format, image.mode, image.width) == ("PNG", "P", pictures.WIDTH)


@pytest.mark.browser
@pytest.mark.skipif(find_browser() is None, reason="needs Chromium or Chrome")
def test_a_picture_shows_the_state_that_its_steps_set():
    picture, touched = pictures.PICTURES["mix"], []

    def steps(frame):
        picture.steps(frame)
        touched.append(frame.locator(".say").inner_text())

    with browser() as chromium:
        moved = pictures.take(chromium, replace(picture, steps=steps))
        still = pictures.take(chromium, replace(picture, steps=lambda frame: None))
    assert touched[0].startswith("4 % token, 11 % layer 1, 84 % layer 2")  # softmax of 0, 1, 3
    images = [Image.open(io.BytesIO(data)).convert("RGB") for data in (moved, still)]
    assert images[0].size == images[1].size
    assert ImageChops.difference(*images).getbbox() is not None
