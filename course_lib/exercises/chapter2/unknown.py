"""Exercise 2.3: which words a vocabulary keeps, and what stands for the others."""

from collections import Counter

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def encode(train_sentences: list[list[str]], text: list[str], min_count: int) -> list[str]:
    """The text as a model reads it: its words, with "[UNK]" for each word that the vocabulary lacks.
    The vocabulary: words with at least min_count occurrences in the training sentences."""
    counts = Counter(word for sentence in train_sentences for word in sentence)
    return [word if counts[word] >= min_count else "[UNK]" for word in text]


def _count(sentences, word):
    return sum(sentence.count(word) for sentence in sentences)


def _lower(sentences):
    return [[word.lower() for word in sentence] for sentence in sentences]


def _keep(train_sentences, text, keep):
    """`keep(count)` says whether a word with this count in the training sentences stays."""
    counts = Counter(word for sentence in train_sentences for word in sentence)
    return [word if keep(counts[word]) else "[UNK]" for word in text]


_TRAIN = [
    ["the", "ship", "left", "the", "port"],
    ["the", "ship", "sank"],
    ["port", "wine", "wine", "wine"],
    ["The", "ship", "left", "left", "left"],
]
_KOREAN = [["배", "가", "떠", "있다"], ["배", "를", "깎았다"], ["말", "이", "있다"]]
EXERCISE = Exercise(
    id="2.3",
    title="What becomes unknown",
    difficulty=2,
    importance=5,
    minutes=8,
    question="""
        A table of vectors has a row for each word of its **vocabulary**, and one row `"[UNK]"` for all the rest. The
        vocabulary is made from the training sentences: a word is kept if it occurs there at least `min_count` times.
        Write the function that shows another text as the model will read it: word for word, `"[UNK]"` where a word is
        not in the vocabulary.
        Before you run it: suppose every word of the training sentences were kept, however rare. What would the row of
        `"[UNK]"` learn in training?
    """,
    solution=encode,
    why="Rare words of the training text become `[UNK]` too. That is what trains the row: if only new words became "
    "`[UNK]`, its vector would never have been used before the test. A Counter answers 0 for a word it has not seen.",
    hints=(
        "Two texts, two roles: which one is counted, and which one is rewritten?",
        "Count all words of all training sentences first. Then go through the text, one word at a time.",
        "A Counter gives 0 for a word it never saw, so rare and new words need one rule only. Every word of the text "
        "leaves one item in the result.",
    ),
    probes=(
        Probe("words just below, at and above the limit", (_TRAIN, ["the", "ship", "left", "port", "sank"], 3)),
        Probe("a new word, twice", (_TRAIN, ["the", "canoe", "left", "canoe", "canoe", "port"], 2)),
        Probe("a word that occurs often, but in one sentence", (_TRAIN, ["wine", "The", "the", "sank"], 2)),
        Probe("min_count 1: only new words are unknown", (_KOREAN, ["배", "와", "말", "을", "깎았다"], 1)),
    ),
    mistakes=(
        Mistake(
            "a word that just reaches the limit is lost",
            "A word with exactly `min_count` occurrences became unknown. At least means: this number is enough.",
            model=lambda s, text, n: _keep(s, text, lambda count: count > n),
        ),
        Mistake(
            "the limit is one too low",
            "A word with one occurrence too few was kept. It must reach `min_count`.",
            model=lambda s, text, n: _keep(s, text, lambda count: count >= max(1, n - 1)),
        ),
        Mistake(
            "the text is counted too",
            "A word is known only thanks to the text that is being read. At test time nobody has seen that text: count "
            "the training sentences alone.",
            model=lambda s, text, n: encode([*s, text], text, n),
        ),
        Mistake(
            "only the text is counted",
            "The vocabulary comes from the wrong text: count the training sentences, not the text that is read.",
            model=lambda s, text, n: encode([text], text, n),
        ),
        Mistake(
            "unknown words are dropped",
            "The result is shorter than the text. The words around a gap would become neighbours, and labels would no "
            "longer fit: put `[UNK]` in its place.",
            model=lambda s, text, n: [word for word in encode(s, text, n) if word != "[UNK]"],
        ),
        Mistake(
            "new words stay as they are",
            "A word that never occurred in training has no row in the table, and still stands in the result.",
            model=lambda s, text, n: [
                word if seen == 0 or seen >= n else "[UNK]" for word, seen in ((word, _count(s, word)) for word in text)
            ],
        ),
        Mistake(
            "rare words are kept",
            "Every word of the training sentences is known, however rare. Then `[UNK]` never occurs in training, and "
            "its row learns nothing.",
            model=lambda s, text, n: encode(s, text, 1),
        ),
        Mistake(
            "sentences are counted, not occurrences",
            "A word that stands three times in one sentence counts once. Count every occurrence.",
            model=lambda s, text, n: encode([list(set(sentence)) for sentence in s], text, n),
        ),
        Mistake(
            "capitals are lost",
            '"The" and "the" are counted as one word. They are two words here; the result keeps the text\'s spelling.',
            model=lambda s, text, n: [
                word if kept != "[UNK]" else kept
                for word, kept in zip(text, encode(_lower(s), _lower([text])[0], n), strict=True)
            ],
        ),
        Mistake(
            "capitals are lost",
            'The result is in small letters. The text keeps its spelling, and "The" is another word than "the".',
            model=lambda s, text, n: encode(_lower(s), _lower([text])[0], n),
        ),
    ),
)
