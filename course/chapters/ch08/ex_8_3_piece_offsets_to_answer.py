"""Exercise 8.3: from pieces back to characters. Source: the offsets are those of the tokenizers library; an answer has
the form of Rajpurkar et al. 2016, arXiv:1606.05250: a text and the character where it begins."""

from course.check.exercise import Exercise, Probe


def piece_offsets_to_answer(
    passage: str, pieces: list[tuple[str, int, int]], n_question: int, first: int, last: int
) -> tuple[str, int]:
    """(answer, the character of the passage where it begins). pieces: those of the passage as (piece, start, end); one
    stands for passage[start:end]. first, last: places of the answer in the row [CLS] question [SEP] passage [SEP], in
    which the question has n_question pieces.
    piece_offsets_to_answer("Hi Bob", [("hi", 0, 2), ("bob", 3, 6)], 1, 4, 4) -> ("Bob", 3)"""
    begins = n_question + 2
    start, end = pieces[first - begins][1], pieces[last - begins][2]
    return passage[start:end], start


def _probe(shows, passage, pieces, answer):
    """pieces: with spaces between them; [UNK] stands for one word. answer: (n_question, first and last piece)."""
    n_question, first, last = answer
    placed, start = [], 0
    for piece in pieces.split():
        while passage[start].isspace():
            start += 1
        rest = passage[start:]
        size = len(rest.split()[0]) if piece == "[UNK]" else len(piece.removeprefix("##"))
        placed.append((piece, start, start + size))
        start += size
    return Probe(shows, passage, placed, n_question, first + n_question + 2, last + n_question + 2)


def _whole_words(passage, start, end):
    while start and not passage[start - 1].isspace():
        start -= 1
    while end < len(passage) and not passage[end].isspace():
        end += 1
    return start, end


_CUT, _PIECES = "passage[start:end]", "for piece, begin, stop in pieces[first - begins : last - begins + 1]"


PROBES = [
    _probe(
        "a word without its particle",
        "어제 서울에서 만난 친구가 서울을 떠났다",
        "어제 서울 ##에서 만난 친구 ##가 서울 ##을 떠났다",
        (2, 1, 1),
    ),
    _probe(
        "the same word a second time",
        "어제 서울에서 만난 친구가 서울을 떠났다. 내일 다시 온다.",
        "어제 서울 ##에서 만난 친구 ##가 서울 ##을 떠났다 . 내일 다시 온다 .",
        (3, 6, 6),
    ),
    _probe(
        "a name of several pieces",
        "In 1897 Mina Müller-Öz  moved to   Gwangju, where she taught until the war.",
        "in 1897 mina mu ##ller - oz moved to gwang ##ju , where she taught until the war .",
        (5, 2, 6),
    ),
    _probe(
        "from inside a word to inside a word, with spaces between",
        "They walked  from Unterach   to Seewalchen and back again, all the way on foot.",
        "they walked from unter ##ach to see ##walch ##en and back again , all the way on foot .",
        (4, 4, 6),
    ),
    _probe(
        "emoji and a word that is unknown",
        "The sign said 👩‍💻 Zürich 🎉 and nobody knew why it was there at all.",
        "the sign said [UNK] zurich [UNK] and nobody knew why it was there at all .",
        (3, 3, 5),
    ),
]
MISTAKES = [
    ("pieces are joined, ## and all", f"{_CUT} => ' '.join(piece {_PIECES})", f"{_CUT} => ''.join(piece {_PIECES})"),
    (
        "pieces are glued to words",
        f"{_CUT} => ' '.join(piece {_PIECES}).replace(' ##', '').removeprefix('##')",
        f"{_CUT} => ' '.join(piece {_PIECES}).replace(' ##', '')",
        f"{_CUT} => ' '.join(piece.removeprefix('##') {_PIECES})",
    ),
    ("pieces are glued without spaces", f"{_CUT} => ''.join(piece.removeprefix('##') {_PIECES})"),
    (
        "cut piece by piece and joined",
        f"{_CUT} => ' '.join(passage[begin:stop] {_PIECES})",
        f"{_CUT} => ''.join(passage[begin:stop] {_PIECES})",
    ),
    ("whole words", "return => start, end = _whole_words(passage, start, end)\n    return"),
    ("the question is not taken off", "n_question + 2 => 0"),
    ("the question's own pieces are not taken off", "n_question + 2 => 2"),
    ("[CLS] and [SEP] are not taken off", " + 2 => "),
    ("one special piece is not taken off", "+ 2 => + 1"),
    ("one special piece too many is taken off", "+ 2 => + 3"),
    ("one character too many", "start:end => start : end + 1"),
    ("one character too few", "start:end => start : end - 1"),
    ("the last piece is missing", "[2] => [1]", "last - begins => last - begins - 1"),
    ("only the first piece", "last - begins => first - begins"),
    (
        "bytes instead of characters",
        *(f"{_CUT} => passage.encode()[start:end].decode(errors='{way}')" for way in ("replace", "ignore")),
    ),
    ("the first place with the same text", f"{_CUT}, start => {_CUT}, passage.index({_CUT})"),
    ("the place in the row", f"{_CUT}, start => {_CUT}, first"),
    ("only the text", f"{_CUT}, start => {_CUT}"),
]
EXERCISE = Exercise("8.3", piece_offsets_to_answer, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
