"""The frame of the project: who may import whom, what must work without what, sizes, and one source for each fact."""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml

from course_lib.config import project_dir
from tests.summary import summary

ROOT = project_dir()
PACKAGES = ("course_lib", "course")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
SOURCES = [path for path in SOURCES if ".ipynb_checkpoints" not in path.parts]  # JupyterLab's, of files opened in it

# A room, and the rooms it may import. Modules beside the rooms are "base" in course_lib; in course as BESIDE says, else
# "front".
LIBRARY = {"base", "text", "data", "models", "training", "evaluation"}
BELOW_EVALUATION = LIBRARY - {"evaluation"}
MEASURED = {*LIBRARY, "session", "widgets", "world", "sources", "by_hand", "lab", "ledger"}
MAY_IMPORT = {
    "base": {"base"},
    "widgets": {"base", "session", "widgets"},
    "world": {"base", "data", "world"},
    "sources": {"base", "text", "data", "sources"},
    "text": {"base", "text"},
    "data": {"base", "text", "data"},
    "models": {"base", "text", "data", "models"},
    "training": {"base", "text", "data", "training"},  # knows no model: what it trains is handed in
    "evaluation": {*BELOW_EVALUATION, "evaluation"},
    "session": {"base", "evaluation", "session"},
    # checkpoints as bytes; one card asks a model
    "live": {"base", "text", "data", "models", "sources", "widgets", "live"},
    "site": {"base", "live", "check", "site"},  # knows stored notebooks, not what made them
    "by_hand": {"by_hand"},
    "ledger": {*LIBRARY, "widgets", "ledger", "chapters", "records"},
    "lab": {*LIBRARY, "session", "widgets", "world", "sources", "by_hand", "lab"},
    "records": {*MEASURED, "records"},
    "chapters": {*MEASURED, "records", "check", "chapters"},
    "check": {*LIBRARY, "session", "widgets", "check", "chapters"},
    "classroom": {"base", "data", "check", "site", "classroom"},
    "recipes": {*MEASURED, "records", "recipes"},
}
BESIDE = {
    "catalogue": "base",
    "loss_curve": "base",
    "settings": "base",
    "session": "session",
    "kept": "session",
    "figures": "session",
}
MAY_IMPORT["front"] = {*MAY_IMPORT, "front"}

SCREEN = {"ipywidgets", "anywidget", "matplotlib", "IPython"}  # not there on the machine that trains
HEAVY = {"sklearn", "scipy", "transformers", "gensim", "accelerate"}  # imported in the function that needs them
WITHOUT_SCREEN = ("base", "text", "data", "models", "training", "evaluation", "recipes")


def room(path: Path) -> str:
    package, *parts = path.relative_to(ROOT).with_suffix("").parts
    if len(parts) > 1:
        return parts[0]
    if package == "course":
        return BESIDE.get(parts[0], "front")
    return "base"


