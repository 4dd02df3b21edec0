"""What several tests of data share."""

import pytest

from course_lib.data import public, registry
from tests.data.public_server import Server, registry_text


@pytest.fixture
def server():
    running = Server()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def small_sets(server, cache, tmp_path, monkeypatch):
    """The registry holds the invented sets only; no mirror, an empty cache. Gives the folder of the cache's sets."""
    (tmp_path / "public.toml").write_text(registry_text(server.address), encoding="utf-8")
    monkeypatch.setattr(registry, "data_dir", lambda name: tmp_path / name)
    monkeypatch.delenv("COURSE_DATA_DIR", raising=False)
    registry.registry.cache_clear()
    public._checked.clear()
    yield cache / "public"
    registry.registry.cache_clear()
    public._checked.clear()
