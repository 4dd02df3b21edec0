"""What is dropped, how often, and that gradients are those of what was computed."""

import pytest
import torch
from torch import nn

from course_lib.models.awd_lstm import LockedDropout, WeightDropLSTM, WordDropEmbedding


def test_locked_dropout_has_one_mask_for_all_time_steps_and_keeps_the_mean():
    dropped = LockedDropout(0.3)(torch.ones(211, 5, 101))
    assert dropped.eq(dropped[:, :1]).all()
    assert not dropped[0].eq(dropped[1]).all()  # another text, another mask
    kept = dropped[:, 0]
    assert kept.unique().tolist() == pytest.approx([0, 1 / 0.7])
    assert kept.eq(0).float().mean() == pytest.approx(0.3, abs=0.01)  # 21311 draws: 3 standard errors


def test_embedding_dropout_drops_whole_words_wherever_they_stand():
    table = WordDropEmbedding(997, 3, 0.4)
    nn.init.ones_(table.weight)
    ids = torch.arange(997).repeat(2, 2)
    vectors = table(ids)
    first = vectors[0, :997]
    assert vectors.eq(first.repeat(2, 1)).all()  # the same words in all four places
    assert first.eq(first[:, :1]).all()  # all of a word's coordinates together
    assert first.eq(0).all(1).float().mean() == pytest.approx(0.4, abs=0.05)
    assert first.unique().tolist() == pytest.approx([0, 1 / 0.6])
    assert table.weight.eq(1).all()


def recurrent_matrix_used(layer: WeightDropLSTM, monkeypatch) -> torch.Tensor:
    """The matrix that the LSTM of one call is run with."""
    seen, original = [], torch.func.functional_call

    def watched(module, weights, args):
        seen.append(weights["weight_hh_l0"].detach())
        return original(module, weights, args)

    monkeypatch.setattr(torch.func, "functional_call", watched)
    layer(torch.randn(2, 3, layer.lstm.input_size))
    return seen[0]


def test_weight_drop_thins_the_recurrent_matrix_and_nothing_else(monkeypatch):
    layer = WeightDropLSTM(3, 53, 0.2)
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    used = recurrent_matrix_used(layer, monkeypatch)
    raw = layer.lstm.weight_hh_l0.detach()
    gone = used.eq(0)
    assert gone.float().mean() == pytest.approx(0.2, abs=0.012)  # 11236 draws: 3 standard errors
    torch.testing.assert_close(used[~gone], raw[~gone] / 0.8)
    assert not used.eq(recurrent_matrix_used(layer, monkeypatch)).all()  # a new mask with each call
    for name, value in layer.state_dict().items():
        assert value.equal(before[name])


def thinned_by_hand(layer: WeightDropLSTM, seed: int) -> nn.LSTM:
    """A plain LSTM with the matrix that `layer` draws after this seed."""
    plain = nn.LSTM(layer.lstm.input_size, layer.lstm.hidden_size, batch_first=True, dtype=torch.float64)
    plain.load_state_dict(layer.lstm.state_dict())
    torch.manual_seed(seed)
    with torch.no_grad():
        plain.weight_hh_l0.copy_(nn.functional.dropout(layer.lstm.weight_hh_l0, layer.p))
    return plain


def test_all_time_steps_use_the_same_thinned_matrix():
    layer = WeightDropLSTM(3, 5, 0.5).double()
    vectors = torch.randn(2, 7, 3, dtype=torch.float64)
    plain = thinned_by_hand(layer, 11)
    torch.manual_seed(11)
    output, (_, cell) = layer(vectors)
    expected, (_, expected_cell) = plain(vectors)
    torch.testing.assert_close(output, expected)
    torch.testing.assert_close(cell, expected_cell)


def test_gradients_agree_with_finite_differences():
    layer = WeightDropLSTM(2, 3, 0.5).double()
    vectors = torch.randn(2, 5, 2, dtype=torch.float64, requires_grad=True)
    start = tuple(torch.randn(1, 2, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))

    def output(vectors, *rest):
        torch.manual_seed(13)  # the same mask for every difference
        weights = dict(zip(names, rest[2:], strict=True))
        return torch.func.functional_call(layer, weights, (vectors, rest[:2]))[0]

    names = list(dict(layer.named_parameters()))
    assert torch.autograd.gradcheck(output, (vectors, *start, *layer.parameters()))


def test_dropped_entries_get_no_gradient_and_kept_ones_do():
    layer = WeightDropLSTM(2, 7, 0.5).double()
    vectors, plain = torch.randn(2, 5, 2, dtype=torch.float64), thinned_by_hand(layer, 17)
    torch.manual_seed(17)
    layer(vectors)[0].square().sum().backward()
    gradient = layer.lstm.weight_hh_l0.grad
    assert gradient.ne(0).equal(plain.weight_hh_l0.ne(0))


@pytest.mark.parametrize(("p", "training"), [(0.5, False), (0.0, True)])
def test_eval_and_p_0_drop_nothing(p, training):
    vectors, ids = torch.randn(2, 7, 3), torch.tensor([[1, 2, 2, 0, 1]])
    layer = WeightDropLSTM(3, 5, p).train(training)
    assert layer(vectors)[0].equal(layer.lstm(vectors)[0])
    assert LockedDropout(p).train(training)(vectors).equal(vectors)
    table = WordDropEmbedding(3, 2, p).train(training)
    assert table(ids).equal(table.weight[ids])
