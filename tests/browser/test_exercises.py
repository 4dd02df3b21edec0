"""An exercise as a student meets it: a real page, its cell filled wrongly, then rightly, and every message read.

Which answer gets which words is asked of every exercise without a page (tests/check, tests/chapters).
"""

import inspect
import re
from types import SimpleNamespace

import nbformat
import pytest

from course.check import registry
from tests.browser.conftest import KERNEL, needs_browser
from tests.chapters.cells import wrong_cells
from tests.notebooks.lab import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETUP = "import torch\nimport torch.nn.functional as F\n\nfrom course.check import check, hint, restore, solution"

# A paste into the cell, then Shift+Enter's command. Returns the outputs of the notebook's model.
RUN = """async ([id, source]) => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    const at = notebook.widgets.findIndex(cell => cell.model.sharedModel.id === id), cell = notebook.widgets[at];
    if (source !== null) cell.model.sharedModel.setSource(source);
    cell.node.id = id;
    notebook.deselectAll();
    notebook.activeCellIndex = at;
    await window.jupyterapp.commands.execute('notebook:run-cell');
    return cell.model.sharedModel.toJSON().outputs;
}"""
DRAWN = "id => [...document.getElementById(id).querySelectorAll('.jp-OutputArea-output')].some(o => o.innerText.trim())"
BELOW = """id => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.sharedModel);
    const next = cells[cells.findIndex(cell => cell.id === id) + 1];
    return [next.id, next.getSource()];
}"""
CUT_OFF = """area => [area, ...area.querySelectorAll(':not(mjx-assistive-mml, mjx-assistive-mml *)')]
    .filter(part => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0
                    || part.getBoundingClientRect().right > window.innerWidth)
    .map(part => part.tagName + ": " + (part.innerText ?? part.textContent).slice(0, 60))"""


def run(page, cell, source=None):
    """Fill and run a cell; what is drawn under it: title, paragraphs, code; of an error all its text."""
    outputs = page.evaluate(RUN, [cell, source])
    page.wait_for_function(DRAWN, arg=cell)
    area = page.locator(f'[id="{cell}"] .jp-Cell-outputArea')
    if any(output["output_type"] == "error" for output in outputs):
        return area.inner_text()
    assert area.evaluate(CUT_OFF) == []
    message = area.locator("[role=status]")
    code = message.locator("pre")
    if code.count():  # JupyterLab breaks code in the middle of a word
        assert code.evaluate("pre => getComputedStyle(pre).wordBreak") == "normal"
    return SimpleNamespace(
        title=message.locator("strong").inner_text(),
        paragraphs=message.locator("p").all_inner_texts(),
        code=code.inner_text() if code.count() else "",
    )


@pytest.mark.parametrize("number", ["1.2", "1.10"])
def test_an_exercise_from_unattempted_to_right(number, tmp_path):
    needs_browser()
    exercise = registry.find(number)
    function, title = exercise.solution.__name__, f"Exercise {number}"
    called = f'check("{number}", {function})'
    sources = {"setup": SETUP, "answer": exercise.starter, "help": f'restore("{number}")'}
    cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in sources.items()]
    path = tmp_path / "exercise.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=KERNEL), path)
    with Lab(path, timeout=60, width=700) as lab:
        page = lab.page
        assert page.evaluate(RUN, ["setup", None]) == []
        assert run(page, "answer").title == f"○ {title}: not attempted yet."
        assert run(page, "help").title == f"○ {title}: no answer is kept yet"

        source, mistake = wrong_cells(exercise)[0]
        shown, says = run(page, "answer", f"{source}\n\n{called}"), exercise.texts.mistakes[mistake]
        assert shown.title == f"✗ {title}: not yet: {mistake}."
        plain = [text.replace("`", "") for text in ([says] if isinstance(says, str) else says)]
        assert shown.paragraphs[0] in plain  # what stands between backticks is drawn as code
        assert re.fullmatch(rf'\w+\(\*failing\("{number}"\)\) runs this call again\.', shown.paragraphs[-1])
        assert re.match(r"# .*\n\w+\([^#]*\n# your result\n[^#]*\n# the right result\n", shown.code)

        shown = run(page, "answer", exercise.starter.replace("    ...\n", "    return = 7\n"))
        assert re.search(r"\n\s+return = 7\n[^\n]*\^\nSyntaxError: invalid syntax", shown)
        broken = 'return {}["unbroken" * 30]'  # one long word: it must not run out of the page
        source = exercise.starter.replace("    ...\n", f"    total = 0\n    {broken}\n")
        shown, line = run(page, "answer", source), source.splitlines().index(f"    {broken}") + 1
        assert shown.title == f"✗ {title}: your function stopped with an error."
        assert shown.paragraphs[:2] == [f"KeyError: '{'unbroken' * 30}'", f"Line {line} of your cell: {broken}"]

        source = f"{inspect.getsource(exercise.solution)}\n\n{called}"
        assert run(page, "answer", source).title == f"✓ {title}: right."
        for level, text in enumerate(exercise.texts.hints, start=1):
            shown = run(page, "help", f'hint("{number}", level={level})')
            assert shown.title == f"▸ {title}: hint {level} of 3"
            assert shown.paragraphs[0] == text.replace("`", "")
        shown = run(page, "help", f'solution("{number}")')
        assert shown.paragraphs == [exercise.texts.why.replace("`", "")]
        assert shown.code.strip() == inspect.getsource(exercise.solution).strip()
        assert run(page, "help", f'restore("{number}")').paragraphs[0].endswith(": right")
        below, restored = page.evaluate(BELOW, "help")
        assert restored == source
        assert run(page, below).title == f"✓ {title}: right."
        assert (lab.blocked, lab.page_errors) == ([], [])
