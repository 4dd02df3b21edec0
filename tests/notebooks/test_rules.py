"""Every rule of `check`: a notebook that keeps it, and one that breaks it. No kernel runs here."""

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_output

from tests.notebooks import build
from tests.notebooks.normal_form import normalise, render

NAME = "03_tiny"
REASON = "# Raises: shows what a wrong name gives\n"


class Pair:
    """A text and a stored notebook of one code cell, which keep all rules until a test changes them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.text, self.stored = folder, folder / "text" / f"{NAME}.md", folder / f"{NAME}.ipynb"
        self.text.parent.mkdir()

    def store(self, source="1 + 1", tags="", outputs=(), count: int | None = 1, raw=False) -> None:
        header = f":tags: [{tags}]\n" if tags else ""
        self.text.write_text(f"# Title\n\n```{{code-cell}} ipython3\n{header}{source}\n```\n", encoding="utf-8")
        notebook = build.from_text(self.text)
        notebook.cells[1].execution_count = count
        notebook.cells[1].outputs = list(outputs)
        if not raw:
            normalise(notebook, build.ROOT)
        self.stored.write_text(render(notebook), encoding="utf-8")

    def faults(self) -> str:
        return "\n".join(build.check(self.folder))


@pytest.fixture
def pair(tmp_path) -> Pair:
    return Pair(tmp_path)


def printed(text: str, to: str = "stdout") -> NotebookNode:
    return new_output("stream", name=to, text=text)


ERROR = new_output("error", ename="NameError", evalue="x", traceback=["no"])
PICTURE = new_output("display_data", data={"text/html": "<img src='/Users/me/x.png'>"})
SKIP = "skip-execution, nbval-skip"


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"source": "x = 3; y = 5"},
        {"source": "text = ';'"},
        {"source": "%timeit -n 1 -r 1 sum([2, 3])"},
        {"source": "\n".join(f"x{i} = {i}" for i in range(30))},
        {"outputs": [printed("step 7\n"), printed("step 7 of 11\n", "stderr")]},
        {"outputs": [printed("see https://example.org/home/page and and/or ~/x")]},
        {"source": "# Skipped: needs a GPU\n1", "tags": SKIP, "count": None},
        {"source": f"{REASON}unknown", "tags": "raises-exception", "outputs": [ERROR]},
    ],
)
def test_what_is_allowed(pair, kept):
    pair.store(**kept)
    assert pair.faults() == ""


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"count": None}, "cell 2: was not run"),
        ({"outputs": [ERROR]}, "stored error NameError: x"),
        ({"outputs": [printed("FutureWarning: gone\n", "stderr")]}, "warning noise on stderr: FutureWarning: gone"),
        ({"outputs": [printed("saved in /home/someone/x.txt")]}, "machine path '/home/someone' in the output"),
        ({"outputs": [printed("/tmp/ipykernel_17/3.py:5: x")]}, "machine path '/tmp/ipykernel_17'"),
        ({"outputs": [printed("/root/x")]}, "machine path '/root/'"),
        ({"outputs": [printed(r"C:\Users\someone")]}, "machine path"),
        ({"outputs": [PICTURE]}, "machine path '/Users/me'"),
        ({"source": "path = '/tmp/mine'"}, "machine path '/tmp/mine' in the text"),
        ({"source": "plot();  # quiet"}, "ends with `;`"),
        ({"source": "def f(:"}, "is not Python"),
        ({"source": "\n".join(f"x{i} = {i}" for i in range(31))}, "31 lines, more than 30"),
        ({"source": "1 / 0", "tags": "raises-exception"}, "tag ['raises-exception'] without a reason"),
        ({"source": "1", "tags": SKIP}, "without a reason: add a comment line `# Skipped:"),
        ({"source": "# Skipped: needs a GPU\n1", "tags": "nbval-skip"}, "need each other"),
        ({"outputs": [printed("x" * 1_500_000)]}, "1.5 MB, more than 1.5 MB"),
        ({"outputs": [printed("a"), printed("b")], "raw": True}, "not as the builder writes it"),
    ],
)
def test_what_is_not(pair, broken, said):
    pair.store(**broken)
    assert said in pair.faults()
    assert f"{NAME}.ipynb" in pair.faults()


def test_a_cell_without_its_heading_on_the_slides(pair):
    skip = '+++ {"slideshow": {"slide_type": "skip"}}\n\n'
    pair.text.write_text(
        f"# Title\n\n{skip}**C1.2: two.**\n\n+++\n\n**Notice.** Of it.\n\n+++\n\nA table.\n", encoding="utf-8"
    )
    pair.stored.write_text(render(build.from_text(pair.text)), encoding="utf-8")
    assert pair.faults().startswith(f"{NAME}.ipynb: cell 4: no slide has its heading")
    pair.text.write_text(pair.text.read_text().replace("+++\n\nA table", f"{skip}A table"), encoding="utf-8")
    pair.stored.write_text(render(build.from_text(pair.text)), encoding="utf-8")
    assert pair.faults() == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1 + 1", "1 + 2", "cell 2 is not what the text says"),
        ("nbval-check-output", "nbval-ignore-output", "cell 2 is not what the text says"),
        ("1 + 1\n```", "1 + 1\n```\n\n```{code-cell} ipython3\n2\n```", "2 cells, the text has 3"),
    ],
)
def test_a_changed_text_makes_the_notebook_stale(pair, old, new, said):
    pair.store(tags="nbval-check-output")
    pair.text.write_text(pair.text.read_text().replace(old, new))
    assert pair.faults() == f"{NAME}.ipynb: {said}: run `make notebooks NAME={NAME}`"


def test_a_notebook_saved_in_lab_is_not_in_normal_form(pair):
    pair.store()
    notebook = nbformat.read(pair.stored, as_version=4)
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    pair.stored.write_text(render(notebook))
    assert "not as the builder writes it" in pair.faults()


def test_orphans_of_both_kinds(pair):
    pair.store()
    pair.stored.rename(pair.folder / "04_other.ipynb")
    assert "04_other.ipynb has no text/04_other.md" in pair.faults()
    assert f"{NAME}.ipynb: is missing" in pair.faults()


def test_all_together_have_a_limit(pair, monkeypatch):
    pair.store()
    monkeypatch.setattr("tests.notebooks.rules.ALL_FILES_MB", 1e-4)
    assert "the notebooks together are" in pair.faults()


def test_an_empty_folder_is_not_a_success(pair):
    assert pair.faults() == f"no notebook text in {pair.folder.name}/text: nothing was checked"
