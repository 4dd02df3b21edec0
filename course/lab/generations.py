"""One word through the generations: what a table, ELMo and BERT make of the same occurrences, for the widget.

Each occurrence is left out of its sense's mean and given the sense whose mean is nearest, at every system, and without
a network by the mean of the word vectors around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from course.lab.controls import WHOLE, nearest_mean_left_out, top_vectors, window_mean
from course.sources.handmade import handmade_senses
from course.widgets.word_stories import Stop, Story, WordGenerations, word_generations
from course_lib.config import data_dir
from course_lib.data.readers.senses import read_senses
from course_lib.data.records import SenseExample, Sentence
from course_lib.errors import CourseError
from course_lib.language import key, t
from course_lib.models.encoder import ContextEncoder, RandomEncoder
from course_lib.models.shipped import load
from course_lib.text.words import split_words, visible

WORDS = {"en": ("work", "seal", "spring", "bank"), "ko": ("배", "사과", "눈")}
NAMES = {
    language: {
        key("a table, 2013"): f"skipgram-{language}",
        key("ELMo, ours"): f"bilm-{language}",
        key("BERT, ours"): f"bert-{language}",
    }
    for language in WORDS
}
NAMES["en"][key("MiniLM, published")] = "minilm-en"
A_SENSE = 6  # occurrences shown
PARTICLES = "가|이|는|은|를|을|에|에서|에는|로|으로|와|과|도|의|만|처럼"


def occurrences(word: str, language: str = "en") -> list[SenseExample]:
    """The word's occurrences that the widget shows, written by hand: of each sense as many."""
    written = read_senses(data_dir("handmade", "en", "generations.tsv")) if language == "en" else []
    by_sense: dict[str, list[SenseExample]] = {}
    for example in (*written, *handmade_senses(language, "test")):
        if example.word == word:
            by_sense.setdefault(example.sense, []).append(example)
    return [example for examples in by_sense.values() for example in examples[:A_SENSE]]


def systems(language: str = "en") -> dict[str, ContextEncoder]:
    """From the table of 2013 to the published network, by the name on the slider."""
    stops = {name: load(checkpoint) for name, checkpoint in NAMES[language].items()}
    table, *later = stops.items()
    return dict([table, (key("an untrained network"), RandomEncoder(dim=64, seed=0)), *later])


def right(rows: np.ndarray, examples: Sequence[SenseExample]) -> np.ndarray:
    """[occurrence]: 1 where the occurrence, left out, is nearest to its own sense's mean; a share where senses tie."""
    return nearest_mean_left_out(rows, [example.sense for example in examples])


def story(word: str, language: str = "en", stops: dict[str, ContextEncoder] | None = None) -> Story:
    """What the widget tells of a word."""
    examples, stops = occurrences(word, language), systems(language) if stops is None else stops
    rows = {name: top_vectors(encoder, examples) for name, encoder in stops.items()}
    table = next(iter(stops.values())).word_vectors()
    around = {
        name: np.stack([window_mean(table, example, reach).numpy() for example in examples])
        for name, reach in ((key("the mean of ten words around it"), 5), (key("the mean of the sentence"), WHOLE))
    }
    senses = {example.sense for example in examples}
    return Story(
        word,
        [(example.sentence.words, example.position, example.sense) for example in examples],
        [Stop(name, values, right(values, examples)) for name, values in rows.items()],
        {name: float(right(values, examples).sum()) for name, values in around.items()}
        | {key("chance"): len(examples) / len(senses)},
    )


def one_word_through_the_generations(word: str = "work", stop: int = 0) -> WordGenerations:
    """The widget with the course's words and systems, which plays once; a kernel places a reader's own sentence."""
    known = {language: systems(language) for language in WORDS}
    stories = {(w, language): story(w, language, known[language]) for language, words in WORDS.items() for w in words}
    places = list(stories)

    def read(text: str) -> tuple[int, list[np.ndarray]]:
        for at, (candidate, language) in enumerate(places):
            words = _words(text, candidate)
            if candidate in words:
                example = SenseExample(Sentence.of(words), words.index(candidate), candidate, "")
                return at, [top_vectors(encoder, [example])[0] for encoder in known[language].values()]
        names = ", ".join(candidate for candidate, _ in places)
        raise CourseError(t("None of this picture's words stands in that sentence. Use one of: {words}.", words=names))

    return word_generations(list(stories.values()), word=word, stop=stop, read=read, plays=stop == 0)


def _words(text: str, candidate: str) -> list[str]:
    """The words of a typed sentence; a Korean candidate's particle is cut off, as in the sentences of the picture."""
    return re.sub(rf"\b({candidate})(?=({PARTICLES})\b)", r"\1 ", " ".join(split_words(visible(text).lower()))).split()
