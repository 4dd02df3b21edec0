"""The record of the swapped neighbours: what is trained, kept, gone on with and shown."""

from course.lab.swapped import Swapped
from course.records import swapped
from course.records.swapped import COUNTED, STORE, SYSTEMS, WAYS, Row, Table


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


def test_a_stopped_run_goes_on_and_measures_nothing_twice(own_records, monkeypatch):
    asked = []

    def counted(task, system, labels, seed, *, steps):
        asked.append((system, labels, seed))
        return 50 + seed

    monkeypatch.setattr(swapped, "accuracy", counted)
    monkeypatch.setattr(swapped, "Swapped", lambda: None)
    run = swapped.record(seeds=2, sizes=(7, 11), steps=1)
    for _ in range(len(SYSTEMS)):
        next(run)
    assert len(STORE.read().rows) == 5
    assert STORE.read().sizes == [11]  # the larger one has its first seed
    assert len(list(swapped.record(seeds=2, sizes=(7, 11), steps=1))) == 2 * 2 * len(SYSTEMS) - 5
    assert len(asked) == len(set(asked)) == 4 * len(SYSTEMS)
    assert STORE.read().scores(COUNTED) == {7: [50, 51], 11: [50, 51]}


def test_means_and_leads_by_hand():
    table = made(lambda system, n, seed: 50.0 + 10 * SYSTEMS.index(system) * (n == 800) + seed * (system == COUNTED))
    assert table.curves()[COUNTED] == [(200, 50.5, 50, 51), (800, 50.5, 50, 51)]
    lines = swapped.swapped_markdown(table).splitlines()
    assert len(lines) == 2 + len(SYSTEMS)
    assert "| words and pairs counted | 50.5 | 50.5 | +39.5 [33.1, 45.9] |" in lines  # t of one degree: 12.7 * 0.5
    assert lines[-1] == "| pre-trained, moved with care | 50.0 | 90.0 |  |"
    stopped = Table(table.rows[1:], {})
    assert stopped.sizes == [800]
    assert swapped.swapped_markdown(stopped).startswith("| accuracy in % | 800 labels | care")
