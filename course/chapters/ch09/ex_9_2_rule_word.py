"""Exercise 9.2: the verdict of one rule. Source: the course's ledger, whose rules stand in `data/claims.toml`."""

from course.check.exercise import Exercise, Probe, Seen


def rule_word(
    rule: dict,
    effect: tuple[float, float],
    excess: tuple[float, float] | None,
    positive: tuple[float, float] | None,
) -> str:
    """ "holds", "open", "contradicted" or "cannot judge". rule: kind, "difference" or "equivalence"; side, "greater" or
    "less"; threshold, delta, at_least; effect, excess (effect minus its control), positive (the positive control):
    intervals (low, high); None if the rule asks for no such control.
    rule_word({"kind": "difference", "side": "less", "threshold": 0, "delta": 1, "at_least": 0}, (-3, -1), None, None)
    -> "holds" """
    if positive is not None and positive[0] <= rule["at_least"]:
        return "cannot judge"
    low, high = effect
    if rule["kind"] == "equivalence":
        if -rule["delta"] < low and high < rule["delta"]:
            return "holds"
        return "contradicted" if low > rule["delta"] or high < -rule["delta"] else "open"
    low, high = low - rule["threshold"], high - rule["threshold"]
    if rule["side"] == "less":
        low, high = -high, -low
        excess = excess and (-excess[1], -excess[0])
    if high < 0:
        return "contradicted"
    return "holds" if low > 0 and (excess is None or excess[0] > 0) else "open"


def _at_last(rule, effect, excess, positive):
    word = rule_word(rule, effect, excess, None)
    return rule_word(rule, effect, excess, positive) if word == "holds" else word


def _at_last_of_differences(rule, *a):
    return rule_word(rule, *a[:2], None) if rule["kind"] == "equivalence" else _at_last(rule, *a)


_INSIDE, _OUTSIDE = '-rule["delta"] < low and high < rule["delta"]', 'low > rule["delta"] or high < -rule["delta"]'
_INSIDE_TOUCHES = f'{_INSIDE} => -rule["delta"] <= low and high <= rule["delta"]'
_OUTSIDE_TOUCHES = f'{_OUTSIDE} => low >= rule["delta"] or high <= -rule["delta"]'
_HELPED = "low > 0 and (excess is None or excess[0] > 0) => (excess[0] > 0 if excess else low > 0)"
_ANY_WORD = "if high < 0: => if high < 0 and (excess is None or excess[0] > 0):"
_SHOWN = '(excess is None or (-excess[1] if rule["side"] == "less" else excess[0]) > 0)'
_CLEAR = "not excess[0] <= 0 <= excess[1]"


def _probe(shows, effect, side="greater", threshold=0.0, delta=1.0, kind="difference", excess=None, positive=None):
    """positive: at_least, low, high"""
    at_least, *interval = positive or [0.0]
    rule = {"kind": kind, "side": side, "threshold": threshold, "delta": delta, "at_least": at_least}
    return Probe(shows, rule, effect, excess, tuple(interval) or None)


