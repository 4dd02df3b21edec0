"""One gallery notebook with every widget on small data, in one JupyterLab for all tests of this folder."""

import importlib.util
import json
import os
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest

from course.site.build import build_site
from course_lib.config import project_dir
from tests.notebooks.lab import Lab, browser, find_browser
from tests.widgets import gap_models

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}  # or Lab asks which

HOSTILE = [
    "<img src=x onerror=window.hit=1>",
    "</script><script>window.hit=1</script>",
    "x" * 200,
    "🙂 smile",
    "배",
    "plain",
]
SETUP = f"""
import numpy as np
from course.widgets import attention_heatmap, bertviz_view, embedding_map, fill_mask, one_hot_row
from course.widgets import rate_designer, scalar_mix, softmax_saturation, span_explorer, token_strip
rng = np.random.default_rng(7)
tables = {{w: rng.normal(size=(31, 13)) for w in (1, 2, 5, 10)}}
words = [f"word{{i}}" for i in range(31)]
hostile = {HOSTILE!r}
"""
CELLS = [
    SETUP,
    "shown = embedding_map(tables, words)\nshown.sum = [4, 5, 6]\nshown",
    "odd = embedding_map(rng.normal(size=(6, 5)), hostile)\nodd",
    "table = one_hot_row(np.arange(21).reshape(7, 3) / 10 - 1, [*hostile, '사과'])\ntable.word = 4\ntable",
    """senses = ["one"] * 5 + [hostile[0]] * 6
tops = np.stack([rng.normal(size=10) + 2 * (sense == "one") for sense in senses])
mix = scalar_mix({"token": np.ones((11, 10)), hostile[1]: rng.normal(size=(11, 10)), "layer 2": tops},
                 [[*hostile, "배"]] * 11, [6] * 11, senses, {"learned": [-1.0, 0.5, 2.0]})
mix""",
    "saturated = softmax_saturation()\nsaturated",
    """powers = np.exp(np.random.default_rng(0).normal(size=(2, 3, 8, 8)))
heads = attention_heatmap(powers / powers.sum(-1, keepdims=True), ["[CLS]", *hostile, "사과"], query=3,
                          gold={hostile[0]: [(1, 0), (3, 2)], "head": [(4, 4)]})
heads""",
    "rates = rate_designer(['embedding', 'LSTM 1', hostile[0], 'classifier'], 500)\nrates",
    """from course.widgets.strip import Frame, Token
strip = token_strip([Frame([Token(word) for word in hostile], "As it is.", [("hidden", 1.5, 2.0)]),
                     Frame([Token(word, "hidden", "was 배") for word in hostile], hostile[0])], title=hostile[1])
strip""",
    "parts, shares = rng.normal(size=(2, 3, 6, 5)), np.full((2, 3, 6, 6), 1 / 6)",
    *(
        f"bertviz_view(shares, ['[CLS]', *hostile[:2], *hostile[4:], '[SEP]'], {view!r}, queries=parts, keys=parts)"
        for view in ("head", "model", "neuron")
    ),
    "attention_heatmap(np.tril(np.ones((1, 12, 3, 3))) / np.arange(1, 4)[:, None], ['a', 'b', 'c'], kind='decoder')",
    Path(gap_models.__file__).read_text(encoding="utf-8"),  # models for the next two cells: the tests build the same
    """gaps = fill_mask([counting("one"), counting("two", WORDS[1:] + WORDS[:1])], GIVEN, k=7)
gaps""",
    """wild = [word.replace(" ", "/") for word in hostile]
strange = fill_mask([counting(hostile[0], tuple(wild[:-1])), counting("two", tuple(wild))], [" ".join(wild)])
strange""",
    """spans = span_explorer([*hostile, *hostile], np.arange(12) * 5 % 7, np.arange(12) * 3 % 7, hostile[0], null=10.5,
                      max_answer=4)
spans""",
    """from course.widgets.word_stories import Stop, Story, word_generations
from course_lib.errors import CourseError
def story(word, n, seed):
    rng = np.random.default_rng(seed)
    told = [([hostile[i % 6], word, "배"], 1, ("one", hostile[0], "배")[i % 3]) for i in range(n)]
    tops = [np.ones((n, 5)), rng.normal(size=(n, 7)), rng.normal(size=(n, 11))]
    stops = [Stop(name, rows, rng.integers(0, 2, n)) for name, rows in zip(("table", hostile[1], "top"), tops)]
    return Story(word, told, stops, {"chance": n / 3, "counting": 5.0})
def read(text):
    if "top" not in text:
        raise CourseError(f"No word in {text!r}.")
    return 1, [np.ones(5), np.full(7, 0.2), np.full(11, 0.3)]
generations = word_generations([story("spring", 9, 0), story(hostile[1], 12, 1)], stop=1, read=read)
generations""",
]

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
    for _ in range(30):
        found = lab.page.evaluate(IN_KERNEL, code)
        if found == wanted:
            return
        lab.page.wait_for_timeout(200)
    assert found == wanted


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


@pytest.fixture
def shown(request):
    """The gallery's widget that the file names `SHOWN`, computed here: what the page draws must equal it."""
    names = {}
    for cell in CELLS:
        exec(cell, names)
    return names[request.module.SHOWN]
