"""`scalar_mix(layers, sentences, positions, senses, ...)`: which layers does a task want, and what does mixing do?

The page holds no vectors. For each pair of layers it holds their Gram matrix, which gives distances, map and score of
every mix exactly: |sum_l s_l x_il - sum_l s_l x_jl|^2 needs only the products x_ia . x_jb.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement

import numpy as np
import traitlets

from course.widgets.base import COLOURS, CourseWidget, check_finite, limits, module, style, svg_text, with_sign
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, t, t_label

MOST = 60  # occurrences
SHOWN = 6  # numbers per direction in the strips
Reader = Callable[[str], tuple[Sequence[str], int, np.ndarray]]


def grams(layers: np.ndarray) -> np.ndarray:
    """[layer, n, dim] -> [pair, n, n] float32 of the products of layers a <= b, made symmetric in the occurrences."""
    layers = np.asarray(layers, dtype=float)
    products = [a @ b.T for a, b in combinations_with_replacement(layers, 2)]
    return np.stack([(product + product.T) / 2 for product in products]).astype("<f4")


def mixed_gram(grams: np.ndarray, weights: Sequence[float]) -> np.ndarray:
    """Gram matrix [n, n] of the mix sum_l s_l x_l; weights [layer]."""
    pairs = combinations_with_replacement(range(len(weights)), 2)
    return np.tensordot([(1 if a == b else 2) * weights[a] * weights[b] for a, b in pairs], grams.astype(float), 1)


def sense_accuracy(gram: np.ndarray, senses: Sequence[str]) -> float:
    """Balanced accuracy: each occurrence takes the sense of the nearest other one.

    Where several are equally near, the guess is fair among their senses, so one vector for all gives chance.
    """
    size = np.diag(gram)
    distance = size[:, None] + size[None, :] - 2 * gram
    np.fill_diagonal(distance, np.inf)
    slack, hits = 1e-5 * max(float(size.mean()), 1e-12), {}
    for sense, row in zip(senses, distance, strict=True):
        guesses = {senses[j] for j in np.flatnonzero(row <= row.min() + slack)}
        hits.setdefault(sense, []).append((sense in guesses) / len(guesses))
    return float(np.mean([np.mean(values) for values in hits.values()]))


def map_places(gram: np.ndarray) -> np.ndarray:
    """Two-dimensional places [n, 2] by classical scaling: the two main directions of the centred vectors."""
    centre = np.eye(len(gram)) - 1 / len(gram)
    values, vectors = np.linalg.eigh(centre @ gram @ centre)
    return vectors[:, ::-1][:, :2] * np.sqrt(values[::-1][:2].clip(0))


def softmax(raw: Sequence[float]) -> np.ndarray:
    powers = np.exp(np.asarray(raw, dtype=float) - max(raw))
    return powers / powers.sum()


class ScalarMixWidget(CourseWidget):
    _esm, _css = module("sense_mix", kit=("kit", "own_sentence")), style("sense_mix")
    title, height = key("Which layers does a task want?"), 900
    layers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    products = traitlets.Bytes().tag(sync=True)  # float32, little-endian [pair of layers, i <= j]
    strips = traitlets.List().tag(sync=True)  # [layer][occurrence][forward numbers, backward numbers]
    sentences = traitlets.List().tag(sync=True)
    positions = traitlets.List(traitlets.Int()).tag(sync=True)
    senses = traitlets.List(traitlets.Unicode()).tag(sync=True)
    presets = traitlets.List().tag(sync=True)  # [[name, raw weights], ...]
    raw = traitlets.List(traitlets.Float()).tag(sync=True)
    gamma = traitlets.Float(1.0).tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)
    last = traitlets.Unicode("raw").tag(sync=True)  # what was moved last: raw, all, gamma
    typed = traitlets.Unicode().tag(sync=True)  # a reader's own sentence
    own = traitlets.Dict().tag(sync=True)  # of it: {"words", "position", "self" [a][b], "cross" [a][b][occurrence]}
    trouble = traitlets.Unicode().tag(sync=True)  # why it has no place
    reads = traitlets.Bool(False).tag(sync=True)  # is there a `read` that answers?
    _limits = limits("scalar_mix", chosen="senses")

    def __init__(self, tables: np.ndarray, read: Reader | None, **state):
        self._tables, self._read = tables, read
        names = [*state["layers"], *state["senses"], *(name for name, _ in state["presets"])]
        super().__init__(named=names, reads=read is not None, **state)

    @traitlets.observe("typed")
    def _answer(self, change) -> None:
        """The products of the typed sentence's layers a with each other, b, and with those of the occurrences."""
        self.own, self.trouble = {}, ""
        if self._read is None or not self.typed.strip():
            return
        try:
            words, position, vectors = self._read(self.typed)
        except CourseError as error:
            self.trouble = str(error)
            return
        vectors = numbers("scalar_mix: the vectors of what was typed", vectors)
        cross = np.einsum("ad,bnd->abn", vectors, self._tables)
        products = {"self": (vectors @ vectors.T).tolist(), "cross": cross.tolist()}
        self.own = {"words": list(words), "position": position, **products}

    @traitlets.validate("raw")
    def _a_number_for_each_layer(self, proposal):
        value = proposal["value"]
        if len(value) != len(self.layers) or not np.isfinite(value).all():
            raise CourseError(f"scalar_mix.raw is {value}. Give {len(self.layers)} finite numbers, one per layer.")
        return value

    @property
    def grams(self) -> np.ndarray:
        n = len(self.senses)
        i, j = np.triu_indices(n)
        rows = np.frombuffer(self.products, "<f4").reshape(-1, len(i))
        whole = np.zeros((len(rows), n, n), "<f4")
        whole[:, i, j] = whole[:, j, i] = rows
        return whole

    def weights(self) -> np.ndarray:
        return softmax(self.raw)

    def sense_score(self, weights: Sequence[float] | None = None) -> float:
        """Of a mix; of the present one if None."""
        return sense_accuracy(mixed_gram(self.grams, self.weights() if weights is None else weights), self.senses)

    def finding(self) -> str:
        now = {"score": f"{100 * self.sense_score():.0f}"}
        now["kinds"] = ", ".join(map(t_label, dict.fromkeys(self.senses)))
        if self.last == "all":
            return t(
                "The same added to all raw weights moves nothing: the softmax sees only differences. "
                "{kinds}: still told apart in {score} %.",
                **now,
            )
        if self.last == "gamma":
            return t(
                "γ = {g}: every dot is {g} times as far out as with γ = 1, and no neighbour has changed: "
                "the score stands at {score} %.",
                g=f"{self.gamma:.1f}",
                **now,
            )
        alone = [self.sense_score(row) for row in np.eye(len(self.layers))]
        best = int(np.argmax(alone))
        shares = zip(self.layers, self.weights(), strict=True)
        mix = ", ".join(t("{n} % {layer}", n=f"{100 * s:.0f}", layer=t_label(layer)) for layer, s in shares)
        now |= {"mix": mix, "layer": t_label(self.layers[best]), "best": f"{100 * alone[best]:.0f}"}
        return t("{mix}. {kinds}: told apart in {score} % (best layer alone: {layer}, {best} %).", **now)

    def still(self) -> str:
        places = self.gamma * map_places(mixed_gram(self.grams, self.weights()))
        extent, names = max(float(np.abs(places).max()), 1e-9), sorted(set(self.senses), key=self.senses.index)
        dots = "".join(
            f'<circle cx="{250 + 200 * x / extent:.0f}" cy="{290 - 190 * y / extent:.0f}" r="5" '
            f'fill="{COLOURS[names.index(sense) % 4]}"/>'
            for (x, y), sense in zip(places, self.senses, strict=True)
        )
        legend = "".join(
            f'<circle cx="490" cy="{106 + 24 * k}" r="5" fill="{COLOURS[k % 4]}"/>'
            + svg_text(504, 110 + 24 * k, t_label(name)[:34])
            for k, name in enumerate(names)
        )
        bars = "".join(
            svg_text(490, 222 + 40 * k, f"{t_label(name)[:20]} " + with_sign(f"{100 * s:.0f}"))
            + f'<rect x="490" y="{228 + 40 * k}" width="{220 * s:.0f}" height="12" fill="#0072b2"/>'
            for k, (name, s) in enumerate(zip(self.layers, self.weights(), strict=True))
        )
        return self._picture(500, dots + legend + bars)


