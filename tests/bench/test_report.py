"""bench.json: rows and latency are kept beside each other."""

import json

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
