"""One-hot product and lookup are one layer: same numbers, same gradient; what optimizers do with unused rows."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.models.embedding import LookupEmbedding, OneHotEmbedding

SIZE, DIM = 11, 5
BOTH = [OneHotEmbedding, LookupEmbedding]
USED = [3, 7, 2]


def pair(dtype=torch.float64, size=SIZE, **options):
    """The two layers with one and the same table."""
    one_hot, lookup = OneHotEmbedding(size, DIM).to(dtype), LookupEmbedding(size, DIM, **options).to(dtype)
    lookup.load_state_dict(one_hot.state_dict())
    return one_hot, lookup


def gradient(layer, ids, upstream):
    layer(ids).backward(upstream)
    return layer.weight.grad.to_dense()


@given(shape=st.lists(st.integers(0, 7), max_size=3), size=st.integers(1, 23))
def test_forward_is_equal_bit_for_bit_for_ids_of_any_shape(shape, size):
    one_hot, lookup = pair(size=size)
    ids = torch.randint(size, shape)
    assert lookup(ids).shape == (*shape, DIM)
    assert one_hot(ids).equal(lookup(ids))
    assert lookup(ids).equal(torch.nn.functional.embedding(ids, lookup.weight))
    assert one_hot(ids).equal(torch.nn.functional.one_hot(ids, size).double() @ one_hot.weight)


@pytest.mark.parametrize("sparse", [False, True])
def test_gradient_is_equal_bit_for_bit_in_float64(sparse):
    one_hot, lookup = pair(sparse=sparse)
    ids = torch.randint(SIZE, (13, 17))  # every row is used many times
    upstream = torch.randint(-50, 50, (13, 17, DIM)).double()  # whole numbers: sums are exact in any order
    assert gradient(one_hot, ids, upstream).equal(gradient(lookup, ids, upstream))
    by_hand = torch.stack([upstream[ids == row].sum(0) for row in range(SIZE)])
    assert lookup.weight.grad.to_dense().equal(by_hand)


def test_a_sparse_gradient_holds_the_used_rows_only():
    table = LookupEmbedding(SIZE, DIM, sparse=True)
    table(torch.tensor([3, 3, 7])).sum().backward()
    assert table.weight.grad.is_sparse
    assert table.weight.grad.coalesce().indices().tolist() == [[3, 7]]


def moved_rows(table, optimizer, ids):
    before = table.weight.detach().clone()
    optimizer.zero_grad()
    table(torch.tensor(ids)).square().sum().backward()
    optimizer.step()
    return (table.weight != before).any(1).nonzero().flatten().tolist()


@pytest.mark.parametrize(
    ("optimizer", "sparse", "second_step"),
    [
        (torch.optim.SGD, False, [5]),
        (torch.optim.Adam, False, [2, 3, 5, 7]),  # its running means remember rows 2, 3 and 7
        (torch.optim.SparseAdam, True, [5]),
    ],
)
def test_adam_still_moves_rows_that_once_had_a_gradient(optimizer, sparse, second_step):
    table = LookupEmbedding(SIZE, DIM, sparse=sparse)
    steps = optimizer(table.parameters(), lr=0.1)
    assert moved_rows(table, steps, USED) == sorted(USED)
    assert moved_rows(table, steps, [5]) == second_step


def test_nan_spoils_every_row_of_the_product_but_one_of_the_lookup():
    one_hot, lookup = pair()
    with torch.no_grad():
        one_hot.weight[4, 0] = lookup.weight[4, 0] = torch.nan
    ids = torch.tensor([3, 4])
    assert lookup(ids).isnan().any(1).tolist() == [False, True]
    assert one_hot(ids).isnan().any(1).tolist() == [True, True]


@pytest.mark.parametrize("layer", BOTH)
@pytest.mark.parametrize("wrong", [-1, SIZE, 2**40])
def test_an_id_outside_is_named_with_the_size(layer, wrong):
    table = layer(SIZE, DIM)
    with pytest.raises(CourseError, match=rf"{layer.__name__}: id {wrong} .* size {SIZE}.*0 to {SIZE - 1}"):
        table(torch.tensor([[0, wrong], [10, 3]]))


@pytest.mark.parametrize("layer", BOTH)
def test_ids_of_any_integer_type_and_no_other(layer):
    table = layer(SIZE, DIM)
    expected = table(torch.tensor([3, 10]))
    for dtype in (torch.uint8, torch.int16, torch.int32):
        assert table(torch.tensor([3, 10], dtype=dtype)).equal(expected)
    for bad in (torch.tensor([3.0]), torch.tensor([True])):
        with pytest.raises(CourseError, match="Ids are integers"):
            table(bad)
    with pytest.raises(CourseError, match="vocabulary_size=7, dim=0"):
        layer(7, 0)
