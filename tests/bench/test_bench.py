"""bench.json: rows and latency are kept beside each other."""

import json
import math

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from course_lib.models.bert import BertConfig
from tests.bench.bert import SIDES, Setting, batches_of, figures, of_side
from tests.bench.measure import LSTM_FLOPS
from tests.bench.report import keep_latency, merge


def test_a_new_row_leaves_the_latency_and_a_new_latency_leaves_the_rows(tmp_path):
    path = tmp_path / "bench.json"
    keep_latency(path, {"bar_ms": 20, "rows": [{"widget": "a"}]})
    merge(path, [{"id": "x", "ours": 2}, {"id": "y", "ours": 3}])
    merge(path, [{"id": "x", "ours": 5}])
    keep_latency(path, {"bar_ms": 20, "rows": [{"widget": "b"}]})
    report = json.loads(path.read_text(encoding="utf-8"))
    assert report["rows"] == [{"id": "x", "ours": 5}, {"id": "y", "ours": 3}]
    assert report["latency"]["rows"] == [{"widget": "b"}]
    assert report["machine"]["cores"] >= 1


# -- BERT's sides do the same work: shown with a small network
SMALL = BertConfig(131, d_model=12, n_heads=3, n_layers=2, d_ff=17, max_units=23, dropout=0.0, attention_dropout=0.0)


def test_both_sides_have_the_same_loss_and_gradients():
    setting, found = Setting("", SMALL, steps=1, batch=3), []
    for side in SIDES[:2]:
        model, loss_of = of_side(side, setting)
        loss = loss_of(batches_of(setting, sort=False)[0])["loss"]
        loss.backward()
        found.append([loss.item(), max(float(p.grad.norm()) for p in model.parameters() if p.grad is not None)])
    assert found[0] == pytest.approx(found[1], rel=1e-4)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("mixed", [False, True])
def test_a_run_gives_finite_figures(side, mixed):
    found = figures(side, Setting("", SMALL, steps=2, batch=3, mixed=mixed))
    assert found["speed"] > 0
    assert found["peak_share"] > 0
    assert math.isfinite(found["loss"])


def test_an_lstm_s_products_count_as_those_of_its_cells():
    layer, cell = nn.LSTM(7, 5), nn.LSTMCell(7, 5)
    words, state = torch.randn(4, 3, 7, requires_grad=True), torch.zeros(3, 5, requires_grad=True)

    def word_by_word():
        before, states = (state, state), []
        for word in words:
            before = cell(word, before)
            states.append(before[0])
        return torch.stack(states)

    counts = []
    for run in (lambda: layer(words, (state[None], state[None]))[0], word_by_word):
        with FlopCounterMode(display=False, custom_mapping=LSTM_FLOPS) as counter:
            run().sum().backward()
        counts.append(counter.get_total_flops())
    assert counts == [3 * 2 * 4 * 3 * (7 + 5) * 4 * 5] * 2  # forward; backward for inputs and for weights


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")  # PyTorch's own compiler asks for it
@pytest.mark.parametrize("side", SIDES[:2])
def test_compiled_on_a_gpu(side):
    assert math.isfinite(figures(side, Setting("", SMALL, steps=2, batch=3, device="cuda"))["loss"])
