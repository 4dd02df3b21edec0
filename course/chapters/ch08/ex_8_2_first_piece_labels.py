"""Exercise 8.2: from labels of words to labels of pieces. Source: Devlin et al. 2019, arXiv:1810.04805, section 5.3:
the first piece of a word stands for it."""

from course.check.exercise import Exercise, Probe


def first_piece_labels(pieces: list[list[str]], tags: list[str], names: list[str], length: int) -> list[int]:
    """A label for each place of the row [CLS], pieces, [SEP], then [PAD] up to `length` places: the number that the tag
    has in `names`, or -100 where nothing is asked. pieces: those of each word; tags: one for each word.
    first_piece_labels([["Seo", "##ul"]], ["LOC"], ["O", "LOC"], 5) -> [-100, 1, -100, -100, -100]"""
    row = [-100]
    for word, tag in zip(pieces, tags, strict=True):
        row += [names.index(tag)] + [-100] * (len(word) - 1)
    return row + [-100] * (length - len(row))


def _first(tag, n):
    return [tag, *[None] * (n - 1)]


def _known(names, *tags):
    """The number of the first tag that there is."""
    return next((names.index(tag) for tag in tags if tag in names), -100)


def _later(*others):
    """others: tags of a word's later pieces, as f(tag): the first one that there is."""

    def model(pieces, tags, names, length):
        row = [-100]
        for own, tag in zip(pieces, tags, strict=True):
            row += [names.index(tag)] + [_known(names, *(other(tag) for other in others))] * (len(own) - 1)
        return row + [-100] * (length - len(row))

    return model


def _specials(tag, first, last):
    """tag: the label of [CLS] and [SEP], if it is there; else it is 0. first, last: have they one?"""

    def model(pieces, tags, names, length):
        label = max(0, _known(names, tag))
        row = _row(before=[label if first else -100], after=[label if last else -100])
        return row(pieces, tags, names, length)

    return model


def _without_mark(pieces, tags, names, length):
    """What begins with ## is a later piece."""
    flat = [(piece, tag) for own, tag in zip(pieces, tags, strict=True) for piece in own]
    row = [-100] + [-100 if piece.startswith("##") else names.index(tag) for piece, tag in flat]
    return row + [-100] * (length - len(row))


def _inside(tag):
    return tag.replace("B-", "I-")


def _row(word=_first, number=list.index, before=(-100,), after=(-100,), padding=-100):
    """word(tag, n): tags of the n pieces of a word, None for -100; before, after, padding: [CLS], [SEP] and [PAD]."""

    def model(pieces, tags, names, length):
        row = [*before]
        for own, tag in zip(pieces, tags, strict=True):
            row += [-100 if t is None else number(names, t) for t in word(tag, len(own))]
        row += after
        return row + [padding] * (length - len(row))

    return model


def _instead(value):
    """Another number than -100 where nothing is asked."""
    return lambda *a: [value if label == -100 else label for label in first_piece_labels(*a)]


def _on_copies(pieces, tags, names, length):
    """A tag for each piece, in order, as if there were as many of both."""
    row = [-100, *[names.index(tag) for tag in tags]]
    return row + [-100] * (length - len(row))


def _filled(places):
    """places(n pieces, length): how long the row is."""
    return lambda pieces, *a: first_piece_labels(pieces, *a[:2], places(sum(map(len, pieces)), a[2]))


def _probe(shows, tagged, names, length):
    """tagged: a word in pieces with its tag, such as "서울+##에서/B-LOC"."""
    words = [word.split("/") for word in tagged.split()]
    return Probe(shows, [pieces.split("+") for pieces, _ in words], [tag for _, tag in words], names.split(), length)


PROBES = [
    _probe("each word is one piece", "Mina/B-PER sleeps/O ./O", "O B-PER I-PER", 5),
    _probe("a word of three pieces", "in/O Gw+##ang+##ju/B-LOC now/O", "O B-LOC I-LOC", 9),
    _probe("a name of two words", "New/B-LOC Yo+##rk/I-LOC ,/O Mi+##na/B-PER", "B-LOC B-PER I-LOC I-PER O", 8),
    _probe("Korean, with particles", "서울+##에서/B-LOC 민+##지+##를/B-PER 만났다/O", "B-PER O B-LOC", 11),
    _probe("a word in pieces without ##", "the/O U+.+S+./B-LOC e+-+mail+##s/O", "O B-LOC I-LOC", 13),
    _probe("parts of speech", "un+##fair/ADJ play+##er+##s/NOUN lose/VERB", "VERB NOUN ADJ", 8),
]
MISTAKES = [
    ("every piece carries the label", _row(lambda tag, n: [tag] * n)),
    ("every piece is asked: B-, then I-", _later(_inside, lambda tag: tag), _later(_inside)),
    ("later pieces are O", _later(lambda tag: "O")),
    ("## decides", _without_mark),
    ("O is not asked", _row(lambda tag, n: [tag if tag != "O" else None] + [None] * (n - 1))),
    ("the last piece carries the label", _row(lambda tag, n: [*[None] * (n - 1), tag])),
    ("shifted by [CLS]", _row(before=())),
    ("shifted to the right", _row(before=(-100, -100), after=())),
    ("labels in the order of places", _on_copies),
    ("0 instead of -100", _instead(0)),
    ("-1 instead of -100", _instead(-1)),
    ("padding has a label", _row(padding=0)),
    (
        "[CLS] and [SEP] have a label",
        *(_specials(tag, *both) for tag in ("", "O") for both in ((True, True), (True, False), (False, True))),
    ),
    ("labels are counted from 1", _row(number=lambda names, tag: names.index(tag) + 1)),
    ("the row is not filled up", _filled(lambda n, length: n + 2), _filled(lambda n, length: n + 1)),
    ("the length is that of the pieces alone", _filled(lambda n, length: length + 2)),
    ("tags instead of numbers", _row(number=lambda names, tag: tag)),
]
EXERCISE = Exercise("8.2", first_piece_labels, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
