"""Exercise 1.1: from sentences to pairs of centre and context."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def skip_gram_pairs(sentences: list[list[str]], window: int) -> list[tuple[str, str]]:
    """All pairs (centre, context) with the context at most `window` words away, in the order of the text."""
    pairs = []
    for sentence in sentences:
        for i, centre in enumerate(sentence):
            for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
                if j != i:
                    pairs.append((centre, sentence[j]))
    return pairs


def _pairs_if(sentences, near):
    return [(s[i], s[j]) for s in sentences for i in range(len(s)) for j in range(len(s)) if near(i, j, s)]


def _pairs_by_slices(sentences, window):
    return [(s[i], c) for s in sentences for i in range(len(s)) for c in s[i - window : i] + s[i + 1 : i + window + 1]]


def _pairs_by_index(sentences, window):
    """`sentence.index(centre)` finds the first occurrence, each time."""
    first = [(s, s.index(centre)) for s in sentences for centre in s]
    return [(s[i], s[j]) for s, i in first for j in range(len(s)) if 0 < abs(i - j) <= window]


EXERCISE = Exercise(
    id="1.1",
    title="The pairs of a sliding window",
    difficulty=2,
    importance=5,
    minutes=10,
    question="""
        Skip-gram learns from pairs: a **centre** word and one **context** word from its window. Write the function that
        lists them. A window of 2 means: up to two words to the left and two to the right, in the same sentence.
        List the pairs in the order of the text: centre by centre, and for each centre its contexts from left to right.
        Before you run it: how many pairs do five words give with a window of 1?
    """,
    solution=skip_gram_pairs,
    why="Positions are compared, not words: a word may stand twice in one window. max and min keep the window inside "
    "the sentence; a negative start of a slice would count from the end.",
    hints=(
        "Go through each sentence on its own, and through the positions of a sentence rather than its words.",
        "A second loop runs over the positions of the window. Which position in it must be left out?",
        "The window of position i begins at i - window, but not before 0, and ends at i + window, but not after the "
        "last word. `range` stops one before its end.",
    ),
    probes=(
        Probe("five different words", ([["she", "paid", "at", "the", "bank"]], 1)),
        Probe("a word that occurs twice", ([["the", "more", "the", "better"]], 2)),
        Probe("two sentences", ([["배", "가", "떠", "있다"], ["배", "를", "깎았다"]], 3)),
        Probe("a window wider than the sentence", ([["alone"], ["two", "words"]], 5)),
    ),
    mistakes=(
        Mistake(
            "the window crosses the sentence boundary",
            "A pair joins words of two sentences. The window ends where the sentence ends.",
            model=lambda sentences, w: skip_gram_pairs([[word for s in sentences for word in s]], w),
        ),
        Mistake(
            "the centre is paired with itself",
            "The middle of the window is the centre itself; it is no context of its own.",
            model=lambda sentences, w: _pairs_if(sentences, lambda i, j, s: abs(i - j) <= w),
        ),
        Mistake(
            "one side only",
            "The contexts on the left of the centre are missing. A window has two sides.",
            model=lambda sentences, w: _pairs_if(sentences, lambda i, j, s: 0 < j - i <= w),
        ),
        Mistake(
            "one side only",
            "The contexts on the right of the centre are missing. A window has two sides.",
            model=lambda sentences, w: _pairs_if(sentences, lambda i, j, s: 0 < i - j <= w),
        ),
        Mistake(
            "the window is one too small",
            "The furthest context is missing: a window of 1 has one word on each side. Look at the ends of your range.",
            model=lambda sentences, w: _pairs_if(sentences, lambda i, j, s: 0 < abs(i - j) < w),
        ),
        Mistake(
            "the window is one too small",
            "The furthest context on the right is missing. `range` and slices stop one before their end.",
            model=lambda sentences, w: _pairs_if(sentences, lambda i, j, s: j != i and -w <= j - i < w),
        ),
        Mistake(
            "the window is one too large",
            "A context lies further away than the window says. Look at the ends of your range.",
            model=lambda sentences, w: _pairs_if(sentences, lambda i, j, s: 0 < abs(i - j) <= w + 1),
        ),
        Mistake(
            "the order is (context, centre)",
            "The centre comes first. With a full window both orders give the same set of pairs; with windows that "
            "shrink at random, word by word, they do not.",
            model=lambda sentences, w: [pair[::-1] for pair in skip_gram_pairs(sentences, w)],
        ),
        Mistake(
            "a repeated word is dropped",
            "A pair of two equal words is missing. Two positions can hold the same word: compare positions.",
            model=lambda sentences, w: _pairs_if(sentences, lambda i, j, s: s[i] != s[j] and abs(i - j) <= w),
        ),
        Mistake(
            "a repeated word is taken for its first occurrence",
            "`list.index` returns the first place of a word, also for its second occurrence. Walk over positions.",
            model=_pairs_by_index,
        ),
        Mistake(
            "a slice starts at a negative position",
            "Near the start of a sentence contexts are missing: a negative start of a slice counts from the end.",
            model=_pairs_by_slices,
        ),
        Mistake(
            "another order of the pairs",
            "All pairs are there, but not in the order of the text.",
            seen=lambda got, expected, *_: sorted(map(tuple, got)) == sorted(expected),
        ),
    ),
)
