"""Exercise 4.1: which words a state has read. Source: Peters et al. 2018, arXiv:1802.05365, section 3.1."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe, several_ways


def words_seen(n_words: int, k: int, layer: int, stacked: bool) -> tuple[set[int], set[int]]:
    """Positions (0 .. n_words - 1) of the words that the (forward, backward) state of word k has read in `layer`.
    stacked: every layer reads both directions of the layer below; otherwise each direction reads itself only."""
    if layer == 0:
        return {k}, {k}
    if stacked and layer > 1:
        return set(range(n_words)), set(range(n_words))
    return set(range(k + 1)), set(range(k, n_words))


def _apart(n, k, layer, stacked):
    return (set(range(k + 1)), set(range(k, n))) if layer else ({k}, {k})


def _all(n):
    return set(range(n)), set(range(n))


EXERCISE = Exercise(
    id="4.1",
    title="Which words has a state seen?",
    difficulty=2,
    importance=5,
    minutes=10,
    question="""
        Two ways to build a bidirectional network. **ELMo's**: two stacks of LSTMs, one per direction, that never meet.
        **Stacked**: each layer is bidirectional, and both directions of the next layer read the two states of each word
        side by side. A forward state of word $k$ comes after word $k$ was read. Layer 0 is the word's own vector,
        the same for both directions. Return the positions of the words that each of the two states has seen.
        Before you run it: the forward state at $k$ is to predict word $k + 1$. From which layer on is that cheating?
    """,
    solution=words_seen,
    why="In a stacked network layer 1 is still innocent: each direction has read its own side. Layer 2 reads both "
    "sides, so every state has seen every word, its own target too. Such a network cannot be a language model.",
    hints=(
        "Draw five words and the arrows of layer 1, first for one direction, then for the other.",
        "Layer 2 of a stacked network reads states, not words. What has each of these states seen?",
        "Three cases: the words themselves; states that know one side; states that know both. Both sides include "
        "word k itself.",
    ),
    probes=(
        Probe("layer 1 of ELMo", (7, 2, 1, False)),
        Probe("layer 2 of ELMo", (7, 4, 2, False)),
        Probe("layer 1, stacked", (7, 4, 1, True)),
        Probe("layer 2, stacked", (5, 1, 2, True)),
        Probe("layer 3, stacked, the first word", (5, 0, 3, True)),
        Probe("layer 0: the words", (5, 3, 0, False)),
        Probe("layer 0, stacked", (5, 2, 0, True)),
    ),
    mistakes=(
        Mistake(
            "a stacked network seen as two separate ones",
            "In layer 2 the forward LSTM reads the backward states of layer 1 as well. What have those seen?",
            model=_apart,
        ),
        Mistake(
            "a stacked network leaks from layer 1 on",
            "Layer 1 reads words, and each direction reads its own side of them. The leak comes one layer later.",
            model=lambda n, k, layer, stacked: _all(n) if stacked and layer else _apart(n, k, layer, stacked),
        ),
        Mistake(
            "ELMo's directions meet in layer 2",
            "ELMo's directions are separate in all layers. They meet only after the last one, as a concatenation.",
            model=lambda n, k, layer, stacked: _all(n) if layer > 1 else _apart(n, k, layer, stacked),
        ),
        Mistake(
            "every bidirectional network sees everything",
            "You join both directions. Each of the two states has its own side.",
            model=lambda n, k, layer, stacked: _all(n) if layer else ({k}, {k}),
        ),
        *several_ways(
            "a state has not read its own word",
            "Word k itself is missing: the state at k comes after word k was read.",
            lambda n, k, layer, stacked: tuple(s - {k} for s in words_seen(n, k, layer, stacked)),
            lambda n, k, layer, stacked: (
                words_seen(n, k, layer, stacked)
                if layer != 1 and (stacked or not layer)
                else (set(range(k)), set(range(k + 1, n)))
            ),
        ),
        Mistake(
            "layer 0 is taken for a state",
            "Layer 0 is the vector of the word alone. No LSTM has read anything yet.",
            model=lambda n, k, layer, stacked: words_seen(n, k, max(layer, 1), stacked),
        ),
        Mistake(
            "the directions are exchanged",
            "The forward state comes first. It has read the words up to k.",
            model=lambda *a: words_seen(*a)[::-1],
        ),
        Mistake(
            "positions are counted from 1",
            "The first word is at position 0.",
            model=lambda *a: tuple({i + 1 for i in part} for part in words_seen(*a)),
        ),
        Mistake(
            "a state has read its target",
            "Word k + 1 is among those the forward state has seen, or word k - 1 among those of the backward state.",
            seen=lambda got, expected, n, k, layer, stacked: (
                k + 1 in got[0] - expected[0] or k - 1 in got[1] - expected[1]
            ),
        ),
    ),
)
