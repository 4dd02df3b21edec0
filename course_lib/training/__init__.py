"""Training. `from course_lib.training import fit` is the function, whichever module was imported before: it takes the
name of its own module here, and Python binds a submodule to its package only on first loading.
"""

from course_lib.training.fit import adamw, fit
from course_lib.training.state import History

__all__ = ["History", "adamw", "fit"]
