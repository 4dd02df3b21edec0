"""The mix of layers: products, score and map of every mix equal those of the mixed vectors; findings; errors."""

import numpy as np
import pytest
import torch

from course.widgets import scalar_mix
from course.widgets.sense_mix import grams, map_places, mixed_gram, sense_accuracy, softmax
from course_lib.errors import CourseError
from course_lib.models.elmo import ScalarMix
from tests.mistakes import mistakes

N, DIM = 11, 14
SENSES = ["one"] * 5 + ["two"] * 6
SENTENCES = [f"the bank number {n} <b>".split() for n in range(N)]


def layers(seed=0):
    rng = np.random.default_rng(seed)
    centres = 2 * rng.normal(size=(2, DIM))
    tops = np.stack([centres[int(sense == "two")] + rng.normal(size=DIM) for sense in SENSES])
    return {"token": np.repeat(rng.normal(size=(1, DIM)), N, 0), "layer 1": rng.normal(size=(N, DIM)), "layer 2": tops}


def made(**changes):
    given = {"layers": layers(), "sentences": SENTENCES, "positions": [1] * N, "senses": SENSES}
    return scalar_mix(**(given | changes))


@pytest.mark.parametrize("raw", [[0, 0, 0], [1.5, -2, 0.3], [-4, -4, 4]])
def test_the_mixed_gram_is_that_of_the_mixed_vectors(raw):
    table = np.stack(list(layers().values()))
    mix = ScalarMix(3)
    with torch.no_grad():
        mix.raw.copy_(torch.tensor(raw, dtype=torch.float32))
        vectors = mix(torch.tensor(table, dtype=torch.float32)[:, None], None)[0].double().numpy()
    found = mixed_gram(grams(table), softmax(raw))
    np.testing.assert_allclose(found, vectors @ vectors.T, rtol=1e-4, atol=1e-4)


def test_what_is_shipped_gives_back_all_products():
    widget = made()
    np.testing.assert_array_equal(widget.grams, grams(np.stack(list(layers().values()))))


def test_sense_accuracy_is_balanced_and_one_vector_for_all_gives_chance():
    senses = ["a"] * 9 + ["b"] * 2
    assert sense_accuracy(np.ones((11, 11)), senses) == 0.5
    places = np.array([[0.0], [0.1], [0.25], [5.0], [5.1]])
    assert sense_accuracy(places @ places.T, ["a", "a", "a", "b", "b"]) == 1.0
    assert sense_accuracy(places @ places.T, ["a", "a", "b", "b", "b"]) == pytest.approx(5 / 6)


def test_a_typed_sentence_comes_with_its_products_and_another_with_a_reason():
    tables, rng = np.stack(list(layers().values())), np.random.default_rng(5)
    vectors = rng.normal(size=(3, DIM))

    def read(text):
        if "bank" not in text:
            raise CourseError("no such word")
        return text.split(), 1, vectors

    widget = made(read=read)
    widget.typed = "a bank"
    weights = [0.2, 0.5, 0.3]
    mixed, mine = np.tensordot(weights, tables, 1), np.tensordot(weights, vectors, 1)
    pairs = [(a, b, x * y) for a, x in enumerate(weights) for b, y in enumerate(weights)]
    np.testing.assert_allclose(sum(f * np.array(widget.own["cross"][a][b]) for a, b, f in pairs), mixed @ mine)
    np.testing.assert_allclose(sum(f * widget.own["self"][a][b] for a, b, f in pairs), mine @ mine)
    assert (widget.own["words"], widget.own["position"]) == (["a", "bank"], 1)
    widget.typed = "nothing"
    assert (widget.trouble, widget.own) == ("no such word", {})


def test_the_map_keeps_distances_where_two_directions_hold_all():
    flat = np.random.default_rng(2).normal(size=(7, 2)) @ np.random.default_rng(3).normal(size=(2, 5))
    places = map_places(flat @ flat.T)
    distance = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    np.testing.assert_allclose(np.linalg.norm(places[:, None] - places[None], axis=2), distance, atol=1e-9)


def test_findings_of_weights_of_all_and_of_gamma():
    widget = made()
    widget.raw, widget.last = [-4.0, -4.0, 4.0], "raw"
    score = widget.sense_score()
    assert f"told apart in {100 * score:.0f} %" in widget.finding()
    assert "best layer alone: layer 2" in widget.finding()
    widget.raw, widget.last = [-3.0, -3.0, 5.0], "all"
    assert "moves nothing" in widget.finding()
    widget.gamma, widget.last = 2.5, "gamma"
    assert "2.5 times as far out" in widget.finding()
    assert widget.sense_score() == score


test_input_that_cannot_be_mixed_is_named = mistakes(
    ({"positions": [1] * 3}, "3 positions"),
    ({"layers": {"only": np.ones((N, 4))}}, "2 to 5 layers"),
    ({"layers": {"a": np.ones((N, 4)), "b": np.ones((N, 6))}}, r"\(11, 4\), \(11, 6\)"),
    ({"layers": {"a": np.ones((N, 4)), "b": np.full((N, 4), np.nan)}}, "not finite"),
    ({"senses": ["one"] * N}, "two senses"),
    ({"positions": [9] * N}, "no place 9"),
    ({"presets": {"odd": [1.0]}}, "'odd' has 1 weights"),
    of=lambda changes: made(**changes),
)
