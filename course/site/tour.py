"""The page "Play": every widget of the course as a card, eight of them a path; and what a chapter asks and finds.

The words stand in tour.toml, in both languages.
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bs4 import BeautifulSoup

from course.site.cells import Chapter, Shown
from course_lib.language import language, t

TOUR = tomllib.loads((Path(__file__).parent / "tour.toml").read_text(encoding="utf-8"))
PLAY = "play.html"
LARGEST_CARD = 150_000  # bytes of a widget that a card holds itself; a larger one is played in its chapter


def about(page: str, what: str) -> str:
    """What the chapter of this page asks ("asks") or finds ("finding"), or nothing."""
    return TOUR["chapter"].get(page, {}).get(what, {}).get(language(), "")


@cache  # each card asks for the titles of all
def _title(shown: Shown) -> str:
    return BeautifulSoup(shown.html, "html.parser").iframe["title"]


def play_page(chapters: Sequence[Chapter]) -> str:
    """The body of the page. A widget that comes again in other chapters has one card, with links to those."""
    there = {chapter.name: chapter.shown for chapter in chapters}
    own = {(card["page"], card["widget"]) for card in TOUR["card"]}
    extra = [(page, one) for page, all_shown in there.items() for number, one in enumerate(all_shown, 1)
             if (page, number) not in own]  # fmt: skip
    lists: tuple[list[str], list[str]] = ([], [])
    for card in TOUR["card"]:
        if card["widget"] <= len(there.get(card["page"], ())):
            shown = there[card["page"]][card["widget"] - 1]
            again = [(page, one) for page, one in extra if _title(one) == _title(shown)]
            lists["minutes" not in card].append(_card(card, shown, again))
    minutes = sum(card.get("minutes", 0) for card in TOUR["card"])
    parts = [f'<div class="prose"><h1>{t("Play")}</h1><p>{t("Everything on this website that answers your hand.")}</p>']
    parts += [f"<h2>{t('{n} stops, {minutes} minutes', n=len(lists[0]), minutes=minutes)}</h2></div>"]
    parts += ['<ol class="cards path">', *lists[0], "</ol>"]
    parts += [f'<div class="prose"><h2>{t("All the others")}</h2></div>', '<ul class="cards">', *lists[1], "</ul>"]
    return "\n".join(parts)


def _card(card: dict, shown: Shown, again: Sequence[tuple[str, Shown]], *, holds: bool = True) -> str:
    """holds: the widget itself, which the page has nowhere else."""
    page = BeautifulSoup(shown.html, "html.parser")
    picture, inside = page.img.extract(), ""
    name = card["asks"][language()] if "asks" in card else page.iframe["title"]
    wish = re.sub(r"\*(.+?)\*", r"<em>\1</em>", html.escape(card["try"][language()]))
    minutes = f" · {t('{n} min', n=card['minutes'])}" if "minutes" in card else ""
    also = ", ".join(_link(*other, chapter_number(other[0])) for other in again)
    if len(shown.html) <= LARGEST_CARD:
        inside = f'<button type="button" class="open">{t("open it here")}</button>'
        inside += f"<template>{page}</template>" if holds else ""
    return (
        f'<li><a class="picture" href="{_address(card["page"], shown)}">{picture}</a><div><h3>{html.escape(name)}</h3>'
        f'<p>{wish}</p><p class="where">{_link(card["page"], shown, shown.under.inner)}{minutes}'
        f"{' · ' + t('also in chapters {listed}', listed=also) if also else ''}</p>{inside}</div></li>"
    )


def opener(chapter: Chapter) -> str:
    """The card of the chapter's first widget, for the top of its page; nothing where that stands there already."""
    card = next((card for card in TOUR["card"] if (card["page"], card["widget"]) == (chapter.name, 1)), None)
    sections = [heading for heading in chapter.headings if heading.level == 2]
    if card and chapter.shown and chapter.shown[0].under != sections[0]:
        listed = _card(card, chapter.shown[0], (), holds=False).replace("h3>", "b>")  # it is no section
        return f'<ul class="cards">{listed}</ul>\n'
    return ""


def chapter_number(page: str) -> str:
    """ "07_bert" -> "7", "A1_data" -> "A1" """
    return page.partition("_")[0].lstrip("0") or "0"


def _address(page: str, shown: Shown) -> str:
    return f"{page}.html#{shown.under.address}"


def _link(page: str, shown: Shown, inner: str) -> str:
    return f'<a href="{_address(page, shown)}">{inner}</a>'
