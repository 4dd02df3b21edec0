"""Exercise 8.2: from labels of words to labels of pieces. Source: Devlin et al. 2019, arXiv:1810.04805, section 5.3:
the first piece of a word stands for it."""

from course.check.exercise import Exercise, Probe, Seen


def first_piece_labels(pieces: list[list[str]], tags: list[str], names: list[str], length: int) -> list[int]:
    """A label for each place of the row [CLS], pieces, [SEP], then [PAD] up to `length` places: the number that the tag
    has in `names`, or -100 where nothing is asked. pieces: those of each word; tags: one for each word"""
    row = [-100]
    for word, tag in zip(pieces, tags, strict=True):
        row += [names.index(tag)] + [-100] * (len(word) - 1)
    return row + [-100] * (length - len(row))


def _first(tag, n):
    return [tag, *[None] * (n - 1)]


def _known(names, tag):
    """I- where there is one."""
    return names.index(tag if tag in names else tag.replace("I-", "B-"))


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


def _unfilled(pieces, tags, names, length):
    return first_piece_labels(pieces, tags, names, sum(map(len, pieces)) + 2)


def _probe(shows, tagged, names, length):
    """tagged: a word in pieces with its tag, such as "서울+##에서/B-LOC"."""
    words = [word.split("/") for word in tagged.split()]
    return Probe(shows, [pieces.split("+") for pieces, _ in words], [tag for _, tag in words], names.split(), length)


PROBES = [
    _probe("each word is one piece", "Mina/B-PER sleeps/O ./O", "O B-PER I-PER", 5),
    _probe("a word of three pieces", "in/O Gw+##ang+##ju/B-LOC now/O", "O B-LOC I-LOC", 9),
    _probe("a name of two words", "New/B-LOC Yo+##rk/I-LOC ,/O Mi+##na/B-PER", "B-LOC B-PER I-LOC I-PER O", 8),
    _probe("Korean, with particles", "서울+##에서/B-LOC 민+##지+##를/B-PER 만났다/O", "B-PER O B-LOC", 11),
    _probe("parts of speech", "un+##fair/ADJ play+##er+##s/NOUN lose/VERB", "VERB NOUN ADJ", 8),
]
MISTAKES = [
    ("every piece carries the label", _row(lambda tag, n: [tag] * n)),
    ("every piece is asked: B-, then I-", _row(lambda tag, n: [tag] + [tag.replace("B-", "I-")] * (n - 1), _known)),
    ("the last piece carries the label", _row(lambda tag, n: [*[None] * (n - 1), tag])),
    ("shifted by [CLS]", _row(before=())),
    ("shifted to the right", _row(before=(-100, -100), after=())),
    ("labels in the order of places", _on_copies),
    ("0 instead of -100", _instead(0)),
    ("-1 instead of -100", _instead(-1)),
    ("padding has a label", _row(padding=0)),
    ("[CLS] and [SEP] have a label", _row(before=[0], after=[0])),
    ("labels are counted from 1", _row(number=lambda names, tag: names.index(tag) + 1)),
    ("the row is not filled up", _unfilled),
    ("tags instead of numbers", Seen(lambda got, *_: any(isinstance(label, str) for label in got))),
]
EXERCISE = Exercise("8.2", first_piece_labels, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
