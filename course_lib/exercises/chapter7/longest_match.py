"""Exercise 7.2: WordPiece, the longest match first. Source: Wu et al. 2016, arXiv:1609.08144, section 4.1; the marks
are those of Devlin et al. 2018, arXiv:1810.04805."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def longest_match(word: str, vocabulary: set[str], limit: int) -> list[str]:
    """The pieces of a word; ["[UNK]"] if it cannot be cut or has more than `limit` characters. In the vocabulary, a
    piece that continues a word begins with ##. word: one character or more"""
    if len(word) > limit:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        piece = next((mark + word[start:end] for end in ends if mark + word[start:end] in vocabulary), None)
        if piece is None:
            return ["[UNK]"]
        pieces.append(piece)
        start += len(piece) - len(mark)
    return pieces


_UNKNOWN = ["[UNK]"]


def _walk(word, vocabulary, ends=lambda n: range(n, 0, -1), mark=lambda start: "##" if start else "", stuck=None):
    """ends(n): lengths to try when n characters are left; stuck(pieces, rest): what is returned if none fits."""
    pieces, start = [], 0
    while start < len(word):
        fits = (mark(start) + word[start : start + n] for n in ends(len(word) - start))
        piece = next((piece for piece in fits if piece in vocabulary), None)
        if piece is None:
            return stuck(pieces, word[start:]) if stuck else _UNKNOWN
        pieces.append(piece)
        start += len(piece) - len(mark(start))
    return pieces


def _with_limit(cut):
    return lambda word, vocabulary, limit: cut(word, vocabulary) if len(word) <= limit else _UNKNOWN


def _one_by_one(word, vocabulary):
    """Where nothing fits, one character becomes [UNK] and the walk goes on."""
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        lengths = range(len(word) - start, 0, -1)
        n = next((n for n in lengths if mark + word[start : start + n] in vocabulary), 0)
        pieces.append(mark + word[start : start + n] if n else "[UNK]")
        start += n or 1
    return pieces


def _ways(word, vocabulary, mark=""):
    """All ways to cut a word, those with a long first piece first."""
    if not word:
        return [[]]
    cuts = range(len(word), 0, -1)
    firsts = ((n, mark + word[:n]) for n in cuts if mark + word[:n] in vocabulary)
    return [[piece, *rest] for n, piece in firsts for rest in _ways(word[n:], vocabulary, "##")]


def _from_the_end(word, vocabulary):
    pieces, end = [], len(word)
    while end:
        fits = (("##" if start else "") + word[start:end] for start in range(end))
        piece = next((piece for piece in fits if piece in vocabulary), None)
        if piece is None:
            return _UNKNOWN
        pieces.insert(0, piece)
        end -= len(piece.removeprefix("##"))
    return pieces


def _probe(shows, word, vocabulary, limit=100):
    return Probe(shows, (word, set(vocabulary.split()), limit))


