"""The probe against scikit-learn, the mix against the layer that knows, the nearest mean under ties."""

import numpy as np
import pytest
import torch

from course.lab.controls import nearest_mean_left_out
from course.lab.linear_probe import mixed_probe, probe
from course_lib.evaluation.probes import nearest_mean
from tests.mistakes import mistakes


def clouds(n, dim, n_labels, noise, seed=0):
    """[item, dim] around one centre per label, and the labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_labels, size=n)
    centres = np.random.default_rng(99).normal(size=(n_labels, dim))
    rows = centres[labels] + noise * rng.normal(size=(n, dim))
    return rows.astype(np.float32), [f"label {label}" for label in labels]


@pytest.mark.parametrize("l2", [0.5, 7.0])
def test_the_probe_is_multinomial_logistic_regression(l2):
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    train, labels = clouds(211, 7, 5, noise=1.3)
    test, _ = clouds(499, 7, 5, noise=1.3, seed=1)
    train, test = 100 * train + 3, 100 * test + 3  # scale and place of a dimension must not matter
    scaler = StandardScaler().fit(train)
    reference = LogisticRegression(C=1 / l2, max_iter=1_000, tol=1e-8).fit(scaler.transform(train), labels)
    expected = reference.predict(scaler.transform(test)).tolist()
    found = probe(train, labels, test, l2=l2)
    assert np.mean([a != b for a, b in zip(found, expected, strict=True)]) <= 0.004  # float32 against float64
    assert len(set(found)) == 5


def test_the_probe_is_the_same_every_time_leaves_the_generator_alone_and_passes_constants_by():
    train, labels = clouds(101, 5, 3, noise=2)
    state, wider = torch.get_rng_state(), np.pad(train, ((0, 0), (0, 2)), constant_values=4.0)
    expected = probe(train, labels, train)
    assert expected == probe(torch.tensor(train), labels, torch.tensor(train)) == probe(wider, labels, wider)
    assert torch.equal(state, torch.get_rng_state())


def test_the_mix_finds_the_layer_that_knows():
    known, labels = clouds(307, 5, 3, noise=0.8)
    tested, gold = clouds(307, 5, 3, noise=0.8, seed=1)
    noise = np.random.default_rng(5).normal(size=(4, 307, 5)).astype(np.float32)
    layers, tested_layers = np.stack([noise[0], known, noise[1]]), np.stack([noise[2], tested, noise[3]])
    predicted, weights = mixed_probe(layers, labels, tested_layers)
    assert sum(weights) == pytest.approx(1)
    assert weights[1] > 0.8
    alone = probe(noise[0], labels, noise[2])
    right, right_alone = (np.mean([a == b for a, b in zip(p, gold, strict=True)]) for p in (predicted, alone))
    assert right > 0.75
    assert right_alone < 0.5


def test_nearest_mean_by_hand():
    train = np.array([[1.0, 0], [1, 1], [0, 2], [0, 3]])
    # means of directions: a near 22.5 degrees, b at 90 degrees; 50 degrees is nearer to a, 70 to b
    at = np.deg2rad([50, 70, 70])
    test = np.stack([np.cos(at), np.sin(at)], 1) * [[1], [5], [5]]
    assert nearest_mean(train, ["a", "a", "b", "b"], test, ["a", "b", "a"]).tolist() == [1, 1, 0]
    assert nearest_mean(train, ["a", "a", "b", "b"], test[:1], ["never trained"]).tolist() == [0]


@pytest.mark.parametrize("n_senses", [2, 3, 5])
def test_equal_vectors_give_chance(n_senses):
    labels = [str(i) for i in range(n_senses)] * 3 + ["0"] * 4
    hits = nearest_mean(np.ones((len(labels), 7)), labels, np.ones((2, 7)), ["0", "1"])
    np.testing.assert_allclose(hits, 1 / n_senses)
    np.testing.assert_allclose(nearest_mean_left_out(np.ones((len(labels), 7)), labels), 1 / n_senses)


def test_leaving_out_equals_doing_it_one_by_one():
    rows, labels = clouds(29, 5, 3, noise=1.5)
    expected = [
        nearest_mean(np.delete(rows, i, 0), labels[:i] + labels[i + 1 :], rows[i : i + 1], labels[i : i + 1])[0]
        for i in range(29)
    ]
    assert nearest_mean_left_out(rows, labels).tolist() == expected
    assert 0 < sum(expected) < 29


test_what_cannot_be_probed_is_said = mistakes(
    (lambda: probe(np.ones((2, 2)), ["a", "a"], np.ones((1, 2))), "1 different labels"),
    (lambda: probe(np.full((2, 2), np.nan), ["a", "b"], np.ones((1, 2))), "2 training vectors hold NaN"),
)
