import collections
from fractions import Fraction

import numpy as np
import pytest
import torch

from course.check.compare import difference, same


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ([(1, "a"), (2, "b")], [[1, "a"], [2, "b"]]),
        (torch.tensor([1.0, 2.0], requires_grad=True), [1, 2]),
        (np.float32(0.5), 0.5),
        (collections.Counter(a=2), {"a": 2}),
        (float("inf"), float("inf")),
        (Fraction(1, 4), 0.25),
        ((frozenset({3}),), ({3},)),
    ],
)
def test_equal(got, expected):
    assert same(got, expected)


@pytest.mark.parametrize(
    ("got", "expected", "says"),
    [
        (1.001, 1.0, "the result is not right"),
        (True, 1, "a number, not a bool"),
        ("1", 1, "a number, not a string"),
        (float("nan"), 1.0, "no usable number"),
        (float("inf"), 1.0, "should be a finite number"),
        ([1, 2], [1, 2, 3], "3 items, not 2"),
        ([1, [2, 9]], [1, [2, 3]], "result[1][1] is not right"),
        ({"a": 1}, {"a": 1, "b": 2}, "lacks 1 of 2 keys"),
        ({("a", "b"): 1}, {"ab": 1}, "lacks 1 of 1 keys and has ('a', 'b'), which"),
        ({"a": 1, "b": 2}, {"a": 1}, "1 keys too many: 'b'"),
        ([{"a": 2}], [{"a": 1}], "result[0]['a'] is not right"),
        ((0, torch.zeros(2, 1, 4)), (0, torch.zeros(2, 4)), "result[1] has shape [2, 1, 4], should be [2, 4]"),
        (np.zeros((3, 2)), torch.zeros(2, 3), "the result has shape [3, 2], should be [2, 3]"),
        (torch.tensor([3.38]), 3.38, "a number, not a tensor of shape [1]"),
        (torch.eye(3).to_sparse(), torch.eye(3), "a tensor of shape [3, 3], not a sparse tensor of shape [3, 3]"),
        (torch.Tensor, [1], "a list, not a value of type"),
        (10**400, 1.0, "not right"),
        (torch.eye(1).max(1), torch.ones(1), "should be a tensor of shape [1], not a tuple"),
    ],
)
def test_different(got, expected, says):
    assert says in difference(got, expected)
    assert not same(got, expected)
