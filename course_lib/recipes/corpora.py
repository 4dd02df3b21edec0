"""The running text that recipes learn from: Wikipedia, cleaned, in sentences of words, document boundaries kept.

Splitting is slow (Korean: minutes), so it is done once and kept as a plain text file: a sentence a line, words between
spaces, an empty line after each article.
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from course_lib.data.running_text import corpus_files, read_articles
from course_lib.files import atomic_file, lock
from course_lib.progress import Progress
from course_lib.text.particles import split_particles
from course_lib.text.words import split_sentences, split_words

WEIGHTS_LICENCE = "weights: CC BY 4.0; the text they were learned from: CC BY-SA 3.0"


def language(corpus: str) -> str:
    return "Korean" if corpus.startswith("ko") else "English"


def split_corpus(name: str, folder: Path) -> Path:
    """The corpus as a file of words in `folder`, made if it is not there yet; whole or not at all."""
    path = folder / f"{name}.words.txt"
    with lock(path.with_suffix(".lock")):
        if path.exists():
            return path
        splitter = split_particles if name.startswith("ko") else (lambda texts: map(split_words, texts))
        lengths: deque[int] = deque()  # sentences of each article that the splitter has not given back yet

        def sentences() -> Iterator[str]:
            for article in read_articles(corpus_files(name)):
                cut = [s for paragraph in article.paragraphs for s in split_sentences(paragraph)]
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


def read_documents(path: Path, *, lower: bool = False) -> Iterator[list[list[str]]]:
    """The articles of a file made by `split_corpus`, each a list of sentences of words."""
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
