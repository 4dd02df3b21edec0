"""Exercise 4.1: which words a state has read. Source: Peters et al. 2018, arXiv:1802.05365, section 3.1."""

from course.check.exercise import Exercise, Probe, Seen


def words_seen(n_words: int, k: int, layer: int, stacked: bool) -> tuple[set[int], set[int]]:
    """Positions (0 .. n_words - 1) of the words that the (forward, backward) state of word k has read in `layer`.
    stacked: every layer reads both directions of the layer below; otherwise each direction reads itself only.
    words_seen(4, 1, 1, False) -> ({0, 1}, {1, 2, 3})"""
    if layer == 0:
        return {k}, {k}
    if stacked and layer > 1:
        return set(range(n_words)), set(range(n_words))
    return set(range(k + 1)), set(range(k, n_words))


def _all_if(sees):
    """sees(layer, stacked): states of layer 1 and up that have read everything."""

    def model(n, k, layer, stacked):
        seen = ({*range(n)},) * 2 if sees(layer, stacked) else ({*range(k + 1)}, {*range(k, n)})
        return seen if layer else ({k}, {k})

    return model


def _own_missing_where_apart(n, k, layer, stacked):
    apart = layer and (layer == 1 or not stacked)
    return ({*range(k)}, {*range(k + 1, n)}) if apart else words_seen(n, k, layer, stacked)


def _reads_its_target(got, expected, n, k, layer, stacked):
    return len(got) == 2 and (k + 1 in got[0] - expected[0] or k - 1 in got[1] - expected[1])


PROBES = [
    Probe("layer 1 of ELMo", 7, 2, 1, False),
    Probe("layer 2 of ELMo", 7, 4, 2, False),
    Probe("layer 1, stacked", 7, 4, 1, True),
    Probe("layer 2, stacked", 5, 1, 2, True),
    Probe("layer 3, stacked, the first word", 5, 0, 3, True),
    Probe("layer 0: the words", 5, 3, 0, False),
    Probe("layer 0, stacked", 5, 2, 0, True),
]
MISTAKES = [
    ("a stacked network seen as two separate ones", _all_if(lambda layer, stacked: False)),
    ("a stacked network leaks from layer 1 on", _all_if(lambda layer, stacked: stacked)),
    ("ELMo's directions meet in layer 2", _all_if(lambda layer, stacked: layer > 1)),
    ("the two networks are exchanged", lambda n, k, layer, stacked: words_seen(n, k, layer, not stacked)),
    ("every bidirectional network sees everything", _all_if(lambda layer, stacked: True)),
    (
        "a state has not read its own word",
        lambda n, k, *a: tuple(part - {k} for part in words_seen(n, k, *a)),
        _own_missing_where_apart,
    ),
    (
        "layer 0 is taken for a state",
        lambda n, k, layer, stacked: words_seen(n, k, max(layer, 1), stacked),
        lambda n, k, layer, stacked: words_seen(n, k, layer or 2 * stacked, stacked),
    ),
    ("both states read from the left", lambda *a: (words_seen(*a)[0],) * 2),
    ("the directions are exchanged", lambda *a: words_seen(*a)[::-1]),
    ("positions are counted from 1", lambda *a: tuple({i + 1 for i in part} for part in words_seen(*a))),
    ("a state has read its target", Seen(_reads_its_target)),
]
EXERCISE = Exercise("4.1", words_seen, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
