"""Chapter 3's reference solutions against the library and by hand."""

import math

import pytest
import torch

from course.check import registry
from course_lib.models.crf import LinearChainCRF
from tests.chapters.wrong3 import listed


@pytest.fixture
def crf():
    torch.manual_seed(3)
    field = LinearChainCRF(5)
    for parameter in field.parameters():
        torch.nn.init.normal_(parameter)
    return field


def parameters(crf):
    return crf.transitions.detach(), crf.start.detach(), crf.end.detach()


def test_the_pairs_by_hand():
    forward, backward = registry.find("3.1").solution(["눈이", "내렸다"], "</s>")
    assert forward == [("</s>", "눈이"), ("눈이", "내렸다"), ("내렸다", "</s>")]
    assert backward == [("</s>", "내렸다"), ("내렸다", "눈이"), ("눈이", "</s>")]


def test_equal_probabilities_give_the_number_of_words():
    assert registry.find("3.2").solution([[-math.log(1024)] * 3, [-math.log(1024)]]) == pytest.approx((10, 1024))


def test_score_minus_log_partition_is_the_library_s_log_likelihood(crf):
    emissions, tags = torch.randn(2, 7, 5), torch.randint(5, (2, 7))
    mask = torch.arange(7) < torch.tensor([[3], [7]])
    score = registry.find("3.3").solution(emissions, *parameters(crf), tags, mask)
    total = [registry.find("3.5").solution(emissions[i, : mask[i].sum()], *parameters(crf)) for i in range(2)]
    likelihood = crf.log_likelihood(emissions, tags, mask).detach()
    torch.testing.assert_close(score - torch.stack(total), likelihood)


def test_viterbi_and_the_sum_over_all_paths_against_a_list_of_them(crf):
    for _ in range(5):
        emissions = torch.randn(4, 5)
        scores = listed(emissions, *parameters(crf))
        best, total = (registry.find(name).solution(emissions, *parameters(crf)) for name in ("3.4", "3.5"))
        assert best == list(max(scores, key=scores.get))
        assert best == crf.decode(emissions[None], torch.ones(1, 4, dtype=torch.bool))[0]
        torch.testing.assert_close(total, torch.tensor(list(scores.values())).logsumexp(0))


def test_padding_changes_nothing_in_attention():
    query, source, mask = torch.randn(2, 3), torch.randn(2, 5, 3), torch.arange(5) < torch.tensor([[2], [5]])
    attention_step = registry.find("3.6").solution
    weights, context = attention_step(query, source, mask)
    short_weights, short_context = attention_step(query[:1], source[:1, :2], mask[:1, :2])
    torch.testing.assert_close(weights[:1, :2], short_weights)
    torch.testing.assert_close(context[:1], short_context)
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(2))
    assert weights[0, 2:].tolist() == [0, 0, 0]
