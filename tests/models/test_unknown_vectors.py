"""Unknown words in a table of vectors: one row for all, one per class, or a random vector of their own."""

import numpy as np
import pytest
import torch

from course_lib.models.shipped import load
from course_lib.models.unknown_vectors import UnknownVectors, own_vectors
from course_lib.text.unknown_words import type_key
from tests.mistakes import mistakes

WORDS = ["the", "bank", "paid", "running", "walking", "Kim", "배", "mud"]
DIM = 5
PASSAGE, QUESTION = ["the", "wug", "met", "Zoe", "wug"], ["Zoe", "paid", "blick"]


def table(unknown="own", **options):
    return UnknownVectors(WORDS, torch.randn(len(WORDS), DIM), unknown=unknown, **options)


def read(encoder, words=PASSAGE):
    return encoder.states(encoder.batch([words])).layers[0, 0].detach()


@pytest.mark.parametrize("unknown", ["unk", "classes", "own"])
def test_known_words_have_their_rows_and_fall_back_to_lower_case(unknown):
    encoder = table(unknown)
    assert read(encoder, ["배", "The", "bank"]).equal(encoder.embedding.weight[-len(WORDS) :][[6, 0, 1]])


def test_all_unknown_words_or_those_of_a_class_share_one_vector_the_mean_of_its_words():
    encoder = table("unk")
    wug, zoe = read(encoder)[[1, 3]]
    assert wug.equal(zoe)
    torch.testing.assert_close(wug, encoder.embedding.weight[2:].mean(0).detach())
    encoder = table("classes").eval()
    jogging, blicking, wug, blick, number = read(encoder, ["jogging", "blicking", "wug", "blick", "77"])
    vectors = encoder.embedding.weight[-len(WORDS) :].detach()
    assert jogging.equal(blicking)
    assert wug.equal(blick)
    torch.testing.assert_close(jogging, vectors[[3, 4]].mean(0))
    torch.testing.assert_close(wug, vectors[[0, 1, 2, 7]].mean(0))
    torch.testing.assert_close(number, vectors.mean(0))  # no number in the table


@pytest.mark.parametrize(("unknown", "trained"), [("unk", True), ("classes", True), ("own", False)])
def test_rows_of_unknown_words_are_trained_own_vectors_are_not(unknown, trained):
    encoder = table(unknown)
    batch = encoder.batch([["wug", "bank", "wug"]])
    encoder.states(batch).layers.sum().backward()
    moved = encoder.embedding.weight.grad.any(1).nonzero().flatten().tolist()
    known = encoder.row("bank")
    assert moved == ([encoder.row("wug"), known] if trained else [known])


def test_own_vectors_differ_between_types_and_are_the_same_in_every_text():
    encoder = table(std=1.0).eval()
    _, wug, met, zoe, again = read(encoder)
    assert wug.equal(again)
    assert len({tuple(vector.tolist()) for vector in (wug, met, zoe)}) == 3
    assert read(encoder, QUESTION)[0].equal(zoe)
    assert read(table(std=1.0).eval(), ["Zoe"])[0].equal(zoe)  # whatever the table holds
    assert not read(table(std=1.0, seed=3).eval(), ["Zoe"])[0].equal(zoe)


def test_in_training_own_vectors_are_drawn_anew_for_each_batch_and_agree_within_a_pair():
    encoder = table().train()
    batch = encoder.batch([PASSAGE, ["blick", "Zoe"]], [QUESTION, ["the"]])
    first, second = encoder.states(batch).layers[0], encoder.states(batch).layers[0]
    n = len(PASSAGE)
    for layer in (first, second):
        assert layer[0, 3].equal(layer[0, n])  # Zoe in passage and question
        assert layer[0, 1].equal(layer[0, 4])  # wug
        assert layer[1, 1].equal(layer[0, 3])  # Zoe in another row
        assert not layer[0, 1].equal(layer[0, 3])
    changed = (first != second).any(-1).tolist()
    assert changed == [
        [False, True, True, True, True, True, False, True],  # "the" and "paid" are in the table
        [True, True, False, *[False] * 5],
    ]


def test_without_redraw_training_and_eval_agree():
    encoder = table(redraw=False)
    assert read(encoder.train()).equal(read(encoder.eval()))
    redrawn = table()
    assert not read(redrawn.train()).equal(read(redrawn.eval()))
    redrawn.freeze()  # redrawn all the same
    assert not read(redrawn.train()).equal(read(redrawn))


def test_the_draw_follows_the_seed_of_torch_so_that_a_run_can_be_resumed():
    encoder = table().train()
    state = torch.get_rng_state()
    first, second = read(encoder), read(encoder)
    torch.set_rng_state(state)
    assert read(encoder).equal(first)
    assert read(encoder).equal(second)


def test_own_vectors_are_normal_with_the_spread_of_the_table():
    drawn = own_vectors(torch.tensor([type_key(f"w{i}") for i in range(499)]), 101, draw=7)
    assert abs(float(drawn.mean())) < 0.02  # 50,399 numbers: standard error 0.0045
    assert abs(float(drawn.std()) - 1) < 0.02
    correlations = np.corrcoef(drawn.numpy()) - np.eye(499)
    assert np.abs(correlations).max() < 0.6  # of 124,251 pairs; standard error 0.1
    encoder = UnknownVectors(["a", "b"], torch.tensor([[3.0, -3.0], [3.0, 3.0]])).eval()
    assert encoder.std == 3
    key = torch.tensor([type_key("wug")])
    torch.testing.assert_close(read(encoder, ["wug"]), 3 * own_vectors(key, 2, draw=0))


@pytest.mark.parametrize("unknown", ["unk", "classes"])
def test_an_extended_table_knows_more_words_and_changes_nothing_else(unknown):
    encoder, vectors = table(unknown).eval(), torch.randn(3, DIM)
    encoder.embedding.weight.data[1 : encoder.first_word] += 1  # rows of unknown words, trained
    larger = encoder.extended(["bank", "wug", "Zoe"], vectors)
    before, after = read(encoder), read(larger)
    assert after[[1, 3, 4]].equal(vectors[[1, 2, 1]])
    assert after[[0, 2]].equal(before[[0, 2]])
    others = ["bank", "blick", "jogging", "77"]
    assert read(larger, others).equal(read(encoder, others))
    assert not larger.training
    assert len(encoder.words) == len(WORDS)


def test_saved_and_loaded_unknown_words_read_the_same(tmp_path):
    encoder = table(seed=3, redraw=False, std=2.0).eval()  # the other two: the battery
    encoder.save(tmp_path / "saved")
    again = load(tmp_path / "saved")
    assert read(again).equal(read(encoder))
    assert again._config() == encoder._config()


test_bad_tables_are_named = mistakes(
    (lambda: table("mean"), "'mean'. Use one of: unk, classes, own"),
    (lambda: UnknownVectors(["a"], torch.zeros(2, 3)), r"1 words and vectors of shape \(2, 3\)"),
)
