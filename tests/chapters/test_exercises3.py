"""Chapter 3's reference solutions against the library and by hand."""

import pytest
import torch
from torch import nn

from course.check import registry
from course_lib.models.crf import LinearChainCRF
from tests.models.test_crf import scores


@pytest.fixture
def crf():
    torch.manual_seed(3)
    field = LinearChainCRF(5)
    for parameter in field.parameters():
        torch.nn.init.normal_(parameter)
    return field


def parameters(crf):
    return crf.transitions.detach(), crf.start.detach(), crf.end.detach()


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
        listed = scores(crf, emissions)
        best, total = (registry.find(name).solution(emissions, *parameters(crf)) for name in ("3.4", "3.5"))
        assert best == list(max(listed, key=listed.get))
        assert best == crf.decode(emissions[None], torch.ones(1, 4, dtype=torch.bool))[0]
        torch.testing.assert_close(total, torch.tensor(list(listed.values())).logsumexp(0))


def test_a_loop_of_steps_is_an_lstm_over_a_padded_batch():
    lstm, x, real = nn.LSTM(3, 2), torch.randn(5, 2, 3), torch.arange(5)[:, None] < torch.tensor([5, 3])
    weights = lstm.weight_ih_l0, lstm.weight_hh_l0, lstm.bias_ih_l0 + lstm.bias_hh_l0
    h = c = torch.zeros(2, 2)
    for k in range(5):
        h, c = registry.find("3.7").solution(x[k], h, c, real[k], *weights)
    packed = nn.utils.rnn.pack_padded_sequence(x, [5, 3])
    torch.testing.assert_close((h[None], c[None]), lstm(packed)[1])


def test_states_of_a_batch_are_those_of_each_sentence_alone():
    exercise = registry.find("3.8")
    ids, real, *models = exercise.probes[-1].inputs
    for row, own, states in zip(ids, real, exercise.solution(ids, real, *models), strict=True):
        alone = exercise.solution(row[own][None], own[own][None], *models)[0]
        torch.testing.assert_close(states[: len(alone)], alone)
        assert not states[len(alone) :].any()
