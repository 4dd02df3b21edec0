"""Wrong answers to exercise 1.1 as readers write them, each with the mistake that must be named."""

from course.check import registry


def one_long_text(sentences, window):
    words = [word for sentence in sentences for word in sentence]
    found = []
    for i in range(len(words)):
        for j in range(i - window, i + window + 1):
            if 0 <= j < len(words) and i != j:
                found.append((words[i], words[j]))
    return found


def with_itself(sentences, window):
    found = []
    for sentence in sentences:
        for i, word in enumerate(sentence):
            found += [(word, other) for other in sentence[max(0, i - window) : i + window + 1]]
    return found


def only_following(sentences, window):
    return [(s[i], other) for s in sentences for i in range(len(s)) for other in s[i + 1 : i + 1 + window]]


def only_preceding(sentences, window):
    return [(s[i], other) for s in sentences for i in range(len(s)) for other in s[max(0, i - window) : i]]


def range_forgets_its_end(sentences, window):
    found = []
    for s in sentences:
        for i in range(len(s)):
            for j in range(max(0, i - window), min(len(s), i + window)):
                if i != j:
                    found.append((s[i], s[j]))
    return found


def window_plus_one(sentences, window):
    return registry.find("1.1").solution(sentences, window + 1)


def context_first(sentences, window):
    found = []
    for s in sentences:
        for i in range(len(s)):
            found += [(s[j], s[i]) for j in range(max(0, i - window), min(len(s), i + window + 1)) if i != j]
    return found


def equal_words_skipped(sentences, window):
    found = []
    for s in sentences:
        for i, word in enumerate(s):
            found += [(word, other) for other in s[max(0, i - window) : i + window + 1] if other != word]
    return found


def negative_slice(sentences, window):
    found = []
    for s in sentences:
        for i, word in enumerate(s):
            found += [(word, other) for other in s[i - window : i] + s[i + 1 : i + 1 + window]]
    return found


def position_by_index(sentences, window):
    found = []
    for s in sentences:
        for word in s:
            i = s.index(word)
            found += [(word, s[j]) for j in range(len(s)) if j != i and i - window <= j <= i + window]
    return found


def nearest_first(sentences, window):
    found = []
    for s in sentences:
        for i, word in enumerate(s):
            for step in range(1, window + 1):
                found += [(word, s[j]) for j in (i - step, i + step) if 0 <= j < len(s)]
    return found


def yielded(sentences, window):
    for s in sentences:
        for i in range(len(s)):
            for j in range(max(0, i - window), min(len(s), i + window + 1)):
                if i != j:
                    yield s[i], s[j]


def with_a_kept_list(sentences, window, found=[]):  # noqa: B006
    found.extend(yielded(sentences, window))
    return found


WRONG = [
    (one_long_text, "the window crosses the sentence boundary"),
    (with_itself, "the centre is paired with itself"),
    (only_following, "one side only"),
    (only_preceding, "one side only"),
    (range_forgets_its_end, "the window is one too small"),
    (window_plus_one, "the window is one too large"),
    (context_first, "the order is (context, centre)"),
    (equal_words_skipped, "a repeated word is dropped"),
    (negative_slice, "a slice starts at a negative position"),
    (position_by_index, "a repeated word is taken for its first occurrence"),
    (nearest_first, "another order of the pairs"),
    (yielded, "wrong"),
    (with_a_kept_list, "keeps results of an earlier call"),
]
