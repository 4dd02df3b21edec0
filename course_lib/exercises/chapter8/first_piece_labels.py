"""Exercise 8.2: from labels of words to labels of pieces. Source: Devlin et al. 2019, arXiv:1810.04805, section 5.3:
the first piece of a word stands for it."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def first_piece_labels(pieces: list[list[str]], tags: list[str], names: list[str], length: int) -> list[int]:
    """A label for each place of the row [CLS], pieces, [SEP], then [PAD] up to `length` places: the number that the tag
    has in `names`, or -100 where nothing is asked. pieces: those of each word; tags: one for each word"""
    row = [-100]
    for word, tag in zip(pieces, tags, strict=True):
        row += [names.index(tag)] + [-100] * (len(word) - 1)
    return row + [-100] * (length - len(row))


def _first(tag, n):
    return [tag, *[None] * (n - 1)]


def _inside(tag):
    return tag.replace("B-", "I-")


def _row(word=_first, before=(None,), after=(None,), padding=None, number=lambda names, tag: names.index(tag)):
    """word(tag, n): tags of the n pieces of a word; before, after, padding: tags of [CLS], [SEP] and [PAD]; None is
    -100."""

    def model(pieces, tags, names, length):
        row = [*before]
        for own, tag in zip(pieces, tags, strict=True):
            row += word(tag, len(own))
        row += [*after]
        row += [padding] * (length - len(row))
        return [-100 if tag is None else number(names, tag) for tag in row]

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
    return Probe(shows, ([pieces.split("+") for pieces, _ in words], [tag for _, tag in words], names.split(), length))


EXERCISE = Exercise(
    id="8.2",
    title="The first piece carries the label",
    difficulty=2,
    importance=5,
    minutes=10,
    question="""
        People have tagged words, BERT reads pieces. The **first piece** of a word gets the word's label; the loss is
        computed there and only there. All other pieces and `[CLS]`, `[SEP]` and `[PAD]` get -100, which cross-entropy
        leaves out. Labels are numbers: the place of the tag in `names`.
        Before you run it: *in Seoul* has the tags `O B-LOC`, and *Seoul* is cut into `Seo`, `##ul`. In the row
        `[CLS] in Seo ##ul [SEP]`, at how many places is the network asked?
    """,
    solution=first_piece_labels,
    why="At 2 of 5: as many as there are words. So a long word counts as much as a short one, and there is one answer "
    "for each word to compare with people's. The other pieces are not lost: the first one has read them, in every "
    "layer. 서울에서 is one word: its label stands at 서울, and the particle has none.",
    hints=(
        "Write the row down place by place, and the labels below. How many labels does a word of three pieces bring?",
        "A word of n pieces brings one number and n - 1 times -100. What stands before the first word?",
        "Begin with the label of [CLS]. Add each word's labels. Then fill up: [SEP] and [PAD] have the same label.",
    ),
    probes=(
        _probe("each word is one piece", "Mina/B-PER sleeps/O ./O", "O B-PER I-PER", 5),
        _probe("a word of three pieces", "in/O Gw+##ang+##ju/B-LOC now/O", "O B-LOC I-LOC", 9),
        _probe("a name of two words", "New/B-LOC Yo+##rk/I-LOC ,/O Mi+##na/B-PER", "B-LOC B-PER I-LOC I-PER O", 8),
        _probe("Korean, with particles", "서울+##에서/B-LOC 민+##지+##를/B-PER 만났다/O", "B-PER O B-LOC", 11),
        _probe("parts of speech", "un+##fair/ADJ play+##er+##s/NOUN lose/VERB", "VERB NOUN ADJ", 8),
    ),
    mistakes=(
        Mistake(
            "every piece carries the label",
            "All pieces of a word get its label. A long word would count several times, and B- begin a name anew.",
            model=_row(lambda tag, n: [tag] * n),
        ),
        Mistake(
            "every piece is asked: B-, then I-",
            "Later pieces continue the name with I-. Some systems do so; here they are not asked.",
            model=lambda pieces, tags, names, length: _row(
                lambda tag, n: [tag, *[_inside(tag) if _inside(tag) in names else tag] * (n - 1)]
            )(pieces, tags, names, length),
        ),
        Mistake(
            "the last piece carries the label",
            "The label stands at the last piece of a word. It should stand at the first.",
            model=_row(lambda tag, n: [*[None] * (n - 1), tag]),
        ),
        Mistake(
            "shifted by [CLS]",
            "The labels begin at place 0. There stands [CLS], so each piece has the label of the one after it.",
            model=_row(before=()),
        ),
        Mistake(
            "shifted to the right",
            "There are two places before the first word. The row begins with [CLS] alone.",
            model=_row(before=(None, None), after=()),
        ),
        Mistake(
            "labels in the order of places",
            "The labels stand side by side as if each word were one piece. After a word in pieces all are wrong.",
            model=_on_copies,
        ),
        Mistake(
            "0 instead of -100",
            "Where nothing is asked stands 0, and 0 is a label like any other: the network would learn it there.",
            model=_instead(0),
        ),
        Mistake(
            "-1 instead of -100",
            "cross_entropy leaves out -100, and nothing else unless it is told.",
            model=_instead(-1),
        ),
        Mistake(
            "padding has a label",
            "The row is filled up with a label, 0. Padding is no word and is not asked.",
            model=lambda pieces, tags, names, length: [
                0 if place > sum(map(len, pieces)) + 1 else label
                for place, label in enumerate(first_piece_labels(pieces, tags, names, length))
            ],
        ),
        Mistake(
            "[CLS] and [SEP] have a label",
            "The special pieces have label 0. Nobody has tagged them.",
            model=lambda pieces, tags, names, length: [
                0 if place in (0, sum(map(len, pieces)) + 1) else label
                for place, label in enumerate(first_piece_labels(pieces, tags, names, length))
            ],
        ),
        Mistake(
            "labels are counted from 1",
            "The first of the names has the number 1. Rows of the output are counted from 0.",
            model=_row(number=lambda names, tag: names.index(tag) + 1),
        ),
        Mistake(
            "the row is not filled up",
            "There are fewer labels than `length`, so that rows of a batch cannot stand on one another.",
            model=_unfilled,
        ),
        Mistake(
            "tags instead of numbers",
            "The row holds the tags as text. A loss needs their numbers.",
            seen=lambda got, expected, pieces, tags, *_: any(isinstance(label, str) for label in got),
        ),
    ),
)
