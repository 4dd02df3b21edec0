"""Training: `from course_lib.training import fit` is the function, whichever module was imported before.

The function takes the name of its own module here; Python binds a submodule to its package only on first loading, and
that has happened by the end of this line. The module's other names: `from course_lib.training.fit import ...`.
"""

from course_lib.training.fit import fit
from course_lib.training.history import History

__all__ = ["History", "fit"]
