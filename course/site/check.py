"""What holds for every page of the site: it loads nothing from elsewhere, its links lead somewhere, all can read it."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup

LARGEST = 2_000_000  # bytes of a page
_LOADS = {"src", "srcset", "poster", "data", "background", "xlink:href"}  # attributes that make a browser fetch
_CSS_LOADS = re.compile(r"@import[^;]*|url\(\s*['\"]?(?!data:|#)[^)'\"\s]*")
_RAW_TAG = re.compile(r"</?(?:a|b|br|code|div|em|i|p|small|span|strong)\b[^<>]*>")  # escaped twice, so that it is read
# of colours and formulas: nine tags of ten, which can have no fault
_BARE = re.compile(r'<span class="[\w -]+">|</?(?:span|mi|mo|mn|mrow|msub|msup|mfrac|mtext)>')
_STRANGER = re.compile(r"^\s*(?:https?:)?//", re.I)


def site_problems(folder: Path) -> list[str]:
    """Everything that is wrong with the pages in `folder`; an empty list when all is well."""
    files = {path.relative_to(folder).as_posix(): path for path in (*folder.glob("*.html"), *folder.glob("ko/*.html"))}
    sources = {name: _BARE.sub("", path.read_text(encoding="utf-8")) for name, path in files.items()}
    pages = {name: BeautifulSoup(source, "html.parser") for name, source in sources.items()}
    if "index.html" not in pages:
        return [f"{folder} has no index.html"]
    places = {name: {tag["id"] for tag in page.find_all(id=True)} for name, page in pages.items()}
    problems = []
    for name, page in sorted(pages.items()):
        found = [*_reading(page), *_loading(page), *_links(page, name, folder, places)]
        if (size := (folder / name).stat().st_size) > LARGEST:
            found.append(f"has {size:,} bytes, more than {LARGEST:,}")
        problems += [f"{name}: {fault}" for fault in found]
    for path in sorted(folder.glob("*.css")):
        loads = [match.group() for match in _CSS_LOADS.finditer(path.read_text(encoding="utf-8"))]
        here = {f"url({file.name}" for file in folder.iterdir()}
        problems += [f"{path.name}: loads {load[:80]}" for load in loads if load not in here]
    return problems


def _reading(page: BeautifulSoup) -> list[str]:
    """What a screen reader, a phone, and a reader without a mouse need."""
    found = []
    if page.html is None or not page.html.get("lang"):
        found.append("does not say its language (<html lang>)")
    if page.find("meta", attrs={"name": "viewport"}) is None:
        found.append("does not fit itself to a phone (<meta name=viewport>)")
    if page.title is None or not page.title.get_text().strip():
        found.append("has no title")
    found += [
        f"picture without a description: {str(i)[:60]}" for i in page.find_all("img") if not i.get("alt", "").strip()
    ]
    found += [
        f"frame without a title: {str(f)[:60]}" for f in page.find_all("iframe") if not f.get("title", "").strip()
    ]
    for text in page.find_all(string=_RAW_TAG):
        if text.find_parent(["code", "pre", "script", "style"]) is None:
            found.append(f"a tag is shown as text: {text.strip()[:80]}")
    levels = [(int(h.name[1]), " ".join(h.get_text().split())) for h in page.find_all(re.compile("^h[1-6]$"))]
    if (n := [level for level, _ in levels].count(1)) != 1:
        found.append(f"has {n} headings of level 1, not one")
    for (above, _), (level, words) in zip([(0, ""), *levels], levels, strict=False):
        if level > above + 1:
            found.append(f"heading “{words}” is of level {level} after one of level {above}")
    ids = [tag["id"] for tag in page.find_all(id=True)]
    return found + [f"the address #{place} is there twice" for place in sorted({i for i in ids if ids.count(i) > 1})]


def _loading(page: BeautifulSoup) -> list[str]:
    """Everything a browser would fetch from elsewhere by itself; frames are looked into."""
    found, model = [], page.find("script", src=re.compile(r"^(\.\./)?(live|ask|python/exercises)\.js$"))
    for tag in page.find_all(True):
        loads = [tag[name] for name in _LOADS if tag.get(name)] + ([tag["href"]] if tag.name == "link" else [])
        found += [f"<{tag.name}> loads {address[:80]}" for address in loads if _STRANGER.match(address)]
        css = tag.get("style", "") + (tag.get_text() if tag.name == "style" else "")
        found += [f"a style loads {match.group()[:80]}" for match in _CSS_LOADS.finditer(css)]
        if tag.name == "iframe" and tag.get("srcdoc"):
            inside = _loading(BeautifulSoup(tag["srcdoc"], "html.parser"))
            found += [f"frame “{tag.get('title')}”: {fault}" for fault in inside]
        if tag.name == "meta" and "wasm" in tag.get("content", "") and not model:
            found.append("allows WebAssembly for nothing")
        if tag.name == "iframe" and tag.get("sandbox") != ["allow-scripts"]:
            found.append(f"frame “{tag.get('title')}” is not closed (sandbox=allow-scripts)")
    return found


def _links(page: BeautifulSoup, name: str, folder: Path, places: dict[str, set[str]]) -> list[str]:
    """Links inside the site: the file is there, and the place in it."""
    found = []
    targets = [tag.get("href") or tag.get("src") for tag in page.find_all(["a", "link", "script", "img"])]
    for address in filter(None, targets):
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        file, place = unquote(parts.path), unquote(parts.fragment)
        file = posixpath.normpath(posixpath.join(posixpath.dirname(name), file)) if file else name
        if not (folder / file).is_file():
            found.append(f"link to {address}: there is no such file in the site")
        elif place and place not in places.get(file, set()):
            found.append(f"link to {address}: there is no such place")
    return found
