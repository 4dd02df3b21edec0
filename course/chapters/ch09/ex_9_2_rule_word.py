"""Exercise 9.2: the verdict of one rule. Source: the course's ledger, whose rules stand in `data/claims.toml`."""

from course.check.exercise import Exercise, Probe

HOLDS, OPEN, CONTRADICTED, SILENT = "holds", "open", "contradicted", "cannot judge"


def rule_word(
    rule: dict,
    effect: tuple[float, float],
    excess: tuple[float, float] | None,
    positive: tuple[float, float] | None,
) -> str:
    """ "holds", "open", "contradicted" or "cannot judge". rule: kind, "difference" or "equivalence"; side, "greater" or
    "less"; threshold, delta, at_least; effect, excess (effect less its control), positive (the positive control):
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


def _lies(interval, rule, threshold=None):
    """Where the interval lies, seen from the claim's side."""
    sign = -1 if rule["side"] == "less" else 1
    low, high = sorted(sign * (end - (rule["threshold"] if threshold is None else threshold)) for end in interval)
    return HOLDS if low > 0 else CONTRADICTED if high < 0 else OPEN


def _near(interval, rule):
    low, high = interval
    inside, outside = -rule["delta"] < low and high < rule["delta"], low > rule["delta"] or high < -rule["delta"]
    return HOLDS if inside else CONTRADICTED if outside else OPEN


def _not_zero(interval, rule):
    word = _near(interval, rule)
    return CONTRADICTED if word == OPEN and not interval[0] <= 0 <= interval[1] else word


def _touching(inside, outside):
    """Which of the two an interval may be that reaches exactly to a border."""

    def near(interval, rule):
        low, high, delta = *interval, rule["delta"]
        if inside and -delta <= low and high <= delta:
            return HOLDS
        return CONTRADICTED if outside and (low >= delta or high <= -delta) else _near(interval, rule)

    return near


def _spoilt(word, excess, rule):
    return OPEN if word == HOLDS and excess is not None and _lies(excess, rule, 0.0) != HOLDS else word


def _silent(positive, rule):
    return positive is not None and positive[0] <= rule["at_least"]


def _word(silent=_silent, near=_near, lies=_lies, spoilt=_spoilt, dumb=SILENT):
    def model(rule, effect, excess, positive):
        if silent(positive, rule):
            return dumb
        return near(effect, rule) if rule["kind"] == "equivalence" else spoilt(lies(effect, rule), excess, rule)

    return model


def _changed(**values):
    """The solution by another rule. values: key -> what is put in its place, from the rule."""
    return lambda rule, *a: rule_word(rule | {key: made(rule) for key, made in values.items()}, *a)


def _middle(interval, rule):
    middle = sum(interval) / 2
    return _lies((middle, middle), rule)


def _middle_near(interval, rule):
    return _near((sum(interval) / 2,) * 2, rule)


def _one_end(interval, rule, threshold=None):
    """Wherever the other end lies."""
    return HOLDS if _lies(interval, rule, threshold) != CONTRADICTED else CONTRADICTED


def _one_end_above(rule, *a):
    return _word(lies=_one_end if rule["side"] == "greater" else _lies)(rule, *a)


def _at_last_of_differences(rule, *a):
    return rule_word(rule, *a[:2], None) if rule["kind"] == "equivalence" else _at_last(rule, *a)


def _touches(interval, rule, threshold=None):
    """An interval that reaches down to the threshold lies beyond it."""
    found = _lies(interval, rule, threshold)
    at = rule["threshold"] if threshold is None else threshold
    return found if found != OPEN else HOLDS if interval[rule["side"] == "less"] == at else OPEN


def _at_last(rule, effect, excess, positive):
    word = rule_word(rule, effect, excess, None)
    return SILENT if word == HOLDS and _silent(positive, rule) else word


def _below_delta(interval, rule):
    word = _lies(interval, rule)
    return OPEN if word == HOLDS and abs(sum(interval) / 2) < rule["delta"] else word


def _of_excess(rule, effect, excess, positive):
    return rule_word(rule, effect if excess is None else excess, None, positive)


def _control_judges(word, excess, rule):
    return word if excess is None or word != HOLDS else _lies(excess, rule, 0.0)


