"""The live-coding copy: what is emptied, what stays, and that it is the chapter again once it is filled."""

import re
from symtable import symtable

import nbformat
import pytest
from nbformat import v4

from course.site.lecture import LIVE, emptied, lecture_copy, write_lecture
from course_lib.config import project_dir
from course_lib.errors import CourseError

WORD = "# Write it."
KNOWN = {"np"}

BEFORE_AND_AFTER = {
    "data and imports stay": (
        "import numpy as np\ntable = np.array([1.0, 2.0])\nwords = 'a b'.split()",
        "import numpy as np\ntable = np.array([1.0, 2.0])\nwords = 'a b'.split()",
    ),
    "a name and its comment stay": (
        "scores = query @ key.T / 2**0.5         # [query, key]\nprint(scores)",
        "# Write it.\nscores = ...  # [query, key]\nprint(scores)",
    ),
    "a function keeps its head, its docstring, its comments": (
        "def pairs(words, window):\n    '''Both.'''\n    # few\n    return words[:window]  # list\n\npairs('ab', 1)",
        "# Write it.\ndef pairs(words, window):\n    '''Both.'''\n    # few\n    # list\n    ...\n\npairs('ab', 1)",
    ),
    "a head over several lines, a decorator": (
        "@cache\ndef f(\n    a,  # one\n    b,\n):\n    return a + b",
        "# Write it.\n@cache\ndef f(\n    a,  # one\n    b,\n):\n    ...",
    ),
    "a loop stays, what it assigns goes; checks stay": (
        "for row in np.eye(3):\n    total = row.sum()\n    count += total\n    assert total == 1",
        "for row in np.eye(3):\n    # Write it.\n    total = ...\n    count += ...\n    assert total == 1",
    ),
    "two names, brackets, more lines": (
        "q, k = (\n    x + 1,  # up\n    y,\n)\nz = 3",
        "# Write it.\nq, k = ...  # up\nz = 3",
    ),
    "columns after Hangul, two statements in a line": (
        "words['배'] = ship(배); done = True",
        "# Write it.\nwords['배'] = ...; done = True",
    ),
    "one word for all gaps, a method": (
        "a = b\nclass C:\n    def f(self):\n        return a",
        "# Write it.\na = ...\nclass C:\n    def f(self):\n        ...",
    ),
}


@pytest.mark.parametrize("case", BEFORE_AND_AFTER)
def test_what_is_written_together(case):
    source, expected = BEFORE_AND_AFTER[case]
    assert emptied(source, WORD, KNOWN) == expected


def live(source: str, count: int):
    return v4.new_code_cell(
        source, execution_count=count, metadata={"tags": [LIVE]}, outputs=[v4.new_output("stream", text="shown\n")]
    )


def chapter():
    plain = {"outputs": [v4.new_output("stream", text="shown\n")]}
    return v4.new_notebook(
        cells=[
            v4.new_markdown_cell("# A chapter"),
            v4.new_code_cell("from math import exp\nx = exp(1)", execution_count=1, **plain),
            live("y = exp(x)\nz = y + x", 2),
            v4.new_markdown_cell("text"),
            v4.new_code_cell("assert z == y + x", execution_count=3, **plain),
        ]
    )


def test_the_copy_is_empty_from_the_first_live_cell_on():
    solved = chapter()
    before = nbformat.writes(solved)
    copy = lecture_copy(solved, "lecture_07_solutions.ipynb")
    assert copy.cells[2].source == (
        "# Write it together. The solution is in lecture_07_solutions.ipynb, cell [2].\ny = ...\nz = ..."
    )
    assert [cell.get("outputs") == [] for cell in copy.cells] == [False, False, True, False, True]
    assert [cell.get("execution_count") for cell in copy.cells] == [None, 1, None, None, None]
    assert nbformat.writes(solved) == before  # the chapter itself was left alone


def test_both_files_and_a_second_time(tmp_path):
    stored = tmp_path / "07_bert.ipynb"
    nbformat.write(chapter(), stored)
    copy, solutions = write_lecture(stored, tmp_path / "out")
    assert (copy.name, solutions.name) == ("lecture_07.ipynb", "lecture_07_solutions.ipynb")
    assert nbformat.read(solutions, as_version=4) == nbformat.read(stored, as_version=4)
    assert write_lecture(stored, tmp_path / "out") == (copy, solutions)
    typed = copy.read_text().replace("y = ...", "y = exp(x)")
    copy.write_text(typed)
    with pytest.raises(CourseError, match=r"lecture_07.ipynb is there already and differs.*--out"):
        write_lecture(stored, tmp_path / "out")
    assert copy.read_text() == typed


def test_a_chapter_without_live_cells_and_a_file_that_is_none(tmp_path):
    stored = tmp_path / "05_x.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell("a = 1")]), stored)
    with pytest.raises(CourseError, match=r"05_x.ipynb: no cell has the tag `live`.*notebooks/text"):
        write_lecture(stored, tmp_path)
    stored.write_text("no notebook")
    with pytest.raises(CourseError, match="is not a notebook"):
        write_lecture(stored, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["05_x.ipynb"]


@pytest.mark.parametrize("name", ["07_bert.ipynb", "ko/07_bert.ipynb"])
def test_links_lead_to_the_same_files_from_where_the_copies_lie(tmp_path, name):
    stored = project_dir() / "notebooks" / name
    found = [links(path) for path in (stored, *write_lecture(stored, tmp_path / "lecture" / "ko"))]
    assert project_dir() / "course" / "live" / "bert.js" in found[0]
    assert found[1] == found[2] == found[0]


def links(path):
    """Where the relative links of a notebook's texts lead."""
    texts = (cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    return [(path.parent / to).resolve() for text in texts for to in re.findall(r"\]\(([^):]+)\)", text)]


@pytest.mark.parametrize("name", ["01_word_vectors", "04_elmo", "06_transformer", "07_bert"])
def test_the_chapters_key_cells(name):
    """Four to six, each with a gap; every name that a live cell binds is still bound in its copy."""
    solved = nbformat.read(project_dir() / "notebooks" / f"{name}.ipynb", as_version=4)
    copy = lecture_copy(solved, "s.ipynb")
    pairs = [(s, c) for s, c in zip(solved.cells, copy.cells, strict=True) if LIVE in s.metadata.get("tags", [])]
    assert 4 <= len(pairs) <= 6
    for before, after in pairs:
        assert "..." in after.source
        assert after.source != before.source
        assert bound(after.source) == bound(before.source)
    assert sum(s.source != c.source for s, c in zip(solved.cells, copy.cells, strict=True)) == len(pairs)


def bound(source: str) -> set[str]:
    """Names that the cell itself binds; what a function binds inside is its own."""
    return {name.get_name() for name in symtable(source, "cell", "exec").get_symbols() if name.is_assigned()}
