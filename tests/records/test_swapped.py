"""The record of the swapped neighbours: what is trained and shown."""

from course.lab.swapped import Swapped
from course.records import swapped
from course.records.swapped import COUNTED, SYSTEMS, WAYS, Row, Table


def made(accuracies, seeds=2):
    rows = [
        Row(system, n, seed, accuracies(system, n, seed))
        for system in SYSTEMS
        for n in (200, 800)
        for seed in range(seeds)
    ]
    return Table(tuple(rows), {"date": "today"})


def test_every_way_trains_what_it_says(monkeypatch):
    asked = {}

    def seen(lm, head, ids, real, labels, **settings):
        asked[name] = (len(lm.layers), len(ids), settings)
        assert all(p.requires_grad for p in lm.parameters()) == (len(lm.layers) == 4)
        return []

    monkeypatch.setattr(swapped, "fine_tune", seen)
    task = Swapped()
    for name in WAYS:
        assert 0 <= swapped.accuracy(task, name, 17, 3, steps=2, part="dev") <= 100
    assert [layers for layers, _, _ in asked.values()] == [4, 0, 4, 4]
    assert {n for _, n, _ in asked.values()} == {17}
    scratch, _, moved, care = (settings for _, _, settings in asked.values())
    assert scratch == moved
    assert (care["factor"], care["gradual"]) == (2.6, True)
    assert not any(way.gradual or way.factor != 1 for name, way in WAYS.items() if name != SYSTEMS[-1])


def test_means_and_leads_by_hand():
    table = made(lambda system, n, seed: 50.0 + 10 * SYSTEMS.index(system) * (n == 800) + seed * (system == COUNTED))
    assert table.curves()[COUNTED] == [(200, 50.5, 50, 51), (800, 50.5, 50, 51)]
    lines = swapped.swapped_markdown(table).splitlines()
    assert len(lines) == 2 + len(SYSTEMS)
    assert "| words and pairs counted | 50.5 | 50.5 | +39.5 [33.1, 45.9] |" in lines  # t of one degree: 12.7 * 0.5
    assert lines[-1] == "| pre-trained, moved with care | 50.0 | 90.0 |  |"
