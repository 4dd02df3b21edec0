"""`word_generations(stories)`: one word through the generations of systems; its dots glide from one place to two.

A stop is one system: its vectors of the word's occurrences, along the two directions in which they differ most
(PCA; no direction is chosen with the senses in view), turned to lie nearest to the stop before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import traitlets

from course.widgets.base import BOLD, COLOURS, CourseWidget, check_finite, limits, module, style, svg_text
from course_lib.arrays import numbers
from course_lib.errors import CourseError
from course_lib.language import key, t, t_label

SHAPES = ("M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0", "M-4.5 -4.5h9v9h-9z", "M0 -6L5.6 4.4H-5.6z")  # one a sense
SCALE = 999  # places are whole numbers -SCALE ... SCALE
ONE_DOT = 1e-5  # of a vector's length: what differs less is the same dot


@dataclass(frozen=True)
class Stop:
    """One system. vectors [occurrence, dim]; right [occurrence]: 1 where an occurrence, left out, is nearer to its own
    kind's mean than to another's, a share where kinds are equally near."""

    name: str
    vectors: np.ndarray
    right: np.ndarray


@dataclass(frozen=True)
class Story:
    """One word. occurrences: (words, place of the word, its sense); stops in the order of the slider.

    baselines: {name: how many occurrences are right}, marked on every bar.
    """

    word: str
    occurrences: Sequence[tuple[Sequence[str], int, str]]
    stops: Sequence[Stop]
    baselines: Mapping[str, float]

    @property
    def senses(self) -> list[str]:
        return list(dict.fromkeys(sense for _, _, sense in self.occurrences))


@dataclass(frozen=True)
class View:
    """From a system's vectors to places on the map: (vector - centre) @ directions, at most 1 from the middle."""

    centre: np.ndarray  # [dim]
    directions: np.ndarray  # [dim, 2]
    held: float  # share of the spread that two directions show

    def places(self, vectors: np.ndarray) -> np.ndarray:
        return (vectors - self.centre) @ self.directions


def views(stops: Sequence[np.ndarray]) -> list[View]:
    """One view per stop [occurrence, dim], each turned, mirrored and scaled onto the one before (Procrustes).

    A stop whose vectors are all the same is one dot in the middle.
    """
    found: list[View] = []
    before: np.ndarray | None = None
    for vectors in stops:
        vectors = np.asarray(vectors, dtype=float)
        centre = vectors.mean(0)
        _, size, rows = np.linalg.svd(vectors - centre, full_matrices=False)
        directions = np.zeros((vectors.shape[1], 2))
        if size[0] > ONE_DOT * np.linalg.norm(vectors):
            directions[:, : len(rows[:2])] = rows[:2].T
            places = (vectors - centre) @ directions
            directions /= np.linalg.norm(places, axis=1).max()
            if before is not None:
                left, _, right = np.linalg.svd(((vectors - centre) @ directions).T @ before)
                directions = directions @ left @ right
            before = (vectors - centre) @ directions
        held = float((size[:2] ** 2).sum() / (size**2).sum()) if directions.any() else 1.0
        found.append(View(centre, directions, held))
    return found


def nearest_other(vectors: np.ndarray) -> list[int]:
    """For each occurrence the other one whose vector points most nearly its way (cosine)."""
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    return cosines.argmax(1).tolist()


def _shipped(story: Story, seen: Sequence[View]) -> dict:
    """What the page gets of a word."""
    senses = story.senses
    return {
        "word": story.word,
        "senses": senses,
        "sentences": [
            [" ".join(words[:at]), words[at], " ".join(words[at + 1 :]), senses.index(sense)]
            for words, at, sense in story.occurrences
        ],
        "stops": [
            {
                "name": stop.name,
                "one": not view.directions.any(),
                "places": np.rint(SCALE * view.places(stop.vectors)).astype(int).tolist(),
                "right": round(float(np.sum(stop.right)), 2),
                "near": nearest_other(stop.vectors),
                "held": round(view.held, 3),
            }
            for stop, view in zip(story.stops, seen, strict=True)
        ],
        "baselines": {name: round(float(right), 2) for name, right in story.baselines.items()},
    }


