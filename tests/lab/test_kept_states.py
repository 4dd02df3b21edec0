import numpy as np
import pytest
import torch

from course.lab.kept_states import KeptStates
from course_lib.data.records import Sentence
from course_lib.models.encoder import ContextEncoder, RandomEncoder
from tests.models.small_berts import small_bert

FIRSTS = ["a cat sees the dog", "where is it", "dogs bark", "who a b c"]
SECONDS = ["the dog is there today", "a cat", "it barks now", "d e f g h i"]


def scaled(rows: list[np.ndarray], spread: list[np.ndarray]) -> list[np.ndarray]:
    """[unit, dim] each: mean 0 per dimension and deviation 1 over all, as measured on `spread`."""
    every = np.concatenate(spread)
    deviation = (every - every.mean(0)).std(ddof=1)
    return [(row - every.mean(0)) / deviation for row in rows]


def halves(encoder: ContextEncoder, firsts: list[str], seconds: list[str]) -> list[np.ndarray]:
    """The top layer of pairs read in one pass: rows of the firsts, then rows of the seconds."""
    found = []
    for segment in (0, 1):
        for pair in zip(firsts, seconds, strict=True):
            batch = encoder.batch([pair[0]], [pair[1]])
            with torch.no_grad():
                found.append(encoder.states(batch).layers[-1][batch.mask & (batch.segment == segment)].numpy())
    return found


@pytest.mark.parametrize(
    ("chosen", "layers"),
    [({"layer": -1}, [[2]]), ({"layer": None}, [[0], [1], [2]]), ({"beside": (0, -1)}, [[0, 2]])],
    ids=["top", "all", "beside each other"],
)
@pytest.mark.parametrize("spread", [None, (FIRSTS, None)], ids=["as they are", "each on its own scale"])
def test_sentences_are_those_of_the_encoder(chosen, layers, spread):
    encoder = RandomEncoder(10, n_layers=2, seed=3)
    kept = KeptStates(encoder, **chosen, spread=spread)
    assert kept.layer_names == tuple(" beside ".join(encoder.layer_names[i] for i in row) for row in layers)
    for number, row in enumerate(layers):
        parts = [encoder.encode(SECONDS, layer=i) for i in row]
        if spread:
            parts = [scaled(part, encoder.encode(FIRSTS, layer=i)) for i, part in zip(row, parts, strict=True)]
        for ours, *references in zip(kept.encode(SECONDS, layer=number), *parts, strict=True):
            np.testing.assert_allclose(ours, np.hstack(references), atol=1e-5)


def test_the_sides_of_a_pair_come_from_one_pass():
    bert = small_bert(["cat", "dog", "the"]).eval()
    kept = KeptStates(bert, spread=(FIRSTS, SECONDS))
    expected = scaled(halves(bert, FIRSTS, SECONDS), halves(bert, FIRSTS, SECONDS))
    sides = kept.batch(FIRSTS, SECONDS).sides
    ours = [
        rows[mask][:, 0].numpy() for side in sides for rows, mask in zip(side.ids["vectors"], side.mask, strict=True)
    ]
    for row, reference in zip(ours, expected, strict=True):
        np.testing.assert_allclose(row, reference, atol=1e-4)
    other = kept.batch(FIRSTS, SECONDS[::-1]).sides[0]  # the same firsts beside other seconds
    assert not torch.allclose(other.ids["vectors"], sides[0].ids["vectors"], atol=1e-3)


@pytest.mark.parametrize("made", [(lambda: RandomEncoder(10), False), (lambda: small_bert(), True)])
def test_sides_that_an_encoder_reads_apart_do_not_depend_on_each_other(made):
    encoder, two_passes = made
    kept = KeptStates(encoder(), spread=(FIRSTS, SECONDS), two_passes=two_passes)
    one, other = (kept.batch(FIRSTS, seconds).sides[0].ids["vectors"] for seconds in (SECONDS, SECONDS[::-1]))
    assert one.equal(other)


@pytest.mark.parametrize("seconds", [None, SECONDS])
def test_nothing_is_read_twice_and_nothing_learns(seconds, monkeypatch):
    bert = small_bert()
    read = []
    states = bert.states
    monkeypatch.setattr(bert, "states", lambda batch: read.append(len(batch)) or states(batch))
    kept = KeptStates(bert, spread=(FIRSTS, seconds))
    encoding = kept.states(kept.batch([Sentence.of(text) for text in FIRSTS[:2]], seconds and seconds[:2]))
    assert sum(read) == len(FIRSTS)
    assert not encoding.layers.requires_grad
    assert list(kept.parameters()) == []
