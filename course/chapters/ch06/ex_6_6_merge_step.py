"""Exercise 6.6: one merge of byte-pair encoding. Source: Sennrich et al. 2016, arXiv:1508.07909, section 3.2 and
algorithm 1."""

from collections import Counter
from itertools import pairwise

from course.check.exercise import Exercise, Probe


def merge_step(text: dict[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
    """The text after the most frequent pair of neighbours has become one piece. text: the pieces of each word -> how
    often the word occurs; no two pairs share the first place.
    merge_step({("a", "b", "c"): 2, ("a", "b"): 1}) -> {("ab", "c"): 2, ("ab",): 1}"""
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
    pairs = Counter(pair for pieces, count in text.items() for pair in [*pairs_of(pieces)] * weigh(count))
    return max(pairs, key=pairs.get)


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


def _apart(pieces):
    """Pairs of neighbours; of a piece again and again each is part of one pair only."""
    return [pair for pair in {*pairwise(pieces)} for _ in range(len(pieces) - len(_joined(pieces, pair)))]


def _spelled_alike(pieces, pair):
    for place, both in enumerate(pairwise(pieces)):
        if "".join(both) == "".join(pair):
            return (*pieces[:place], "".join(pair), *_spelled_alike(pieces[place + 2 :], pair))
    return pieces


def _sorted(pieces):
    return [tuple(sorted(pair)) for pair in pairwise(pieces)]


def _either_way(text):
    pair = _best(text, pairs_of=_sorted)
    return {_joined(_joined(pieces, pair), pair[::-1]): count for pieces, count in text.items()}


def _probe(shows, **words):
    return Probe(shows, {tuple(pieces.split("_")): count for pieces, count in words.items()})


PROBES = [
    _probe("the words of section 6.6", l_o_w=5, l_o_w_e_r=2, n_e_w_e_s_t=7, w_i_d_e_s_t_i=3, b_e_s_t=1, o_w_l=9),
    _probe("a frequent word against many rare ones", x_y=9, a_b=2, a_b_c=3, d_a_b=1),
    _probe("a pair that overlaps itself", a_a_a=4, b_a_a_a_a_a=2, a_b=1),
    _probe("a pair several times in a word", b_a_n_a_n_a=4, a_n=1, b_a=3, c_b=2),
    _probe("pieces of several letters", t_e_s=4, b_e_s=2, we_s=5, e_so=3, s_e=1),
    _probe("the same pieces in the other order", a_b_c=5, b_a=4, b_a_d=3, c_d=6),
    _probe("another pair that spells the same", es_t=5, e_st=3, st_e=1),
    _probe("a pair that overlaps itself is the most frequent", a_a_a=4, b_c=6),
]
MISTAKES = [
    ("types instead of tokens", _step(weigh=lambda count: 1)),
    ("a pair counts once for each word", _step(pairs_of=lambda pieces: set(pairwise(pieces)))),
    ("joined once for each word", _step(join=lambda pieces, pair: _joined(pieces, pair, most=1))),
    ("a joined piece is not used up", _step(join=_not_used_up)),
    ("the last piece is lost", _step(join=_last_lost)),
    ("joined from the right", _step(join=_from_the_right)),
    ("replaced in a string", _step(join=_in_a_string)),
    ("either order", _either_way, _step(pairs_of=_sorted)),
    ("another pair that spells the same is joined", _step(join=_spelled_alike)),
    ("overlapping pairs are not counted", _step(pairs_of=_apart)),
    ("nothing is joined", dict),
    ("a pair instead of a text", _best, lambda text: "".join(_best(text))),
    ("the pair is returned, too", lambda text: (merge_step(text), _best(text))),
]
EXERCISE = Exercise("6.6", merge_step, PROBES, MISTAKES, difficulty=3, importance=3, minutes=15)
