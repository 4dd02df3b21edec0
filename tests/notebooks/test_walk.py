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
BAD = [
    "print('Error displaying widget')",
    "from IPython.display import HTML\nHTML('<img src=\"http://example.org/x.png\">')",
    "1 / 0",  # last: Run All stops at an error
]
FAULTS = ["cell 3: ZeroDivisionError: division by zero", "cell 1: Error displaying widget"]
FAULTS += ["asked the network for http://example.org/x.png"]
GOOD = ["import ipywidgets; ipywidgets.IntSlider(7)", "x = 3", "1 / 0"]


@pytest.mark.parametrize(("sources", "tags", "faults"), [(BAD, [], FAULTS), (GOOD, ["raises-exception"], [])])
def test_a_walk_finds_every_fault_and_takes_a_picture_per_output(tmp_path, sources, tags, faults):
    cells = [new_code_cell(source, metadata={"tags": tags}) for source in sources]
    nbformat.write(new_notebook(cells=cells, metadata=KERNEL), tmp_path / "a.ipynb")
    assert walk(tmp_path / "a.ipynb", tmp_path / "pictures") == faults
    taken = [path.name for path in sorted((tmp_path / "pictures").iterdir())]
    assert faults or taken == ["cell-001.png", "cell-003.png"]
