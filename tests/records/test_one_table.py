"""The one table: its columns, its numbers, and what is kept of it."""

from dataclasses import replace

import numpy as np
import pytest

from course.records import one_table
from course.sources.handmade import handmade_questions
from course_lib.text.words import split_words
from tests.mistakes import mistakes

SMALL = {"n_seeds": 2, "steps": 3, "n_labels": 19, "n_test": 11}


@pytest.fixture
def table() -> one_table.Table:
    """Two systems, two columns, three seeds, with numbers that are easy to see again."""
    scores = np.array([[[50.0, 52, 57], [10, 10, 10]], [[70.0, 71, 72], [20, 30, 25]]])
    return one_table.Table(
        ("random", "BERT"), ("pair", "span"), scores, labels=(160, 160), tests=(77, 1234), data=("a", "b"),
        parameters=(7, 5_431_298), tokens=(0, 2_000_000), seconds=(0.25, 3.0), note="A note.",
    )  # fmt: skip


def test_markdown_shows_means_and_extremes(table):
    lines = table.to_markdown().splitlines()
    assert lines[2].endswith("| 53.0 (50.0 to 57.0) | 10.0 (10.0 to 10.0) | 7 | 0 | 0.2 |")
    assert lines[5] == "| *scored on* | 77 | 1,234 |  |  |  |"
    assert len({line.count("|") for line in lines[:6]}) == 1
    top = replace(table, scores=table.scores - 3, top=True)
    assert table.beside(top).splitlines()[-1] == "| BERT | 68.0 → 71.0 | 22.0 → 25.0 |"


def test_a_system_that_learned_words_beats_a_random_one_and_the_table_repeats():
    first, again = (one_table.one_table(["random", "skip-gram"], "tagging", n_seeds=1, steps=20) for _ in range(2))
    np.testing.assert_array_equal(first.scores, again.scores)
    assert first.scores[1, 0, 0] > first.scores[0, 0, 0] + 15
    assert first.parameters[1] == 2_000_200  # 20,000 words, one unknown and one padding row, 100 numbers each
    assert (first.labels, first.tests) == ((160,), (99,))


def test_all_columns_of_a_system_that_mixes_layers(monkeypatch):
    whole = one_table.column  # an encoder reads all that may be drawn: let it be little
    monkeypatch.setattr(one_table, "column", lambda name, source, _, n_test: whole(name, source, 23, n_test))
    table = one_table.one_table("ELMo", **SMALL)
    assert table.scores.shape == (1, 4, 2)
    assert ((table.scores >= 0) & (table.scores <= 100)).all()
    assert (table.labels, table.tests) == ((19,) * 4, (11,) * 4)
    top = one_table.one_table(["TagLM", "ELMo"], top=True, **SMALL)  # one checkpoint, at its top layer one row
    assert (top.scores[0] == top.scores[1]).all()
    assert (top.scores[1] != table.scores[0]).any()


test_unknown_names_and_numbers = mistakes(
    (lambda: one_table.one_table(["GPT-9"]), "systems GPT-9"),
    (lambda: one_table.one_table(columns=()), "columns none"),
    (lambda: one_table.one_table(steps=0), "steps=0"),
    (lambda: one_table.one_table(source="home"), "no 'home' data"),
)


def test_a_recorded_table_comes_back_with_its_origin(own_records):
    assert one_table.recorded_table() is None
    kept = one_table.record("random", columns="tagging", source="handmade", **SMALL)
    measured = one_table.one_table("random", "tagging", learning_rate=one_table.FULL["learning_rate"], **SMALL)
    np.testing.assert_allclose(kept.scores, measured.scores, atol=0.005)
    assert (kept.systems, kept.parameters, kept.note) == (measured.systems, measured.parameters, measured.note)
    assert {"command", "commit", "date", "device", "seconds"} <= kept.run.keys()


@pytest.mark.parametrize("name", ["pair", "span"])
def test_no_passage_is_learned_from_and_scored_on(name):
    task = one_table.column(name)
    learned, scored = (" ".join(p.text for p in handmade_questions("en", split)) for split in ("train", "test"))
    for records, own, other in ((task.train, learned, scored), (task.test, scored, learned)):
        for text in one_table.sides(records)[1]:
            assert text in own
            assert text not in other


@pytest.mark.parametrize("name", one_table.COLUMNS)
def test_all_records_are_short_and_the_draw_follows_the_seed(name):
    task = one_table.column(name, n_train=31, n_test=7)
    assert (len(task.train), len(task.test)) == (31, 7)
    firsts, seconds = one_table.sides([*one_table.column(name).train, *one_table.column(name).test])
    for pair in zip(firsts, seconds or [""] * len(firsts), strict=True):
        assert sum(len(split_words(side) if isinstance(side, str) else side) for side in pair) <= one_table.MOST_WORDS
    assert task.sample(5, 1) == task.sample(5, 1) != task.sample(5, 2)
