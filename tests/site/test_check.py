"""Each fault the checker knows, made in a page that is otherwise well."""

import pytest

from course.site import check
from course.site.check import site_problems

PAGE = """<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>t</title>
<link rel="stylesheet" href="style.css"></head><body><h1 id="top">One</h1><h2 id="two">Two</h2>
<a href="#two">down</a> <a href="other.html#top">over</a> <a href="https://arxiv.org/abs/1">a paper</a>
<img alt="words" src="data:image/png;base64,AA">
<iframe title="W" sandbox="allow-scripts" srcdoc="&lt;b&gt;x&lt;/b&gt;"></iframe></body></html>"""


@pytest.fixture
def site(tmp_path):
    for name in ("index.html", "other.html"):
        (tmp_path / name).write_text(PAGE, encoding="utf-8")
    (tmp_path / "style.css").write_text("@font-face{src:url(math.woff)} b{color:red}", encoding="utf-8")
    (tmp_path / "math.woff").write_bytes(b"")
    return tmp_path


def test_a_good_site_has_no_fault(site):
    assert site_problems(site) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('<html lang="en">', "<html>", "language"),
        ('<meta name="viewport" content="width=device-width">', "", "phone"),
        ("<title>t</title>", "<title> </title>", "title"),
        ('alt="words"', 'alt=" "', "picture without a description"),
        ('title="W"', "", "frame without a title"),
        ('<h2 id="two">Two</h2>', '<h3 id="two">Two</h3>', "level 3 after one of level 1"),
        ('<h2 id="two">Two</h2>', '<h1 id="two">Two</h1>', "has 2 headings of level 1"),
        ('<h2 id="two">', '<h2 id="two"><b id="two"></b>', "#two is there twice"),
        ('href="#two">down', 'href="#two">&lt;code&gt;x&lt;/code&gt;', "a tag is shown as text: <code>x</code>"),
        ('href="#two"', 'href="#three"', "no such place"),
        ("other.html#top", "other.html#bottom", "no such place"),
        ("other.html#top", "gone.html", "no such file"),
        ("data:image/png;base64,AA", "https://example.org/a.png", "<img> loads https://example.org/a.png"),
        ("data:image/png;base64,AA", "//example.org/a.png", "<img> loads //example.org"),
        ('href="style.css"', 'href="http://example.org/s.css"', "<link> loads"),
        ("<body>", '<body><script src="https://example.org/x.js"></script>', "<script> loads"),
        ("<body>", "<body><style>@import 'x.css';</style>", "a style loads @import"),
        ("<body>", "<body><meta content=\"script-src 'wasm-unsafe-eval'\">", "allows WebAssembly for nothing"),
        ("<body>", '<body><p style="background:url(https://example.org/b.png)"></p>', "a style loads url("),
        ("&lt;b&gt;x&lt;/b&gt;", "&lt;img src=https://example.org/&gt;", "frame “W”: <img> loads"),
        ('sandbox="allow-scripts"', 'sandbox="allow-scripts allow-same-origin"', "is not closed"),
        (' sandbox="allow-scripts"', "", "is not closed"),
    ],
)
def test_a_fault_is_found_and_named(site, old, new, fault):
    assert PAGE.count(old) == 1
    (site / "index.html").write_text(PAGE.replace(old, new), encoding="utf-8")
    problems = site_problems(site)
    assert len([problem for problem in problems if fault in problem and problem.startswith("index.html: ")]) == 1


def test_a_style_sheet_may_load_what_is_beside_it_only(site):
    (site / "style.css").write_text("b{background:url('https://example.org/x.png')} i{src:url(gone.woff)}")
    assert len(site_problems(site)) == 2


def test_a_page_may_not_be_too_large(site, monkeypatch):
    monkeypatch.setattr(check, "LARGEST", len(PAGE.encode()))
    assert site_problems(site) == []
    monkeypatch.setattr(check, "LARGEST", len(PAGE.encode()) - 1)
    assert ["has" in problem for problem in site_problems(site)] == [True, True]


def test_a_folder_without_a_first_page_is_no_site(tmp_path):
    assert len(site_problems(tmp_path)) == 1
