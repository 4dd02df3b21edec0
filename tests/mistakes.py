"""Errors that a reader can cause, as rows of a table."""

from collections.abc import Callable

import pytest

from course_lib.errors import CourseError


def mistakes(*rows: tuple[object, str], of: Callable | None = None) -> Callable[[object, str], None]:
    """A test for each row (call, words): the call raises a CourseError that says the words. `of(row)` in its place."""

    @pytest.mark.parametrize(("call", "words"), rows)
    def test(call, words):
        with pytest.raises(CourseError, match=words):
            of(call) if of else call()

    return test
