"""Chapter 2's reference solutions against known results."""

import pytest
import torch
from torch import nn

from course.by_hand.classifier import RNN
from course.check import registry


def test_forward_it_is_the_chapter_s_rnn_and_backward_the_same_on_turned_sentences():
    rnn, x, real = RNN(5, 3), torch.randn(2, 7, 5), torch.arange(7) < torch.tensor([[7], [4]])
    given = rnn.W.weight.T, rnn.U.weight.T, rnn.W.bias
    read_states = registry.find("2.7").solution
    torch.testing.assert_close(read_states(x[:1], real[:1], *given, False), rnn(x[:1]))
    torch.testing.assert_close(read_states(x, real, *given, True)[1:, :4], rnn(x[1:, :4].flip(1)).flip(1))


@pytest.mark.parametrize("shape", [(5,), (2, 3)])
def test_the_row_gradient_is_that_of_backward(shape):
    ids = torch.arange(6)[: torch.Size(shape).numel()].reshape(shape) % 3  # words repeat
    layer, output_gradient = nn.Embedding(7, 11), torch.randn(*shape, 11)
    layer(ids).backward(output_gradient)
    torch.testing.assert_close(registry.find("2.2").solution(ids, output_gradient, 7), layer.weight.grad)


@pytest.mark.parametrize("tied", [False, True])
def test_an_optimizer_takes_the_groups_and_moves_the_table_a_tenth_as_far(tied):
    model = nn.ModuleDict({"table": nn.Embedding(5, 3), "output": nn.Linear(3, 5, bias=False)})
    if tied:
        model["output"].weight = model["table"].weight
    groups = registry.find("2.5").solution(model, "table", 0.5)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    optimizer = torch.optim.SGD(groups, lr=1)
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    steps = [(old - new).mean().item() for old, new in zip(before, model.parameters(), strict=True)]
    assert steps == pytest.approx([0.05] if tied else [0.05, 0.5])
