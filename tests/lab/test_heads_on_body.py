"""Four heads over one body: what is stored, what is shared, and that nothing else moves."""

import pytest
import torch

from course.lab import heads_on_body
from course.lab.heads_on_body import load_heads, own_numbers, save_heads, with_its_matrices
from course.lab.learning import Recipe, learn
from course_lib.checkpoints import load_checkpoint
from course_lib.errors import CourseError
from tests.lab import four_samples

SHORT = Recipe(rate=3e-2, min_steps=5, max_steps=5, batch_size=8)


@pytest.fixture(scope="module")
def body():
    return four_samples.bert()


@pytest.fixture(scope="module")
def before(body):
    return {name: value.clone() for name, value in body.state_dict().items()}


@pytest.fixture(scope="module")
def heads(body, before):
    return {
        kind: learn(lambda task=task: task.head(with_its_matrices(body), 0), task.train, 0, SHORT)
        for kind, task in four_samples.tasks().items()
    }


def test_a_task_moves_vectors_only_and_the_body_stays(body, before, heads):
    assert all(torch.equal(value, before[name]) for name, value in body.state_dict().items())
    for head in heads.values():
        below = {name: value for name, value in own_numbers(head, body).items() if name.startswith("encoder.")}
        assert below
        assert {value.dim() for value in below.values()} == {1}


def test_all_heads_share_the_matrices_and_nothing_else(body, heads):
    first, second = (dict(heads[kind].encoder.named_parameters()) for kind in ("sentence", "span"))
    for name, own in body.named_parameters():
        places = {value.data_ptr() for value in (own, first[name], second[name])}
        assert len(places) == (1 if own.dim() > 1 else 3), name


def test_what_was_saved_beside_the_body_answers_as_before(body, heads, tmp_path, monkeypatch):
    monkeypatch.setattr(heads_on_body, "load", lambda name: body)
    save_heads(tmp_path / "heads", "small", heads)
    found = load_heads(tmp_path / "heads")
    for kind, task in four_samples.tasks().items():
        assert task.score(found[kind]) == task.score(heads[kind])
        for name, value in heads[kind].state_dict().items():
            torch.testing.assert_close(found[kind].state_dict()[name], value, rtol=1e-3, atol=1e-3)  # float16
    stored = sum(numbers.numel() for numbers in load_checkpoint(tmp_path / "heads").tensors.values())
    assert stored == sum(numbers.numel() for head in heads.values() for numbers in own_numbers(head, body).values())


def test_another_body_is_refused(body, heads, tmp_path, monkeypatch):
    monkeypatch.setattr(heads_on_body, "load", lambda name: body)
    save_heads(tmp_path / "heads", "small", heads)
    monkeypatch.setattr(heads_on_body, "load", lambda name: four_samples.bert(d_model=24))
    with pytest.raises(CourseError, match="of another shape"):
        load_heads(tmp_path / "heads")
    with pytest.raises(CourseError, match="not a set of heads"):
        load_heads("minilm-en")
