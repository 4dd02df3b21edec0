import signal
import threading

import pytest

from course.check.limit import NoEnd, time_limit

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")


def spin():
    while True:
        pass


def test_a_loop_is_stopped():
    with pytest.raises(NoEnd), time_limit(0.02):
        spin()


def test_a_bare_except_only_delays_it():
    def stubborn():
        try:
            spin()
        except:  # noqa: E722
            spin()

    with pytest.raises(NoEnd), time_limit(0.02):
        stubborn()


@pytest.mark.parametrize("left", [0, 1_000])
def test_handler_and_timer_are_put_back(left):
    def own(number, frame):
        raise AssertionError

    before = signal.signal(signal.SIGVTALRM, own)
    signal.setitimer(signal.ITIMER_VIRTUAL, left, left / 2)
    try:
        for seconds in (0.02, 2_000):
            with pytest.raises((NoEnd, KeyError)), time_limit(seconds):
                spin() if seconds < 1 else {}["stopped by itself"]
            assert signal.getsignal(signal.SIGVTALRM) is own
            remaining, interval = signal.getitimer(signal.ITIMER_VIRTUAL)
            assert left - 5 <= remaining <= left
            assert interval == left / 2
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_another_thread_is_not_limited():
    found = []

    def work():
        with time_limit(1e-4):
            found.append(sum(range(100_000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [sum(range(100_000))]
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
