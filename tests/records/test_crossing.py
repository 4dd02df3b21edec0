"""The crossing of chapter 7: the same training as the reader's, a twin that sees one side, a table of means."""

import pytest
import torch

from course.by_hand.bert import Bert, pretrain
from course.records.crossing import BERT, PAD, TWIN, Crossing, LeftToRight, Material, Row, table, trainings
from course_lib.device import seed_everything


@pytest.fixture(scope="module")
def material():
    return Material("en")


def new(kind, material, seed=5):
    seed_everything(seed)
    return kind(len(material.tokens))


def test_it_trains_as_the_reader_does_and_asking_changes_nothing(material):
    theirs = new(Bert, material)
    pretrain(theirs, material.ids, 1, 5, steps=7)
    for points in ((), (3, 7)):
        model = new(Bert, material)
        for _ in trainings(model, material, points, 7):
            torch.rand(5)
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), theirs.parameters(), strict=True))


def test_the_twin_starts_alike_and_sees_its_own_side_only(material):
    model, twin = (new(kind, material).eval() for kind in (Bert, LeftToRight))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), twin.parameters(), strict=True))
    ids = material.ids[500:501]
    ids = ids[:, : int((ids != PAD).sum())]
    changed = ids.clone()
    changed[0, 4] = 9
    moved = (twin.states(ids) != twin.states(changed)).any(-1).any(0)[0].tolist()
    assert moved == [False] * 4 + [True] * (ids.shape[1] - 4)


def test_the_twin_is_asked_for_the_token_that_follows(material):
    logits, answers = material.asked(new(LeftToRight, material), torch.tensor([[2, 7, 8, 3, 0]]), None, None)
    assert answers.tolist() == [7, 8, 3]
    assert logits.shape == (3, len(material.tokens))


def test_new_sentences_are_in_no_training_row(material):
    known = {tuple(row) for row in material.ids[:, : material.new.shape[1]].tolist()}
    assert not known & {tuple(row) for row in material.new.tolist()}


def test_the_table_has_means_over_the_seeds():
    rows = [
        Row("en", kind, seed, steps, 2.0 + seed, 40.0 + 10 * seed, {"frozen, 20": f1 + seed} if steps == 150 else {})
        for kind, f1 in ((BERT, 50.0), (TWIN, 60.0))
        for seed in (0, 1, 2)
        for steps in (150, 250)
    ]
    lines = table(Crossing(tuple(rows), {}))
    assert lines[0] == "| steps | loss, nats | right, % | frozen, 20 labelled |"
    assert lines[2:] == ["| 150 | 3.00 / 3.00 | 50 / 50 | 51 / 61 |", "| 250 | 3.00 / 3.00 | 50 / 50 |  |"]
