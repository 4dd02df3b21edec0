import signal

import pytest


@pytest.fixture
def ctrl_c():
    """Python's own handler: a shell ignores Ctrl-C in what it runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
