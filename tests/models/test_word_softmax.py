import math

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.models.word_softmax import word_softmax

DIM, VOCAB = 19, 23
KINDS = {
    "full": lambda: word_softmax("full", DIM, VOCAB),
    "sampled": lambda: word_softmax("sampled", DIM, VOCAB, n_samples=7).eval(),
    "adaptive": lambda: word_softmax("adaptive", DIM, VOCAB, cutoffs=(3, 11)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_log_probs_are_those_of_the_loss_and_sum_to_one(kind):
    softmax, states = KINDS[kind](), torch.randn(VOCAB, DIM)
    log_probs = softmax.log_probs(states)
    torch.testing.assert_close(log_probs.exp().sum(1), torch.ones(VOCAB))
    torch.testing.assert_close(softmax(states, torch.arange(VOCAB)), -log_probs.diagonal())


def test_full_equals_the_definition():
    softmax, states = KINDS["full"](), torch.randn(3, DIM)
    logits = states @ softmax.linear.weight.T + softmax.linear.bias
    expected = [-math.log(math.exp(row[2]) / sum(map(math.exp, row))) for row in logits.tolist()]
    torch.testing.assert_close(softmax(states, torch.full((3,), 2)), torch.tensor(expected))


def test_adaptive_equals_brute_force():
    softmax, states = KINDS["adaptive"](), torch.randn(2, DIM)
    head = (states @ softmax.groups.head.weight.T).softmax(1)  # words 0-2, then one sign per group
    expected = [head[:, word] for word in range(3)]
    for group, (first, last) in enumerate([(3, 11), (11, VOCAB)]):
        down, up = softmax.groups.tail[group]
        inside = ((states @ down.weight.T) @ up.weight.T).softmax(1)
        assert inside.shape[1] == last - first
        expected += [head[:, 3 + group] * inside[:, i] for i in range(last - first)]
    torch.testing.assert_close(softmax.log_probs(states).exp(), torch.stack(expected, dim=1))


def test_the_distribution_of_samples_is_the_one_they_are_corrected_by():
    softmax = word_softmax("sampled", DIM, VOCAB, n_samples=100_000)
    q = softmax.log_q(torch.arange(VOCAB)).exp()
    torch.testing.assert_close(q.sum(), torch.tensor(1.0))
    share = softmax.draw(torch.device("cpu")).bincount(minlength=VOCAB) / 100_000
    torch.testing.assert_close(share, q, rtol=0, atol=5e-3)  # 3 standard errors of a share of 0.2


def test_the_sampled_denominator_is_right_on_average():
    softmax, states, targets = word_softmax("sampled", DIM, VOCAB, n_samples=101), torch.randn(3, DIM), torch.arange(3)
    logits = softmax.linear(states)
    target = logits[range(3), targets]
    with torch.no_grad():
        drawn = torch.stack([(softmax(states, targets) + target).exp() for _ in range(1_000)])
    error = drawn.std(0) / math.sqrt(len(drawn))
    assert ((drawn.mean(0) - logits.exp().sum(1)).abs() < 4 * error).all()
    assert (error < 0.01 * drawn.mean(0)).all()  # fine enough to see a target counted twice: 1/23


def test_many_samples_give_the_full_loss_and_gradient():
    softmax, states, targets = (
        word_softmax("sampled", DIM, VOCAB, n_samples=200_000),
        torch.randn(3, DIM),
        torch.arange(3),
    )
    gradients = []
    for mode in (True, False):
        softmax.train(mode).zero_grad()
        loss = softmax(states, targets).mean()
        loss.backward()
        gradients.append((loss.detach(), softmax.linear.weight.grad.clone()))
    torch.testing.assert_close(gradients[0], gradients[1], rtol=0.01, atol=0.005)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"kind": "hierarchical"}, "full, adaptive, sampled"),
        ({"kind": "adaptive"}, r"cutoffs=\(\) for 23 words"),
        ({"kind": "adaptive", "cutoffs": (5, 5)}, "rising"),
        ({"kind": "adaptive", "cutoffs": (3, 5, 7)}, "3 rarer groups need 64 dimensions"),
        ({"kind": "adaptive", "cutoffs": (5, 23)}, "between 1 and 22"),
    ],
)
def test_what_cannot_work_is_named(arguments, says):
    with pytest.raises(CourseError, match=says):
        word_softmax(dim=DIM, vocab_size=VOCAB, **arguments)
