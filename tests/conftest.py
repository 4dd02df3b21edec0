"""For all tests: shapes in signatures are checked at run time, generators start from one seed, no network is needed."""

import os
import re
from functools import cache

import pytest
from hypothesis import settings
from jaxtyping import install_import_hook

os.environ.setdefault("COURSE_DEVICE", "cpu")

# No test is timed: machines are noisy. The same examples every time; COURSE_HYPOTHESIS=explore looks for new ones.
settings.register_profile("same", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("COURSE_HYPOTHESIS", "same"))

# Must stand before the first import of course_lib: every annotated function of these rooms is checked as it is called.
install_import_hook(
    [f"course_lib.{room}" for room in ("data.batch", "models", "training", "evaluation")], "beartype.beartype"
)


@cache
def _group(path: str) -> str:
    """The session's fixture that a file of browser tests asks for; else the file itself."""
    with open(path, encoding="utf-8") as file:
        found = re.search(r"^def \w+\(.*\b(lab|site)\b", file.read(), re.M)
    return found[1] if found else path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """With `--dist loadgroup` one process holds the gallery of widgets, the other the built site; a file stays whole.

    xdist 3.8 looks for its groups in the ids of tests, into which it cannot write them since pytest 9.
    """
    from xdist.scheduler import LoadScopeScheduling

    if config.getvalue("dist") == "loadgroup":
        scheduler = LoadScopeScheduling(config, log)
        scheduler._split_scope = lambda nodeid: _group(str(config.rootpath / nodeid.split("::")[0]))
        return scheduler


@pytest.fixture(autouse=True)
def _seeded():
    from course_lib.device import seed_everything

    seed_everything(0)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder of this test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("COURSE_CACHE_DIR", str(folder))
    return folder
