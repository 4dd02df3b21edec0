"""Exercise 2.3: which words a vocabulary keeps, and what stands for the others."""

from collections import Counter

from course.check.exercise import Exercise, Probe


def encode(train_sentences: list[list[str]], text: list[str], min_count: int) -> list[str]:
    """The text as a model reads it: its words, with "[UNK]" for each word that the vocabulary lacks.
    The vocabulary: words with at least min_count occurrences in the training sentences.
    encode([["a", "b"], ["a"]], ["b", "a", "c"], 2) -> ["[UNK]", "a", "[UNK]"]"""
    counts = Counter(word for sentence in train_sentences for word in sentence)
    return [word if counts[word] >= min_count else "[UNK]" for word in text]


def _in_one(sentences):
    """Known is what occurs often enough in one of these of the training sentences."""

    def model(train_sentences, text, min_count):
        rows = [encode([words], text, min_count) for words in sentences(train_sentences)]
        return [max(forms, key=lambda form: form != "[UNK]") for forms in zip(*rows, strict=True)]

    return model


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
    ("a word that just reaches the limit is lost", ">= => >"),
    ("the limit is one too low", "min_count => max(1, min_count - 1)"),
    ("the text is counted too", lambda s, text, n: encode([*s, text], text, n)),
    ("only the text is counted", lambda s, text, n: encode([text], text, n)),
    ("unknown words are dropped", lambda s, text, n: [word for word in encode(s, text, n) if word != "[UNK]"]),
    ("new words stay as they are", "if counts => if counts[word] == 0 or counts"),
    ("rare words are kept", ">= min_count => > 0"),
    ("sentences are counted, not occurrences", "in sentence => in set(sentence)"),
    ("each sentence is counted alone", _in_one(lambda sentences: sentences), _in_one(lambda sentences: sentences[-1:])),
    (
        "capitals are lost",
        ("in sentence => in map(str.lower, sentence)", "counts[word] => counts[word.lower()]"),
        ("in sentence => in map(str.lower, sentence)", "in text => in map(str.lower, text)"),
        "counts[word] => max(counts[word], counts[word.lower()])",
    ),
]
EXERCISE = Exercise("2.3", encode, PROBES, MISTAKES, difficulty=2, importance=5, minutes=8)
