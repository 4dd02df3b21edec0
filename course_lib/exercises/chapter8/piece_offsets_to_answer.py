"""Exercise 8.3: from pieces back to characters. Source: the offsets are those of the tokenizers library; an answer has
the form of Rajpurkar et al. 2016, arXiv:1606.05250: a text and the character where it begins."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def piece_offsets_to_answer(
    passage: str, pieces: list[tuple[str, int, int]], n_question: int, first: int, last: int
) -> tuple[str, int]:
    """(answer, the character of the passage where it begins). pieces: those of the passage as (piece, start, end); one
    stands for passage[start:end]. first, last: places of the answer in the row [CLS] question [SEP] passage [SEP], in
    which the question has n_question pieces"""
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


def _without_question(passage, pieces, n_question, first, last):
    return passage[pieces[first][1] : pieces[last][2]], pieces[first][1]


def _with_text(text):
    """text(passage, start, end), the place is right."""

    def model(*a):
        answer, start = piece_offsets_to_answer(*a)
        return text(a[0], start, start + len(answer)), start

    return model


def _with_place(place):
    """place(passage, answer, first), the text is right."""

    def model(passage, pieces, n_question, first, last):
        answer, _ = piece_offsets_to_answer(passage, pieces, n_question, first, last)
        return answer, place(passage, answer, first)

    return model


def _probe(shows, passage, pieces, n_question, first, last):
    """pieces: with spaces between them; [UNK] stands for one word. first, last: among the pieces of the passage."""
    placed, start = [], 0
    for piece in pieces.split():
        while passage[start].isspace():
            start += 1
        rest = passage[start:]
        size = len(rest.split()[0]) if piece == "[UNK]" else len(piece.removeprefix("##"))
        placed.append((piece, start, start + size))
        start += size
    return Probe(shows, (passage, placed, n_question, first + n_question + 2, last + n_question + 2))


EXERCISE = Exercise(
    id="8.3",
    title="From pieces back to characters",
    difficulty=2,
    importance=5,
    minutes=10,
    question="""
        A span head has chosen a first and a last place. The answer is what stands **in the passage** there, letter by
        letter: with its capitals and spaces, and an emoji stays an emoji. Each piece knows which characters it stands
        for. The places are counted in the whole row: `[CLS]` question `[SEP]` passage `[SEP]`. The answer may begin
        or end inside a word. Return its text and the character where it begins.
        Before you run it: the passage *그는 서울에서 산다* has the pieces `그`, `##는`, `서울`, `##에서`, `산`, `##다`;
        first and last piece are `서울`. Which characters is that?
    """,
    solution=piece_offsets_to_answer,
    why="Characters 3 and 4, so passage[3:5]. The word is 서울에서, in Seoul; the answer is 서울. A head that could "
    "only choose whole words would never be right here. Pieces are not the text: they have lost capitals, accents and "
    "spaces, and what the vocabulary does not know is [UNK]. So nothing is ever put together from pieces.",
    hints=(
        "Two steps: from a place in the row to a piece of the passage, from pieces to characters.",
        "How many places stand before the first piece of the passage? Of the first chosen piece you need one of its "
        "two characters, of the last one the other.",
        "Take the number of question pieces and the two special ones from both places. Then cut the passage once, "
        "from the start of one piece to the end of the other.",
    ),
    probes=(
        _probe(
            "a word without its particle",
            "어제 서울에서 만난 친구가 서울을 떠났다",
            "어제 서울 ##에서 만난 친구 ##가 서울 ##을 떠났다",
            2,
            1,
            1,
        ),
        _probe(
            "the same word a second time",
            "어제 서울에서 만난 친구가 서울을 떠났다. 내일 다시 온다.",
            "어제 서울 ##에서 만난 친구 ##가 서울 ##을 떠났다 . 내일 다시 온다 .",
            3,
            6,
            6,
        ),
        _probe(
            "a name of several pieces",
            "In 1897 Mina Müller-Öz moved to   Gwangju, where she taught until the war.",
            "in 1897 mina mu ##ller - oz moved to gwang ##ju , where she taught until the war .",
            5,
            2,
            6,
        ),
        _probe(
            "from inside a word to inside a word, with spaces between",
            "They walked  from Unterach   to Seewalchen and back again, all the way on foot.",
            "they walked from unter ##ach to see ##walch ##en and back again , all the way on foot .",
            4,
            4,
            6,
        ),
        _probe(
            "emoji and a word that is unknown",
            "The sign said 👩‍💻 Zürich 🎉 and nobody knew why it was there at all.",
            "the sign said [UNK] zurich [UNK] and nobody knew why it was there at all .",
            3,
            3,
            5,
        ),
    ),
    mistakes=(
        Mistake(
            "pieces are joined, ## and all",
            "The answer is made of pieces. Capitals are lost, and there are ## in it. Cut it out of the passage.",
            model=_joined(" ".join),
        ),
        Mistake(
            "pieces are glued to words",
            "The answer is made of pieces without ##. Capitals, accents, emoji and spaces are not in the pieces.",
            model=_joined(lambda pieces: " ".join(pieces).replace(" ##", "").removeprefix("##")),
        ),
        Mistake(
            "pieces are glued without spaces",
            "The answer is made of pieces side by side. What stood between them is lost. Cut it out of the passage.",
            model=_joined(lambda pieces: "".join(piece.removeprefix("##") for piece in pieces)),
        ),
        Mistake(
            "whole words",
            "The answer is widened to the next space. It may begin and end inside a word.",
            model=_cut(found=_whole_words),
        ),
        Mistake(
            "the question is not taken off",
            "Places are counted in the row, pieces in the passage: question and special pieces stand before it.",
            model=_without_question,
        ),
        Mistake(
            "[CLS] and [SEP] are not taken off",
            "The question's pieces are taken off. There are two special ones before the passage.",
            model=_cut(shift=0),
        ),
        Mistake(
            "one special piece is not taken off",
            "The answer stands one piece too far to the right: special pieces stand on both sides of the question.",
            model=_cut(shift=1),
        ),
        Mistake(
            "one special piece too many is taken off",
            "The answer stands one piece too far to the left. The last [SEP] comes after the passage.",
            model=_cut(shift=3),
        ),
        Mistake(
            "one character too many",
            "The end of a piece is one past its last character, as Python cuts. Nothing is added.",
            model=_with_text(lambda passage, start, end: passage[start : end + 1]),
        ),
        Mistake(
            "one character too few",
            "The last character is missing. The end of a piece is one past its last character already.",
            model=_with_text(lambda passage, start, end: passage[start : end - 1]),
        ),
        Mistake(
            "the last piece is missing",
            "The answer stops where the last piece begins. It belongs to the answer.",
            model=_cut(found=lambda passage, chosen: (chosen[0][1], chosen[-1][1])),
        ),
        Mistake(
            "only the first piece",
            "The answer stops at the end of its first piece.",
            model=_cut(found=lambda passage, chosen: chosen[0][1:]),
        ),
        Mistake(
            "bytes instead of characters",
            "The text is cut in its bytes: 서 has three, an emoji four. The offsets count characters.",
            model=_with_text(lambda passage, start, end: passage.encode()[start:end].decode(errors="replace")),
        ),
        Mistake(
            "the first place with the same text",
            "The text is searched for in the passage. The same words may stand there twice.",
            model=_with_place(lambda passage, answer, first: passage.index(answer)),
        ),
        Mistake(
            "the place in the row",
            "The text is right. Where it begins is asked in characters of the passage, not in pieces.",
            model=_with_place(lambda passage, answer, first: first),
        ),
        Mistake(
            "only the text",
            "Return the text and the character where it begins: the same text may stand in the passage twice.",
            seen=lambda got, expected, *_: isinstance(got, str),
        ),
    ),
)
