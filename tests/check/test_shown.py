"""What is shown whole can be copied: Python reads the same values from it."""

import re
from collections import Counter, namedtuple

import numpy as np
import pytest
import torch

from course.check import registry, shown
from course.check.compare import same

EXERCISES = [exercise for chapter in registry.chapters() for exercise in registry.of_chapter(chapter)]
VALUES = [
    None, True, -7, 0.1, 1e300, "it's", b"\x00", "배", [], (), {}, set(), frozenset(), (1,), [[]], {("a", 1): [2.5]},
    {3}, frozenset({"a"}), Counter("aab"), float("-inf"), [float("inf")], torch.tensor(3.25), torch.tensor([1, 2]),
    torch.tensor([[True], [False]]), torch.tensor([0.1, -1e-20, 1e20]), torch.zeros(0), torch.zeros(2, 0, 3),
    torch.tensor([1.5], dtype=torch.float64), torch.tensor([1], dtype=torch.int32), torch.eye(3).requires_grad_(),
    np.array([0.1, 2]), np.array([[1, 2]], dtype=np.int16), np.float32(0.1), np.int64(3), np.array(2.5),
    torch.tensor([float("inf"), -float("inf")]), list(range(60)), [["word"] * 3] * 9,
]  # fmt: skip
Pair = namedtuple("Pair", "a b")


def given(*inputs):
    return inputs


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_short_value_comes_back_as_it_was(value):
    text = shown.call("given", [value, 1])
    (back, _) = eval(text, {"given": given, "torch": torch, "np": np})
    assert same(value, back)
    assert getattr(back, "dtype", None) == getattr(value, "dtype", None) or not getattr(value, "shape", ())
    assert max(map(len, text.splitlines())) <= 88


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_the_call_of_a_probe_computes_the_same_or_names_sizes(exercise):
    name = exercise.solution.__name__
    space = {name: exercise.solution, "torch": torch}
    for probe in exercise.probes:
        text, expected = shown.call(name, probe.inputs), exercise.solution(*probe.inputs)
        if re.search(r"<\w+( of \d+| \[[\d, ]*\])?>", text) is None:
            assert same(eval(text, space), expected)
        assert len(text.splitlines()) <= shown._CALL_LINES
        assert len(shown.result(expected).splitlines()) <= shown._RESULT_LINES


class Strange:
    def __repr__(self):
        raise SystemExit


class Longer(list):
    def __iter__(self):
        raise SystemExit

    def __len__(self):
        raise SystemExit


ROUND = []
ROUND.append(ROUND)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1 / 3, "0.333333"),
        (torch.tensor([2.0, 1 / 3]), "torch.tensor([2.0, 0.333333])"),
        (float("nan"), "nan"),
        (torch.zeros(30, 7, 5), "<tensor [30, 7, 5]>"),
        (torch.eye(3).to_sparse(), "<tensor [3, 3]>"),
        (torch.zeros(3, device="meta"), "<tensor [3]>"),
        (torch.nn.Linear(2, 3), "<Linear>"),
        ("ab" * 100_000, "<str of 200000>"),
        ((x for x in [1]), "<generator>"),
        (10**4_500, "<int>"),
        ([1] * 1_000, "<list of 1000>"),
        (Strange(), "<Strange>"),
        ([Strange()], "<list of 1>"),
        (Longer([1, 2]), "[1, 2]"),
        (Pair(1, 2), "(1, 2)"),
        (ROUND, "<list of 1>"),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else type(value).__name__,
)
def test_what_is_long_or_strange_has_its_kind_and_size(value, text):
    assert shown.result(value) == text
