"""Text to notebook: what is written, what is left alone, what `check` says."""

from pathlib import Path

import nbformat
import pytest

from tests.notebooks import build

TEXT = """# A title

Some words, 한글 too.

```{code-cell} ipython3
print("one")
print("two")
```

```{code-cell} ipython3
:tags: [nbval-check-output]
object()
```

```{code-cell} ipython3
from IPython.display import display
display({"text/plain": "a picture", "text/html": "<b>still</b>",
         "application/vnd.jupyter.widget-view+json": {"model_id": "random"}}, raw=True)
```
"""


def write(folder: Path, text: str, name: str = "00_tiny") -> Path:
    path = folder / "text" / f"{name}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def cell(source: str, tags: str = "") -> str:
    return "```{code-cell} ipython3\n" + (f":tags: [{tags}]\n" if tags else "") + f"{source}\n```\n\n"


def run(folder: Path, what: str, *names: str) -> int:
    return build.main([what, *names], folder)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    write(folder, TEXT)
    assert run(folder, "build") == 0
    return folder


def test_a_built_notebook_is_executed_and_normal(built):
    notebook = nbformat.read(built / "00_tiny.ipynb", as_version=4)
    assert [c.execution_count for c in notebook.cells if c.cell_type == "code"] == [1, 2, 3]
    words, printed, shown, pictured = notebook.cells
    assert "한글" in words.source
    assert [o.text for o in printed.outputs] == ["one\ntwo\n"]
    assert shown.metadata == {"tags": ["nbval-check-output"]}
    assert shown.outputs[0].data["text/plain"] == "<object at 0x0>"
    assert dict(pictured.outputs[0].data) == {"text/html": "<b>still</b>", "text/plain": "a picture"}
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


def test_a_second_build_of_the_named_one_gives_the_same_bytes(built, capsys):
    assert run(built, "check") == 0
    assert "1 notebooks are as their texts say" in capsys.readouterr().out
    before = (built / "00_tiny.ipynb").read_bytes()
    write(built, cell("1 / 0"), "01_second")
    assert run(built, "build", "00_tiny") == 0
    assert "the same as before" in capsys.readouterr().out
    assert [(path.name, path.read_bytes()) for path in built.glob("*.ipynb")] == [("00_tiny.ipynb", before)]
    assert run(built, "check") == 1
    assert "01_second.ipynb: is missing: run `make notebooks NAME=01_second`" in capsys.readouterr().out
    with pytest.raises(SystemExit, match=r"No text for 07_bret .* There are: 00_tiny, 01_second"):
        run(built, "build", "07_bret")


@pytest.mark.parametrize(
    ("source", "says"),
    [("first / 0  # here", ("cell 2", "ZeroDivisionError")), ("import os; os._exit(7)", ("DeadKernelError",))],
)
def test_a_failing_cell_names_itself_and_leaves_the_old_notebook(tmp_path, capsys, source, says):
    write(tmp_path, cell("first = 3") + cell(source))
    (tmp_path / "00_tiny.ipynb").write_text("old")
    assert run(tmp_path, "build") == 1
    said = capsys.readouterr().err
    assert [part for part in ("00_tiny.md", source, "was left as it was", *says) if part not in said] == []
    assert (tmp_path / "00_tiny.ipynb").read_text() == "old"


def test_an_endless_cell_is_a_failure_too(tmp_path):
    text = write(tmp_path, cell("while True: pass"))
    with pytest.raises(build.BuildError, match="while True"):
        build.build(text, tmp_path / "00_tiny.ipynb", timeout=1)


def test_a_notebook_is_built_without_network_and_without_the_builders_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "full")
    monkeypatch.setenv("COURSE_DEVICE", "mps")
    look = 'import os; print(os.environ.get("COURSE_PROFILE"), os.environ["COURSE_DEVICE"])'
    ask = "# Raises: the network is blocked\nimport socket\nsocket.create_connection(('example.org', 80))"
    write(tmp_path, cell(look) + cell(ask, "raises-exception"))
    assert run(tmp_path, "build") == 0
    first, second = nbformat.read(tmp_path / "00_tiny.ipynb", as_version=4).cells
    assert first.outputs[0].text == "None cpu\n"
    assert "network is blocked in tests" in second.outputs[0].evalue


def test_cells_keep_their_tags_and_ids_follow_the_source(tmp_path):
    text = write(tmp_path, cell("1", "hide-input") + cell("1", "live") + cell("2"))
    first, second, _ = build.from_text(text).cells
    assert first.metadata == {"tags": ["hide-input"], "jupyter": {"source_hidden": True}}  # as JupyterLab folds
    assert second.metadata == {"tags": ["live"]}
    ids = [c.id for c in build.from_text(text).cells]
    assert len(set(ids)) == 3
    assert ids == [c.id for c in build.from_text(text).cells]
    write(tmp_path, "new words\n\n" + cell("1") + cell("1") + cell("2"))
    assert [c.id for c in build.from_text(text).cells][1:] == ids
