"""One gallery notebook with every widget on small data, in one JupyterLab for all tests of this folder."""

import importlib.util
import json
import os
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import nbformat
import pytest

from course.lab import heads_on_body
from course.site.build import build_site
from course_lib.config import project_dir
from course_lib.models import shipped
from tests.notebooks.lab import Lab, browser, find_browser
from tests.widgets import gallery
from tests.widgets.gallery import GALLERY, MORE

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}  # or Lab asks which

load, load_heads = cache(shipped.load), cache(heads_on_body.load_heads)  # no test changes a model
CELLS = [Path(gallery.__file__).read_text(encoding="utf-8")]
CELLS += [f"{name} = {{**GALLERY, **MORE}}[{name!r}]()\n{name}" for name in (*GALLERY, *MORE)]
IN_KERNEL = """async code => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code });
  let text = "";
  future.onIOPub = message => { if (message.header.msg_type === "stream") text += message.content.text; };
  await future.done;
  return text.trim(); }"""


def needs_browser():
    """A learner without Chromium skips these tests, with the reason. CI installs it, so there it is a failure."""
    missing = None
    if find_browser() is None:
        missing = "no Chromium here: apt-get install chromium, or the like"
    elif importlib.util.find_spec("playwright") is None:
        missing = "playwright is not installed: make test installs it"
    if missing is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)


@pytest.fixture(scope="session")  # starting it takes longer than any test
def lab(tmp_path_factory):
    needs_browser()
    path = tmp_path_factory.mktemp("gallery") / "gallery.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=KERNEL), path)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with Lab(path, timeout=60, width=1200) as lab:
        lab.run_all()
        yield lab
        assert lab.blocked == []
        assert lab.page_errors == []


@pytest.fixture(scope="session")
def chromium():
    """A browser without a network, for files that need no JupyterLab."""
    needs_browser()
    with browser() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the whole website."""
    folder = tmp_path_factory.mktemp("site")
    build_site(project_dir(), folder)
    return folder


@pytest.fixture
def root(lab, request):
    """The gallery's first widget of the file's class `WIDGET`, as it was at first."""
    root = lab.page.locator(request.module.WIDGET).first
    root.get_by_role("button", name="reset").click()
    return root


def kernel(lab, expression: str):
    """What the expression is in the kernel."""
    return json.loads(lab.page.evaluate(IN_KERNEL, f"import json; print(json.dumps({expression}))"))


def kernel_comes_to(lab, code: str, wanted: str):
    """What `code` prints in the kernel comes to be `wanted`: what a page sets is there a moment later.

    JupyterLab sends what widgets say over a thread of its own (ipykernel 7: a subshell), so code that is run after a
    press can come before it. Wait also before Python sets what the page has just set: the page's may come last.
    """
    for _ in range(120):
        found = lab.page.evaluate(IN_KERNEL, code)
        if found == wanted:
            return
        lab.page.wait_for_timeout(50)
    assert found == wanted


@contextmanager
def hurried(page, times: int):
    """The page's timers run so many times as fast."""
    page.evaluate("n => { const real = window.real = setTimeout; setTimeout = (f, ms) => real(f, ms / n); }", times)
    yield
    page.evaluate("() => { setTimeout = real; }")


def is_dark(root) -> bool:
    """Light letters, that is."""
    colour = root.evaluate("node => getComputedStyle(node).color")
    return sum(map(float, colour.split("(")[1].split(")")[0].split(",")[:3])) > 380


def asked_elsewhere(page) -> list[str]:
    """The list in which every address will stand that the page asks a network for."""
    asked, here = [], ("file:", "data:", "blob:", "about:")
    page.on("request", lambda request: None if request.url.startswith(here) else asked.append(request.url))
    return asked


@contextmanager
def reader(chromium, width: int = 1000, scheme: str = "light", height: int = 800, **options):
    """A page of a reader's own; at the end nothing was asked of a network and nothing went wrong."""
    size = {"width": width, "height": height}
    with chromium.new_context(viewport=size, color_scheme=scheme, **options) as context:
        page = context.new_page()
        faults = asked_elsewhere(page)
        page.set_default_timeout(30_000)
        if options.get("java_script_enabled", True):  # else Chromium tears off what a frame began before it knew that
            page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type in ("error", "warning") else None)
        yield page
        assert faults == []  # before it closes: that tears off what a frame still loads, which is no fault of the page


@pytest.fixture(scope="module")
def calm(chromium):
    """A page for one widget after the other, narrow at first, of a reader who wants no motion."""
    with reader(chromium, 360, reduced_motion="reduce") as page:
        yield page


@pytest.fixture
def shown(request):
    """The gallery's widget that the file names `SHOWN`, computed here: what the page draws must equal it."""
    return GALLERY[request.module.SHOWN]()
