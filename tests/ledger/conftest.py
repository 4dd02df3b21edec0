"""A ledger of its own for a test: two claims, their code, and an empty folder of records."""

import sys

import numpy as np
import pytest

from course.ledger import Measurement, claim

RULES = """
[[claim]]
id = "C9.1"
sentence = "Up <b>is</b> up, 배도 그렇다."
source = "N9"
kind = "difference"
quantity = "difference"
unit = "points"
side = "greater"
delta = 2.0
delta_why = "two"
varies = "seeds"
control = "no cause"
live = true
published = [
  { text = "71.3 & more", certainty = "V", source = "A paper" },
  { text = "13.17", certainty = "M", source = "memory" },
]

[[claim]]
id = "C9.2"
sentence = "Nobody has measured this."
source = "N9"
kind = "exact"
quantity = "error"
unit = "largest error"
tolerance = 0.0
live = true
"""

REASONS = """
["C9.1"]
reason = "scale"
because = "Too <small> to show."
"""


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """The folder that stands for data/; claim C9.1 has code, which counts its calls in `ledger_calls`."""
    monkeypatch.setattr("course.ledger.rules.data_dir", lambda *parts: tmp_path.joinpath(*parts))
    monkeypatch.setattr("course.ledger.records.data_dir", lambda *parts: tmp_path.joinpath(*parts))
    monkeypatch.setattr(sys.modules["course.ledger.judge"], "_CODE", {})  # the function hides its module
    monkeypatch.delenv("COURSE_PROFILE", raising=False)
    (tmp_path / "claims.toml").write_text(RULES, encoding="utf-8")
    (tmp_path / "reasons.toml").write_text(REASONS, encoding="utf-8")

    @claim("C9.1", full={"n": 8, "data": "a <real> set"})
    def up_is_up(*, n=5, shift=4.0, data="the world"):
        noise = np.resize([0.5, -0.5, 1.0, -1.0, 0.25], n)
        control = Measurement(noise[::-1], "points", seeds=True)
        parts = {"top & bottom": Measurement(noise + 1, "points", seeds=True), "ratio": 1.25}
        return Measurement(
            shift + noise, "points", seeds=True, control=control, parts=parts, baselines={"majority": 52.0}, data=data
        )

    return tmp_path
