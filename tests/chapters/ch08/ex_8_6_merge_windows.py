"""Wrong answers to exercise 8.6 as readers write them, each with the mistake that must be named."""

import math


def moved(windows, start_by=1, end_by=1):
    """[score, start, end] in the passage, in the order of windows."""
    return [
        [score, start + start_by * begins, end + end_by * begins]
        for begins, spans in windows
        for score, start, end in spans
    ]


def by_score(found):
    return sorted(found, key=lambda span: span[0], reverse=True)


def first_of_each_place(found):
    return list(dict.fromkeys((start, end) for _, start, end in found))


def ranked(spans):
    """spans(windows): [score, start, end] each."""
    return lambda windows, n: first_of_each_place(by_score(spans(windows)))[:n]


def pooled(pool):
    """pool(scores of one place)."""

    def spans(windows):
        scores = {}
        for score, start, end in moved(windows):
            scores.setdefault((start, end), []).append(score)
        return [(pool(own), *place) for place, own in scores.items()]

    return ranked(spans)


def probabilities(windows):
    found = []
    for begins, spans in windows:
        highest = max(score for score, _, _ in spans)
        odds = [math.exp(score - highest) for score, _, _ in spans]
        found += [(p / sum(odds), begins + start, begins + end) for p, (_, start, end) in zip(odds, spans, strict=True)]
    return found


def one_by_one(windows, n):
    return first_of_each_place([span for window in windows for span in by_score(moved([window]))])[:n]


def ascending(windows, n):
    best = {(start, end): score for score, start, end in sorted(moved(windows))}
    return sorted(best, key=lambda place: best[place])[:n]


def with_scores(windows, n):
    best = {}
    for score, *place in by_score(moved(windows)):
        best.setdefault(tuple(place), score)
    return [(score, *place) for place, score in best.items()][:n]


WRONG = [
    (ranked(lambda windows: moved(windows, 0, 0)), "places are not shifted"),
    (ranked(lambda windows: moved(windows, 1, 0)), "only the start is shifted"),
    (ranked(lambda windows: moved(windows, -1, -1)), "shifted to the left"),
    (lambda windows, n: [(start, end) for _, start, end in by_score(moved(windows))[:n]], "one answer is listed twice"),
    (lambda windows, n: first_of_each_place(by_score(moved(windows))[:n]), "merged after cutting off"),
    (pooled(lambda own: sum(own) / len(own)), "the mean over windows"),
    (pooled(sum), "the sum over windows"),
    (pooled(lambda own: own[-1]), "the last window wins"),
    (pooled(lambda own: own[0]), "the first window wins"),
    (pooled(min), "the lowest score counts"),
    (ranked(probabilities), "a softmax in each window"),
    (one_by_one, "window after window"),
    (ranked(lambda windows: [by_score(moved([window]))[0] for window in windows]), "only the best of each window"),
    (ranked(lambda windows: moved(windows[-1:])), "only the last window"),
    (ascending, "the worst come first"),
    (lambda windows, n: ranked(moved)(windows, None), "n is ignored"),
    (with_scores, "scores are in the list"),
    (lambda windows, n: [], "wrong"),
]
