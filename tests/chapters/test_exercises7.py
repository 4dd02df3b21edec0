"""Chapter 7's reference solutions against the library and by hand."""

from itertools import pairwise

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course.by_hand.transformer import Block
from course.check import registry
from course_lib.data.masking import Masking
from course_lib.models.bert import Bert, BertConfig, pretraining_loss
from course_lib.text.word_pieces import SPECIALS, WordPieces

DOCUMENTS = [["a", "b", "c"], ["d", "b"], ["e"], ["f", "g", "h", "i"]]


@pytest.fixture
def bert():
    config = BertConfig(8, d_model=6, n_heads=2, n_layers=2, d_ff=7, max_units=11)
    return Bert(config, WordPieces([*SPECIALS, "un", "fair", "play"])).eval().double()


def test_the_masked_batch_is_the_library_s():
    ids = torch.randint(53, (7, 31), generator=torch.Generator().manual_seed(3))
    masked = Masking(53, 4, range(5))(ids, torch.ones_like(ids, dtype=torch.bool), torch.Generator().manual_seed(5))
    dice = torch.Generator().manual_seed(5)
    choose, fate = torch.rand(ids.shape, generator=dice), torch.rand(ids.shape, generator=dice)
    draw = (torch.randint(48, ids.shape, generator=dice) + 0.5) / 48
    read, labels = registry.find("7.1").solution(ids, choose, fate, draw, 53)
    assert torch.equal(read, masked.ids)
    assert torch.equal((labels != -100).nonzero(), torch.stack([masked.rows, masked.columns], dim=1))
    assert torch.equal(labels[masked.rows, masked.columns], masked.answers)
    replaced = masked.corrupted & (read != 4) & (read != ids)
    assert replaced.any()  # else the draws were not compared
    assert (masked.corrupted & (read == ids)).any()


def test_the_loss_is_the_library_s_and_that_of_torch():
    states, table, bias = torch.randn(3, 5, 2), torch.randn(7, 2), torch.randn(7)
    labels = torch.tensor([[-100, 4, 0, -100, 6], [-100] * 5, [-100, -100, 0, -100, -100]])
    found = registry.find("7.5").solution(states, labels, table, bias)
    rows, columns = (labels != -100).nonzero(as_tuple=True)
    logits = F.linear(states, table, bias)
    torch.testing.assert_close(found, pretraining_loss(logits[rows, columns], labels[rows, columns])["loss"])
    torch.testing.assert_close(found, F.cross_entropy(logits.flatten(0, 1), labels.flatten()))


@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_state_depends_on_the_pieces_that_get_a_gradient(bidirectional):
    vectors, lstm = nn.Embedding(11, 3).double(), nn.LSTM(3, 2, bidirectional=bidirectional).double()
    ids = torch.tensor([4, 10, 0, 7, 4])
    found = registry.find("7.6").solution(lambda row: lstm(vectors(row))[0].detach(), ids, 11)
    read = vectors(ids).detach().requires_grad_()
    gradients = [torch.autograd.grad(state.sum(), read, retain_graph=True)[0] for state in lstm(read)[0]]
    assert torch.equal(found, torch.stack(gradients).ne(0).any(-1))
    assert torch.equal(found, torch.ones(5, 5).bool() if bidirectional else torch.ones(5, 5).tril().bool())


def test_in_bert_every_state_depends_on_every_piece(bert):
    """Its last norm makes all sums of states equal: who compares sums finds nothing."""
    ids = torch.tensor([2, 7, 5, 6, 3])
    assert registry.find("7.6").solution(lambda row: bert(row[None]).hidden_states[-1][0].detach(), ids, 8).all()


def test_firsts_are_all_that_have_a_neighbour_and_true_seconds_those():
    pairs = registry.find("7.7").solution(DOCUMENTS, [0.0] * 9, [0.5] * 9)
    assert pairs == [(first, second, True) for document in DOCUMENTS for first, second in pairwise(document)]


def test_all_negatives_and_no_others_are_drawn():
    """Brute force over the draws."""
    every = [registry.find("7.7").solution(DOCUMENTS, [0.9] * 9, [i / 97] * 9) for i in range(97)]
    follows = [(own, pair) for own, document in enumerate(DOCUMENTS) for pair in pairwise(document)]
    for number, (own, (first, true)) in enumerate(follows):
        found = {pairs[number] for pairs in every}
        others = {s for document in DOCUMENTS if document is not DOCUMENTS[own] for s in document}
        assert found == {(first, second, False) for second in others - {true}}


def test_the_block_is_that_of_the_chapter_with_the_norm_after_the_sum():
    block = Block(8, 2, 12, pre_norm=False, activation=nn.GELU, eps=1e-12)
    linear = [*(getattr(block.attention, name) for name in ("query", "key", "value", "output"))]
    linear += [block.feed_forward[0], block.feed_forward[2]]
    for layer in linear:
        nn.init.zeros_(layer.bias)
    real = torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]).bool()
    x = torch.randn(2, 5, 8)
    found = registry.find("7.8").solution(x, real, 2, *(layer.weight.detach().T for layer in linear))
    torch.testing.assert_close(found, block(x, real[:, None, None]).detach())


def test_a_step_s_loss_is_that_of_the_parts_before_it(bert):
    sentences, dice = [[5, 6, 7], [7], [6, 5]], torch.Generator().manual_seed(8)
    ids = torch.tensor([[2, 5, 6, 7, 3], [2, 7, 3, 0, 0], [2, 6, 5, 3, 0]])
    read, labels = registry.find("7.1").solution(ids, *torch.rand(3, *ids.shape, generator=dice) ** 2, 8)
    assert (labels != -100).sum() == 2
    table, bias = bert.embedding.tokens.weight.detach(), torch.randn(8).double()
    seen = []

    def network(read, real):
        seen.append((read, real))
        return torch.arange(read.numel() * 6).reshape(*read.shape, 6).double().sin()

    found = registry.find("7.9").solution(sentences, lambda rows: (read, labels), network, table, bias)
    expected = registry.find("7.5").solution(network(read, ids != 0), labels, table, bias)
    torch.testing.assert_close(found, expected)
    assert torch.equal(seen[0][0], read)
    assert torch.equal(seen[0][1], ids != 0)
