import collections

import numpy as np
import pytest
import torch

from course_lib.exercises.compare import difference, same


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ([(1, "a"), (2, "b")], [[1, "a"], [2, "b"]]),
        (torch.tensor([1.0, 2.0], requires_grad=True), [1, 2]),
        (np.float32(0.5), 0.5),
        ({"a": torch.tensor(1.0 + 1e-6)}, {"a": 1.0}),
        (collections.Counter(a=2), {"a": 2}),
        (float("inf"), float("inf")),
        ([], ()),
    ],
)
def test_equal(got, expected):
    assert same(got, expected)


@pytest.mark.parametrize(
    ("got", "expected", "says"),
    [
        (1.001, 1.0, "the result is not right"),
        (2, 3, "not right"),
        (True, 1, "a number, not a bool"),
        ("1", 1, "a number, not a string"),
        (float("nan"), 1.0, "no usable number"),
        (float("inf"), 1.0, "no usable number"),
        ([1, 2], [1, 2, 3], "3 items, not 2"),
        ([1, [2, 9]], [1, [2, 3]], "item 1 of item 1 of the result is not right"),
        ({"a": 1}, {"a": 1, "b": 2}, "lacks 1 of 2 keys"),
        ({"a": 1, "b": 2}, {"a": 1}, "1 keys too many"),
        ({"a": 2}, {"a": 1}, "value of 'a' is not right"),
        ((x for x in [1]), [1], "a list, not a value of type generator"),
        (None, {"a": 1}, "a dictionary, not None"),
        ("b", "a", "not right"),
    ],
)
def test_different(got, expected, says):
    assert says in difference(got, expected)
    assert not same(got, expected)
