"""Chapter 6's reference solutions against the library and by hand."""

from itertools import pairwise

import pytest
import torch
from torch import nn

from course.by_hand.transformer import Translator, translate
from course.check import registry
from course_lib.models.attention import attend, causal_mask, padding_mask
from course_lib.models.transformer import sinusoidal_positions
from course_lib.text.byte_pairs import learn, merged
from course_lib.training.schedules import inverse_sqrt_warmup


def test_cross_attention_is_torch_s():
    theirs, (x, states) = nn.MultiheadAttention(6, 3, bias=False, batch_first=True), torch.randn(2, 2, 5, 6)
    x, real = x[:, :4], torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    matrices = [*theirs.in_proj_weight.detach().chunk(3), theirs.out_proj.weight.detach()]
    found = registry.find("6.8").solution(x, states, real, 3, *(matrix.T for matrix in matrices))
    expected = theirs(x, states, states, key_padding_mask=~real, average_attn_weights=False)
    torch.testing.assert_close(found, tuple(part.detach() for part in expected))


@pytest.mark.parametrize("real", [[True] * 3 + [False] * 2, [False] * 2 + [True] * 3])
def test_masked_weights_are_the_library_s_wherever_padding_stands(real):
    query, key = torch.randn(1, 5, 3), torch.randn(1, 5, 3)
    real = torch.tensor([real])
    found = registry.find("6.4").solution(query @ key.mT / 3**0.5, real)
    torch.testing.assert_close(found, attend(query, key, key, causal_mask(5) & padding_mask(real))[1])


@pytest.mark.parametrize(("n", "d_model"), [(11, 6), (3, 2), (5, 64)])
def test_positions_are_the_library_s(n, d_model):
    torch.testing.assert_close(registry.find("6.5").solution(n, d_model), sinusoidal_positions(n, d_model))


def test_merges_are_the_library_s():
    words = {"an": 8, "ban": 4, "banned": 3, "aaaa": 2}  # no pair shares the first place in three steps
    text, solution = {tuple(word): count for word, count in words.items()}, registry.find("6.6").solution
    for merge in learn(words, 3, word_end=""):
        after = {merged(pieces, merge.left, merge.right): count for pieces, count in text.items()}
        assert solution(text) == after
        text = after


def test_no_probe_of_the_merge_has_a_tie():
    """A tie would be decided by the order in which an answer counts."""
    for probe in registry.find("6.6").probes:
        (text,) = probe.inputs
        pairs = [pair for pieces, count in text.items() for pair in [*pairwise(pieces)] * count]
        first, second = sorted((pairs.count(pair) for pair in set(pairs)), reverse=True)[:2]
        assert first > second, probe.shows


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({("a", "a", "a"): 1}, {("aa", "a"): 1}),  # from the left
        ({("e", "s"): 3, ("we", "s"): 2}, {("es",): 3, ("we", "s"): 2}),  # whole pieces only
        ({("a", "b"): 3, ("b", "a"): 2}, {("ab",): 3, ("b", "a"): 2}),  # in this order only
    ],
)
def test_what_is_joined_by_hand(before, after):
    assert registry.find("6.6").solution(before) == after


def test_loss_and_words_are_those_of_the_chapter_s_translator():
    torch.manual_seed(5)  # of a model that closes some sentences, and others not
    model = Translator(7, dim=4, n_heads=2, n_layers=1)
    source, target = torch.tensor([[5, 4, 2, 0], [3, 6, 6, 2]]), torch.tensor([[1, 3, 6, 5, 2], [1, 4, 2, 0, 0]])
    loss = registry.find("6.9").solution([[5, 4], [3, 6, 6]], [[3, 6, 5], [4]], model)
    nats = -model(source, target[:, :-1]).log_softmax(-1).gather(2, target[:, 1:, None])[..., 0]
    torch.testing.assert_close(loss, nats[target[:, 1:] > 0].mean())
    source = torch.randint(3, 7, (50, 4))
    rows = translate(model, source, 9).tolist()
    assert 0 < sum(2 in row for row in rows) < 50
    found = registry.find("6.11").solution(source, model, 9)
    assert found == [row[: row.index(2)] if 2 in row else row for row in rows]


def test_the_rate_is_the_library_s():
    rates = [inverse_sqrt_warmup(step, d_model=11, warmup=7) for step in range(1, 30)]
    assert [registry.find("6.10").solution(step, 11, 7) for step in range(1, 30)] == pytest.approx(rates)
