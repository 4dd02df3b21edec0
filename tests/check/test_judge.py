"""What the check says to answers that are not merely wrong. The words of its exercise are in texts.toml beside it."""

import functools
import math
import signal
import sys
import threading
import types
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from course.check import limit
from course.check.exercise import Exercise, Probe, Seen
from course.check.judge import judge
from course.check.limit import NoEnd, limited


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


SCALED = replace(EXERCISE, solution=lambda numbers, factor: [factor * n for n in numbers], mistakes=[])


def half(numbers, factor):
    subtotal = sum(numbers)
    return ... if subtotal else 0


def in_place(numbers, factor):
    numbers.append(0)
    return factor * sum(numbers)


def in_place_sorted(numbers, factor):
    numbers.sort(reverse=True)
    return factor * sum(numbers)


def forgets(numbers, factor):
    factor * sum(numbers)


def broken(numbers, factor):
    ok = len(numbers)
    return ok + {}["a<b>"]


def deep(numbers, factor):
    return deep(numbers, factor)


def after(before):
    """Right or wrong at factor 1, and an error at the other one: as a sum, not a mean, that overflows in the end."""
    return lambda n, f: before(n) if f == 1 else 1 / 0


NOT_YET = [None, ..., half, lambda n, f: ..., lambda n, f: None]
ODD = ["text", torch.tensor([-1.0, 2.0]), torch.eye(2).to_sparse(), torch.Tensor, 10**400, object(), {}, iter([1])]


@pytest.mark.parametrize(
    ("answer", "outcome", "says"),
    [
        *((none, "not attempted", "about 3 minutes") for none in NOT_YET),
        (lambda n, f: torch.tensor(n).sum() * f, "right", ""),  # any type of number
        (lambda n, f: sum(n), "forgets the factor", "nothing"),
        (lambda n, f: [sum(n)] * f, "forgets the factor", "repeats"),  # each model may have its sentence
        (lambda n, f: -f * sum(n), "negative", ""),  # a look at one result is enough
        (lambda n, f: sum(n) if f == 1 else -sum(n), "negative", ""),
        (lambda n, f: sum(n) + 1 if f == 1 else -sum(n), "wrong", ""),  # it must be seen in every wrong result
        # a look at these fails, or gives no single truth, as `got < 0` of a vector
        *((lambda n, f, odd=odd: odd, "wrong", "") for odd in ODD),
        (in_place, "changes its input", "# what numbers is after your call\n    [2, 3, 5, 0]"),
        (in_place_sorted, "changes its input", ""),
        (forgets, "returns nothing", ""),
        (broken, "error", "KeyError"),
        (broken, "error", 'return ok + {}["a<b>"]'),
        (deep, "error", "RecursionError"),
        (after(lambda n: [sum(n)]), "forgets the factor", ""),
        (after(math.prod), "error", ""),
        (after(sum), "error", ""),
        *((none, "not a function", "total") for none in (10, [1])),
        *((other, "other parameters", "total") for other in (lambda numbers: 1, lambda a, b, c: 1)),
    ],
)
def test_what_an_answer_is_told(answer, outcome, says):
    result = judge(EXERCISE, answer)
    assert (result.mistake or result.state) == outcome
    assert result.right == (outcome == "right")
    assert says in repr(result)
    assert "Traceback" not in repr(result)
    assert EXERCISE.probes[0].inputs == ([2, 3, 5], 1)


def test_a_mistake_must_fit_every_probe():
    """An answer that agrees with a model on one probe only is wrong in another way, and is not given that name."""
    other = judge(EXERCISE, lambda n, f: sum(n) + (f > 1))
    assert (other.state, other.mistake) == ("wrong", "")
    shown = "# another factor\n    total([7, 11], 13)\n    # your result\n    19\n    # the right result\n    234"
    assert shown in repr(other)
    assert (other.inputs, other.got, other.expected) == (([7, 11], 13), 19, 234)


def two_long(n: int) -> tuple[list[int], dict]:
    """A list and tables."""
    return list(range(n)), {"a": torch.zeros(n, 9), "b": torch.arange(9.0 * n).reshape(n, 9)}


@pytest.mark.parametrize(
    ("answer", "shows"),
    [
        (lambda n: ([*range(n - 1), 0], two_long(n)[1]), "result[0][299]\n    0\n"),
        (
            lambda n: (two_long(n)[0], {name: 0 * table for name, table in two_long(n)[1].items()}),
            "result[1]['b'][0]\n",
        ),
        (lambda n: (two_long(n)[0][1:], two_long(n)[1]), "result[0]\n    <list of 299>\n"),
        (lambda n: object(), "result\n    <object>\n    # the right result\n    <tuple of 2>"),
    ],
    ids=["a number", "in a table", "too short", "another kind"],
)
def test_of_what_is_too_long_the_first_part_that_differs_is_shown(answer, shows):
    long = replace(EXERCISE, solution=two_long, probes=[Probe("three hundred", 300)], mistakes=[])
    assert f"# your {shows}" in repr(judge(long, answer))


