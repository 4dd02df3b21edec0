"""Exercise 2.3: which words a vocabulary keeps, and what stands for the others."""

from collections import Counter

from course.check.exercise import Exercise, Probe


def encode(train_sentences: list[list[str]], text: list[str], min_count: int) -> list[str]:
    """The text as a model reads it: its words, with "[UNK]" for each word that the vocabulary lacks.
    The vocabulary: words with at least min_count occurrences in the training sentences.
    encode([["a", "b"], ["a"]], ["b", "a", "c"], 2) -> ["[UNK]", "a", "[UNK]"]"""
    counts = Counter(word for sentence in train_sentences for word in sentence)
    return [word if counts[word] >= min_count else "[UNK]" for word in text]


def _lower(sentences):
    return [[word.lower() for word in sentence] for sentence in sentences]


def _keep(keep):
    """keep(count in the training sentences, min_count): does a word stay?"""

    def model(train_sentences, text, min_count):
        counts = Counter(word for sentence in train_sentences for word in sentence)
        return [word if keep(counts[word], min_count) else "[UNK]" for word in text]

    return model


def _in_one(sentences):
    """Known is what occurs often enough in one of these of the training sentences."""

    def model(train_sentences, text, min_count):
        rows = [encode([words], text, min_count) for words in sentences(train_sentences)]
        return [max(forms, key=lambda form: form != "[UNK]") for forms in zip(*rows, strict=True)]

    return model


def _small(train_sentences, text, min_count):
    return encode(_lower(train_sentences), _lower([text])[0], min_count)


def _with_small_form(train_sentences, text, min_count):
    """A word stays if it or its lower-case form is in the vocabulary."""
    forms = zip(
        text, encode(train_sentences, text, min_count), encode(train_sentences, *_lower([text]), min_count), strict=True
    )
    return ["[UNK]" if own == small == "[UNK]" else word for word, own, small in forms]


_TRAIN = [
    ["the", "ship", "left", "the", "port"],
    ["the", "ship", "sank"],
    ["port", "wine", "wine", "wine"],
    ["The", "ship", "left", "left", "left"],
    ["Sank", "ship"],
]
_KOREAN = [["배", "가", "떠", "있다"], ["배", "를", "깎았다"], ["말", "이", "있다"]]
PROBES = [
    Probe("words just below, at and above the limit", _TRAIN, ["the", "ship", "left", "port", "sank"], 3),
    Probe("a new word, three times, and another, once", _TRAIN, ["the", "canoe", "raft", "canoe", "canoe", "port"], 2),
    Probe("a word that occurs often, but in one sentence", _TRAIN, ["wine", "The", "the", "sank"], 2),
    Probe("min_count 1: only new words are unknown", _KOREAN, ["배", "와", "말", "을", "깎았다"], 1),
]
MISTAKES = [
    ("a word that just reaches the limit is lost", _keep(lambda count, n: count > n)),
    ("the limit is one too low", _keep(lambda count, n: count >= max(1, n - 1))),
    ("the text is counted too", lambda s, text, n: encode([*s, text], text, n)),
    ("only the text is counted", lambda s, text, n: encode([text], text, n)),
    ("unknown words are dropped", lambda s, text, n: [word for word in encode(s, text, n) if word != "[UNK]"]),
    ("new words stay as they are", _keep(lambda count, n: count == 0 or count >= n)),
    ("rare words are kept", lambda s, text, n: encode(s, text, 1)),
    ("sentences are counted, not occurrences", lambda s, text, n: encode([list(set(words)) for words in s], text, n)),
    ("each sentence is counted alone", _in_one(lambda sentences: sentences), _in_one(lambda sentences: sentences[-1:])),
    (
        "capitals are lost",
        lambda s, text, n: [w if k != "[UNK]" else k for w, k in zip(text, _small(s, text, n), strict=True)],
        _small,
        _with_small_form,
    ),
]
EXERCISE = Exercise("2.3", encode, PROBES, MISTAKES, difficulty=2, importance=5, minutes=8)