@cache
def imports(path: Path) -> list[tuple[str, int]]:
    """Every module that is imported anywhere in the file, also inside functions, with its line."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = ".".join(path.parent.relative_to(ROOT).parts)
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found += [(base, node.lineno)] + [(f"{base}.{alias.name}", node.lineno) for alias in node.names]
    return found


def room_of_import(name: str) -> str | None:
    """The room that `name` stands in, or None."""
    package, *parts = name.split(".")
    if package not in PACKAGES or not parts:
        return None
    return room(ROOT / package / parts[0] / "x" if parts[0] in MAY_IMPORT else ROOT / package / f"{parts[0]}.py")


def test_imports_go_down_only():
    faults = []
    for path in SOURCES:
        allowed = MAY_IMPORT[room(path)]
        for name, line in imports(path):
            if (other := room_of_import(name)) is not None and other not in allowed:
                faults.append(f"{path.relative_to(ROOT)}:{line} ({room(path)}) imports {name} ({other})")
    assert faults == []


def test_every_reader_of_files_is_attacked():
    """A door: what reads a path and stands nowhere else in the library, or makes an object of a class from a path."""
    trees = [
        ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES if path.is_relative_to(ROOT / "course_lib")
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    named = {node.id for node in nodes if isinstance(node, ast.Name)}
    owners = [("", tree) for tree in trees] + [(f"{c.name}.", c) for c in nodes if isinstance(c, ast.ClassDef)]
    readers = [
        (owner, node.name)
        for owner, of in owners
        for node in of.body
        if isinstance(node, ast.FunctionDef) and re.match("(read|load|from)_|load$", node.name)
        if "Path" in ast.unparse(node.args)
    ]
    doors = {f"{owner}{name}" for owner, name in readers if owner or name not in named}
    assert {"read_squad", "load_head", "Translator.load", "Bert.from_pretrained"} <= doors
    attacks = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "attacks").glob("*.py"))
    assert [door for door in sorted(doors) if not re.search(rf"\b{door}\b", attacks)] == []


def test_widgets_need_numbers_and_a_page_only():
    allowed = {"numpy", "anywidget", "traitlets", "ipywidgets", "IPython", *PACKAGES, *sys.stdlib_module_names}
    also = {"figures.py": {"matplotlib"}, "bertviz_page.py": {"bertviz", "torch"}}  # BertViz takes tensors
    faults = []
    for path in SOURCES:
        more = also.get(path.name, set())
        for name, line in imports(path):
            if room(path) == "widgets" and name.split(".")[0] not in allowed | more:
                faults.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert faults == []


def test_what_trains_needs_no_screen_and_nothing_is_heavy_to_import():
    """All modules in one fresh process: those that train first, while the screen's packages cannot be imported."""
    training, others = [], []
    for path in SOURCES:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        (training if room(path) in WITHOUT_SCREEN else others).append(name)
    code = f"""
import importlib, sys
for name in {sorted(SCREEN)}: sys.modules[name] = None
for name in {training}: importlib.import_module(name)
for name in {sorted(SCREEN)}: del sys.modules[name]
for name in {others}: importlib.import_module(name)
from course_lib.training import fit
assert callable(fit), "the name of its module, too"
print(*sorted({HEAVY} & set(sys.modules)))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == []


def test_a_file_is_one_idea_read_in_one_sitting():
    """But for libraries, as their authors ship them. A longer one: cut it where its second idea begins."""
    own = [path for path in (*SOURCES, *ROOT.glob("course*/**/*.js")) if not path.name.endswith(".min.js")]
    assert [path for path in own if path.stem in ("utils", "util", "helpers", "common", "misc")] == []
    assert [path for path in own if len(path.read_text(encoding="utf-8").splitlines()) > 500] == []


def text_files() -> list[Path]:
    """Everything people wrote; the executed notebooks have a check of their own (tests/notebooks/rules.py)."""
    folders = (*PACKAGES, "tests", "notebooks/text", "data", ".ci")
    kinds = {".py", ".js", ".css", ".md", ".toml", ".txt", ".yml", ".cfg", ""}
    files = [path for path in ROOT.iterdir() if path.name != ".git"]
    files += [path for folder in folders for path in (ROOT / folder).rglob("*")]
    return sorted(p for p in files if p.is_file() and p.suffix in kinds and "__pycache__" not in p.parts)


HOSTS = "|".join(map(re.escape, ("pypi.org", "pythonhosted.org", "download.pytorch.org", "npmjs.org", "npmjs.com")))
OWN_PATHS = "|".join(("/ho" + "me/[a-z]", "/ro" + "ot/", "/Us" + "ers/[a-z]", r"C:\\+Us" + "ers", "/wo" + "rk/[a-z]"))
ABOUT_PATHS = {"tests/notebooks/rules.py", "tests/notebooks/test_rules.py"}  # say what such a path looks like


def test_no_path_of_a_machine_and_no_registry_is_named():
    faults = []
    for path in text_files():
        name = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            named = re.search(HOSTS, line) if name != "tests/test_frame.py" else None
            owned = re.search(rf"(?<![\w.~-])(?:{OWN_PATHS})", line) if name not in ABOUT_PATHS else None
            if named or owned:
                faults.append(f"{name}:{number} {line.strip()[:80]}")
    assert faults == []


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_conda_installs_what_pip_does(project):
    """environment.yml names Python and this package: every other requirement has its one place in pyproject.toml."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, pip, packages = environment["dependencies"]
    # [bertviz] never resolves beside constraints.txt: postBuild
    assert packages == {"pip": ["-c constraints.txt", "-e ."]}
    assert "pip install --no-deps -c constraints.txt bertviz\n" in (ROOT / "postBuild").read_text(encoding="utf-8")
    assert (ROOT / "postBuild").stat().st_mode & 0o100 or os.name == "nt"
    assert pip == "pip"
    pinned = python.removeprefix("python=")
    assert project["requires-python"] == ">=3.11,<3.15"
    assert pinned == "3.11"  # the version constraints.txt was made with


def test_constraints_pin_every_requirement(project):
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    required = project["dependencies"] + project["optional-dependencies"]["test"]
    names = {re.match(r"[\w-]+", requirement).group().lower() for requirement in required}
    assert names - {pin.lower() for pin in pins} == set()
    assert pins["torch"] == "2.13.0"  # without "+cpu": that would be one platform's file
    assert not [pin for pin in pins if pin.startswith(("nvidia", "triton", "course"))]


def test_the_doctor_and_make_know_the_same_pythons(project):
    from course.doctor import OLDEST_TORCH, PYTHONS

    (oldest, newest), next_minor = PYTHONS, (PYTHONS[1][0], PYTHONS[1][1] + 1)
    assert project["requires-python"] == f">={oldest[0]}.{oldest[1]},<{next_minor[0]}.{next_minor[1]}"
    assert f"torch>={OLDEST_TORCH[0]}.{OLDEST_TORCH[1]}" in project["dependencies"]
    assert f"{oldest} <= sys.version_info[:2] <= {newest}" in (ROOT / "Makefile").read_text(encoding="utf-8")


# -- Several test runs become one line; no run at all is an error
def test_runs_are_added_up(tmp_path):
    line = '<testsuites><testsuite tests="{}" skipped="{}" failures="{}" errors="{}" time="{}"/></testsuites>'
    with pytest.raises(SystemExit, match="nothing was tested"):
        summary(tmp_path)
    (tmp_path / "unit.xml").write_text(line.format(17, 2, 0, 0, 3.25))
    (tmp_path / "notebooks.xml").write_text(line.format(11, 0, 0, 0, 5.5))
    assert summary(tmp_path) == "==== 26 passed, 2 skipped in 8.75s ===="
    (tmp_path / "browser.xml").write_text(line.format(7, 0, 3, 1, 1))
    assert summary(tmp_path) == "==== 29 passed, 3 failed, 1 errors, 2 skipped in 9.75s ===="
