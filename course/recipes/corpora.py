"""The running text that recipes learn from: cut into sentences of words once, and mixed by weights.

Splitting is slow (Korean: minutes), so it is done once and kept as a plain text file: a sentence a line, words between
spaces, an empty line after each document.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import TypeVar

from course.lab.tasks import unseen_in_tests
from course_lib.data.public import load_public
from course_lib.data.running_text import CORPORA, corpus_files, read_articles
from course_lib.files import atomic_file, lock
from course_lib.progress import Progress
from course_lib.text.particles import split_particles
from course_lib.text.words import split_sentences, split_words

Item = TypeVar("Item")
TEXTS = {
    **CORPORA,
    "imdb": "film reviews (IMDb, labelled training part without the 1,500 that the course tests and chooses on)",
    "nsmc": "short Korean film reviews (NSMC, training part, CC0 1.0)",
}
_TOGETHER = 50  # NSMC's reviews are of a sentence or two: so many make a document


@dataclass(frozen=True)
class Text:
    """One kind of text of a recipe.

    weight    its share of what is read
    held_out  so many documents, its first, are kept for the card's numbers
    runs_on   do its sentences belong together? If not, no next sentence is asked for
    """

    name: str
    weight: float = 1.0
    held_out: int = 100
    runs_on: bool = True

    def __str__(self) -> str:
        return f"{TEXTS[self.name]}, {self.weight:.0%} of what is read, {self.held_out} documents held out"


ENGLISH = (Text("enwiki2015", 0.45), Text("novels_en", 0.3, held_out=25), Text("imdb", 0.25, held_out=250))
KOREAN = (Text("kowiki2022", 0.8), Text("nsmc", 0.2, held_out=20, runs_on=False))


def language(corpus: str) -> str:
    return "Korean" if corpus.startswith("ko") else "English"


def weights_licence(texts: Sequence[Text]) -> str:
    """What a card says of weights that were learned from these texts."""
    names = {"imdb": "reviews: none stated, no review is in this folder", "novels_en": "novels: public domain"}
    names |= {"nsmc": "reviews: CC0 1.0"}
    others = "".join(f"; {names[text.name]}" for text in texts if text.name in names)
    return f"{WEIGHTS_LICENCE}{' (Wikipedia)' if others else ''}{others}"


WEIGHTS_LICENCE = "weights: CC BY 4.0; the text they were learned from: CC BY-SA 3.0"


def split_corpus(name: str, folder: Path) -> Path:
    """The text as a file of words in `folder`, made if it is not there yet; whole or not at all."""
    path = folder / f"{name}.words.txt"
    with lock(path.with_suffix(".lock")):
        if path.exists():
            return path
        korean = name in ("kowiki2022", "nsmc")
        splitter = split_particles if korean else (lambda texts: map(split_words, texts))
        lengths: deque[int] = deque()  # sentences of each document that the splitter has not given back yet

        def sentences() -> Iterator[str]:
            for paragraphs in _documents(name):
                if cut := [s for paragraph in paragraphs for s in split_sentences(paragraph)]:
                    lengths.append(len(cut))
                    yield from (unicodedata.normalize("NFC", sentence) for sentence in cut)

        with atomic_file(path, "w") as file, Progress(f"splitting {name}", unit="sentences") as bar:
            for done, words in enumerate(splitter(sentences()), 1):
                file.write(" ".join(words) + "\n")
                lengths[0] -= 1
                if not lengths[0]:
                    file.write("\n")
                    lengths.popleft()
                bar.update(done)
    return path


def _documents(name: str) -> Iterator[Sequence[str]]:
    """The paragraphs of each document. Raises CourseError if the text is not there."""
    if name == "imdb":
        for record in unseen_in_tests(load_public(name, "train")):
            yield record.text.splitlines()
    elif name == "nsmc":
        reviews = [record.text for record in load_public(name, "train")]
        yield from (reviews[at : at + _TOGETHER] for at in range(0, len(reviews), _TOGETHER))
    elif name == "novels_en":  # dialogue has paragraphs of two words; the title is no sentence of the novel
        for part in read_articles(corpus_files(name), min_words=2):
            yield [paragraph for paragraph in part.paragraphs if paragraph != part.title]
    else:
        for article in read_articles(corpus_files(name)):
            yield article.paragraphs


def read_documents(path: Path, *, lower: bool = False) -> Iterator[list[list[str]]]:
    """The documents of a file made by `split_corpus`, each a list of sentences of words."""
    document: list[list[str]] = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if words := (line.lower() if lower else line).split():
                document.append(words)
            elif document:
                yield document
                document = []
    if document:
        yield document


def count_words(
    texts: Sequence[Text], paths: Sequence[Path], *, lower: bool = False
) -> tuple[Counter[str], list[float]]:
    """Each word's number in an epoch of the mix, without held-out documents; how often an epoch reads each text."""
    by_text: list[Counter[str]] = [Counter() for _ in texts]
    for counts, path, text in zip(by_text, paths, texts, strict=True):
        for document in islice(read_documents(path, lower=lower), text.held_out, None):
            for sentence in document:
                counts.update(sentence)
    times, mixed = repeats(texts, [counts.total() for counts in by_text]), Counter()
    for counts, often in zip(by_text, times, strict=True):
        mixed.update({word: round(often * n) for word, n in counts.items()})
    return mixed, times


def repeats(texts: Sequence[Text], sizes: Sequence[int]) -> list[float]:
    """How often each text is read so that it has its weight; one is read once, the others more often."""
    once = max(size / text.weight for text, size in zip(texts, sizes, strict=True))
    return [once * text.weight / size for text, size in zip(texts, sizes, strict=True)]


def mix(documents: Sequence[list[Item]], times: Sequence[float], seed: int) -> list[Item]:
    """The documents of each text as often as `times` says; of a fraction, documents drawn once."""
    choose, found = Random(seed), []
    for own, often in zip(documents, times, strict=True):
        found += own * int(often) + choose.sample(own, round(often % 1 * len(own)))
    return found
