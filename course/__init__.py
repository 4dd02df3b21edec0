"""The course on course_lib: chapters, ledger of claims, exercises, recipes of the checkpoints, website."""

import sys
from types import TracebackType

from course import catalogue
from course_lib import language
from course_lib.language import key, t

language.translate = catalogue.translate  # in a Korean session the library says its lines in Korean, too


def _missing_name(shell, kind: type, error: NameError, trace: TracebackType, tb_offset: int | None = None) -> None:
    """What IPython shows where a cell reads a name that nobody has made: cells were run out of order."""
    says = key(
        "If the name is spelt right, a cell above makes it, which has not run since the kernel started. In JupyterLab, "
        "Run > Run All Above Selected Cell runs what is missing."
    )
    if not isinstance(error, UnboundLocalError):
        error.add_note(t(says))
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)


if (_python := sys.modules.get("IPython")) and (_shell := _python.get_ipython()):
    _shell.set_custom_exc((NameError,), _missing_name)
