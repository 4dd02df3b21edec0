"""`course/by_hand/` is the code of the chapters' cells tagged `by-hand`, short, and of PyTorch alone."""

import ast
import re

import nbformat
import pytest

from course_lib.config import project_dir

FOLDER, NOTEBOOKS = project_dir() / "course" / "by_hand", project_dir() / "notebooks"
CHAPTERS = {
    "01_word_vectors": ("skip_gram",),
    "02_embedding_layer": ("classifier",),
    "03_taglm_and_cove": ("language_model", "tagger"),
    "04_elmo": ("elmo",),
    "05_ulmfit": ("ulmfit",),
    "06_transformer": ("transformer",),
    "07_bert": ("bert",),
    "08_heads": ("heads",),
}
BUILT = sorted(file for files in CHAPTERS.values() for file in files)
LONG = {"transformer", "bert", "heads", "ulmfit"}
MOST_LINES = {file: 110 if file in LONG else 90 for file in BUILT}


def definitions(source, docstrings):
    """The code of a file or cell, without imports and comments; anything but a definition is a fault."""
    trees = [node for node in ast.parse(source).body if not isinstance(node, ast.Import | ast.ImportFrom)]
    if trees and isinstance(trees[0], ast.Expr) and isinstance(trees[0].value, ast.Constant):
        trees = trees[1:]  # what a file is about
    assert all(isinstance(tree, ast.ClassDef | ast.FunctionDef) for tree in trees), "only classes and functions"
    if not docstrings:
        for node in (node for tree in trees for node in ast.walk(tree)):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
                node.body = node.body[1:]
    return [ast.unparse(tree) for tree in trees]


@pytest.mark.parametrize("edition", ["en", "ko"])
@pytest.mark.parametrize("name", CHAPTERS)
def test_cells_and_files_are_the_same_code(name, edition):
    """In Korean the docstrings are translated."""
    notebook = nbformat.read(NOTEBOOKS / ("" if edition == "en" else edition) / f"{name}.ipynb", as_version=4)
    cells = [cell.source for cell in notebook.cells if "by-hand" in cell.metadata.get("tags", ())]
    files = [(FOLDER / f"{file}.py").read_text(encoding="utf-8") for file in CHAPTERS[name]]
    of_cells, of_files = (
        "\n".join(code for source in sources for code in definitions(source, docstrings=edition == "en"))
        for sources in (cells, files)
    )
    assert of_cells == of_files


def test_every_file_is_some_chapters_and_short_and_needs_torch_alone():
    files = sorted(FOLDER.glob("[!_]*.py"))
    assert [file.stem for file in files] == sorted(MOST_LINES)
    for file in files:
        source = file.read_text(encoding="utf-8")
        assert len(source.splitlines()) <= MOST_LINES[file.stem], file.name
        top = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {getattr(node, "module", None) or node.names[0].name for node in top}
        names = {name.split(".")[0] for name in names if not name.startswith("course.by_hand.")}
        assert names == {"torch"}, file.name


@pytest.mark.parametrize("readme", ["README.md", "README.ko.md"])
def test_readme_counts_their_lines(readme):
    text = (project_dir() / readme).read_text(encoding="utf-8")
    said = {file: int(n) for file, n in re.findall(r"\(course/by_hand/(\w+)\.py\) \| (\d+) \|", text)}
    files = {name: FOLDER / f"{name}.py" for name in BUILT}
    assert said == {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in files.items()}
