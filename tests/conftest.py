"""For all tests: shapes in signatures are checked at run time, generators start from one seed, no network is needed."""

import os

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
