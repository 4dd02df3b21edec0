"""Occurrences of a word, pair by pair: numbers, order, findings, sizes, errors."""

import numpy as np

from course.widgets import occurrences
from course.widgets.sense_pairs import within_between
from tests.mistakes import mistakes

SENSES = ["river", "money", "river", "money", "money"]
SENTENCES = [f"the {n} bank of <b> {n}".split() for n in range(5)]
POSITIONS = [2] * 5


def tables():
    rows = np.array([[1, 0.1], [0, 1], [1, 0.3], [0.2, 1], [0.1, 1]])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return {"word alone": np.ones((5, 5)), "biLM": unit @ unit.T}


def made(**changes):
    return occurrences(
        **{"similarity": tables(), "sentences": SENTENCES, "positions": POSITIONS, "senses": SENSES} | changes
    )


def test_means_leave_an_occurrence_with_itself_out():
    table = np.array([[9, 2, 0], [4, 9, 1], [1, 0, 9]])
    assert within_between(table, ["a", "a", "b"]) == (3.0, 0.5)


def test_occurrences_are_ordered_by_sense_with_their_numbers():
    widget = made()
    assert widget.senses == ["river", "river", "money", "money", "money"]
    order = [0, 2, 1, 3, 4]
    assert widget.sentences == [SENTENCES[i] for i in order]
    np.testing.assert_allclose(widget.similarity(1), tables()["biLM"][np.ix_(order, order)], atol=0.0051)


def test_the_finding_says_one_word_or_two():
    widget = made()
    assert "Same sense 1.00, other sense 1.00: one word" in widget.finding()
    widget.system = 1
    same, other = within_between(widget.similarity(), widget.senses)
    assert f"Same sense {same:.2f}, other sense {other:.2f}" in widget.finding()
    assert widget.finding().endswith(": two words.")
    assert widget.finding()[:40] in widget.still()


def test_pairs_that_are_exactly_alike_are_counted_by_the_side_on_which_they_differ():
    """Not those that two digits show as 1.00; and only such a pair is shown as 1."""
    sentences = ["a bank x", "b bank x", "b bank y", "c bank z", "b bank x"]
    table = np.full((5, 5), 1 - 2e-6)
    for i, j in ((0, 1), (1, 2), (0, 4), (1, 4)):
        table[i, j] = table[j, i] = 1 - 1e-7  # as float32 gives it
    senses = ["river", "river", "river", "money", "money"]
    widget = made(similarity={"x": table}, sentences=[s.split() for s in sentences], positions=[1] * 5, senses=senses)
    assert widget.alike() == (4, 2, 1)  # the last pair is one sentence twice
    assert widget.finding().startswith("x: 4 of 10 pairs exactly alike; 2 differ only before “bank”, 1 only after it.")
    assert (widget.similarity() == 1).sum() == 8
    made_of_none = made(similarity={"x": np.full((5, 5), 0.5)})
    assert made_of_none.finding().startswith("x: none of 10 pairs of “bank” exactly alike. Same sense 0.50")


test_input_that_cannot_be_compared_is_named = mistakes(
    ({"positions": [2] * 4}, "4 positions"),
    ({"similarity": {"x": np.ones((4, 4))}}, r"\(4, 4\)"),
    ({"senses": ["one"] * 5}, "at least two senses"),
    ({"similarity": {"x": np.full((5, 5), np.nan)}}, "'x' holds a number that is not finite"),
    ({"positions": [2, 2, 2, 2, 6]}, "sentence 4 has 6 words, so no place 6"),
    of=lambda changes: made(**changes),
)
