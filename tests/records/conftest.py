import pytest

from course.records import store


@pytest.fixture
def own_records(tmp_path, monkeypatch):
    """What is recorded lies in a folder of this test's own."""
    monkeypatch.setattr(store, "data_dir", lambda *parts: tmp_path.joinpath(*parts))