def _control_contradicts(word, excess, rule):
    return CONTRADICTED if _spoilt(word, excess, rule) != word else word


def _any_word(word, excess, rule):
    return OPEN if excess is not None and _lies(excess, rule, 0.0) != HOLDS else word


def _of_any_kind(spoilt):
    """The control has its say on an equivalence, too."""

    def model(rule, effect, excess, positive):
        return SILENT if _silent(positive, rule) else spoilt(rule_word(rule, effect, None, None), excess, rule)

    return model


def _helped(spoilt):
    """An open effect holds if its excess does."""

    def model(word, excess, rule):
        helps = word == OPEN and excess is not None and _lies(excess, rule, 0.0) == HOLDS
        return HOLDS if helps else spoilt(word, excess, rule)

    return model


def _by_threshold(word, excess, rule):
    return OPEN if word == HOLDS and excess is not None and _lies(excess, rule) != HOLDS else word


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
        _word(lies=_middle),
        _word(near=_middle_near),
        _word(lies=lambda i, r, t=None: _middle(i, r), near=_middle_near),
    ),
    ("one end is enough", _word(lies=_one_end), _one_end_above),
    ("touching the threshold is enough", _word(lies=_touches)),
    ("nothing is contradicted", _word(lies=lambda i, r, t=None: HOLDS if _lies(i, r, t) == HOLDS else OPEN)),
    ("open is contradicted", _word(lies=lambda i, r, t=None: HOLDS if _lies(i, r, t) == HOLDS else CONTRADICTED)),
    ("less is taken for greater", _changed(side=lambda rule: "greater")),
    ("the threshold is not used", _changed(threshold=lambda rule: 0.0)),
    ("delta is a threshold", _changed(threshold=lambda r: r["delta"] * (-1 if r["side"] == "less" else 1))),
    ("a small difference does not hold", _word(lies=_below_delta)),
    (
        "equal if 0 lies inside",
        _word(near=lambda i, rule: HOLDS if i[0] < 0 < i[1] else CONTRADICTED),
        _word(near=lambda i, r: HOLDS if i[0] < 0 < i[1] else CONTRADICTED if _near(i, r) == CONTRADICTED else OPEN),
    ),
    ("equal is judged as a difference", _changed(kind=lambda rule: "difference")),
    ("equal if it touches the margin", _word(near=lambda i, r: CONTRADICTED if _near(i, r) == CONTRADICTED else HOLDS)),
    ("touching the margin is enough", *(_word(near=_touching(*at)) for at in ((1, 1), (1, 0), (0, 1)))),
    ("not inside is contradicted", _word(near=lambda i, r: HOLDS if _near(i, r) == HOLDS else CONTRADICTED)),
    ("clear of 0 is not equal", _word(near=_not_zero)),
    ("only above the margin", _word(near=lambda i, r: OPEN if i[1] < -r["delta"] else _near(i, r))),
    ("the control is not used", lambda rule, effect, excess, positive: rule_word(rule, effect, None, positive)),
    ("only the excess is judged", _of_excess),
    ("the excess can make it hold", _word(spoilt=_helped(_spoilt)), _word(spoilt=_helped(_any_word))),
    ("the control can contradict", _word(spoilt=_control_judges), _word(spoilt=_control_contradicts)),
    ("the control takes every word away", _word(spoilt=_any_word)),
    ("the control comes before the kind of the rule", _of_any_kind(_any_word), _of_any_kind(_spoilt)),
    ("the excess is held against the threshold", _word(spoilt=_by_threshold)),
    ("the excess is taken for greater", _word(spoilt=lambda w, e, r: _spoilt(w, e, r | {"side": "greater"}))),
    ("the positive control is not used", lambda rule, effect, excess, positive: rule_word(rule, effect, excess, None)),
    ("the positive control is asked last", _at_last, _at_last_of_differences),
    (
        "the positive control's other end",
        _word(silent=lambda p, r: p is not None and p[1] <= r["at_least"]),
        _word(silent=lambda p, r: p is not None and sum(p) / 2 <= r["at_least"]),
    ),
    ("at_least is not used", _changed(at_least=lambda rule: 0.0)),
    ("open instead of cannot judge", _word(dumb=OPEN)),
]
EXERCISE = Exercise("9.2", rule_word, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20)
