"""What the check says to answers that are not merely wrong. The words of its exercise are in texts.toml beside it."""

import signal
import threading
from dataclasses import replace

import pytest
import torch

from course.check.exercise import Exercise, Probe, Seen
from course.check.judge import NoEnd, judge, time_limit


def total(numbers: list[int], factor: int = 1) -> int:
    """The sum of the numbers, times factor."""
    return factor * sum(numbers)


EXERCISE = Exercise(
    id="9.1",
    solution=total,
    difficulty=1,
    importance=2,
    minutes=3,
    probes=[Probe("three numbers", [2, 3, 5], 1), Probe("another factor", [7, 11], 13)],
    mistakes=[
        ("forgets the factor", lambda n, f: sum(n), lambda n, f: [sum(n)] * f),
        ("negative", Seen(lambda got, expected, n, f: got < 0)),
    ],
)


def half(numbers, factor):
    subtotal = sum(numbers)
    return ... if subtotal else 0


@pytest.mark.parametrize("answer", [None, ..., lambda n, f: ..., lambda n, f: None, half])
def test_not_attempted(answer):
    result = judge(EXERCISE, answer)
    assert (result.state, result.right) == ("not attempted", False)
    assert "difficulty ●○○○○ · importance ●●○○○ · about 3 minutes" in repr(result)


def test_a_mistake_must_fit_every_probe():
    """An answer that agrees with a model on one probe only is wrong in another way, and is not given that name."""
    assert judge(EXERCISE, lambda n, f: torch.tensor(n).sum() * f).right  # any type of number
    result = judge(EXERCISE, lambda n, f: sum(n))
    assert result.mistake == "forgets the factor"
    assert "nothing" in repr(result)
    assert "repeats" in repr(judge(EXERCISE, lambda n, f: [sum(n)] * f))  # each model may have its sentence
    assert judge(EXERCISE, lambda n, f: -f * sum(n)).mistake == "negative"  # a look at one result is enough
    other = judge(EXERCISE, lambda n, f: sum(n) + (f > 1))
    assert (other.state, other.mistake) == ("wrong", "")
    assert "another factor" in repr(other)
    assert "234" not in repr(other)  # 13 * 18: the expected value is never shown


ODD = ["text", torch.tensor([-1.0, 2.0]), torch.eye(2).to_sparse(), torch.Tensor, 10**400, object(), {}, iter([1])]


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_result_is_wrong_and_no_traceback(odd):
    """A look at it fails, or gives no single truth, as `got < 0` of a vector."""
    assert judge(EXERCISE, lambda n, f: odd).state == "wrong"


def test_a_mistake_that_one_result_shows_is_named_with_that_result():
    """Wrong on both probes, below 0 on the second: the sentence would not fit what came out of the first."""
    result = judge(EXERCISE, lambda n, f: sum(n) + 1 if f == 1 else -sum(n))
    assert (result.mistake, "Tried (another factor): total([7, 11], 13)" in repr(result)) == ("negative", True)
    assert "Your result: -18" in repr(result)


def test_a_look_does_not_use_up_an_iterator():
    exercise = replace(EXERCISE, mistakes=[("listed", Seen(lambda got, *_: list(got) == [1]))])
    given = iter([1])
    assert judge(exercise, lambda n, f: given).state == "wrong"
    assert list(given) == [1]


SCALED = replace(EXERCISE, solution=lambda numbers, factor: [factor * n for n in numbers], mistakes=[])
KEPT = []


def keeps_in_a_global(numbers, factor):
    KEPT.extend(factor * number for number in numbers)
    return KEPT


def keeps_in_a_default(numbers, factor, found=[]):  # noqa: B006
    found += [factor * number for number in numbers]
    return found


def empties_it_before_each_call(numbers, factor):
    KEPT[:] = [factor * number for number in numbers]
    return KEPT


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        *((keeps, "keeps results of an earlier call") for keeps in (keeps_in_a_global, keeps_in_a_default)),
        (empties_it_before_each_call, ""),
        (lambda n, f, always=[7]: always, ""),
    ],
)
def test_a_list_that_outlives_the_call_is_named(answer, mistake):
    result = judge(SCALED, answer)
    assert result.mistake == mistake
    assert result.right == (answer is empties_it_before_each_call)


def test_what_a_function_does_beside_its_result_is_named():
    def in_place(numbers, factor):
        numbers.append(0)
        return factor * sum(numbers)

    def in_place_sorted(numbers, factor):
        numbers.sort(reverse=True)
        return factor * sum(numbers)

    def forgets(numbers, factor):
        factor * sum(numbers)

    assert [judge(EXERCISE, f).mistake for f in (in_place, in_place_sorted)] == ["changes its input"] * 2
    assert EXERCISE.probes[0].inputs == ([2, 3, 5], 1)
    assert judge(EXERCISE, forgets).mistake == "returns nothing"


def test_an_error_shows_the_readers_line_and_no_traceback():
    def broken(numbers, factor):
        ok = len(numbers)
        return ok + {}["a<b>"]

    result = judge(EXERCISE, broken)
    assert result.state == "error"
    assert "KeyError" in repr(result)
    assert 'return ok + {}["a<b>"]' in repr(result)
    assert "Traceback" not in repr(result)
    assert "a&lt;b&gt;" in result._repr_html_()

    def deep(numbers, factor):
        return deep(numbers, factor)

    assert "RecursionError" in repr(judge(EXERCISE, deep))


def test_an_endless_loop_is_stopped():
    def endless(numbers, factor):
        try:
            while True:
                numbers[0] += 1
        except Exception:
            return 0

    result = judge(EXERCISE, endless, limit=0.05)
    assert (result.state, result.mistake) == ("mistake", "no end after 0.05 s")
    assert "loop" in repr(result)


def test_an_interrupt_reaches_the_kernel():
    def interrupted(numbers, factor):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(EXERCISE, interrupted)


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (10, "not a function"),
        ([1], "not a function"),
        (lambda numbers: 1, "other parameters"),
        (lambda a, b, c: 1, "other parameters"),
    ],
)
def test_what_cannot_be_called_is_named(answer, mistake):
    result = judge(EXERCISE, answer)
    assert result.mistake == mistake
    assert "total" in repr(result)


def test_a_huge_result_is_cut():
    assert len(repr(judge(EXERCISE, lambda n, f: "ab" * 100_000))) < 1_000


has_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")


def spin():
    while True:
        pass


@has_timer
def test_a_bare_except_only_delays_it():
    def stubborn():
        try:
            spin()
        except:  # noqa: E722
            spin()

    with pytest.raises(NoEnd), time_limit(0.02):
        stubborn()


@has_timer
def test_the_timer_is_off_and_the_handler_put_back():
    before = signal.getsignal(signal.SIGVTALRM)
    for seconds in (0.02, 2_000):
        with pytest.raises((NoEnd, KeyError)), time_limit(seconds):
            spin() if seconds < 1 else {}["stopped by itself"]
        assert signal.getsignal(signal.SIGVTALRM) is before
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


@has_timer
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