_PLAY = "p pl play player ##p ##l ##a ##y ##e ##r ##s ##er ##ers ##ing a y"
EXERCISE = Exercise(
    id="7.2",
    title="The longest piece first",
    difficulty=2,
    importance=4,
    minutes=12,
    question="""
        WordPiece cuts a word from left to right. At each place it takes the **longest** piece of the vocabulary that
        fits. A piece inside a word is looked up with `##` in front, and stays so in the result. If nothing fits at some
        place, the **whole word** is `[UNK]`. So is a word of more than `limit` characters.
        Before you run it: the vocabulary is `un`, `unf`, `##fair`. What becomes of *unfair*?
    """,
    solution=longest_match,
    why="[UNK]: unf is taken, since it is longer than un, and for air there is no piece. A greedy cut is never taken "
    "back, so a word may be unknown although its pieces are there. In practice the single characters are pieces, too, "
    "with ## and without. Then only a word with a strange character is unknown.",
    hints=(
        "You need two places: where the piece begins and where it ends. Which of them moves in the inner loop?",
        "Start with the end at the end of the word and go back until the piece is in the vocabulary. Where must ## "
        "stand before you look it up?",
        "A while loop over the beginning, a for loop over the ends from far to near. If the inner loop finds nothing, "
        "return at once. The two characters of the mark are not characters of the word.",
    ),
    probes=(
        _probe("a word with an ending", "players", _PLAY),
        _probe("the whole word is a piece", "player", _PLAY),
        _probe("a letter that no piece has", "playx", _PLAY),
        _probe("a letter that no piece has, in the middle", "plaxyer", _PLAY),
        _probe("the question's word", "unfair", "un unf ##fair"),
        _probe("a piece is there without ## only", "everyday", "every day ##d ##a ##y"),
        _probe("a piece is there with ## only", "ingest", "##ing ##est in ##gest"),
        _probe("few long pieces, or the longest first", "abcdef", "a ab abc ##cdef ##d ##e ##f ##ef"),
        _probe("Korean, exactly as long as allowed", "고양이에게", "고 고양이 양 ##이 ##에 ##게 ##에게", 5),
        _probe("exactly as long as allowed", "banana", "b ba ##n ##a ##na", 6),
        _probe("too long", "bananas", "b ba ##n ##a ##na ##s", 6),
    ),
    mistakes=(
        Mistake(
            "the shortest piece first",
            "A piece is taken as soon as one fits. Begin with the longest that could fit.",
            model=_with_limit(lambda w, v: _walk(w, v, ends=lambda n: range(1, n + 1))),
        ),
        Mistake(
            "no ## anywhere",
            "Inside a word, pieces are looked up without ##. day as a word and ##day in everyday are two pieces.",
            model=_with_limit(lambda w, v: _walk(w, v, mark=lambda start: "")),
        ),
        Mistake(
            "## is lost in the result",
            "The cuts are right, the marks are gone: two words and one word would look alike.",
            model=_with_limit(lambda w, v: [piece.removeprefix("##") for piece in _walk(w, v)]),
        ),
        Mistake(
            "## on the first piece, too",
            "The first piece is looked up with ##. It begins a word, so it has none.",
            model=_with_limit(lambda w, v: _walk(w, v, mark=lambda start: "##")),
        ),
        Mistake(
            "the beginning is kept, then [UNK]",
            "Where nothing fits, the pieces before it stay. The whole word is one [UNK].",
            model=_with_limit(lambda w, v: _walk(w, v, stuck=lambda pieces, rest: [*pieces, "[UNK]"])),
        ),
        Mistake(
            "the beginning is kept and the rest is lost",
            "Where nothing fits, the rest of the word disappears without a trace.",
            model=_with_limit(lambda w, v: _walk(w, v, stuck=lambda pieces, rest: pieces)),
        ),
        Mistake(
            "[UNK] for one character",
            "A strange character becomes [UNK] and the rest is cut on. The whole word is one [UNK].",
            model=_with_limit(_one_by_one),
        ),
        Mistake(
            "the cut is taken back",
            "Where nothing fits, a shorter piece before it is tried. WordPiece never goes back.",
            model=_with_limit(lambda w, v: next(iter(_ways(w, v)), _UNKNOWN)),
        ),
        Mistake(
            "as few pieces as possible",
            "The number of pieces is made small. WordPiece looks no further than the next piece.",
            model=_with_limit(lambda w, v: min(_ways(w, v), key=len, default=_UNKNOWN)),
        ),
        Mistake(
            "cut from the end",
            "The last piece is the longest possible. The walk begins at the beginning of the word.",
            model=_with_limit(_from_the_end),
        ),
        Mistake(
            "no limit",
            "A word of more than `limit` characters is cut all the same.",
            model=lambda word, vocabulary, limit: _walk(word, vocabulary),
        ),
        Mistake(
            "a long word is cut off",
            "The characters after `limit` are left out. A word that is too long is [UNK].",
            model=lambda word, vocabulary, limit: _walk(word[:limit], vocabulary),
        ),
        Mistake(
            "the limit comes one character early",
            "A word of exactly `limit` characters is not too long yet.",
            model=lambda word, vocabulary, limit: _walk(word, vocabulary) if len(word) < limit else _UNKNOWN,
        ),
        Mistake(
            "the limit counts bytes",
            "A Korean character is three bytes in UTF-8, and one character all the same.",
            model=lambda word, vocabulary, limit: _walk(word, vocabulary) if len(word.encode()) <= limit else _UNKNOWN,
        ),
        Mistake(
            "one string instead of a list",
            "The pieces are joined to a string. Return a list, also for [UNK].",
            seen=lambda got, expected, *_: isinstance(got, str),
        ),
    ),
)
