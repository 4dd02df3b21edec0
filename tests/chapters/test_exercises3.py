"""Chapter 3's reference solutions against the library and by hand."""

import math

import pytest
import torch
from torch import nn

from course.chapters.ch03 import build
from course.check import check, play, registry, solution
from course_lib.language import speaking
from course_lib.models.crf import LinearChainCRF
from tests.check.test_build import keep
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


@pytest.mark.parametrize("reader", ["en", pytest.param("ko", marks=pytest.mark.slow)])
def test_the_build_proves_all(reader):
    with speaking(reader):
        assert solution("3.B").right


IN_ANOTHER_STYLE = {
    "3.2": """
def perplexity(log_probs):
    nats = -np.mean(np.concatenate([np.array(s) for s in log_probs]))
    return nats / np.log(2), np.exp(nats)
""",
    "3.7": """
def lstm_step(x, h, c, real, w_input, w_state, bias):
    new_h, new_c = [], []
    for row in range(len(x)):
        z = w_input @ x[row] + w_state @ h[row] + bias
        n = len(z) // 4
        cell = torch.sigmoid(z[n:2*n]) * c[row] + torch.sigmoid(z[:n]) * torch.tanh(z[2*n:3*n])
        new_c.append(cell if real[row] else c[row])
        new_h.append(torch.sigmoid(z[3*n:]) * torch.tanh(cell) if real[row] else h[row])
    return new_h, new_c
""",
    "3.8": """
def both_states(ids, real, forward, backward):
    lengths, turned = real.sum(1).tolist(), ids.clone()
    for row, n in enumerate(lengths):
        turned[row, :n] = ids[row, :n].flip(0)
    ahead, back = forward(ids, real), backward(turned, real)
    result = torch.zeros(len(ids), ids.shape[1] - 2, 2 * ahead.shape[2])
    for row, n in enumerate(lengths):
        result[row, : n - 2] = torch.cat([ahead[row, 1 : n - 1], back[row, :n].flip(0)[1 : n - 1]], 1)
    return result
""",
    "3.4": """
def viterbi(emissions, transitions, start, end):
    e, t = emissions.numpy(), transitions.numpy()
    best, paths = start.numpy() + e[0], [[tag] for tag in range(len(start))]
    for row in e[1:]:
        before = (best[:, None] + t).argmax(0)
        best, paths = (best[:, None] + t).max(0) + row, [paths[b] + [tag] for tag, b in enumerate(before)]
    return np.array(paths[(best + end.numpy()).argmax()])
""",
}


def test_the_build_runs_with_parts_in_another_style(monkeypatch):
    for name, steps in {"LM_STEPS": 1, "STEPS": 2}.items():
        monkeypatch.setattr(build, name, steps)
    for part, source in IN_ANOTHER_STYLE.items():
        keep(part, source)
    result = check("3.B")
    assert result.paragraphs[0].count("yours, of") == len(IN_ANOTHER_STYLE)
    assert result.paragraphs[1].splitlines()[1].startswith("✓ The last word")
    assert len(play("3.B").frames) == 2
