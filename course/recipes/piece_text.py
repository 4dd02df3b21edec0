"""A corpus as WordPieces in one row: cut once, kept as one file, so that batches are made without a loop over words."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int
from safetensors import safe_open
from safetensors.torch import load_file, save
from torch import Tensor

from course.recipes.corpora import read_documents, split_corpus
from course_lib.files import atomic_file, lock
from course_lib.text.word_pieces import WordPieces


@dataclass(frozen=True)
class Cut:
    """How a corpus is cut into pieces. The first `held_out` articles do not count for the vocabulary."""

    vocab_size: int
    lowercase: bool
    max_characters: int
    held_out: int


@dataclass(frozen=True)
class PieceText:
    """Articles one after the other, without specials.

    ids        pieces; int16 holds vocabularies up to 32,767
    sentences  where each sentence begins, and at last where the text ends
    documents  the number of the first sentence of each article, and at last how many sentences there are
    """

    ids: Int[Tensor, " piece"]
    sentences: Int[Tensor, " bounds"]
    documents: Int[Tensor, " ends"]

    def split(self, n: int) -> tuple[PieceText, PieceText]:
        """The first n articles, and the others."""
        sentence = int(self.documents[n])
        piece = int(self.sentences[sentence])
        first = PieceText(self.ids[:piece], self.sentences[: sentence + 1], self.documents[: n + 1])
        rest = PieceText(self.ids[piece:], self.sentences[sentence:] - piece, self.documents[n:] - sentence)
        return first, rest


def cut_corpus(name: str, folder: Path, cut: Cut) -> tuple[WordPieces, PieceText]:
    """The corpus `name` in pieces, from the file kept in `folder`; it is made if it is not there yet.

    Raises CourseError if the corpus is not there, or `cut` has no room for its characters.
    """
    source = split_corpus(name, folder)
    case = "lower" if cut.lowercase else "cased"
    path = folder / f"{name}.pieces-{cut.vocab_size}-{case}-{cut.max_characters}-{cut.held_out}.safetensors"
    with lock(path.with_suffix(".lock")):
        if not path.exists():
            pieces = WordPieces.train(
                (sentence for article in islice(read_documents(source), cut.held_out, None) for sentence in article),
                cut.vocab_size,
                lowercase=cut.lowercase,
                max_characters=cut.max_characters,
            )
            about = {"pieces": json.dumps(pieces.vocabulary), "cut": json.dumps(asdict(cut))}
            with atomic_file(path) as file:
                file.write(save(vars(encode_documents(source, pieces)), about))
    with safe_open(path, "pt") as file:
        text = PieceText(*(file.get_tensor(key) for key in ("ids", "sentences", "documents")))
        return WordPieces(json.loads(file.metadata()["pieces"]), lowercase=cut.lowercase), text


def encode_corpus(name: str, folder: Path, pieces: WordPieces) -> PieceText:
    """The text `name` in pieces that are given, from the file kept in `folder`; it is made if it is not there yet."""
    source, digest = split_corpus(name, folder), hashlib.sha256("\n".join(pieces.vocabulary).encode()).hexdigest()[:12]
    path = folder / f"{name}.pieces-{digest}.safetensors"
    with lock(path.with_suffix(".lock")):
        if not path.exists():
            with atomic_file(path) as file:
                file.write(save(vars(encode_documents(source, pieces))))
    return PieceText(**load_file(path))


def encode_documents(path: Path, pieces: WordPieces) -> PieceText:
    """The same pieces as `pieces.ids(sentence)` of every sentence; each different word is cut only once."""
    numbers: dict[str, int] = {}
    words, words_of_sentence, sentences_of_document = [], [], []
    for article in read_documents(path):
        sentences_of_document.append(len(article))
        words_of_sentence += map(len, article)
        row = [numbers.setdefault(word, len(numbers)) for word in chain.from_iterable(article)]
        words.append(np.array(row, dtype=np.int32))
    every_word = np.concatenate(words)
    cut = [[i for i, _, _ in found] for found in pieces.split(list(numbers))]
    table = np.fromiter(chain.from_iterable(cut), dtype=np.int16)  # the pieces of all different words, end to end
    length = np.array([len(ids) for ids in cut])
    lengths = length[every_word]
    ends = lengths.cumsum()
    # A piece's place in the table: where its word's pieces begin there, and how far into the word it is.
    shift = (length.cumsum() - length)[every_word] - (ends - lengths)
    ids = table[np.arange(ends[-1]) + np.repeat(shift, lengths)]
    last_words = np.cumsum(words_of_sentence) - 1
    return PieceText(
        torch.from_numpy(ids),
        torch.from_numpy(np.concatenate([[0], ends[last_words]])),
        torch.from_numpy(np.concatenate([[0], np.cumsum(sentences_of_document)])),
    )
