"""Chapter 6's reference solutions against the library and by hand."""

from itertools import pairwise

import pytest
import torch

from course.check import registry
from course_lib.evaluation import bleu
from course_lib.models.attention import MultiHeadAttention, attend, causal_mask, padding_mask
from course_lib.models.transformer import sinusoidal_positions
from course_lib.text.byte_pairs import learn, merged


def test_one_query_is_a_row_of_attention():
    query, keys, values = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    solution = registry.find("6.1").solution
    rows = torch.stack([solution(row, keys, values) for row in query])
    torch.testing.assert_close(rows, attend(query, keys, values)[0])


@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_the_jacobian_is_autograd_s_and_its_rows_sum_to_0(shift):
    scores = torch.randn(7) + shift
    found = registry.find("6.2").solution(scores)
    torch.testing.assert_close(found, torch.autograd.functional.jacobian(lambda z: z.softmax(0), scores))
    torch.testing.assert_close(found.sum(1), torch.zeros(7))


def test_heads_read_as_in_the_library():
    attention, states = MultiHeadAttention(d_model=6, n_heads=3).eval(), torch.randn(2, 5, 6)
    expected, weights = attention(states), attention.weights(states)
    read = registry.find("6.3").solution(attention.value(states), weights)
    torch.testing.assert_close(attention.output(read), expected)


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


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("the snow is making even short trips more difficult", "the snow makes even short trips more difficult today"),
        ("a b c d e a b c d", "a b c d f"),
        ("a b c d", "a b d c"),
        ("a b c d", "a b c d e"),
    ],
)
def test_the_score_is_the_library_s_for_one_sentence(hypothesis, reference):
    found = registry.find("6.7").solution(hypothesis.split(), reference.split(), 4)
    assert 100 * found == pytest.approx(bleu([hypothesis], [reference]))


def test_the_paper_s_example():
    solution = registry.find("6.7").solution
    assert solution(["the"] * 7, ["the", "cat", "is", "on", "the", "mat"], 1) == pytest.approx(2 / 7)
