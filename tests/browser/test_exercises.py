"""The exercises as a student meets them: a real page, cells filled wrongly, then rightly, and every message read.

The notebook holds the exercise cells of the stored chapter, without the training between them.
"""

import inspect
import re
from types import SimpleNamespace

import nbformat
import pytest

from course.check import registry
from course_lib.config import project_dir
from tests.browser.conftest import KERNEL, needs_browser
from tests.chapters.cells import wrong_cells
from tests.notebooks.lab import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EXERCISES = registry.of_chapter(1)
N_WRONG = 5  # wrong answers tried per exercise, each with another mistake
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
    return next && { id: next.id, source: next.getSource() };
}"""
CUT_OFF = """area => [area, ...area.querySelectorAll('*')]
    .filter(part => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0
                    || part.getBoundingClientRect().right > window.innerWidth)
    .map(part => part.tagName + ': ' + part.innerText.slice(0, 60))"""


class Page:
    """The student's hands and eyes."""

    def __init__(self, lab):
        self.page = lab.page

    def run(self, cell, source=None, *, raises=None):
        """Fill and run a cell; what is drawn under it: title, paragraphs, code. `raises`: the one error expected."""
        outputs = self.page.evaluate(RUN, [cell, source])
        self.page.wait_for_function(DRAWN, arg=cell)
        assert [o["ename"] for o in outputs if o["output_type"] == "error"] == ([raises] if raises else [])
        area = self.page.locator(f'[id="{cell}"] .jp-Cell-outputArea')
        if raises:
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

    def below(self, cell):
        return self.page.evaluate(BELOW, cell)

    def theme(self, *, light):
        name = "JupyterLab Light" if light else "JupyterLab Dark"
        self.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        body = self.page.locator(f'body[data-jp-theme-light="{str(light).lower()}"]')
        body.wait_for(state="attached")  # it has no height, so it never counts as visible

    def picture(self, cell, path):
        self.page.locator(f'[id="{cell}"]').screenshot(path=path)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    needs_browser()
    stored = nbformat.read(project_dir() / "notebooks" / "01_word_vectors.ipynb", as_version=4)
    chapter = [cell.source for cell in stored.cells if cell.cell_type == "code"]
    cells = [nbformat.v4.new_code_cell(SETUP, id="setup")]
    for exercise in EXERCISES:
        (starter,) = [source for source in chapter if f'check("{exercise.id}"' in source]
        cells += [nbformat.v4.new_code_cell(starter, id=_cell(exercise))]
        cells += [nbformat.v4.new_code_cell("", id=_cell(exercise, "help"))]
    path = tmp_path_factory.mktemp("exercises") / "exercises.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=KERNEL), path)
    with Lab(path, timeout=60, width=700) as lab:
        page = Page(lab)
        assert lab.page.evaluate(RUN, ["setup", None]) == []
        yield page
        assert lab.blocked == []
        assert lab.page_errors == []


@pytest.fixture(scope="module")
def table(request):
    """Printed at the end, whatever pytest captures: exercise, wrong answers named, right."""
    rows = {exercise.id: [0, "no"] for exercise in EXERCISES}
    yield rows
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("\nexercise  wrong named  right")
        for name, (named, right) in rows.items():
            print(f"{name:<8}  {named} of {N_WRONG}       {right}")


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_an_exercise_from_unattempted_to_right(exercise, page, table, tmp_path):
    cell, name = _cell(exercise), f"Exercise {exercise.id}"
    page.theme(light=int(exercise.id[-1]) % 2 == 1)
    assert page.run(cell).title == f"○ {name}: not attempted yet."
    assert page.run(_cell(exercise, "help"), f'restore("{exercise.id}")').title == f"○ {name}: no answer is kept yet"

    for source, mistake in _wrong_answers(exercise):
        shown = page.run(cell, source)
        assert shown.title == f"✗ {name}: not yet: {mistake}."
        sentences = exercise.texts.mistakes[mistake]
        assert shown.paragraphs[0] in map(_shown, [sentences] if isinstance(sentences, str) else sentences)
        assert _expected_values_in(shown, exercise) == []
        table[exercise.id][0] += 1
    page.picture(cell, tmp_path / f"{exercise.id}-wrong.png")

    _slips(exercise, page)

    source = f"{inspect.getsource(exercise.solution)}\n\n{_check(exercise)}"
    assert page.run(cell, source).title == f"✓ {name}: right."
    page.picture(cell, tmp_path / f"{exercise.id}-right.png")
    table[exercise.id][1] = "yes"
    _help(exercise, page, source)


