"""bench.json: rows and latency are kept beside each other."""

import json
import math

import pytest

from course_lib.models.bert import BertConfig
from tests.bench.bert_gpu import SIDES, Setting, of_side, run
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


# -- The GPU row's two sides do the same work: shown on a CPU with a small network, on a GPU as it is measured
SMALL = BertConfig(
    vocab_size=131, d_model=12, n_heads=3, n_layers=2, d_ff=17, max_units=23, dropout=0.0, attention_dropout=0.0
)


def test_both_sides_have_the_same_loss_and_gradients():
    setting = Setting(SMALL, batch=3, device="cpu", steps=1)
    one = setting.batches()[0]
    found = []
    for side in SIDES[:2]:
        model, loss_of = of_side(side, setting)
        loss = loss_of(one)["loss"]
        loss.backward()
        norms = sorted(float(p.grad.norm()) for p in model.parameters() if p.grad is not None)
        found.append((loss.item(), norms))
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-5)
    assert found[0][1][-1] == pytest.approx(found[1][1][-1], rel=1e-4)


@pytest.mark.parametrize("side", SIDES)
def test_a_run_gives_finite_figures(side):
    figures = run(side, setting=Setting(SMALL, batch=3, device="cpu", compiled=False, steps=2))
    assert figures["speed"] > 0
    assert math.isfinite(figures["loss"])
    assert figures["peak_share"] > 0


@pytest.mark.gpu
@pytest.mark.parametrize("side", SIDES[:2])
def test_compiled_on_a_gpu(side):
    assert math.isfinite(run(side, setting=Setting(SMALL, batch=3, device="cuda", steps=2))["loss"])
