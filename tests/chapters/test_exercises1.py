"""Chapter 1's reference solutions against numbers computed by hand."""

import pytest

from course.check import registry


def test_subsampling_drops_97_of_100():
    """Computed by hand: 1 - sqrt(0.0001 / 0.1) = 1 - sqrt(0.001) = 0.9684 is what is dropped, not kept."""
    dropped = registry.find("1.3").solution({"the": 100_000, "other": 900_000}, 1e-4)
    assert dropped["the"] == pytest.approx(0.9684, abs=5e-5)


def test_negatives_by_hand():
    """16 ** 0.75 = 8 and 1 ** 0.75 = 1."""
    assert registry.find("1.2").solution({"a": 16, "b": 1}, 0.75) == pytest.approx({"a": 8 / 9, "b": 1 / 9})


def test_a_static_vector_is_at_chance_whatever_the_frequencies():
    assert registry.find("1.7").solution([[1, 1]] * 19 + [[1, 1]], [0] * 19 + [1]) == pytest.approx(1 / 2)