NOT_FINITE = ("infinite", Seen(lambda got, *_: not math.isfinite(got)))


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (lambda n, f: sum(n) if f == 1 else math.inf, "infinite"),
        (lambda n, f: math.nan, ""),  # of NaN everywhere the cause is not known
        (lambda n, f: sum(n) + 1 if f == 1 else math.inf, ""),
        (lambda n, f: n[0] - n[1], "negative"),  # a model is exact and comes before what is merely seen
        (lambda n, f: math.nan if f > 1 else -3.0, "not a number"),  # models may compute NaN
    ],
)
def test_a_model_comes_before_what_is_seen_and_numbers_that_are_none_prove_little(answer, mistake):
    seen = ("seen", Seen(lambda got, *_: got < 0))
    models = ("negative", lambda n, f: n[0] - n[1]), ("not a number", lambda n, f: math.nan if f > 1 else -3.0)
    assert judge(replace(EXERCISE, mistakes=[NOT_FINITE, seen, *models]), answer).mistake == mistake


@pytest.mark.parametrize(
    ("answer", "mistakes", "mistake"),
    [
        (lambda n, f: sum(n) if f > 1 else 10, "doubled, plain", "plain"),
        (lambda n, f: sum(n) if f > 1 else 10, "plain, plain again", ""),  # two names fit
        (lambda n, f: sum(n) if f == 13 else f * sum(n), "plain", ""),  # one probe fails
        (lambda n, f: 10 if f > 1 else sum(n), "ten, doubled", ""),  # equal results prove little
    ],
)
def test_a_model_that_fits_all_wrong_results_is_named_if_there_are_several_and_no_other_fits(answer, mistakes, mistake):
    """All models are wrong where the answer is right."""
    models = {
        "doubled": lambda n, f: 2 * sum(n),
        "plain": lambda n, f: sum(n) if f > 1 else 0,
        "plain again": lambda n, f: sum(n) if f > 1 else 1,
        "ten": lambda n, f: 10 if f > 1 else 0,
    }
    probes = [Probe("as it is", [2, 3, 5], 1), Probe("13 times", [7, 11], 13), Probe("3 times", [1, 2], 3)]
    rows = [(name, models[name]) for name in mistakes.split(", ")]
    assert judge(replace(EXERCISE, probes=probes, mistakes=rows), answer).mistake == mistake


class Hostile:
    """Raises whatever is asked of it."""

    def _raises(self, *_):
        raise SystemExit("no")

    __eq__ = __ne__ = __bool__ = __len__ = __iter__ = __float__ = __repr__ = __str__ = __deepcopy__ = _raises
    __getattr__ = _raises
    __hash__ = None
    shape = tolist = property(_raises)


class Silent(Exception):
    def __str__(self):
        raise ValueError


def raising(error):
    def answer(numbers, factor):
        raise error

    return answer


def hostile_inside(numbers, factor):
    numbers.append(Hostile())
    return 1


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        *((ends, "error") for ends in (lambda n, f: sys.exit(), lambda n, f: quit())),
        *((raising(error), "error") for error in (Silent("x"), GeneratorExit())),
        (raising(BaseExceptionGroup("several", [SystemExit(), ValueError()])), "error"),
        *((odd, "wrong") for odd in (lambda n, f: Hostile(), lambda n, f: [Hostile()], lambda n, f: {1: Hostile()})),
        (hostile_inside, "mistake"),
        (lambda n, f: (i for i in n), "wrong"),
    ],
)
def test_nothing_that_an_answer_does_gets_out_of_the_check(answer, state):
    for exercise in (EXERCISE, SCALED):
        result = judge(exercise, answer)
        assert result.state == state
        assert result.title in repr(result)
        assert result.inputs == exercise.probes[0].inputs


KEPT = []


def keeps_in_a_global(numbers, factor):
    KEPT.extend(factor * number for number in numbers)
    return KEPT


def keeps_in_a_default(numbers, factor, found=[]):  # noqa: B006
    found += [factor * number for number in numbers]
    return found


CALLS = []


def counts_its_calls(numbers, factor):
    """Right at each probe, and then no more."""
    CALLS.append(0)
    return [factor * number + len(CALLS) // (1 + len(SCALED.probes)) for number in numbers]


def empties_it_before_each_call(numbers, factor):
    KEPT[:] = [factor * number for number in numbers]
    return KEPT


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        *((keeps, "keeps results of an earlier call") for keeps in (keeps_in_a_global, keeps_in_a_default)),
        (counts_its_calls, "the same call has another result later"),
        (empties_it_before_each_call, ""),
        (lambda n, f, always=[7]: always, ""),
    ],
)
def test_a_list_that_outlives_the_call_is_named(answer, mistake):
    result = judge(SCALED, answer)
    assert result.mistake == mistake
    assert result.right == (answer is empties_it_before_each_call)


