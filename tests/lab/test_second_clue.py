"""Text with one clue and with two: what it holds, and that an untrained network tells nothing from it."""

from collections import Counter

import numpy as np
import pytest

from course.lab import second_clue
from course.lab.second_clue import SIDES, asked, clue_bilm, clue_text, likeness, new_clues, senses
from course_lib.data.world import World


@pytest.mark.parametrize("n_clues", [1, 2])
def test_each_sentence_holds_that_many_clues_of_one_sense_and_no_clue_twice(n_clues):
    clues = {clue: sense for by_sense in senses().values() for sense, all_of in by_sense.items() for clue in all_of}
    text = [" ".join(words) for words in clue_text(n_clues, 211, seed=3)]
    for sentence in text:
        found = [clue for clue in clues if clue in sentence]
        assert len(found) == n_clues
        (sense,) = {clues[clue] for clue in found}
        assert f" {sense.partition('.')[0]} " in sentence
    starts = Counter(sentence.startswith("After") for sentence in text)
    assert set(starts) == ({True, False} if n_clues == 1 else {True})


def test_the_words_are_the_worlds_and_clues_are_never_shared():
    for word, by_sense in senses().items():
        assert all(World().lexicon.cues["en"][sense] == clues for sense, clues in by_sense.items())
        assert len({clue for clues in by_sense.values() for clue in clues}) == 8, word


@pytest.mark.parametrize("side", SIDES)
def test_labelled_and_asked_sentences_share_no_clue(side):
    parts = [asked(side, "bank", half, n=2) for half in (slice(0, 2), slice(2, 4))]
    assert [len(part) for part in parts] == [8, 8]
    assert not {e.sentence.words for e in parts[0]} & {e.sentence.words for e in parts[1]}
    assert all(e.sentence.words[e.position] == "bank" for part in parts for e in part)


def test_states_that_know_the_sense_score_all_and_fall_into_two_blocks(monkeypatch):
    model = clue_bilm(2, steps=0)
    assert model.dims == (128,) * 3
    first = {next(iter(by_sense)) for by_sense in senses().values()}
    monkeypatch.setattr(second_clue, "vectors", lambda _, part: np.array([[3.0, e.sense in first] for e in part]))
    assert new_clues(model, "left") == 100
    same = np.kron(np.eye(2), np.ones((4, 4)))
    np.testing.assert_allclose(likeness(model, "right"), 2 * same - 1)
    monkeypatch.setattr(second_clue, "vectors", lambda _, part: np.ones((len(part), 2)))
    assert new_clues(model, "left") == 50
