"""Text with one clue and with two: what it holds, which sentences ask for a sense, and how alike their vectors are."""

from collections import Counter

import numpy as np
import pytest

from course.lab.second_clue import SIDES, asked, clue_text, likeness, senses
from course.world import World


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


def test_states_that_know_the_sense_fall_into_two_blocks():
    first = {next(iter(by_sense)) for by_sense in senses().values()}
    same = np.kron(np.eye(2), np.ones((4, 4)))
    found = likeness(lambda part: np.array([[3.0, e.sense in first] for e in part]), "right")
    np.testing.assert_allclose(found, 2 * same - 1)
