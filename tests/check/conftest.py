import pytest


@pytest.fixture(autouse=True)
def answers_folder(tmp_path, monkeypatch):
    """No test touches the answers of whoever runs it."""
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "answers"))
    return tmp_path / "answers"
