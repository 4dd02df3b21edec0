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


def decided(answers, span=best_span):
    """answers(score, lowest null score, threshold): is there an answer? span(windows)."""

    def answer(windows, threshold):
        score, start, end = span(windows)
        return (start, end) if answers(score, float(nulls(windows).min()), threshold) else (0, 0)

    return answer


def answer(windows, null, threshold):
    return decided(lambda score, _, threshold: score - float(null) > threshold)(windows, threshold)


def with_null(null):
    """null(windows) in the place of the lowest."""
    return lambda windows, threshold: answer(windows, null(windows), threshold)


def answered_windows(windows, threshold):
    found = []
    for null, spans in windows:
        score, start, end = best_span([(null, spans)])
        if score - null > threshold:
            found.append((score, start, end))
    return max(found)[1:] if found else (0, 0)


def silenced(decide):
    """decide(which windows have no answer of their own): has none of them?"""

    def answer_or_none(windows, threshold):
        silent = [answer([window], window[0], threshold) == (0, 0) for window in windows]
        return (0, 0) if decide(silent) else best_span(windows)[1:]

    return answer_or_none


def softmax_first(windows, threshold):
    found = []
    for null, spans in windows:
        p = torch.tensor([null, *(score for score, _, _ in spans)], dtype=torch.float64).softmax(0).tolist()
        found.append((p[0], [(q, start, end) for q, (_, start, end) in zip(p[1:], spans, strict=True)]))
    score, start, end = best_span(found)
    return (start, end) if score > min(null for null, _ in found) + threshold else (0, 0)


def best_of_first_spans(windows):
    return max(spans[0] for _, spans in windows)


WRONG = [
    (with_null(lambda windows: nulls(windows).max()), "the highest null score"),
    (with_null(lambda windows: nulls(windows).mean()), "the mean null score"),
    (with_null(lambda windows: windows[0][0]), "the null score of the first window"),
    (with_null(lambda windows: windows[-1][0]), "the null score of the last window"),
    (
        with_null(lambda windows: max(windows, key=lambda window: max(window[1]))[0]),
        "null score and span from the same window",
    ),
    (answered_windows, "each window decides by itself"),
    (silenced(any), "one window says no for all"),
    (silenced(lambda silent: silent.count(True) > silent.count(False)), "the windows vote"),
    (decided(lambda score, null, threshold: null - score < threshold), "the threshold has the wrong sign"),
    (decided(lambda score, null, threshold: score - null > 0), "the threshold is not used"),
    (with_null(lambda windows: 0), "the null score is not used"),
    (decided(lambda score, null, threshold: abs(score - null) > threshold), "the distance to the null score"),
    (decided(lambda score, null, threshold: score - null >= threshold), "exactly the threshold is enough"),
    (decided(lambda *_: True), "it answers always"),
    (decided(lambda *_: False), "it never answers"),
    (decided(lambda score, null, threshold: score - null <= threshold), "the comparison is turned round"),
    (softmax_first, "probabilities are compared"),
    (lambda windows, threshold: answer(windows[-1:], windows[-1][0], threshold), "only the last window"),
    (
        decided(lambda score, null, threshold: score - null > threshold, best_of_first_spans),
        "only the first span of each window",
    ),
    (lambda windows, threshold: answer(windows, nulls(windows).min(), threshold) != (0, 0), "True and False"),
]