def _slips(exercise, page):
    """What goes wrong before an answer can be wrong."""
    cell, function = _cell(exercise), exercise.solution.__name__
    shown = page.run(cell, _filled(exercise, "return = 7"), raises="SyntaxError")
    assert re.search(r"\n\s+return = 7\n[^\n]*\^\nSyntaxError: invalid syntax", shown)
    broken = 'return {}["unbroken" * 30]'  # one long word: it must not run out of the page
    source = _filled(exercise, f"total = 0\n    {broken}")
    shown = page.run(cell, source)
    assert shown.title == f"✗ Exercise {exercise.id}: your function stopped with an error."
    line = source.splitlines().index(f"    {broken}") + 1
    assert shown.paragraphs[:2] == [f"KeyError: '{'unbroken' * 30}'", f"Line {line} of your cell: {broken}"]
    shown = page.run(cell, _filled(exercise, 'return "seven"'))
    assert shown.title == f"✗ Exercise {exercise.id}: not yet."
    assert re.search(r"the result should be a \w+, not a string\.", shown.paragraphs[0])
    assert shown.paragraphs[1].endswith("Your result: 'seven'")
    shown = page.run(cell, f'check("{exercise.id}", 7)')
    assert shown.title == f"✗ Exercise {exercise.id}: not yet: not a function."
    assert shown.paragraphs[0].endswith(f"without calling it: check('{exercise.id}', {function}).")


def _help(exercise, page, source):
    """Hints, solution, and the answer brought back in a cell that is right when it is run."""
    cell = _cell(exercise, "help")
    for level, text in enumerate(exercise.texts.hints, start=1):
        shown = page.run(cell, f'hint("{exercise.id}", level={level})')
        assert shown.title == f"▸ Exercise {exercise.id}: hint {level} of 3"
        assert shown.paragraphs[0] == _shown(text)
    shown = page.run(cell, f'solution("{exercise.id}")')
    assert shown.paragraphs == [_shown(exercise.texts.why)]
    assert shown.code.strip() == inspect.getsource(exercise.solution).strip()
    shown = page.run(cell, f'restore("{exercise.id}")')
    assert shown.paragraphs[0].endswith(": right")
    assert page.below(cell)["source"] == source
    assert page.run(page.below(cell)["id"]).title == f"✓ Exercise {exercise.id}: right."


def _shown(text):
    """What stands between backticks is drawn as code."""
    return text.replace("`", "")


def _wrong_answers(exercise):
    """(cell, mistake) for N_WRONG mistakes: the unit tests' wrong answers, under the name that the chapter gives."""
    cells = {}
    for cell, mistake in wrong_cells(exercise):
        cells.setdefault(mistake, f"{cell}\n\n{_check(exercise)}")
    assert len(cells) >= N_WRONG
    return [(cell, mistake) for mistake, cell in cells.items()][:N_WRONG]


def _expected_values_in(shown, exercise):
    """Expected values that the message gives away; its last paragraph is the reader's own call and own result."""
    assert [line.split()[0] for line in shown.paragraphs[-1].splitlines()] == ["Tried", "Your"]
    text = " ".join([shown.title, *shown.paragraphs[:-1]])
    forms = set().union(*(_forms(exercise.solution(*probe.inputs)) for probe in exercise.probes))
    return [form for form in forms if re.search(rf"(?<![\w.]){re.escape(form)}", text)]


def _forms(value):
    """How a message might write a value, cut or rounded; 0 and 1 stand in sentences that give nothing away."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return set().union(*map(_forms, value.values()))
    if isinstance(value, list):
        return {repr(value), *(repr(item) for item in value if isinstance(item, tuple))}
    return {f"{value:.3g}", str(value)[:5]} - {"0", "0.0", "1", "1.0"}


def _filled(exercise, body):
    return exercise.starter.replace("    ...\n", f"    {body}\n")


def _check(exercise):
    return f'check("{exercise.id}", {exercise.solution.__name__})'


def _cell(exercise, kind="answer"):
    return f"{kind}-{exercise.id.replace('.', '-')}"
