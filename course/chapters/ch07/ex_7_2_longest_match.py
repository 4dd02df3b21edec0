"""Exercise 7.2: WordPiece, the longest match first. Source: Wu et al. 2016, arXiv:1609.08144, section 4.1; the marks
are those of Devlin et al. 2018, arXiv:1810.04805."""

from course.check.exercise import Exercise, Probe


def longest_match(word: str, vocabulary: set[str], limit: int) -> list[str]:
    """The pieces of a word; ["[UNK]"] if it cannot be cut or has more than `limit` characters. In the vocabulary, a
    piece that continues a word begins with ##. word: one character or more.
    longest_match("unfairly", {"un", "##fair", "##f", "##ly"}, 100) -> ["un", "##fair", "##ly"]"""
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


def _within(cut, size=len):
    """cut(word, vocabulary), if size(word) is not above the limit"""
    return lambda word, vocabulary, limit: cut(word, vocabulary) if size(word) <= limit else _UNKNOWN


def _marked(start):
    return "##" if start else ""


def _walk(
    ends=lambda n: range(n, 0, -1),
    mark=_marked,
    stuck=lambda pieces: _UNKNOWN,
    found=lambda piece, bare, vocabulary: piece in vocabulary,
    step=lambda piece, mark: len(piece) - len(mark),
):
    """ends(n): lengths to try when n characters are left; stuck(pieces so far): what is returned if none fits;
    found(piece, the same without a mark, vocabulary); step(piece, its mark): how far the walk goes on."""

    def cut(word, vocabulary):
        pieces, start = [], 0
        while start < len(word):
            bare = (word[start : start + n] for n in ends(len(word) - start))
            piece = next((mark(start) + b for b in bare if found(mark(start) + b, b, vocabulary)), None)
            if piece is None:
                return stuck(pieces)
            pieces.append(piece)
            start += step(piece, mark(start))
        return pieces

    return cut


def _few_pieces(word, vocabulary, limit):
    pieces = _walk()(word, vocabulary)
    return pieces if len(pieces) <= limit else _UNKNOWN


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
    _probe("too long, and of too many pieces", "nnnn", "n ##n", 2),
    _probe("capitals", "USA", "U ##S ##A u ##s ##a us usa"),
]
MISTAKES = [
    ("the shortest piece first", _within(_walk(ends=lambda n: range(1, n + 1)))),
    ("no ## anywhere", _within(_walk(mark=lambda start: ""))),
    ("## is lost in the result", lambda *a: [piece.removeprefix("##") for piece in longest_match(*a)]),
    ("## on the first piece, too", _within(_walk(mark=lambda start: "##"))),
    ("the beginning is kept, then [UNK]", _within(_walk(stuck=lambda pieces: [*pieces, "[UNK]"]))),
    ("the beginning is kept and the rest is lost", _within(_walk(stuck=lambda pieces: pieces))),
    ("[UNK] for one character", _within(_one_by_one)),
    ("the cut is taken back", _within(lambda *a: next(iter(_ways(*a)), _UNKNOWN))),
    ("as few pieces as possible", _within(lambda *a: min(_ways(*a), key=len, default=_UNKNOWN))),
    ("cut from the end", _within(_from_the_end)),
    ("no limit", _within(_walk(), size=lambda word: 0)),
    ("a long word is cut off", lambda word, vocabulary, limit: _walk()(word[:limit], vocabulary)),
    ("the limit comes one character early", _within(_walk(), size=lambda word: len(word) + 1)),
    ("the limit counts pieces", _few_pieces),
    ("the limit counts bytes", _within(_walk(), size=lambda word: len(word.encode()))),
    (
        "looked up without ##",
        _within(_walk(found=lambda piece, bare, vocabulary: bare in vocabulary)),
        _within(_walk(found=lambda piece, bare, vocabulary: piece in vocabulary or bare in vocabulary)),
    ),
    ("the mark counts as characters", _within(_walk(step=lambda piece, mark: len(piece)))),
    ("capitals are lost", lambda word, *a: longest_match(word.lower(), *a)),
    (
        "one string instead of a list",
        lambda *a: " ".join(longest_match(*a)),
        lambda *a: "".join(longest_match(*a)),
        lambda *a: "[UNK]" if longest_match(*a) == _UNKNOWN else longest_match(*a),
    ),
]
EXERCISE = Exercise("7.2", longest_match, PROBES, MISTAKES, difficulty=2, importance=4, minutes=12)
