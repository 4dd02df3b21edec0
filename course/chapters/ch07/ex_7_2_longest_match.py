"""Exercise 7.2: WordPiece, the longest match first. Source: Wu et al. 2016, arXiv:1609.08144, section 4.1; the marks
are those of Devlin et al. 2018, arXiv:1810.04805."""

from course.check.exercise import Exercise, Probe, Seen


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
    return Probe(shows, word, set(vocabulary.split()), limit)


_PLAY = "p pl play player ##p ##l ##a ##y ##e ##r ##s ##er ##ers ##ing a y"
PROBES = [
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
]
MISTAKES = [
    ("the shortest piece first", _with_limit(lambda w, v: _walk(w, v, ends=lambda n: range(1, n + 1)))),
    ("no ## anywhere", _with_limit(lambda w, v: _walk(w, v, mark=lambda start: ""))),
    ("## is lost in the result", _with_limit(lambda w, v: [piece.removeprefix("##") for piece in _walk(w, v)])),
    ("## on the first piece, too", _with_limit(lambda w, v: _walk(w, v, mark=lambda start: "##"))),
    (
        "the beginning is kept, then [UNK]",
        _with_limit(lambda w, v: _walk(w, v, stuck=lambda pieces, rest: [*pieces, "[UNK]"])),
    ),
    (
        "the beginning is kept and the rest is lost",
        _with_limit(lambda w, v: _walk(w, v, stuck=lambda pieces, rest: pieces)),
    ),
    ("[UNK] for one character", _with_limit(_one_by_one)),
    ("the cut is taken back", _with_limit(lambda w, v: next(iter(_ways(w, v)), _UNKNOWN))),
    ("as few pieces as possible", _with_limit(lambda w, v: min(_ways(w, v), key=len, default=_UNKNOWN))),
    ("cut from the end", _with_limit(_from_the_end)),
    ("no limit", lambda word, vocabulary, limit: _walk(word, vocabulary)),
    ("a long word is cut off", lambda word, vocabulary, limit: _walk(word[:limit], vocabulary)),
    (
        "the limit comes one character early",
        lambda word, vocabulary, limit: _walk(word, vocabulary) if len(word) < limit else _UNKNOWN,
    ),
    (
        "the limit counts bytes",
        lambda word, vocabulary, limit: _walk(word, vocabulary) if len(word.encode()) <= limit else _UNKNOWN,
    ),
    ("one string instead of a list", Seen(lambda got, expected, *_: isinstance(got, str))),
]
EXERCISE = Exercise("7.2", longest_match, PROBES, MISTAKES, difficulty=2, importance=4, minutes=12)
