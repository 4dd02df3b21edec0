"""Load, not distance: the questions are what they say, and both networks can be asked all of them."""

import numpy as np
import pytest
import torch

from course.lab.recall import N_KEYS, Recall, answered, guessing, questions, trained


@pytest.mark.parametrize("load", [1, 7, N_KEYS])
def test_one_of_the_pairs_is_asked_for(load):
    batch = questions(301, load, torch.Generator().manual_seed(0))
    for keys, values, asked, answer, ago in zip(*(batch[name].tolist() for name in batch), strict=True):
        assert len(set(keys)) == load
        place = keys.index(asked)
        assert (values[place], load - 1 - place) == (answer, ago)
    assert set(batch["ago"].tolist()) == set(range(load))


@pytest.mark.parametrize("net", ["attention", "LSTM"])
def test_an_answer_hangs_on_the_pair_and_the_key_asked_for(net):
    torch.manual_seed(0)
    model = Recall(net, 12).eval()
    batch = questions(5, 3, torch.Generator().manual_seed(1))
    before = model(batch)
    turned = batch | {name: batch[name].flip(1) for name in ("keys", "values")}
    same = torch.allclose(model(turned), before, atol=1e-6)
    assert same == (net == "attention")  # it has no positions: the order of the pairs is nothing to it
    for name in ("values", "asked"):
        assert not torch.allclose(model(batch | {name: (batch[name] + 1) % 16}), before, atol=1e-6)


def test_both_get_the_same_questions_and_attention_learns_them():
    batch = questions(40_000, 5, torch.Generator().manual_seed(2))
    assert (batch["values"][:, 0] == batch["answer"]).float().mean() == pytest.approx(guessing(5), abs=0.01)
    model = trained("attention", 120, 1e-2, 0)
    assert answered(model, 4, -1)[0].mean() > 2 * guessing(4)
    np.testing.assert_array_equal(answered(model, 4, -1)[1], answered(Recall("LSTM"), 4, -1)[1])
