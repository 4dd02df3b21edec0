"""Chapter 1's reference solutions against numbers computed by hand, and against PyTorch."""

import pytest
import torch

from course.by_hand.skip_gram import SkipGram, pairs
from course.check import registry
from course.check.judge import judge


def test_subsampling_drops_97_of_100():
    """Computed by hand: 1 - sqrt(0.0001 / 0.1) = 1 - sqrt(0.001) = 0.9684 is what is dropped, not kept."""
    dropped = registry.find("1.3").solution({"the": 100_000, "other": 900_000}, 1e-4)
    assert dropped["the"] == pytest.approx(0.9684, abs=5e-5)


def test_negatives_by_hand():
    """16 ** 0.75 = 8 and 1 ** 0.75 = 1."""
    assert registry.find("1.2").solution({"a": 16, "b": 1}, 0.75) == pytest.approx({"a": 8 / 9, "b": 1 / 9})


def test_pairs_of_a_sentence_that_lost_no_word_are_those_of_the_chapter():
    words = list("abcadeb")
    assert registry.find("1.8").solution(words, [True] * 7, [2] * 7) == pairs(words, 2)


def test_a_step_by_hand_is_a_step_of_pytorch_s_sgd():
    model, n_pairs = SkipGram(11, 5), 13
    torch.nn.init.normal_(model.u.weight)
    ids = torch.randint(11, (n_pairs,)), torch.randint(11, (n_pairs,)), torch.randint(11, (n_pairs, 3))  # words repeat
    tables = model.v.weight.detach().clone(), model.u.weight.detach().clone()
    moved = registry.find("1.10").solution(*tables, registry.find("1.9").solution, *ids, 0.3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    (n_pairs * model(*ids)).backward()  # the sum over the pairs
    optimizer.step()
    torch.testing.assert_close(moved, (model.v.weight.detach(), model.u.weight.detach()))


def test_answers_in_another_style_are_right():
    def gradients(v, u):
        """NumPy, one question after the other, lists."""
        v, u = v.double().numpy(), u.double().numpy()
        to_v, to_u = 0 * v, 0 * u
        for p in range(len(v)):
            for k in range(u.shape[1]):
                error = 1 / (1 + float(torch.tensor(-v[p] @ u[p, k]).exp())) - (k == 0)
                to_v[p] += error * u[p, k]
                to_u[p, k] = error * v[p]
        return [to_v.tolist(), to_u.tolist()]

    def step(inputs, outputs, gradients, centre, context, negatives, rate):
        moved = [inputs.clone(), outputs.clone()]
        for c, o, drawn in zip(centre.tolist(), context.tolist(), negatives.tolist(), strict=True):
            asked = [o, *drawn]
            to_v, to_u = gradients(inputs[[c]], outputs[asked][None])
            moved[0][c] -= rate * to_v[0]
            for i, row in zip(asked, to_u[0], strict=True):
                moved[1][i] -= rate * row
        return moved

    assert judge(registry.find("1.9"), gradients).right
    assert judge(registry.find("1.10"), step).right
