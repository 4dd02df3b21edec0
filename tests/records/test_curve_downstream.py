"""The cell of the checkpoints' table, against means by hand."""

import pytest

from course.records.curve_page import NO_CURVE, NOT_RECORDED, downstream
from course.records.curve_record import ALL, Cell, Curves
from course.records.curve_tasks import TASKS

TASK = {"metric": "accuracy in %", "n_test": 17, "baseline": "bag of words"}


def cells(task, system, n_labels, *scores, labels=None):
    return [Cell(task, system, labels or n_labels, seed, n_labels, 3, s, 1.0) for seed, s in enumerate(scores)]


def curves(*groups):
    found = tuple(cell for group in groups for cell in group)
    return Curves({cell.task: TASK for cell in found}, ({"date": "2026-01-02"},), found)


def test_the_largest_count_that_both_starts_have():
    found = curves(
        cells("rte", "bert", 100, 51.0),
        cells("rte", "bert", 500, 60.0, 62.0, 67.0),
        cells("rte", "bert", 2_039, 90.0, labels=ALL),  # its other half is not measured yet
        cells("rte", "bert-scratch", 100, 49.0),
        cells("rte", "bert-scratch", 500, 50.0, 53.0),  # the third seed neither
        cells("sst2", "bert", 20_000, 80.0, labels=ALL),
        cells("sst2", "bert-scratch", 20_000, 70.5, labels=ALL),
        cells("sst2", "baseline", 20_000, 99.0, labels=ALL),
    )
    assert downstream("bert-en", found) == (
        f"{TASKS['sst2'].title}: 80.0 / 70.5 accuracy in % (20,000 labels, 1 seed); "
        "RTE, entailment: 61.0 / 51.5 accuracy in % (500 labels, 2 seeds)"
    )


def test_each_checkpoint_has_its_own_systems():
    both = [
        cells("sst2", system, 100, score)
        for system, score in (("bert", 11.0), ("bert-scratch", 13.0), ("awd-target", 17.0), ("awd-scratch", 19.0))
    ]
    found = curves(*both, cells("sst2", "awd-general", 100, 23.0))
    assert downstream("awd-lstm-en", found).endswith(": 17.0 / 19.0 accuracy in % (100 labels, 1 seed)")
    assert downstream("bert-en", found).endswith(": 11.0 / 13.0 accuracy in % (100 labels, 1 seed)")
    assert downstream("bert-ko", found) == NOT_RECORDED


@pytest.mark.parametrize(("checkpoint", "expected"), [("bert-en", NOT_RECORDED), ("skipgram-en", NO_CURVE)])
def test_no_record(checkpoint, expected):
    assert downstream(checkpoint, Curves()) == expected
    alone = curves(cells("rte", "bert", 100, 50.0, 51.0))
    seeds_apart = curves(cells("rte", "bert", 100, 50.0), cells("rte", "bert-scratch", 100, 50.0, 51.0)[1:])
    assert downstream(checkpoint, alone) == downstream(checkpoint, seeds_apart) == expected
