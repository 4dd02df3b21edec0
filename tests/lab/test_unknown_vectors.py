"""Unknown words in a table of vectors: one row for all, or a random vector of their own."""

import numpy as np
import pytest
import torch

from course.lab.unknown_vectors import UnknownVectors, own_vectors, type_key
from course_lib.models.encoder import UNKNOWN

WORDS = ["the", "bank", "paid", "running", "walking", "Kim", "배", "mud"]
DIM = 5
PASSAGE, QUESTION = ["the", "wug", "met", "Zoe", "wug"], ["Zoe", "paid", "blick"]


def table(unknown="own", **options):
    return UnknownVectors(WORDS, torch.randn(len(WORDS), DIM), unknown=unknown, **options)


def read(encoder, words=PASSAGE):
    return encoder.states(encoder.batch([words])).layers[0, 0].detach()


@pytest.mark.parametrize("unknown", ["unk", "own"])
def test_known_words_have_their_rows_and_only_rows_are_trained(unknown):
    encoder = table(unknown)
    assert read(encoder, ["배", "The", "bank"]).equal(encoder.embedding.weight[-len(WORDS) :][[6, 0, 1]])
    encoder.states(encoder.batch([["wug", "bank", "wug"]])).layers.sum().backward()
    moved = encoder.embedding.weight.grad.any(1).nonzero().flatten().tolist()
    assert moved == ([encoder.row("wug")] if unknown == "unk" else []) + [encoder.row("bank")]


def test_unknown_words_share_the_mean_of_the_table_or_have_a_vector_each_the_same_in_every_text():
    shared, encoder = table("unk"), table(std=1.0).eval()
    wug, zoe = read(shared)[[1, 3]]
    assert wug.equal(zoe)
    torch.testing.assert_close(wug, shared.embedding.weight[2:].mean(0).detach())
    _, wug, met, zoe, again = read(encoder)
    assert wug.equal(again)
    assert len({tuple(vector.tolist()) for vector in (wug, met, zoe)}) == 3
    assert read(table(std=1.0).eval(), QUESTION)[0].equal(zoe)  # whatever the table holds
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
    still = table(redraw=False)
    assert read(still.train()).equal(read(still.eval()))


def test_the_draw_follows_the_seed_of_torch_so_that_a_run_can_be_resumed():
    encoder = table().train()
    encoder.freeze()  # drawn all the same
    state = torch.get_rng_state()
    first, second = read(encoder.train()), read(encoder)
    assert not first.equal(second)
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


def test_an_extended_table_knows_more_words_and_changes_nothing_else():
    encoder, vectors = table("unk").eval(), torch.randn(3, DIM)
    encoder.embedding.weight.data[UNKNOWN] += 1  # trained
    larger = encoder.extended(["bank", "wug", "Zoe"], vectors)
    before, after = read(encoder), read(larger)
    assert after[[1, 3, 4]].equal(vectors[[1, 2, 1]])
    assert after[[0, 2]].equal(before[[0, 2]])
    others = ["bank", "blick", "jogging", "77"]
    assert read(larger, others).equal(read(encoder, others))
    assert not larger.training
    assert len(encoder.words) == len(WORDS)


def test_a_key_is_the_words_own_and_the_same_in_every_process():
    words = [f"{a}{b}" for a in "가나다abc" for b in range(1_000)]
    keys = {type_key(word) for word in words}
    assert len(keys) == len(words)
    assert 1 <= min(keys) <= max(keys) < 2**63
    assert type_key("Kim", seed=3) != type_key("Kim") == type_key("Kim", seed=0)
    assert type_key("배") == 8_968_153_828_578_149_000
    assert type_key("\ud83d") != type_key("\ude42")  # halves of a character have keys
