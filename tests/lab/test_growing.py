import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from course.lab import growing
from course.lab.growing import cost, hours
from course_lib.models.bert import BertConfig, pretraining_loss
from course_lib.models.transformer import CHOICES
from tests.mistakes import mistakes
from tests.models.small_berts import small_bert, small_config


@pytest.mark.parametrize("norm", CHOICES["norm"])
def test_parameters_are_those_of_the_model(norm):
    bert = small_bert(norm=norm, d_model=15, n_layers=3, n_heads=5, d_ff=29)
    assert growing.parameters(bert.config) == sum(parameter.numel() for parameter in bert.parameters())


def test_bert_base_by_hand():
    found = cost(BertConfig.paper(), tokens=1e9, batch=7, length=512)
    # 23,837,184 of the embedding, 12 times 7,087,872, the pooler's 590,592, and 624,188 of the heads
    assert found.parameters == 110_106_428
    # 6 N = 6 * 12 * (4 * 768^2 + 2 * 768 * 3072); attention 3 * 4 * 12 * 512 * 768; output 6 * 0.15 * (768^2 + 768 V)
    assert found.flops_per_token == pytest.approx(509_607_936 + 56_623_104 + 21_627_648, rel=1e-6)
    assert found.flops == pytest.approx(1e9 * found.flops_per_token)
    assert found.weights == found.optimizer == 880_851_424
    assert found.memory == found.weights + found.optimizer + found.activations


def test_activations_are_the_published_formula(monkeypatch):
    """Korthikanti et al. 2022, equation 1: s b h (34 + 5 a s / h) bytes a layer, in 16 bits, with d_ff = 4 h."""
    monkeypatch.setattr(growing, "BYTES", 2)
    two, five = (BertConfig(vocab_size=1, d_model=21, n_heads=3, d_ff=84, n_layers=n) for n in (2, 5))
    length = 13
    layers = growing.activation_bytes(five, length) - growing.activation_bytes(two, length)
    assert layers == pytest.approx(3 * (34 * 21 + 5 * 3 * length))


@pytest.mark.parametrize("length", [16, 128])
def test_operations_are_those_that_torch_counts(length):
    """A forward and a backward pass, 15 % of the pieces asked for; the pooler is counted by torch alone."""
    n_rows, asked = 5, round(0.15 * 5 * length)
    bert = small_bert(d_model=60, n_heads=5, d_ff=210, n_layers=3, max_units=128)
    places = torch.randperm(n_rows * length)[:asked]
    ids = torch.randint(5, 50, (n_rows, length))
    answers = torch.randint(5, 50, (asked,))
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # fused kernels compute scores twice
        states = bert(ids).hidden_states[-1]  # of all places, as in the formula; `loss` spares some
        pretraining_loss(bert.logits(states, places // length, places % length), answers)["loss"].backward()
    expected = growing.flops_per_token(bert.config, length) * n_rows * length
    assert counter.get_total_flops() == pytest.approx(expected, rel=0.05)


def test_hours():
    found = cost(small_config(max_units=19), tokens=1e6, batch=2, length=19)
    assert hours(found, found.flops / 3600, 1.0) == pytest.approx(1.0)  # a device that needs an hour at its best
    assert hours(found, found.flops / 3600, 0.25) == pytest.approx(4.0)


SMALL = small_config(max_units=19)
test_what_cannot_be_is_named = mistakes(
    (lambda: cost(SMALL, 100, 2, 23), "length=23, but max_units=19"),
    (lambda: cost(SMALL, 100, 0, 19), "batch=0"),
    (lambda: hours(cost(SMALL, 100, 2, 19), 1e12, 1.5), r"share=1\.5"),
)
