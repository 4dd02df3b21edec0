"""How machines came to read words in context: the package behind the notebooks.

    import course_lib
    session = course_lib.start(4)            # first line of chapter 4: seeds, device, fonts and colours
    encoder = course_lib.load("bert-en")     # a shipped checkpoint, or the folder of your own

Both names are loaded on first use, so that `import course_lib.config` stays cheap.
"""

from __future__ import annotations

import importlib

__version__ = "0.1.0"
__all__ = ["__version__", "load", "start"]

_HOMES = {"start": "course.session", "load": "course_lib.models.shipped"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'course_lib' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