class WordGenerations(CourseWidget):
    _esm, _css = module("word_stories", kit=("kit", "own_sentence")), style("word_stories")
    title, height = key("One word through the generations"), 620
    stories = traitlets.List().tag(sync=True)
    word = traitlets.Int(0).tag(sync=True)
    stop = traitlets.Int(0).tag(sync=True)
    dot = traitlets.Int(-1).tag(sync=True)  # the occurrence that is pointed at; -1: none
    typed = traitlets.Unicode().tag(sync=True)  # a reader's own sentence
    own = traitlets.List().tag(sync=True)  # where it and the one before lie: {"word", "text", "places", "kinds"}
    trouble = traitlets.Unicode().tag(sync=True)  # why it has no place
    reads = traitlets.Bool(False).tag(sync=True)  # is there a `read` that answers?
    plays = traitlets.Bool(False).tag(sync=True)  # once by itself, when it comes into sight
    _limits = limits(
        "word_generations",
        word="stories",
        stop=lambda now: (0, len(now.stories[now.word]["stops"]) - 1),
        dot=lambda now: (-1, len(now.stories[now.word]["sentences"]) - 1),
    )

    def __init__(self, stories: Sequence[Story], read: Callable[[str], tuple[int, list[np.ndarray]]] | None, **state):
        self._stories, self._read = list(stories), read
        self._views = [views([stop.vectors for stop in story.stops]) for story in stories]
        shipped = [_shipped(story, seen) for story, seen in zip(stories, self._views, strict=True)]
        named = [n for story in stories for n in (*story.senses, *story.baselines, *(s.name for s in story.stops))]
        super().__init__(named=named, stories=shipped, reads=read is not None, **state)
        self.observe(self._answer, "typed")

    def _answer(self, change) -> None:
        """Place the typed sentence at every stop, beside the one before, and name the kind that is nearest there."""
        if self._read is None or not self.typed.strip():
            self.own, self.trouble = [], ""
            return
        try:
            number, vectors = self._read(self.typed)
        except CourseError as error:
            self.trouble = str(error)
            return
        story, vectors = self._stories[number], [numbers("word_generations: the vectors", v) for v in vectors]
        places = [view.places(vector).clip(-1, 1) for view, vector in zip(self._views[number], vectors, strict=True)]
        placed = {
            "word": number,
            "text": self.typed,
            "places": [np.rint(SCALE * place).astype(int).tolist() for place in places],
            "kinds": [_kind(story, stop, vector) for stop, vector in zip(story.stops, vectors, strict=True)],
        }
        before = [one for one in self.own if one["word"] == number and one["text"] != self.typed]
        self.word, self.own, self.trouble = number, [*before[-1:], placed], ""

    def finding(self) -> str:
        story, stop = self.stories[self.word], self.stories[self.word]["stops"][self.stop]
        n = len(story["sentences"])
        values = {"system": t_label(stop["name"]), "n": n, "word": story["word"]}
        if stop["one"]:
            *senses, last = map(t_label, story["senses"])
            apart = ", ".join(senses) + t("list| and ") + last
            return t("{system}: {n} times “{word}”, one dot. It cannot tell {senses} apart.", senses=apart, **values)
        baselines = story["baselines"]
        best = max(baselines, key=baselines.get, default=None)
        says = t("{system}: {right} of {n} “{word}” lie with their own kind.", right=f"{stop['right']:g}", **values)
        if best is None:
            return says
        without = key("Without a network, {name}: {right}.")
        none_better = baselines[best] >= max(one["right"] for one in story["stops"])
        if none_better and 2 * baselines[best] > n + baselines.get("chance", 0):  # nearer to all than to chance
            without = key("For this word counting its neighbours is enough: {name}, {right}.")
        return f"{says} {t(without, name=t_label(best), right=f'{baselines[best]:g}')}"

    def still(self) -> str:
        """One small panel a stop, with its count."""
        story = self.stories[self.word]
        n, width = len(story["sentences"]), 740 // len(story["stops"])
        parts = []
        for number, stop in enumerate(story["stops"]):
            x, half = 10 + number * width, (width - 12) / 2
            counted = t("{right} of {n}", right=f"{stop['right']:g}", n=n)
            chosen = ' stroke="#1976d2" stroke-width="2"' if number == self.stop else ' stroke="#bdbdbd"'
            parts += [svg_text(x, 96, t_label(stop["name"])[: width // 7]), svg_text(x, 114, counted, BOLD)]
            size = f'width="{2 * half:.0f}" height="{2 * half:.0f}"'
            parts.append(f'<rect x="{x}" y="122" {size} rx="4" fill="none"{chosen}/>')
            for (a, b), (*_, sense) in zip(stop["places"], story["sentences"], strict=True):
                at = f"translate({x + half + a / SCALE * (half - 9):.1f} {122 + half - b / SCALE * (half - 9):.1f})"
                parts.append(f'<path transform="{at}" d="{SHAPES[sense]}" fill="{COLOURS[sense]}" stroke="#fff"/>')
        foot = 122 + width + 14
        for number, sense in enumerate(story["senses"]):
            x = 20 + 130 * number
            shape = f'd="{SHAPES[number]}" fill="{COLOURS[number]}"'
            parts += [f'<path transform="translate({x} {foot - 4})" {shape}/>', svg_text(x + 12, foot, t_label(sense))]
        return self._picture(foot + 16, "".join(parts))


def word_generations(
    stories: Sequence[Story],
    *,
    word: str | None = None,
    stop: int = 0,
    read: Callable[[str], tuple[int, list[np.ndarray]]] | None = None,
    plays: bool = False,
) -> WordGenerations:
    """A slider through the systems; at each, the word's occurrences as dots, and how many lie with their own kind.

    word, stop  what is shown first
    read        a typed sentence -> the story it belongs to, its word's vector at each stop of that story;
                CourseError for a sentence that it cannot place
    plays       once by itself, when it comes into sight, until the reader touches it
    """
    if not stories:
        raise CourseError("word_generations got no words. Give one story or more.")
    stories = [replace(story, stops=[_with_arrays(stop) for stop in story.stops]) for story in stories]
    for story in stories:
        if not 2 <= len(story.senses) <= len(SHAPES):
            raise CourseError(f"word_generations: {story.word!r} has {len(story.senses)} senses. Give two or three.")
        for system in story.stops:
            assert len(system.vectors) == len(system.right) == len(story.occurrences)
            check_finite("word_generations", f"{system.name} of {story.word!r}", system.vectors)
    words = [story.word for story in stories]
    if word is not None and word not in words:
        raise CourseError(f"word_generations: there is no story of {word!r}. There are: {', '.join(words)}.")
    return WordGenerations(stories, read, word=words.index(word) if word else 0, stop=stop, plays=plays)


def _with_arrays(stop: Stop) -> Stop:
    vectors, right = (numbers(f"word_generations: {stop.name}", given) for given in (stop.vectors, stop.right))
    return Stop(stop.name, vectors, right)


def _kind(story: Story, stop: Stop, vector: np.ndarray) -> int:
    """The sense whose mean vector points most nearly the vector's way; -1 where they are equally near."""
    labels = [sense for _, _, sense in story.occurrences]
    means = np.stack([stop.vectors[[label == sense for label in labels]].mean(0) for sense in story.senses])
    cosines = means @ vector / np.maximum(np.linalg.norm(means, axis=1) * np.linalg.norm(vector), 1e-12)
    return int(cosines.argmax()) if np.ptp(cosines) > ONE_DOT else -1
