"""One-hot product and lookup are one layer: same numbers, same gradient. Adam and unused rows: claim C2.1."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.models.embedding import LookupEmbedding, OneHotEmbedding

SIZE, DIM = 11, 5


def pair(dtype=torch.float64, size=SIZE, **options):
    """The two layers with one and the same table."""
    one_hot, lookup = OneHotEmbedding(size, DIM).to(dtype), LookupEmbedding(size, DIM, **options).to(dtype)
    lookup.load_state_dict(one_hot.state_dict())
    return one_hot, lookup


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
    layers = pair(sparse=sparse)
    ids = torch.randint(SIZE - 1, (13, 17))  # every row but the last is used many times
    upstream = torch.randint(-50, 50, (13, 17, DIM)).double()  # whole numbers: sums are exact in any order
    by_hand = torch.stack([upstream[ids == row].sum(0) for row in range(SIZE)])
    for layer in layers:
        layer(ids).backward(upstream)
        assert layer.weight.grad.to_dense().equal(by_hand)
    assert layer.weight.grad.is_sparse is sparse
    if sparse:
        assert layer.weight.grad.coalesce().indices().tolist() == [[*range(SIZE - 1)]]  # the used rows only


def test_nan_spoils_every_row_of_the_product_but_one_of_the_lookup():
    one_hot, lookup = pair()
    with torch.no_grad():
        one_hot.weight[4, 0] = lookup.weight[4, 0] = torch.nan
    ids = torch.tensor([3, 4])
    assert lookup(ids).isnan().any(1).tolist() == [False, True]
    assert one_hot(ids).isnan().any(1).tolist() == [True, True]


@pytest.mark.parametrize("layer", [OneHotEmbedding, LookupEmbedding])
@pytest.mark.parametrize("wrong", [-1, SIZE, 2**40])
def test_an_id_outside_the_table_is_an_error(layer, wrong):
    with pytest.raises((IndexError, RuntimeError)):
        layer(SIZE, DIM)(torch.tensor([[0, wrong], [10, 3]]))
