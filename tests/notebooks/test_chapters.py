"""What every chapter's text holds, whatever it teaches: exercises, recall, claims, corrections, slides."""

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from course.check import registry
from course.ledger import all_claims
from course.ledger.card import WORDS, Card
from course.ledger.records import read_record
from course.widgets.base import small
from course_lib.language import speaking, t
from tests.notebooks.build import from_text


def number(name: str) -> int:
    return int(name.split("_")[0])


ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
TEXTS = {path.stem: path for path in sorted((NOTEBOOKS / "text").glob("[0-9]*.md"))}
# Chapter 0 is the way in, chapter 9 the way out: it shows the claims of all others and has none of its own.
FULL = {name: path for name, path in TEXTS.items() if number(name) in range(1, 9)}
SLIDES = range(30, 46)


@pytest.mark.parametrize("name", TEXTS)
def test_a_chapter_starts_itself_and_ends_in_reading(name):
    text, n = TEXTS[name].read_text(encoding="utf-8"), number(name)
    parts = (f"course_lib.start({n})", "## Corrections to common notes", "## Further reading", f"recall({n})")
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize("name", FULL)
def test_every_claim_and_exercise_of_the_chapter_is_shown(name):
    text = FULL[name].read_text(encoding="utf-8")
    claims = [claim.id for claim in all_claims().values() if claim.chapter == number(name)]
    exercises = [exercise.id for exercise in registry.of_chapter(number(name))]
    assert claims
    assert [claim for claim in claims if f'show("{claim}"' not in text] == []
    assert [exercise for exercise in exercises if f'check("{exercise}"' not in text] == []
    assert len(exercises) >= 3  # and a build, which asks for parts of other chapters, too
    assert text.count("**Predict") >= 5


STORED = sorted([*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("ko/*.ipynb")])


@pytest.fixture(scope="module")
def modules():
    return [small(js.read_text(encoding="utf-8")).strip() for js in ROOT.glob("course*/*/*.js")]


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_stored_cards_and_widgets_are_the_present_ones_and_pictures_are_whole(path, modules):
    """A notebook keeps what a record, a rule and a widget's module were when it was built."""
    edition, old = "ko" if path.parent.name == "ko" else "en", []
    for cell in nbformat.read(path, as_version=4).cells:
        for data in (output.get("data", {}) for output in cell.get("outputs", [])):
            plain, html = data.get("text/plain", ""), data.get("text/html", "")
            if (claim := all_claims().get(plain.split(" ")[0])) is not None:
                with speaking(edition):
                    now = repr(Card(claim, record=read_record(claim.id)))
                old += [claim.id] if set(now.splitlines()) - set(plain.splitlines()) else []
            for kind, stored in re.findall(r"(javascript|svg\+xml);base64,([A-Za-z0-9+/=]+)", html):
                content = base64.b64decode(stored).decode()
                if kind == "javascript":
                    old += [] if any(map(content.rstrip().endswith, modules)) else [plain.split(":")[0]]
                else:  # a browser shows nothing at all of one with a stray "<"
                    ElementTree.fromstring(content)
            if "image/svg+xml" in data:
                ElementTree.fromstring(data["image/svg+xml"])
    again = f"make notebooks NAME={path.stem}" + " EDITION=ko" * (edition == "ko")
    assert not old, f"{path.name} shows an earlier {', '.join(old)}: run `{again}`"


@pytest.mark.parametrize("edition", ["en", "ko"])
def test_the_ledger_lists_every_claim_as_it_stands(edition):
    cells = nbformat.read(NOTEBOOKS / ("" if edition == "en" else edition) / "A3_ledger.ipynb", as_version=4).cells
    printed = "".join(output.get("text", "") for cell in cells for output in cell.get("outputs", []))
    listed = " ".join(printed.split())
    with speaking(edition):
        for claim in all_claims().values():
            word = "exact identity" if claim.exact else read_record(claim.id).verdict.word
            assert " ".join(f"{claim.id}: {t(WORDS[word])} {t(claim.sentence)}".split()) in listed


@pytest.mark.parametrize("name", FULL)
def test_a_chapter_is_a_lecture_of_30_to_45_slides(name):
    cells = from_text(FULL[name]).cells
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in cells]
    assert sum(kind in ("slide", "subslide") for kind in kinds) in SLIDES


@pytest.mark.parametrize("name", TEXTS)
def test_no_letter_of_a_figure_is_too_small_for_a_slide(name):
    """9 pt at the least: a figure is shown 1.3 to 1.8 times as large, and 18 px can be read from the last row."""
    assert re.findall(r"fontsize=[1-8]\b.*", TEXTS[name].read_text(encoding="utf-8")) == []
