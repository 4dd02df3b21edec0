"""Exercise 8.4: the best valid span. Source: Devlin et al. 2019, arXiv:1810.04805, section 4.2; the limit on its length
is that of their run_squad.py (max_answer_length)."""

import math

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def best_span(start: list[float], end: list[float], in_passage: list[bool], max_pieces: int) -> tuple[int, int]:
    """(first place, last place) of the best answer. start, end: logits of each place of the row; in_passage: False at
    the question and at special pieces; max_pieces: most pieces of an answer. The passage has one piece or more"""
    places = [place for place, inside in enumerate(in_passage) if inside]
    spans = [(i, j) for i in places for j in places if i <= j < i + max_pieces]
    return max(spans, key=lambda span: start[span[0]] + end[span[1]])


def _ordered(i, j, n):
    return i <= j < i + n


def _span(valid=_ordered, score=lambda s, e: s + e, places=None, result=lambda i, j, places: (i, j)):
    """valid(i, j, max_pieces); score(start logit, end logit); places(in_passage): where an answer may be."""

    def model(start, end, in_passage, max_pieces):
        passage = [place for place, inside in enumerate(in_passage) if inside]
        own = places(in_passage) if places else passage
        spans = [(i, j) for i in own for j in own if valid(i, j, max_pieces)]
        return result(*max(spans, key=lambda span: score(start[span[0]], end[span[1]])), passage)

    return model


def _apart(change=lambda i, j: (i, j), everywhere=False):
    def model(start, end, in_passage, max_pieces):
        places = [place for place, inside in enumerate(in_passage) if inside or everywhere]
        return change(max(places, key=lambda i: start[i]), max(places, key=lambda j: end[j]))

    return model


def _start_first(start, end, in_passage, max_pieces):
    places = [place for place, inside in enumerate(in_passage) if inside]
    i = max(places, key=lambda i: start[i])
    return i, max((j for j in places if _ordered(i, j, max_pieces)), key=lambda j: end[j])


def _end_first(start, end, in_passage, max_pieces):
    places = [place for place, inside in enumerate(in_passage) if inside]
    j = max(places, key=lambda j: end[j])
    return max((i for i in places if _ordered(i, j, max_pieces)), key=lambda i: start[i]), j


def _all_places(in_passage):
    return range(len(in_passage))


def _from_the_passage_on(in_passage):
    return range(in_passage.index(True), len(in_passage))


def _one_place(start, end, in_passage, max_pieces):
    places = [place for place, inside in enumerate(in_passage) if inside]
    return (max(places, key=lambda i: start[i] + end[i]),) * 2


def _probe(shows, start, end, n_question, max_pieces):
    """The row: [CLS] question [SEP] passage [SEP]."""
    before, passage = n_question + 2, len(start) - n_question - 3
    return Probe(shows, (start, end, [False] * before + [True] * passage + [False], max_pieces))