@pytest.mark.parametrize(
    ("start", "mistake"),
    [
        (lambda n: torch.manual_seed(10_007 + n), "sets the seed of all random numbers"),
        (lambda n: torch.Generator().manual_seed(n), ""),
        (lambda n: torch.randn(n), ""),  # as a layer does whose weights are set afterwards
    ],
)
def test_to_seed_all_random_numbers_is_no_way_to_draw_some(start, mistake):
    with torch.random.fork_rng():
        result = judge(EXERCISE, lambda n, f: start(len(n)) is not None and f * sum(n))
    assert (result.mistake, result.right) == (mistake, not mistake)


def test_functions_among_the_inputs_are_new_at_each_call():
    class Draws:
        n = 0

        def __call__(self):
            self.n += 1
            return self.n

        def __eq__(self, other):
            return True

    drawn = replace(EXERCISE, solution=lambda draw: draw(), probes=[Probe("a draw", Draws())], mistakes=[])
    assert judge(drawn, lambda draw: draw()).right
    assert not judge(drawn, lambda draw: draw() and draw()).right


def test_an_endless_loop_is_stopped():
    def endless(numbers, factor):
        try:
            while True:
                numbers[0] += 1
        except Exception:
            return 0

    result = judge(EXERCISE, endless, limit=0.05)
    assert (result.state, result.mistake, result.got) == ("mistake", "no end after 0.05 s", None)
    assert "total([2, 3, 5], 1)" in repr(result)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="elsewhere only the most ever held is known")
def test_an_endless_loop_that_grows_is_stopped_before_the_memory_is_full(monkeypatch):
    monkeypatch.setattr(limit, "MEMORY", 50_000_000)

    def grows(numbers, factor):
        while True:
            numbers += [str(len(numbers))]

    before = limit._resident()
    result = judge(EXERCISE, grows, limit=60)
    assert result.mistake == "fills the memory"
    assert limit._resident() - before < 200_000_000


def test_the_time_of_an_import_does_not_count(tmp_path, monkeypatch):
    (tmp_path / "slow_to_import.py").write_text(
        "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def imports(numbers, factor):
        import slow_to_import

        return factor * sum(numbers) if slow_to_import.end else 0

    assert judge(EXERCISE, imports, limit=0.1).right


def test_an_interrupt_reaches_the_kernel():
    def interrupted(numbers, factor):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(EXERCISE, interrupted)


TOTAL, subtotal = 3, {"of": 3}


def beside(numbers, factor):
    return sum(numbers) + subtotal["of"]


def reads_beside(numbers, factor):
    return [TOTAL, beside(numbers, factor)]


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (lambda n, f: sum(n) + subtotal["of"], True),
        (lambda n, f: [x + subtotal["of"] for x in n], True),
        (reads_beside, True),
        (lambda n, f: sum(n) + TOTAL + math.pi, False),
        (lambda n, f: 1 / subtotal["off"], True),
    ],
)
def test_data_that_a_wrong_answer_takes_from_outside_is_named(answer, names):
    assert ("reads `subtotal` from outside" in " ".join(repr(judge(EXERCISE, answer)).split())) == names
    assert not judge(EXERCISE, answer).right


def summed(numbers):
    total = 0
    for n in numbers:
        total += n
    return total


def by_a_helper(numbers, factor):
    return factor * summed(numbers)


def by_another_name(values, factor):
    return sum(values[i] for i in range(len(values))) * factor


def by_no_look_up(values, factor):
    return (values[0] + sum(values[1:])) * factor


@pytest.mark.parametrize(
    ("without", "answer", "way"),
    [
        (["loop"], by_a_helper, "a loop"),
        (["loop"], by_another_name, "a loop"),
        (["loop"], by_no_look_up, ""),
        (["loop"], lambda n, f: sum(f * sum(part) for part in (n, [])), ""),
        (["backward", "fsum"], lambda n, f: round(f * math.fsum(n)), "`fsum`"),
        (["fsum"], types.FunctionType(by_a_helper.__code__.replace(co_filename="<gone>"), {"summed": sum}), ""),
        (["loop"], functools.partial(by_a_helper), ""),
        (["numbers", "factor"], by_a_helper, ""),  # what was handed in is no way
        ([], by_a_helper, ""),
    ],
)
def test_a_way_that_the_question_rules_out_is_right_with_a_remark(without, answer, way):
    result = judge(replace(EXERCISE, without=without), answer)
    assert result.right
    assert result.title == f"Exercise 9.1: right{', with a remark' if way else ''}."
    assert (f"made with {way};" in result.paragraphs[0]) == bool(way)


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

    with pytest.raises(NoEnd), limited(0.02):
        stubborn()


@has_timer
def test_the_timer_is_off_and_the_handler_put_back():
    before = signal.getsignal(signal.SIGVTALRM)
    for seconds in (0.02, 2_000):
        with pytest.raises((NoEnd, KeyError)), limited(seconds):
            spin() if seconds < 1 else {}["stopped by itself"]
        assert signal.getsignal(signal.SIGVTALRM) is before
        assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


@has_timer
def test_another_thread_is_not_limited():
    found = []

    def work():
        with limited(1e-4):
            found.append(sum(range(100_000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [sum(range(100_000))]
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)
