"""Exercise 6.6: one merge of byte-pair encoding. Source: Sennrich et al. 2016, arXiv:1508.07909, section 3.2 and
algorithm 1."""

from collections import Counter
from itertools import pairwise

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def merge_step(text: dict[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
    """The text after the most frequent pair of neighbours has become one piece. text: the pieces of each word -> how
    often the word occurs; no two pairs share the first place"""
    counts = Counter()
    for pieces, count in text.items():
        for pair in pairwise(pieces):
            counts[pair] += count
    best = max(counts, key=counts.get)
    after = {}
    for pieces, count in text.items():
        joined, place = [], 0
        while place < len(pieces):
            width = 2 if pieces[place : place + 2] == best else 1
            joined.append("".join(pieces[place : place + width]))
            place += width
        after[tuple(joined)] = count
    return after


def _best(text, pairs_of=pairwise, weigh=lambda count: count):
    counts = Counter()
    for pieces, count in text.items():
        for pair in pairs_of(pieces):
            counts[pair] += weigh(count)
    return max(counts, key=counts.get)


def _joined(pieces, pair, most=None):
    """From the left, at most `most` times."""
    for place in range(len(pieces) - 1):
        if pieces[place : place + 2] == pair and most != 0:
            rest = _joined(pieces[place + 2 :], pair, None if most is None else most - 1)
            return (*pieces[:place], "".join(pair), *rest)
    return pieces


def _not_used_up(pieces, pair):
    return (*("".join(pair) if both == pair else both[0] for both in pairwise(pieces)), pieces[-1])


def _last_lost(pieces, pair):
    """A loop over the places that have a right neighbour."""
    joined = _joined(pieces, pair)
    return joined if pieces[-2:] == pair and joined[-1] == "".join(pair) else joined[:-1]


def _from_the_right(pieces, pair):
    return tuple(piece[::-1] for piece in _joined(_mirror(pieces), _mirror(pair)))[::-1]


def _mirror(pieces):
    return tuple(piece[::-1] for piece in reversed(pieces))


def _in_a_string(pieces, pair):
    return tuple(" ".join(pieces).replace(" ".join(pair), "".join(pair)).split())


def _step(join=_joined, **counting):
    def model(text):
        pair = _best(text, **counting)
        return {join(pieces, pair): count for pieces, count in text.items()}

    return model


def _either_way(text):
    pair = _best(text, pairs_of=lambda pieces: (tuple(sorted(p)) for p in pairwise(pieces)))
    return {_joined(_joined(pieces, pair), pair[::-1]): count for pieces, count in text.items()}


def _probe(shows, **words):
    return Probe(shows, ({tuple(pieces.split("_")): count for pieces, count in words.items()},))


EXERCISE = Exercise(
    id="6.6",
    title="One merge",
    difficulty=3,
    importance=3,
    minutes=15,
    question="""
        One step of byte-pair encoding: count how often each pair of pieces stands side by side **in the text**, then
        join the most frequent pair, wherever it stands. A word that occurs 6 times counts 6 times. Join from left to
        right; a piece that has been joined is used up. Words are given as tuples of pieces. (The mark for the end of a
        word is left out here.)
        Before you run it: what are the pieces of `a a a` after `a` and `a` have been joined?
    """,
    solution=merge_step,
    why="`aa a`: the first two are joined and used up, the third has no partner. All words must be cut by one rule, or "
    "one string would have two spellings. Repeat the step n times: the list of merges is the whole tokenizer.",
    hints=(
        "There are two passes over the words: one that counts, one that joins.",
        "A pair gains the count of the word it stands in, each time it stands there. Which pair has the most?",
        "To join, walk along the word by place. Where the next two pieces are the pair, add one piece and go on two "
        "places; elsewhere go on one.",
    ),
    probes=(
        _probe("the words of section 6.6", l_o_w=5, l_o_w_e_r=2, n_e_w_e_s_t=7, w_i_d_e_s_t_i=3, b_e_s_t=1, o_w_l=9),
        _probe("a frequent word against many rare ones", x_y=9, a_b=2, a_b_c=3, d_a_b=1),
        _probe("a pair that overlaps itself", a_a_a=4, b_a_a_a_a_a=2, a_b=1),
        _probe("a pair several times in a word", b_a_n_a_n_a=4, a_n=1, b_a=3, c_b=2),
        _probe("pieces of several letters", t_e_s=4, b_e_s=2, we_s=5, e_so=3, s_e=1),
        _probe("the same pieces in the other order", a_b_c=5, b_a=4, b_a_d=3, c_d=6),
    ),
    mistakes=(
        Mistake(
            "types instead of tokens",
            "Every word of the list counts once. Frequent words should count as often as they occur.",
            model=_step(weigh=lambda count: 1),
        ),
        Mistake(
            "a pair counts once for each word",
            "A pair that stands twice in a word should count twice.",
            model=_step(pairs_of=lambda pieces: set(pairwise(pieces))),
        ),
        Mistake(
            "joined once for each word",
            "Only the first place in a word is joined. The pair may stand there again.",
            model=_step(join=lambda pieces, pair: _joined(pieces, pair, most=1)),
        ),
        Mistake(
            "a joined piece is not used up",
            "After a join the right piece of the pair comes again. The words have letters too many.",
            model=_step(join=_not_used_up),
        ),
        Mistake(
            "the last piece is lost",
            "A last piece that is not joined is missing. The walk ends too early.",
            model=_step(join=_last_lost),
        ),
        Mistake(
            "joined from the right",
            "Where a pair overlaps itself, the first two pieces should be joined, not the last two.",
            model=_step(join=_from_the_right),
        ),
        Mistake(
            "replaced in a string",
            "The end of a longer piece was taken for the piece itself. Compare whole pieces, not letters.",
            model=_step(join=_in_a_string),
        ),
        Mistake(
            "either order",
            "Pairs are counted and joined in both orders. a b and b a are two pairs.",
            model=_either_way,
        ),
        Mistake(
            "nothing is joined",
            "The words come back as they were.",
            model=dict,
        ),
        Mistake(
            "a pair instead of a text",
            "The most frequent pair alone is returned. Join it in all words.",
            seen=lambda got, expected, text: isinstance(got, tuple) and len(got) == 2,
        ),
    ),
)
