"""Chapter 1's reference solutions against numbers computed by hand, and against PyTorch."""

import torch

from course.by_hand.skip_gram import SkipGram, pairs
from course.check import registry


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
