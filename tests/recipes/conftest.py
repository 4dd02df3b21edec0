import pytest

from course.lab import heads_on_body
from course.recipes import cove, further, heads, minilm, reviews, skip_gram
from tests.lab import four_samples
from tests.recipes.small import benches, pairs, published, rated, reviews_of, write_corpora


@pytest.fixture
def out(tmp_path, monkeypatch):
    """A folder with small corpora in it; the public sets are replaced by small ones."""
    monkeypatch.setattr(cove, "load_public", pairs)
    monkeypatch.setattr(reviews, "load_public", reviews_of)
    monkeypatch.setattr(skip_gram, "rated_pairs", rated)
    monkeypatch.setattr(further, "handmade_gaps", lambda language, **_: [("the [MASK] sees", frozenset({"king"}))])
    monkeypatch.setattr(heads, "TASKS", benches(heads.Settings().tasks))
    body = four_samples.bert()
    for module in (heads, heads_on_body):
        monkeypatch.setattr(module, "load", lambda name: body)
    package = published(tmp_path / "package")
    monkeypatch.setattr(minilm, "package_folder", lambda: package)
    folder = tmp_path / "out"
    write_corpora(folder)
    return folder
