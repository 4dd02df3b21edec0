import numpy as np
import pytest

from course.ledger import measurement
from course.ledger.measurement import Exact, Measurement, claim, find_code
from course_lib.errors import CourseError


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch):
    monkeypatch.setattr(measurement, "_CODE", {})


def test_values_are_one_number_per_item_or_rows_with_a_statistic():
    assert Measurement([True, False], "points").values.dtype == np.float64
    assert Measurement([1, 2], "points", clusters=np.array(["a", "b"])).clusters == ["a", "b"]
    with pytest.raises(CourseError, match=r"shape \(2, 3\). Give one number per item or seed"):
        Measurement(np.ones((2, 3)), "points")
    with pytest.raises(CourseError, match=r"shape \(3,\). Give rows"):
        Measurement(np.ones(3), "rho", statistic=np.mean)
    with pytest.raises(CourseError, match="no clusters and no statistic"):
        Measurement(np.ones(5), "points", seeds=True, clusters=range(5))


def test_the_full_profile_changes_the_defaults_and_overrides_change_both():
    @claim("C1.4", full={"n": 7})
    def twins(*, n=2, width=3):
        return Exact(0.0, f"{n} {width}")

    assert twins(n=5).unit == "5 3"  # an ordinary function still
    code = find_code("C1.4", 9)
    assert code.measure("quick").unit == "2 3"
    assert code.measure("full").unit == "7 3"
    assert code.measure("full", n=11, width=13).unit == "11 13"


def test_code_that_does_not_exist_is_none_and_code_that_fails_to_load_is_an_error(monkeypatch):
    assert find_code("C9.9", 99) is None
    assert find_code("C1.99", 1) is None

    def missing(name):
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")

    monkeypatch.setattr(measurement.importlib, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        find_code("C4.6", 4)


def test_mistakes_of_an_author():
    with pytest.raises(CourseError, match=r"C1\.1: first needs defaults, its quick profile, for corpus"):

        @claim("C1.1")
        def first(corpus, *, n=2):
            return None

    with pytest.raises(CourseError, match="full names size, which second does not take"):

        @claim("C1.1", full={"size": 3})
        def second(*, n=2):
            return None

    @claim("C1.1")
    def third(*, n=2):
        return None

    with pytest.raises(CourseError, match=r"C1\.1 is measured twice, by .*third and .*fourth"):

        @claim("C1.1")
        def fourth(*, n=2):
            return None
