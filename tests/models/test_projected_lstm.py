import pytest
import torch
from torch import nn

from course_lib.models.projected_lstm import ProjectedLSTM, lstm_by_steps, turned


@pytest.mark.parametrize("projection", [3, 7])  # 7: as wide as the cells, no projection
def test_the_equations_word_by_word_equal_the_fused_kernel(projection):
    stack = ProjectedLSTM(projection, 7, 1)
    inputs, state = torch.randn(2, 5, projection), (torch.randn(1, 2, projection), torch.randn(1, 2, 7))
    for given in (None, state):
        outputs, (h, c) = (
            stack(inputs, None if given is None else [given])[0][0],
            stack(inputs, given and [given])[1][0],
        )
        by_steps, (h_steps, c_steps) = lstm_by_steps(stack.layers[0], inputs, given)
        torch.testing.assert_close(by_steps, outputs, rtol=0, atol=1e-6)
        torch.testing.assert_close(h_steps, h, rtol=0, atol=1e-6)
        torch.testing.assert_close(c_steps, c, rtol=0, atol=1e-6)


def test_the_second_layer_adds_its_input_and_the_first_does_not():
    stack = ProjectedLSTM(3, 7, 2)
    inputs = torch.randn(2, 5, 3)
    first, second = stack(inputs)[0]
    torch.testing.assert_close(first, lstm_by_steps(stack.layers[0], inputs)[0], rtol=0, atol=1e-6)
    torch.testing.assert_close(second, first + lstm_by_steps(stack.layers[1], first)[0], rtol=0, atol=1e-6)


def test_the_carry_makes_pieces_one_pass():
    stack = ProjectedLSTM(3, 7, 2).eval()
    inputs = torch.randn(2, 11, 3)
    whole, after = stack(inputs)
    carry, pieces = None, []
    for piece in inputs.split(5, dim=1):
        states, carry = stack(piece, carry)
        pieces.append(states)
    torch.testing.assert_close(torch.cat(pieces, dim=2), whole, rtol=0, atol=1e-6)
    torch.testing.assert_close(carry, after, rtol=0, atol=1e-6)


def test_dropout_in_training_only():
    stack = ProjectedLSTM(3, 7, 2, dropout=0.5)
    inputs = torch.randn(2, 5, 3)
    assert not stack(inputs)[0].equal(stack(inputs)[0])
    stack.eval()
    assert stack(inputs)[0].equal(stack(inputs)[0])


def test_forget_gates_start_open():
    biases = ProjectedLSTM(3, 7, 1).layers[0].bias_ih_l0.view(4, 7)  # input, forget, cell, output
    assert biases.sum(1).tolist() == [0, 7, 0, 0]


def test_rows_are_reversed_by_their_own_length():
    rows = torch.arange(1.0, 11.0).view(2, 5, 1)
    mask = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])
    assert turned(rows, mask)[..., 0].tolist() == [[3, 2, 1, 4, 5], [10, 9, 8, 7, 6]]


def test_outputs_and_all_gradients_equal_pytorchs():
    """Ours has its own way back on a CPU; PyTorch's is the reference, with gradients into every output."""
    stack = ProjectedLSTM(3, 7, 1).double()
    layer = stack.layers[0]
    given = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((2, 5, 3), (1, 2, 3), (1, 2, 7))]
    weights = [torch.randn(shape, dtype=torch.float64) for shape in ((2, 5, 3), (1, 2, 3), (1, 2, 7))]
    found = []
    for forward in (layer, lambda x, state: nn.LSTM.forward(layer, x, state)):
        outputs, (h, c) = forward(given[0], (given[1], given[2]))
        loss = sum((one * weight).sum() for one, weight in zip((outputs, h, c), weights, strict=True))
        found.append((outputs, h, c, *torch.autograd.grad(loss, [*given, *layer.parameters()])))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_nothing_is_kept_for_the_way_back_where_no_gradient_is_wanted():
    stack = ProjectedLSTM(3, 7, 1)
    with torch.no_grad():
        assert stack(torch.randn(2, 5, 3))[0].grad_fn is None
    assert stack(torch.randn(2, 5, 3))[0].grad_fn is not None


def test_a_clip_holds_cells_and_states_and_a_wide_one_changes_nothing():
    free, wide, narrow = (ProjectedLSTM(3, 7, 1, clip=clip) for clip in (None, 100.0, 0.1))
    wide.load_state_dict(free.state_dict())
    narrow.load_state_dict(free.state_dict())
    inputs = 9 * torch.randn(2, 5, 3)
    torch.testing.assert_close(wide(inputs)[0], free(inputs)[0], rtol=0, atol=1e-6)
    for projection_grows in (1, 99):
        narrow.layers[0].weight_hr_l0.data *= projection_grows
        states, [(_, cells)] = narrow(inputs)
        assert cells.abs().max() == 0.1
        assert bool(states.abs().max() == 0.1) is (projection_grows == 99)
