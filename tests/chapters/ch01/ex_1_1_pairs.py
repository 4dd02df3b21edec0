"""Wrong answers to exercise 1.1 as readers write them, each with the mistake that must be named."""

from course.check import registry


def paired(contexts):
    """contexts(sentence, i, window): the words that stand with the one at i."""

    def answer(sentences, window):
        found = []
        for sentence in sentences:
            for i, word in enumerate(sentence):
                found += [(word, other) for other in contexts(sentence, i, window)]
        return found

    return answer


def around(s, i, window):
    return s[max(0, i - window) : i] + s[i + 1 : i + 1 + window]


def one_long_text(sentences, window):
    return paired(around)([[word for sentence in sentences for word in sentence]], window)


def range_forgets_its_end(s, i, window):
    return [s[j] for j in range(max(0, i - window), min(len(s), i + window)) if i != j]


def equal_words_skipped(s, i, window):
    return [other for other in s[max(0, i - window) : i + window + 1] if other != s[i]]


def nearest_first(s, i, window):
    return [s[j] for step in range(1, window + 1) for j in (i - step, i + step) if 0 <= j < len(s)]


def yielded(sentences, window):
    yield from paired(around)(sentences, window)


def with_a_kept_list(sentences, window, found=[]):  # noqa: B006
    found.extend(yielded(sentences, window))
    return found


WRONG = [
    (one_long_text, "the window crosses the sentence boundary"),
    (paired(lambda s, i, window: s[max(0, i - window) : i + window + 1]), "the centre is paired with itself"),
    (paired(lambda s, i, window: s[i + 1 : i + 1 + window]), "one side only"),
    (paired(lambda s, i, window: s[max(0, i - window) : i]), "one side only"),
    (paired(range_forgets_its_end), "the window is one too small"),
    (lambda sentences, window: registry.find("1.1").solution(sentences, window + 1), "the window is one too large"),
    (lambda *inputs: [(other, word) for word, other in paired(around)(*inputs)], "the order is (context, centre)"),
    (paired(equal_words_skipped), "a repeated word is dropped"),
    (
        paired(lambda s, i, window: s[i - window : i] + s[i + 1 : i + 1 + window]),
        "a slice starts at a negative position",
    ),
    (paired(lambda s, i, w: around(s, s.index(s[i]), w)), "a repeated word is taken for its first occurrence"),
    (paired(nearest_first), "another order of the pairs"),
    (yielded, "wrong"),
    (with_a_kept_list, "keeps results of an earlier call"),
]