PROBES = [
    _probe("wholly on the claim's side", (0.4, 2.0)),
    _probe("0 lies inside", (-0.4, 2.0)),
    _probe("0 lies inside, near the high end", (-2.0, 0.4)),
    _probe("wholly on the other side", (-3.0, -1.2)),
    _probe("the claim says less", (-2.0, -0.3), "less"),
    _probe("the claim says less, and there is more", (0.2, 1.4), "less"),
    _probe("a threshold that is not 0, inside the interval", (0.5, 3.0), threshold=1.0),
    _probe("a threshold that is not 0, below the interval", (2.2, 3.0), threshold=2.0),
    _probe("a threshold that is not 0, above the interval", (0.5, 1.5), threshold=2.0),
    _probe("less than a threshold", (1.0, 1.8), "less", threshold=2.0),
    _probe("smaller than the smallest interesting difference", (0.1, 0.5), delta=2.0),
    _probe("equal: inside the margin", (-0.5, 0.8), kind="equivalence"),
    _probe("equal: on one side of 0, and inside the margin", (0.2, 0.7), kind="equivalence"),
    _probe("equal: reaches beyond the margin", (-0.5, 1.3), kind="equivalence"),
    _probe("equal: clear of 0, and across the margin", (0.5, 2.0), kind="equivalence"),
    _probe("equal: below 0, and across the margin", (-2.4, -0.3), kind="equivalence"),
    _probe("equal: wholly above the margin", (1.2, 1.9), kind="equivalence"),
    _probe("equal: wholly below the margin", (-2.9, -1.2), kind="equivalence"),
    _probe("equal: touches the margin from within", (-1.0, 0.4), kind="equivalence"),
    _probe("equal: touches the margin from without", (1.0, 1.9), kind="equivalence"),
    _probe("equal, whatever the excess", (-0.5, 0.8), kind="equivalence", excess=(-0.2, 0.9)),
    _probe("the interval reaches down to the threshold", (1.0, 3.0), threshold=1.0),
    _probe("the excess is above 0", (2.0, 3.0), excess=(0.5, 2.6)),
    _probe("the control explains the effect", (2.0, 3.0), excess=(-0.2, 0.9)),
    _probe("the control does better than the system", (2.0, 3.0), excess=(-1.9, -0.4)),
    _probe("contradicted, whatever the excess", (-3.0, -2.0), excess=(0.2, 0.9)),
    _probe("contradicted, and the control explains it", (-3.0, -2.0), excess=(-0.4, 0.9)),
    _probe("0 lies inside, and the excess is above 0", (-0.4, 2.0), excess=(0.2, 0.9)),
    _probe("the threshold lies inside, and above the excess", (2.0, 4.0), threshold=3.0, excess=(0.5, 1.2)),
    _probe("the excess reaches down to 0", (2.0, 3.0), excess=(0.0, 1.5)),
    _probe("less, and the excess is below 0", (-3.0, -2.0), "less", excess=(-2.0, -0.6)),
    _probe("less, and the control explains it", (-3.0, -2.0), "less", excess=(-0.9, 0.2)),
    _probe("a threshold, and an excess below it", (3.4, 5.0), threshold=3.0, excess=(0.5, 2.0)),
    _probe("the positive control fails", (0.4, 2.0), positive=(5.0, 3.0, 9.0)),
    _probe("the positive control shows", (0.4, 2.0), positive=(5.0, 5.5, 9.0)),
    _probe("less, and the positive control shows", (-2.0, -0.3), "less", positive=(5.0, 5.5, 9.0)),
    _probe("the positive control's middle lies below its bar", (0.4, 2.0), positive=(5.0, 3.0, 6.0)),
    _probe("the positive control reaches down to its bar", (0.4, 2.0), positive=(5.0, 5.0, 9.0)),
    _probe(
        "the positive control fails, and the interval is on the other side", (-2.0, -1.1), positive=(0.0, -1.0, 4.0)
    ),
    _probe("the positive control fails, and the interval holds 0", (-0.4, 2.0), positive=(0.0, -3.0, -1.0)),
    _probe("equal, and the positive control fails", (-0.3, 0.4), kind="equivalence", positive=(1.0, 0.2, 0.8)),
]
MISTAKES = [
    (
        "the estimate alone",
        "low, high = low - => low = high = sum(effect) / 2\n    low, high = low -",
        '"equivalence": => "equivalence":\n        low = high = sum(effect) / 2',
        "low, high = effect => low = high = sum(effect) / 2",
    ),
    (
        "one end is enough",
        "low > 0 and (excess => high > 0 and (excess",
        'low > 0 and (excess => (high if rule["side"] == "greater" else low) > 0 and (excess',
    ),
    ("touching the threshold is enough", "low > 0 and (excess => low >= 0 and (excess"),
    ("nothing is contradicted", "if high < 0: => if False:"),
    ("open is contradicted", "if high < 0: => if low <= 0:"),
    ("less is taken for greater", 'rule["side"] == "less" => False'),
    ("the threshold is not used", ' - rule["threshold"] => '),
    ("delta is a threshold", 'rule["threshold"] => rule["delta"] * (-1 if rule["side"] == "less" else 1)'),
    ("a small difference does not hold", 'low > 0 and => low > 0 and abs(sum(effect) / 2) >= rule["delta"] and'),
    (
        "equal if 0 lies inside",
        (f"{_INSIDE} => low < 0 < high", f"{_OUTSIDE} => True"),
        f"{_INSIDE} => low < 0 < high",
    ),
    ("equal is judged as a difference", 'rule["kind"] == "equivalence" => False'),
    ("equal if it touches the margin", f'{_OUTSIDE} else "open" => {_OUTSIDE} else "holds"'),
    ("touching the margin is enough", (_INSIDE_TOUCHES, _OUTSIDE_TOUCHES), _INSIDE_TOUCHES, _OUTSIDE_TOUCHES),
    ("not inside is contradicted", f"{_OUTSIDE} => True"),
    ("clear of 0 is not equal", f"{_OUTSIDE} => low > 0 or high < 0"),
    ("only above the margin", ' or high < -rule["delta"] => '),
    ("the control is not used", " and (excess is None or excess[0] > 0) => "),
    ("only the excess is judged", "low, high = effect => (low, high), excess = excess or effect, None"),
    (
        "the excess must only be clear of 0",
        f"excess[0] > 0 => {_CLEAR}",
        (f"excess[0] > 0 => {_CLEAR}", f"{_INSIDE} => {_INSIDE} and (excess is None or {_CLEAR})"),
    ),
    ("the excess can make it hold", _HELPED, (_HELPED, _ANY_WORD)),
    (
        "the control can contradict",
        *(
            f"if high < 0: => if high < 0 or (low > 0 and excess and {lost}):"
            for lost in ("excess[1] < 0", "excess[0] <= 0")
        ),
    ),
    ("the control takes every word away", _ANY_WORD),
    (
        "the control comes before the kind of the rule",
        f'low, high = effect => low, high = effect\n    if not {_SHOWN}:\n        return "open"',
        f"{_INSIDE} => {_SHOWN} and {_INSIDE}",
    ),
    (
        "the excess is held against the threshold",
        'excess[0] > 0 => excess[0] > rule["threshold"] * (-1 if rule["side"] == "less" else 1)',
    ),
    ("the excess is taken for greater", "excess = excess and (-excess[1], -excess[0]) => pass"),
    ("the positive control is not used", "positive is not None => False"),
    ("the positive control is asked last", _at_last, _at_last_of_differences),
    ("the positive control's other end", "positive[0] => positive[1]", "positive[0] => sum(positive) / 2"),
    ("touching at_least is enough", "positive[0] <= => positive[0] <"),
    ("at_least is not used", 'rule["at_least"] => 0.0'),
    ("open instead of cannot judge", "cannot judge => open"),
    ("written otherwise", Seen(lambda got, expected, *_: got != expected == got.strip().lower().replace("_", " "))),
]
EXERCISE = Exercise("9.2", rule_word, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20)
