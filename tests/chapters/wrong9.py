"""Wrong answers to the exercises of chapter 9 as readers write them: see `cells.py`."""

import statistics


def spread(values):
    return statistics.stdev(values)


def unpaired(system, baseline, quantile):
    seeds = sorted(set(system) & set(baseline))
    a, b = [system[seed] for seed in seeds], [baseline[seed] for seed in seeds]
    middle = statistics.mean(a) - statistics.mean(b)
    half = quantile * ((statistics.variance(a) + statistics.variance(b)) / len(seeds)) ** 0.5
    return middle - half, middle + half


def of_all(system, baseline, quantile):
    a, b = list(system.values()), list(baseline.values())
    middle = statistics.mean(a) - statistics.mean(b)
    half = quantile * (statistics.variance(a) / len(a) + statistics.variance(b) / len(b)) ** 0.5
    return middle - half, middle + half


WRONG = {
    "9.1": r"""
paired by place :: [score - baseline[seed] for seed, score in system.items() if seed in baseline]
    => [a - b for a, b in zip(system.values(), baseline.values())]
paired by size :: [score - baseline[seed] for seed, score in system.items() if seed in baseline]
    => [a - b for a, b in zip(sorted(system.values()), sorted(baseline.values()))]
not paired :: = unpaired
not paired :: = of_all
a missing seed counts as 0 :: [score - baseline[seed] for seed, score in system.items() if seed in baseline]
    => [system.get(seed, 0) - baseline.get(seed, 0) for seed in sorted(set(system) | set(baseline))]
baseline minus system :: score - baseline[seed] => baseline[seed] - score
the size of differences :: [score - baseline[seed] => [abs(score - baseline[seed])
divided by n :: (n - 1) => n
the spread of seeds instead of that of their mean :: variance / n => variance
divided by n without a root :: math.sqrt(variance / n) => math.sqrt(variance) / n
divided by the root of n - 1 :: variance / n => variance / (n - 1)
the quantile is not used :: quantile * =>
1.96 instead of the quantile :: half = quantile => half = 1.96
the variance instead of its root :: math.sqrt(variance / n) => variance / math.sqrt(n)
half of the width :: half = quantile => half = 0.5 * quantile
lowest and highest difference :: mean - half, mean + half => min(differences), max(differences)
middle and half :: mean - half, mean + half => mean, half
high before low :: mean - half, mean + half => mean + half, mean - half
the spread of scores instead of differences :: variance = sum((d - mean) ** 2 for d in differences)
    => own = [score for seed, score in system.items() if seed in baseline]
    \n    variance = sum((d - sum(own) / n) ** 2 for d in own)
the number of seeds is known by heart :: (n - 1) => 4 :: variance / n) => variance / 5)
n counts all seeds :: variance / n) => variance / len(system))
n counts all seeds :: variance / n) => variance / len(baseline))
a missing seed counts as 0 :: score - baseline[seed] => score - baseline.get(seed, 0.0) :: if seed in baseline] => ]
""",
    "9.2": r"""
the estimate alone :: low, high = low - rule[ => low = high = (low + high) / 2\n    low, high = low - rule[
nothing is contradicted :: if high < 0:\n        return "contradicted" => pass
open is contradicted :: (excess is None or excess[0] > 0) else "open"
    => not (excess and excess[0] <= 0) else "open" if low > 0 else "contradicted"
less is taken for greater :: rule["side"] == "less" => False
the threshold is not used :: - rule["threshold"] =>
delta is a threshold :: low - rule["threshold"], high - rule["threshold"]
    => low - (d := rule["delta"] if rule["side"] == "greater" else -rule["delta"]), high - d
a small difference does not hold :: if low > 0 and => if abs(sum(effect)) / 2 >= rule["delta"] and low > 0 and
equal if 0 lies inside :: -rule["delta"] < low and high < rule["delta"] => low < 0 < high
    :: if low > rule["delta"] or high < -rule["delta"] else "open" =>
equal is judged as a difference :: rule["kind"] == "equivalence" => False
equal if it touches the margin :: else "open"\n    low => else "holds"\n    low
touching the margin is enough :: -rule["delta"] < low and high < rule["delta"]
    => -rule["delta"] <= low and high <= rule["delta"]
touching the margin is enough :: low > rule["delta"] or high < -rule["delta"]
    => low >= rule["delta"] or high <= -rule["delta"]
not inside is contradicted :: if low > rule["delta"] or high < -rule["delta"] else "open" =>
clear of 0 is not equal :: low > rule["delta"] or high < -rule["delta"] => low > 0 or high < 0
only above the margin :: or high < -rule["delta"] =>
the control is not used :: and (excess is None or excess[0] > 0) =>
only the excess is judged :: low, high = effect => low, high = excess or effect
the excess can make it hold :: if low > 0 and (excess is None or excess[0] > 0) else "open"
    => if (low > 0 and excess is None) or (excess and excess[0] > 0) else "open"
the excess can make it hold :: if high < 0: => if excess:
    \n        return "open" if excess[0] <= 0 else "contradicted" if high < 0 else "holds"\n    if high < 0:
the control can contradict :: return "holds" if low => if low > 0 and excess and excess[1] < 0:
    \n        return "contradicted"\n    return "holds" if low
the excess is held against the threshold :: excess[0] > 0 => excess[0] > abs(rule["threshold"])
the excess is taken for greater :: excess = excess and (-excess[1], -excess[0]) => pass
the positive control is not used :: positive is not None => False
the positive control is asked last
    :: if positive is not None and positive[0] <= rule["at_least"]:\n        return "cannot judge"\n
    => failed = positive is not None and positive[0] <= rule["at_least"]\n :: return "holds" if low
    => return ("cannot judge" if failed else "holds") if low :: return "holds"\n        return "contr
    => return "cannot judge" if failed else "holds"\n        return "contr
the positive control's other end :: positive[0] => positive[1]
touching at_least is enough :: positive[0] <= => positive[0] <
at_least is not used :: rule["at_least"] => 0
open instead of cannot judge :: cannot judge => open
one end is enough :: low > 0 and (excess => high > 0 and (excess
one end is enough :: low > 0 and (excess => (high if rule['side'] == 'greater' else low) > 0 and (excess
the estimate alone :: low, high = effect => low = high = sum(effect) / 2
the estimate alone :: -rule["delta"] < low and high < rule["delta"] => abs(low + high) < 2 * rule["delta"]
    :: low > rule["delta"] or high < -rule["delta"] => abs(low + high) > 2 * rule["delta"]
touching the threshold is enough :: low > 0 and (excess => low >= 0 and (excess
the control can contradict :: return "holds" if low > 0 and (excess is None or excess[0] > 0) else "open"
    => if low > 0 and excess and excess[0] <= 0:\n        return "contradicted"\n    return "holds" if low > 0 else
    "open"
the control takes every word away :: if high < 0: => if high < 0 and (excess is None or excess[0] > 0):
the positive control is asked last :: if positive is not None and => if False and :: return "holds" if low > 0 and
    => if low > 0 and positive and positive[0] <= rule["at_least"]:\n        return "cannot judge"
    \n    return "holds" if low > 0 and
the positive control's other end :: positive[0] <= => sum(positive) / 2 <=
wrong :: excess[0] > 0 => excess[0] >= 0
the control comes before the kind of the rule :: low, high = effect
    => low, high = effect\n    if excess and min(-e if rule["side"] == "less" else e for e in excess) <= 0:
    \n        return "open"
the control comes before the kind of the rule :: -rule["delta"] < low and
    => (excess is None or excess[0] > 0) and -rule["delta"] < low and
equal if 0 lies inside :: -rule["delta"] < low and high < rule["delta"] => low < 0 < high
the excess must only be clear of 0 :: excess[0] > 0 => not excess[0] <= 0 <= excess[1]
the excess must only be clear of 0 :: excess[0] > 0 => not excess[0] <= 0 <= excess[1] :: high < rule["delta"]:
    => high < rule["delta"] and not (excess and excess[0] <= 0 <= excess[1]):
written otherwise :: "holds" => "HOLDS"
written otherwise :: cannot judge => cannot_judge
""",
}
