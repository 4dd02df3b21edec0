"""Wrong answers to exercise 8.6 as readers write them, each with the mistake that must be named."""

import math


def shifted(windows):
    """[score, start, end] in the passage, in the order of windows."""
    found = []
    for begins, spans in windows:
        for score, start, end in spans:
            found.append([score, begins + start, begins + end])
    return found


def by_score(found):
    return sorted(found, key=lambda span: span[0], reverse=True)


def first_of_each_place(found):
    kept = []
    for _, start, end in found:
        if (start, end) not in kept:
            kept.append((start, end))
    return kept


def not_shifted(windows, n):
    found = [span for _, spans in windows for span in spans]
    return first_of_each_place(by_score(found))[:n]


def only_start(windows, n):
    found = [(score, begins + start, end) for begins, spans in windows for score, start, end in spans]
    return first_of_each_place(by_score(found))[:n]


def minus(windows, n):
    found = [(score, start - begins, end - begins) for begins, spans in windows for score, start, end in spans]
    return first_of_each_place(by_score(found))[:n]


def twice(windows, n):
    return [(start, end) for _, start, end in by_score(shifted(windows))[:n]]


def too_early(windows, n):
    return first_of_each_place(by_score(shifted(windows))[:n])


def pooled(windows, n, pool):
    scores = {}
    for score, start, end in shifted(windows):
        scores.setdefault((start, end), []).append(score)
    return first_of_each_place(by_score([(pool(own), *place) for place, own in scores.items()]))[:n]


def average(windows, n):
    return pooled(windows, n, lambda own: sum(own) / len(own))


def added(windows, n):
    return pooled(windows, n, sum)


def overwritten(windows, n):
    scores = {}
    for score, start, end in shifted(windows):
        scores[start, end] = score
    return sorted(scores, key=lambda place: -scores[place])[:n]


def not_again(windows, n):
    scores = {}
    for score, start, end in shifted(windows):
        if (start, end) not in scores:
            scores[start, end] = score
    return sorted(scores, key=lambda place: -scores[place])[:n]


def lowest(windows, n):
    return pooled(windows, n, min)


def probabilities(windows, n):
    found = []
    for begins, spans in windows:
        highest = max(score for score, _, _ in spans)
        odds = [math.exp(score - highest) for score, _, _ in spans]
        found += [(p / sum(odds), begins + start, begins + end) for p, (_, start, end) in zip(odds, spans, strict=True)]
    return first_of_each_place(by_score(found))[:n]


def log_probabilities(windows, n):
    found = []
    for begins, spans in windows:
        total = math.log(sum(math.exp(score) for score, _, _ in spans))
        found += [(score - total, begins + start, begins + end) for score, start, end in spans]
    return first_of_each_place(by_score(found))[:n]


def one_by_one(windows, n):
    found = []
    for window in windows:
        found += by_score(shifted([window]))
    return first_of_each_place(found)[:n]


def one_for_each(windows, n):
    return first_of_each_place(by_score([by_score(shifted([window]))[0] for window in windows]))[:n]


def overwritten_list(windows, n):
    for begins, spans in windows:
        found = shifted([(begins, spans)])
    return first_of_each_place(by_score(found))[:n]


def ascending(windows, n):
    best = {}
    for score, start, end in sorted(shifted(windows)):
        best[start, end] = score
    return sorted(best, key=lambda place: best[place])[:n]


def everything(windows, n):
    return first_of_each_place(by_score(shifted(windows)))


def with_scores(windows, n):
    found, kept = by_score(shifted(windows)), []
    for score, start, end in found:
        if (start, end) not in [place for _, *place in map(tuple, kept)] and len(kept) < n:
            kept.append((score, start, end))
    return kept


def nothing(windows, n):
    return []


WRONG = [
    (not_shifted, "places are not shifted"),
    (only_start, "only the start is shifted"),
    (minus, "shifted to the left"),
    (twice, "one answer is listed twice"),
    (too_early, "merged after cutting off"),
    (average, "the mean over windows"),
    (added, "the sum over windows"),
    (overwritten, "the last window wins"),
    (not_again, "the first window wins"),
    (lowest, "the lowest score counts"),
    (probabilities, "a softmax in each window"),
    (log_probabilities, "a softmax in each window"),
    (one_by_one, "window after window"),
    (one_for_each, "only the best of each window"),
    (overwritten_list, "only the last window"),
    (ascending, "the worst come first"),
    (everything, "n is ignored"),
    (with_scores, "scores are in the list"),
    (nothing, "wrong"),
]
