"""The one exception a reader can cause."""


class CourseError(Exception):
    """Says what happened, where, and what to do about it. Raised at the public doors of the package only."""
