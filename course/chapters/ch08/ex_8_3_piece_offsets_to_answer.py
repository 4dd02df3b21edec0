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


def _cut(shift=2, found=lambda passage, chosen: (chosen[0][1], chosen[-1][2])):
    """shift: pieces in front besides the question's; found(passage, chosen pieces): start and end."""

    def model(passage, pieces, n_question, first, last):
        before = n_question + shift
        start, end = found(passage, pieces[first - before : last - before + 1])
        return passage[start:end], start

    return model


def _to(passage, start, end):
    return passage[start:end], start


def _whole_words(passage, chosen):
    start, end = chosen[0][1], chosen[-1][2]
    while start and not passage[start - 1].isspace():
        start -= 1
    while end < len(passage) and not passage[end].isspace():
        end += 1
    return start, end


def _joined(join):
    def model(passage, pieces, n_question, first, last):
        chosen = pieces[first - n_question - 2 : last - n_question - 1]
        return join([piece for piece, _, _ in chosen]), chosen[0][1]

    return model


def _slices(between):
    def model(passage, pieces, n_question, first, last):
        chosen = pieces[first - n_question - 2 : last - n_question - 1]
        return between.join(passage[start:end] for _, start, end in chosen), chosen[0][1]

    return model


def _bytes(errors):
    return _with(lambda passage, start, end: passage.encode()[start:end].decode(errors=errors))


def _with(text=lambda passage, start, end: passage[start:end], place=lambda passage, answer, start, first: start):
    """text(passage, start, end); place(passage, right answer, its start, first)."""

    def model(passage, pieces, n_question, first, last):
        answer, start = piece_offsets_to_answer(passage, pieces, n_question, first, last)
        return text(passage, start, start + len(answer)), place(passage, answer, start, first)

    return model


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
    ("pieces are joined, ## and all", _joined(" ".join), _joined("".join)),
    (
        "pieces are glued to words",
        _joined(lambda pieces: " ".join(pieces).replace(" ##", "").removeprefix("##")),
        _joined(lambda pieces: " ".join(pieces).replace(" ##", "")),
        _joined(lambda pieces: " ".join(piece.removeprefix("##") for piece in pieces)),
    ),
    ("pieces are glued without spaces", _joined(lambda pieces: "".join(piece.removeprefix("##") for piece in pieces))),
    ("cut piece by piece and joined", _slices(" "), _slices("")),
    ("whole words", _cut(found=_whole_words)),
    ("the question is not taken off", lambda p, pieces, n, *a: piece_offsets_to_answer(p, pieces, -2, *a)),
    ("the question's own pieces are not taken off", lambda p, pieces, n, *a: piece_offsets_to_answer(p, pieces, 0, *a)),
    ("[CLS] and [SEP] are not taken off", _cut(shift=0)),
    ("one special piece is not taken off", _cut(shift=1)),
    ("one special piece too many is taken off", _cut(shift=3)),
    ("one character too many", _with(lambda passage, start, end: passage[start : end + 1])),
    ("one character too few", _with(lambda passage, start, end: passage[start : end - 1])),
    (
        "the last piece is missing",
        _cut(found=lambda passage, chosen: (chosen[0][1], chosen[-1][1])),
        lambda passage, pieces, n, first, last: _to(passage, pieces[first - n - 2][1], pieces[last - n - 3][2]),
    ),
    ("only the first piece", _cut(found=lambda passage, chosen: chosen[0][1:])),
    ("bytes instead of characters", _bytes("replace"), _bytes("ignore")),
    ("the first place with the same text", _with(place=lambda passage, answer, *_: passage.index(answer))),
    ("the place in the row", _with(place=lambda *a: a[-1])),
    ("only the text", lambda *a: piece_offsets_to_answer(*a)[0]),
]
EXERCISE = Exercise("8.3", piece_offsets_to_answer, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
