"""Exercises that a page of the site checks itself: those that need neither torch nor NumPy, by Pyodide.

Pyodide is Python as WebAssembly. vendor/pyodide.tar.xz holds what is used of version 314.0.7 as npm has it: of
pyodide-lock.json only `info`, the files of python_stdlib.zip stored, since all is deflated here. A page from the disk
may load scripts but read no files, so each file becomes a script, as those of the models do (course.live).
"""

from __future__ import annotations

import ast
import base64
import gzip
import io
import re
import sys
import tarfile
import zipfile
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

from course.catalogue import catalogue_files
from course.check.judge import without_end
from course_lib.config import project_dir
from course_lib.files import atomic_file
from course_lib.language import t

HERE = Path(__file__).parent
VENDOR = HERE / "vendor"
PYTHON = "python"  # folder of the site
RUNNER = "course.check.in_page"
_CHECKS = re.compile(r'^check\("(\d+)\.(\d+|B)"', re.M)


def loaded(name: str) -> dict[str, Path]:
    """The course's modules that `import name` loads, with their files. Raises LookupError if it loads what is neither
    the course's nor Python's own."""
    found, waiting = {}, [name]
    for module in waiting:  # it grows
        place = project_dir().joinpath(*module.split("."))
        path = next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)
        if module in found or path is None:  # or a name in a module
            continue
        found[module] = path
        waiting += [module.rpartition(".")[0], *_imported(path)]
    return found


@cache  # most exercises load the same modules
def _imported(path: Path) -> list[str]:
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module, *(f"{node.module}.{name}" for name in names)]
        for root, name in ((name.partition(".")[0], name) for name in names):
            if root in ("course", "course_lib"):
                found.append(name)
            elif root not in sys.stdlib_module_names:
                raise LookupError(name)
    return found


@cache
def runnable() -> dict[str, str]:
    """The exercises whose module loads nothing but the course's and Python's own: id -> name of the module."""
    found = {}
    for path in sorted((project_dir() / "course/chapters").glob("ch*/ex_*.py")):
        module = f"course.chapters.{path.parent.name}.{path.stem}"
        with_id = re.match(r"ex_(\d+)_(\d+)_", path.stem)
        try:
            loaded(module)
        except LookupError:
            continue
        found[f"{with_id[1]}.{with_id[2]}"] = module
    return found


def checked(source: str) -> tuple[str, str] | None:
    """(chapter, id) of the exercise or the build that the source of a cell checks."""
    form = _CHECKS.search(source)
    return (form[1], f"{form[1]}.{form[2]}") if form else None


@cache
def scripts() -> dict[str, str]:
    """name -> script: Pyodide, and the course as far as `check` needs it."""
    with tarfile.open(VENDOR / "pyodide.tar.xz") as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive}
    files["python.js"] = _worker(files.pop("pyodide.asm.mjs") + files.pop("pyodide.mjs"))
    files["course.zip"] = _course()
    packed = {name: base64.b64encode(gzip.compress(content, 6, mtime=0)).decode() for name, content in files.items()}
    return {name: f'coursePython("{name}", "{text}");\n' for name, text in packed.items()}


def _worker(modules: bytes) -> bytes:
    """Pyodide's two modules and python.js as one classic script: a worker of a page from the disk can load no module.
    Pyodide refuses to be one, since it could not load its second module then; it takes a worker without importScripts
    for another."""
    text = modules.replace(b"import.meta.url", b'"python:/"').replace(b"export default _createPyodideModule;", b"")
    text = re.sub(rb"export\{(\w+) as loadPyodide,.*?\};", rb"const loadPyodide=\1;", text)
    page = (HERE / "python.js").read_bytes()
    return b'(() => {\n"use strict";\nself.importScripts = undefined;\n' + text + b"\n" + page + b"})();\n"


def _course() -> bytes:
    """A zip of the modules, their texts, and their Korean."""
    paths = {path for module in (RUNNER, *runnable().values()) for path in loaded(module).values()}
    chapters = {path.parent for path in paths if path.name.startswith("ex_")}
    paths |= {folder / "texts.toml" for folder in chapters}
    paths |= {path for path in catalogue_files() if path.parent in chapters or path.name == "check.toml"}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(paths):
            archive.writestr(zipfile.ZipInfo(path.relative_to(project_dir()).as_posix()), path.read_bytes())
    return packed.getvalue()


def megabytes() -> float:
    return sum(map(len, scripts().values())) / 1e6


def write_python(out: Path) -> None:
    """Write the scripts into `out`, exercises.js, which loads them, and Pyodide's licence."""
    beside = (HERE / "exercises.js", VENDOR / "pyodide.LICENSE.txt")
    files = {path.name: path.read_text(encoding="utf-8") for path in beside}
    for name, text in (files | {f"{name}.js": text for name, text in scripts().items()}).items():
        with atomic_file(out / PYTHON / name, "w") as file:
            file.write(text)


def stopped(exercise_id: str) -> str:
    """What the page shows when a cell had no end."""
    result = without_end(import_module(runnable()[exercise_id]).EXERCISE)
    says = t("It was stopped together with the page's Python, which starts anew at the next check.")
    return replace(result, paragraphs=(*result.paragraphs, says))._repr_html_()
