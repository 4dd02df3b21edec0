"""A walk sees what a reader would: an error, a request to the web; and it takes pictures."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks.lab import find_browser
from tests.notebooks.normal_form import KERNEL
from tests.notebooks.walk import walk

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,  # it starts two Labs for a command that CI does not run
    pytest.mark.skipif(find_browser() is None, reason="needs Chromium or Chrome"),
]


def test_a_walk_finds_every_fault(tmp_path):
    sources = [
        "print('Error displaying widget')",
        "from IPython.display import HTML\nHTML('<img src=\"http://example.org/x.png\">')",
        "1 / 0",  # last: Run All stops at an error
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources], metadata=KERNEL)
    nbformat.write(notebook, tmp_path / "bad.ipynb")
    assert walk(tmp_path / "bad.ipynb", tmp_path / "pictures") == [
        "cell 3: ZeroDivisionError: division by zero",
        "cell 1: Error displaying widget",
        "asked the network for http://example.org/x.png",
    ]


def test_a_good_notebook_has_no_fault_and_a_picture_per_output(tmp_path):
    tags = {"tags": ["raises-exception"]}
    cells = [
        new_code_cell("import ipywidgets; ipywidgets.IntSlider(7)"),
        new_code_cell("x = 3"),
        new_code_cell("1 / 0", metadata=tags),
    ]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), tmp_path / "good.ipynb")
    assert walk(tmp_path / "good.ipynb", tmp_path / "pictures") == []
    assert [path.name for path in sorted((tmp_path / "pictures").iterdir())] == ["cell-001.png", "cell-003.png"]
