"""Chapter 5's reference solutions against the library and by hand."""

import random

import pytest
import torch

from course.check import registry
from course.lab.unfreezing import gradual
from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.models.ulmfit import concat_pool
from course_lib.text.vocabulary import Vocabulary
from course_lib.training.schedules import slanted_triangular


@pytest.fixture
def network():
    return AWDLSTM(AWDLSTMConfig(3, emb_dim=2, hidden=3, n_layers=2), Vocabulary(["<unk>", "a", "b"], unknown="<unk>"))


def test_the_triangle_is_the_library_s_wherever_it_is_legal():
    drawn, triangle = random.Random(0), registry.find("5.1").solution
    for _ in range(200):
        total, cut_frac = drawn.randint(1, 150), drawn.choice([0, 0.1, 0.999, drawn.random()])
        given = total, cut_frac, drawn.choice([1, 32, drawn.uniform(1, 99)])
        rates = [triangle(step, *given) for step in range(total + 3)]
        assert rates == [slanted_triangular(step, *given) for step in range(total + 3)], given
        assert min(rates) > 0


def test_rates_and_unfreezing_are_the_library_s_plan(network):
    plan, names = gradual(network, 7), [name for name, _ in network.layer_groups()]
    for n, stage in enumerate([one for one in plan.stages for _ in range(one.epochs)]):
        for step in (10 * n, 10 * n + 9):
            given = step, 70, 10, len(names), 1.0, 2.6, lambda step, total: 1.0
            rates = registry.find("5.7").solution(*given)[::-1]
            opened = {name: plan.rates(stage)[name] for name in stage.open}
            assert {name: rate for name, rate in zip(names, rates, strict=True) if rate} == pytest.approx(opened)


def test_a_batch_s_loss_is_that_of_its_texts_alone():
    encoder, head, pool = torch.nn.Embedding(9, 5), torch.nn.Linear(15, 3), concat_pool
    loss, texts = registry.find("5.8").solution, ([4, 7, 3, 8], [5])
    alone = [loss([text], [label], encoder, pool, head) for text, label in zip(texts, (2, 0), strict=True)]
    torch.testing.assert_close(loss([*texts], [2, 0], encoder, pool, head), sum(alone) / 2)
