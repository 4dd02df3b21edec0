"""Wrong answers to exercise 8.7 as readers write them, each with the mistake that must be named."""

import torch


def best_span(windows):
    best = None
    for _, spans in windows:
        for span in spans:
            if best is None or span[0] > best[0]:
                best = span
    return best


def nulls(windows):
    return torch.tensor([null for null, _ in windows])


def answer(windows, null, threshold):
    score, start, end = best_span(windows)
    return (start, end) if score - float(null) > threshold else (0, 0)


def highest_null(windows, threshold):
    return answer(windows, nulls(windows).max(), threshold)


def mean_null(windows, threshold):
    return answer(windows, nulls(windows).mean(), threshold)


def first_null(windows, threshold):
    return answer(windows, windows[0][0], threshold)


def overwritten_null(windows, threshold):
    for null, _ in windows:
        last = null
    return answer(windows, last, threshold)


def own_null(windows, threshold):
    best, found = -float("inf"), (0, 0)
    for null, spans in windows:
        for score, start, end in spans:
            if score > best:
                best, found = score, (start, end) if score - null > threshold else (0, 0)
    return found


def answered_windows(windows, threshold):
    found = []
    for null, spans in windows:
        score, start, end = best_span([(null, spans)])
        if score - null > threshold:
            found.append((score, start, end))
    return max(found)[1:] if found else (0, 0)


def veto(windows, threshold):
    for window in windows:
        if answer([window], window[0], threshold) == (0, 0):
            return 0, 0
    return best_span(windows)[1:]


def vote(windows, threshold):
    silent = [answer([window], window[0], threshold) == (0, 0) for window in windows]
    return (0, 0) if silent.count(True) > silent.count(False) else best_span(windows)[1:]


def sign_of_run_squad(windows, threshold):
    score, start, end = best_span(windows)
    return (0, 0) if float(nulls(windows).min()) - score >= threshold else (start, end)


def no_threshold(windows, threshold):
    return answer(windows, nulls(windows).min(), 0)


def score_alone(windows, threshold):
    return answer(windows, 0, threshold)


def distance(windows, threshold):
    score, start, end = best_span(windows)
    return (start, end) if abs(score - float(nulls(windows).min())) > threshold else (0, 0)


def at_least(windows, threshold):
    score, start, end = best_span(windows)
    return (start, end) if score - float(nulls(windows).min()) >= threshold else (0, 0)


def always(windows, threshold):
    return best_span(windows)[1:]


def never(windows, threshold):
    return 0, 0


def turned(windows, threshold):
    return (0, 0) if answer(windows, nulls(windows).min(), threshold) != (0, 0) else best_span(windows)[1:]


def softmax_first(windows, threshold):
    found = []
    for null, spans in windows:
        p = torch.tensor([null, *(score for score, _, _ in spans)], dtype=torch.float64).softmax(0).tolist()
        found.append((p[0], [(q, start, end) for q, (_, start, end) in zip(p[1:], spans, strict=True)]))
    score, start, end = best_span(found)
    return (start, end) if score > min(null for null, _ in found) + threshold else (0, 0)


def last_window(windows, threshold):
    null, spans = windows[-1]
    return answer([(null, spans)], null, threshold)


def first_spans(windows, threshold):
    score, start, end = max(spans[0] for _, spans in windows)
    return (start, end) if score - float(nulls(windows).min()) > threshold else (0, 0)


def yes_or_no(windows, threshold):
    return answer(windows, nulls(windows).min(), threshold) != (0, 0)


WRONG = [
    (highest_null, "the highest null score"),
    (mean_null, "the mean null score"),
    (first_null, "the null score of the first window"),
    (overwritten_null, "the null score of the last window"),
    (own_null, "null score and span from the same window"),
    (answered_windows, "each window decides by itself"),
    (veto, "one window says no for all"),
    (vote, "the windows vote"),
    (sign_of_run_squad, "the threshold has the wrong sign"),
    (no_threshold, "the threshold is not used"),
    (score_alone, "the null score is not used"),
    (distance, "the distance to the null score"),
    (at_least, "exactly the threshold is enough"),
    (always, "it answers always"),
    (never, "it never answers"),
    (turned, "the comparison is turned round"),
    (softmax_first, "probabilities are compared"),
    (last_window, "only the last window"),
    (first_spans, "only the first span of each window"),
    (yes_or_no, "True and False"),
]
