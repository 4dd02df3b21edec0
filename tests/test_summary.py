"""Several test runs become one line; no run at all is an error."""

import pytest

from tests.summary import summary


def test_runs_are_added_up(tmp_path):
    line = '<testsuites><testsuite tests="{}" skipped="{}" failures="{}" errors="{}" time="{}"/></testsuites>'
    (tmp_path / "unit.xml").write_text(line.format(17, 2, 0, 0, 3.25))
    (tmp_path / "notebooks.xml").write_text(line.format(11, 0, 0, 0, 5.5))
    assert summary(tmp_path) == "==== 26 passed, 2 skipped in 8.75s ===="
    (tmp_path / "browser.xml").write_text(line.format(7, 0, 3, 1, 1))
    assert summary(tmp_path) == "==== 29 passed, 3 failed, 1 errors, 2 skipped in 9.75s ===="


def test_nothing_tested_is_an_error(tmp_path):
    with pytest.raises(SystemExit, match="nothing was tested"):
        summary(tmp_path)
