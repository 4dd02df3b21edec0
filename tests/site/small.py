"""A small course folder: two chapters and a README, as the site's builder expects them."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import v4

README = """# A course

What it is about.

## Two commands

Say `make lab`.

## The chapters

| | | you can afterwards |
| --- | --- | --- |
| 0 | [Begin <here>](notebooks/00_begin.ipynb) | say *what* it asks |
| 7 | [To come](notebooks/07_to_come.ipynb) | see more |

## What is where

Nothing of this.

## Claims, not slogans

<!-- claims -->
<details><summary>One claim</summary>

| | chapter |
| --- | --- |
| C1 | [0](notebooks/00_begin.ipynb) |

</details>
"""
README_KO = """# 강의

## 명령 두 개

## 차례

| | | 할 수 있는 일 |
| --- | --- | --- |
| 0 | [시작](notebooks/ko/00_begin.ipynb) | 말하기 |

## 구호가 아니라 주장
"""
PIXEL = (  # a PNG of 1 by 1
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
FRAME = (
    '<iframe sandbox="allow-scripts" title="W" srcdoc="&lt;html&gt;&lt;head&gt;&lt;/head&gt;{}&lt;/html&gt;"></iframe>'
)


def display(**data: str):
    """An output; text_html="..." stands for the type text/html."""
    return v4.new_output("display_data", {name.replace("_", "/", 1): value for name, value in data.items()})


def project(folder: Path, *cells, title: str = "# 0 · Begin") -> Path:
    """`folder` with a README and two notebooks; `cells` follow the first one's title."""
    (folder / "notebooks").mkdir()
    (folder / "README.md").write_text(README, encoding="utf-8")
    (folder / "README.ko.md").write_text(README_KO, encoding="utf-8")
    for name, all_cells in (
        ("00_begin", [v4.new_markdown_cell(title), *cells]),
        ("01_end", [v4.new_markdown_cell("# 1 · End\n\nBack to [the first](00_begin.ipynb).")]),
    ):
        nbformat.write(v4.new_notebook(cells=all_cells), folder / "notebooks" / f"{name}.ipynb")
    return folder