EXERCISE = Exercise(
    id="8.4",
    title="The best valid span",
    difficulty=2,
    importance=5,
    minutes=12,
    question="""
        Each place has a logit for the start of the answer and one for its end. The score of a span is the **sum** of
        the logit of its first piece as a start and that of its last piece as an end. Valid is a span that lies in the
        passage, does not end before it starts, and has at most `max_pieces` pieces. One piece is a span, too. Find the
        valid span with the highest score; in these texts there is only one.
        Before you run it: the logits of three pieces are 0, 1, 5 for the start and 4, 0, 0.5 for the end. What does
        the best start give with the best end, and which span is the best one?
    """,
    solution=best_span,
    why="A span from piece 2 to piece 0, which is none. The best valid one is piece 2 alone, with 5.5. Start and end "
    "are trained apart, each with its own softmax, so nothing keeps them in order: that is done here. The sum is the "
    "logarithm of P(start) P(end), but for a constant. To try all pairs costs n times max_pieces sums: little.",
    hints=(
        "Do not look for a start and an end: look for a pair. Which pairs are there?",
        "Go over all pairs of places in the passage and drop those that are not valid. How many pieces has a span from "
        "i to j?",
        "Collect the valid pairs in a list and take max of it; its key is the sum of the two logits.",
    ),
    probes=(
        _probe(
            "start and end agree",
            [-1.0, 0.2, 0.1, -0.5, 3.1, 0.3, 0.4, -2.0],
            [-0.9, 0.1, 0.4, -1.5, 0.2, 2.9, 0.6, -1.8],
            1,
            5,
        ),
        _probe(
            "the best end stands before the best start",
            [0.3, 0.6, -0.2, 0.0, 3.0, 1.0, 5.0, 0.2, -1.0],
            [0.1, 0.5, -0.4, 0.3, 4.0, 6.1, 0.5, 2.5, -1.1],
            1,
            4,
        ),
        _probe(
            "the best pair is too long",
            [0.1, -0.3, 0.2, 4.0, 0.7, 0.1, 3.4, 0.9, 0.6, 0.3],
            [0.2, 0.1, -0.2, 0.5, 1.1, 0.4, 0.8, 0.3, 4.5, 0.2],
            1,
            3,
        ),
        _probe(
            "the best pair is one piece too long",
            [0.1, -0.3, 0.2, 4.0, 0.7, 3.4, 0.1, 0.9, 0.3],
            [0.2, 0.1, -0.2, 0.5, 1.1, 0.4, 4.5, 0.3, 0.2],
            1,
            3,
        ),
        _probe(
            "a span is exactly as long as allowed",
            [0.1, -0.3, 0.2, 0.6, 3.0, 2.2, 0.4, 0.9, 0.6, 0.3],
            [0.2, 0.1, -0.2, 0.1, 1.1, 0.4, 0.8, 3.5, 0.7, 0.2],
            1,
            4,
        ),
        _probe(
            "the question has higher logits, and so have [CLS] and [SEP]",
            [5.0, 7.0, 6.5, 2.0, 0.5, 1.9, 2.1, 0.3, 6.0],
            [6.0, 6.2, 7.5, 1.5, 0.2, 0.8, 1.4, 2.2, 7.0],
            2,
            9,
        ),
        _probe(
            "all logits are negative",
            [-3.0, -2.0, -5.0, -1.0, -4.0, -6.0, -2.5, -7.0],
            [-2.0, -3.0, -4.0, -5.0, -1.5, -2.0, -6.5, -6.0],
            1,
            3,
        ),
        _probe(
            "one piece is the answer",
            [0.0, 0.1, 0.3, 0.2, 0.5, 4.2, 1.0, 0.1],
            [0.2, 0.1, 0.0, 0.6, 1.2, 4.1, 1.3, 0.4],
            1,
            1,
        ),
        _probe(
            "two good answers, the first one is better",
            [0.0, 0.1, 0.3, 3.5, 0.5, 0.2, 2.0, 0.4, 0.1],
            [0.2, 0.1, 0.0, 0.6, 2.9, 0.3, 0.8, 3.3, 0.4],
            1,
            2,
        ),
        _probe(
            "two good answers, the second one is better",
            [0.0, 0.1, 0.3, 3.2, 0.5, 0.2, 2.9, 0.4, 0.1],
            [0.2, 0.1, 0.0, 0.6, 2.4, 0.3, 0.8, 3.0, 0.4],
            1,
            2,
        ),
        _probe(
            "one very high logit",
            [0.0, 0.0, 0.0, 9.5, 4.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 5.0, 9.0],
            1,
            1,
        ),
    ),
    mistakes=(
        Mistake(
            "start and end apart",
            "The best start and the best end are taken, each by itself. Together they need not be a span.",
            model=_apart(),
        ),
        Mistake(
            "start and end apart, over all places",
            "The best start and the best end of the whole row are taken. Look for a pair, and in the passage.",
            model=_apart(everywhere=True),
        ),
        Mistake(
            "start and end apart, then exchanged",
            "If the end comes first, the two are exchanged. What was rated as an end is no start.",
            model=_apart(lambda i, j: (min(i, j), max(i, j))),
        ),
        Mistake(
            "the best start, then its best end",
            "The start is fixed before any end is looked at. A second-best start may have a much better end.",
            model=_start_first,
        ),
        Mistake(
            "the best end, then its best start",
            "The end is fixed before any start is looked at. A second-best end may have a much better start.",
            model=_end_first,
        ),
        Mistake(
            "no limit on the length",
            "A span with more than `max_pieces` pieces is taken.",
            model=_span(lambda i, j, n: i <= j),
        ),
        Mistake(
            "one piece too long",
            "From i to j are j - i + 1 pieces. A span with one piece too many is taken.",
            model=_span(lambda i, j, n: i <= j <= i + n),
        ),
        Mistake(
            "one piece too short",
            "A span of exactly `max_pieces` pieces is allowed.",
            model=_span(lambda i, j, n: i <= j < i + max(n - 1, 1)),
        ),
        Mistake(
            "the end may come before the start",
            "A span may end before it starts, as long as both places are near each other.",
            model=_span(lambda i, j, n: abs(i - j) < n),
        ),
        Mistake(
            "the answer may lie in the question",
            "Places of the question or special pieces are allowed. Only where in_passage is True may an answer be.",
            model=_span(places=_all_places),
        ),
        Mistake(
            "the answer may reach the last [SEP]",
            "The places from the passage on are allowed to the end of the row. The last [SEP] is not in the passage.",
            model=_span(places=_from_the_passage_on),
        ),
        Mistake(
            "only spans of one piece",
            "Start and end are the same place. An answer may be longer.",
            model=_one_place,
        ),
        Mistake(
            "the product of the logits",
            "Two bad logits, both negative, make a large product. Probabilities are multiplied, logits are added.",
            model=_span(score=lambda s, e: s * e),
        ),
        Mistake(
            "the product of two sigmoids",
            "A sigmoid looks at each logit alone and hardly tells high ones apart. Add the logits themselves.",
            model=_span(score=lambda s, e: 1 / (1 + math.exp(-s)) / (1 + math.exp(-e))),
        ),
        Mistake(
            "places are counted in the passage",
            "The places begin with 0 at the first piece of the passage. Here they are counted in the row.",
            model=_span(result=lambda i, j, passage: (i - passage[0], j - passage[0])),
        ),
        Mistake(
            "one past the end",
            "The second place is one past the answer. Asked is the place of its last piece.",
            model=_span(result=lambda i, j, passage: (i, j + 1)),
        ),
        Mistake(
            "the score instead of the places",
            "Return the first and the last place. The score was needed only to compare.",
            seen=lambda got, expected, start, end, *_: math.isclose(got, start[expected[0]] + end[expected[1]]),
        ),
    ),
)