def scalar_mix(
    layers: Mapping[str, np.ndarray],
    sentences: Sequence[Sequence[str]],
    positions: Sequence[int],
    senses: Sequence[str],
    presets: Mapping[str, Sequence[float]] | None = None,
    read: Reader | None = None,
) -> ScalarMixWidget:
    """Sliders for the raw weights of an ELMo mix; a map of words' occurrences, and what a probe makes of the mix.

    layers     {name: [occurrence, dim]}, 2 to 5 of equal width; the first half of the numbers is the forward direction
    presets    {name: raw weights}; "each alike" and "top layer only" are always there
    read       a typed sentence -> its words, the place of the word that is shown, its vectors [layer, dim]; CourseError
               for a sentence that has no place here
    """
    n = len(senses)
    tables = [numbers(f"scalar_mix: the vectors of {name!r}", rows) for name, rows in layers.items()]
    if not 2 <= len(tables) <= 5 or any(t.shape != tables[0].shape or t.ndim != 2 or len(t) != n for t in tables):
        shapes = ", ".join(str(table.shape) for table in tables)
        raise CourseError(f"scalar_mix: layers of shape {shapes} for {n} senses. Give 2 to 5 layers, a row per sense.")
    if not len(sentences) == len(positions) == n <= MOST:
        given = f"{len(sentences)} sentences, {len(positions)} positions, {n} senses"
        raise CourseError(f"scalar_mix: {given}. Give one of each for an occurrence, and at most {MOST}.")
    counts = Counter(senses)
    if len(counts) < 2 or min(counts.values()) < 2:
        raise CourseError("scalar_mix: give two senses or more, and each two sentences, or nothing can be told apart.")
    for number, (words, place) in enumerate(zip(sentences, positions, strict=True)):
        if not 0 <= place < len(words):
            raise CourseError(f"scalar_mix: sentence {number} has {len(words)} words, so no place {place}.")
    check_finite("scalar_mix", "a layer", tables)
    top = [-4.0] * (len(tables) - 1) + [4.0]
    given = {key("each alike"): [0.0] * len(tables), key("top layer only"): top, **(presets or {})}
    if bad := [name for name, raw in given.items() if len(raw) != len(tables)]:
        n_raw = len(given[bad[0]])
        raise CourseError(f"scalar_mix: the preset {bad[0]!r} has {n_raw} weights for {len(tables)} layers.")
    stack, half = np.stack(tables), tables[0].shape[1] // 2
    state = {
        "products": grams(stack)[:, *np.triu_indices(n)].tobytes(),
        "strips": np.concatenate([stack[..., :SHOWN], stack[..., half : half + SHOWN]], 2).round(2).tolist(),
        "sentences": [[str(word) for word in words] for words in sentences],
        "positions": [int(place) for place in positions],
        "senses": [str(sense) for sense in senses],
        "presets": [[name, [float(v) for v in raw]] for name, raw in given.items()],
    }
    return ScalarMixWidget(stack, read, layers=list(layers), raw=[0.0] * len(stack), **state)
