"""Every widget on small data: for Python, and as a cell of the notebook that the tests open in JupyterLab."""

import numpy as np

from course import widgets
from course.widgets.gap_model import UNKNOWN, FillModel
from course.widgets.strip import Frame, Token
from course.widgets.word_stories import Stop, Story
from course_lib.errors import CourseError
from course_lib.models.word_vectors import WordVectors

HOSTILE = [
    "<img src=x onerror=window.hit=1>",
    "</script><script>window.hit=1</script>",
    "x" * 200,
    "🙂 smile",
    "배",
    "plain",
]
WORDS = ("the", "dog", "cat", "barked", "slept", "un", "##happy", "배")
GIVEN = ("the dog barked", "the [MASK] slept", "the unhappy cat")


def counting(name: str, words: tuple[str, ...] = WORDS) -> FillModel:
    """At place i the word number i is the likeliest: its weight is 64, of the next 32, and so on, round the list.

    Two gaps beside each other: both turn one word further for each other gap.
    """

    def tokenize(text):
        cut = {"unhappy": ["un", "##happy"]}
        return [token for word in text.split() for token in cut.get(word, [word if word in words else UNKNOWN])]

    def fill(tokens, masked, k):
        weights = [2.0 ** (6 - rank) for rank in range(len(words))]
        first = [place + len(masked) - 1 for place in masked]
        order = [[words[(start + rank) % len(words)] for rank in range(len(words))] for start in first]
        return [[(word, w / sum(weights)) for word, w in zip(row, weights, strict=True)][:k] for row in order]

    return FillModel(name, tokenize, fill)


def drawn(*shape):
    return np.random.default_rng(7).normal(size=shape)


def weights(layers=2, heads=3, queries=5, keys=5):
    powers = np.exp(drawn(layers, heads, queries, keys))
    return powers / powers.sum(-1, keepdims=True)


def map_of_words():
    tables = dict(zip((1, 2, 5, 10), drawn(4, 31, 13), strict=True))
    shown = widgets.embedding_map(tables, [f"word{i}" for i in range(31)])
    shown.sum = [4, 5, 6]
    return shown


def mix():
    senses = ["one"] * 5 + [HOSTILE[0]] * 6
    tops = drawn(11, 10) + 2 * (np.array(senses) == "one")[:, None]
    layers = {"token": np.ones((11, 10)), HOSTILE[1]: drawn(12, 10)[1:], "layer 2": tops}
    return widgets.scalar_mix(layers, [[*HOSTILE, "배"]] * 11, [6] * 11, senses, {"learned": [-1.0, 0.5, 2.0]})


def strip():
    frames = [
        Frame([Token(word) for word in HOSTILE], "As it is.", [("hidden", 1.5, 2.0)]),
        Frame([Token(word, "hidden", "was 배") for word in HOSTILE], HOSTILE[0]),
    ]
    return widgets.token_strip(frames, title=HOSTILE[1])


def strange():
    wild = [word.replace(" ", "/") for word in HOSTILE]
    return widgets.fill_mask([counting(HOSTILE[0], tuple(wild[:-1])), counting("two", tuple(wild))], [" ".join(wild)])


def story(word, n, seed):
    rng = np.random.default_rng(seed)
    told = [([HOSTILE[i % 6], word, "배"], 1, ("one", HOSTILE[0], "배")[i % 3]) for i in range(n)]
    tops = [np.ones((n, 5)), rng.normal(size=(n, 7)), rng.normal(size=(n, 11))]
    names = ("table", HOSTILE[1], "top")
    stops = [Stop(name, rows, rng.integers(0, 2, n)) for name, rows in zip(names, tops, strict=True)]
    return Story(word, told, stops, {"chance": n / 3, "counting": 5.0})


def generations():
    def read(text):
        if "top" not in text:
            raise CourseError(f"No word in {text!r}.")
        return 1, [np.ones(5), np.full(7, 0.2), np.full(11, 0.3)]

    return widgets.word_generations([story("spring", 9, 0), story(HOSTILE[1], 12, 1)], stop=1, read=read)


def bertviz(view):
    words = ["[CLS]", *HOSTILE[:2], *HOSTILE[4:], "[SEP]"]
    return widgets.bertviz_view(
        np.full((2, 3, 6, 6), 1 / 6), words, view, queries=drawn(2, 3, 6, 5), keys=drawn(2, 3, 6, 5)
    )


GALLERY = {
    "shown": map_of_words,
    "odd": lambda: widgets.embedding_map(drawn(6, 5), HOSTILE),
    "table": lambda: widgets.one_hot_row(np.arange(21).reshape(7, 3) / 10 - 1, [*HOSTILE, "사과"]),
    "mix": mix,
    "saturated": widgets.softmax_saturation,
    "heads": lambda: widgets.attention_heatmap(
        weights(2, 3, 8, 8), ["[CLS]", *HOSTILE, "사과"], query=3, gold={HOSTILE[0]: [(1, 0), (3, 2)], "head": [(4, 4)]}
    ),
    "rates": lambda: widgets.rate_designer(["embedding", "LSTM 1", HOSTILE[0], "classifier"], 500),
    "strip": strip,
    "gaps": lambda: widgets.fill_mask([counting("one"), counting("two", WORDS[1:] + WORDS[:1])], GIVEN, k=7),
    "strange": strange,
    "spans": lambda: widgets.span_explorer(
        HOSTILE * 2, np.arange(12) * 5 % 7, np.arange(12) * 3 % 7, HOSTILE[0], null=10.5, max_answer=4
    ),
    "generations": generations,
}
MORE = {  # not looked at as the others are
    "asked": lambda: widgets.ask_words(WordVectors(["<img", "배", "plain"], drawn(3, 5)), ["<img"]),
    "bertviz_head": lambda: bertviz("head"),
    "bertviz_model": lambda: bertviz("model"),
    "bertviz_neuron": lambda: bertviz("neuron"),
    "decoder": lambda: widgets.attention_heatmap(
        np.tril(np.ones((1, 12, 3, 3))) / np.arange(1, 4)[:, None], ["a", "b", "c"], kind="decoder"
    ),
}
