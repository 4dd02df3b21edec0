"""What recipes read: kinds of text in shares, as words for models of words, as WordPieces for Transformers.

Splitting text into words is slow (Korean: minutes), so it is done once and kept: a sentence a line, words between
spaces, an empty line after each document. Cut into pieces, a text is one row of numbers; rows for pre-training, all of
one length and without padding, begin at its sentences.
Source of the rows: Devlin et al. 2018, arXiv:1810.04805, section 3.1 and appendix A.2: two spans of text that together
fill a row, "sentences" in name only. In half of the rows the second span follows the first one; in the others it is
from another article. Unlike there, a row is never shorter: the ends of articles are only read as parts of rows that
begin earlier.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np
import torch
from jaxtyping import Int
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor

from course.lab.particles import split_particles
from course.lab.tasks import unseen_in_tests
from course.sources.of_set import CORPORA
from course.sources.public import load_public, locate
from course_lib.data.masking import Masking
from course_lib.data.running_text import read_articles
from course_lib.data.streams import StreamBatch
from course_lib.files import atomic_file, lock
from course_lib.models.bert import MaskedPairs
from course_lib.progress import Progress
from course_lib.text.word_pieces import WordPieces
from course_lib.text.words import split_sentences, split_words

Item = TypeVar("Item")
TEXTS = {
    **CORPORA,
    "imdb": "film reviews (IMDb, labelled training part without the 1,500 that the course tests and chooses on)",
    "nsmc": "short Korean film reviews (NSMC, training part, CC0 1.0)",
    "kornlu": "Korean captions and headlines (KorSTS, training part, CC BY-SA 4.0)",
    "tatoeba_kor_eng": "Korean sentences for learners (Tatoeba, CC BY 2.0)",
}
WEIGHTS_LICENCE = "weights: CC BY 4.0; the text they were learned from: CC BY-SA 3.0"
_TOGETHER = 50  # reviews, captions and examples are of a sentence or two: so many make a document
LONG_EVERY = 8  # batches: positions past the usual length are learned too, as in the paper's appendix A.2


@dataclass(frozen=True)
class Text:
    """One kind of text of a recipe."""

    name: str
    weight: float = 1.0  # its share of what is read
    held_out: int = 100  # so many documents, its first, are kept for the card's numbers
    runs_on: bool = True  # its sentences belong together: the next one is asked for

    def __str__(self) -> str:
        return f"{TEXTS[self.name]}, {self.weight:.0%} of what is read, {self.held_out} documents held out"


ENGLISH = (Text("enwiki2015", 0.45), Text("novels_en", 0.3, held_out=25), Text("imdb", 0.25, held_out=250))
KOREAN = (Text("kowiki2022", 0.8), Text("nsmc", 0.2, held_out=20, runs_on=False))
EVERYDAY_KOREAN = (
    Text("kowiki2022", 0.4),
    Text("nsmc", 0.35, held_out=20, runs_on=False),
    Text("kornlu", 0.15, held_out=20, runs_on=False),
    Text("tatoeba_kor_eng", 0.1, held_out=10, runs_on=False),
)


def weights_licence(texts: Sequence[Text]) -> str:
    """What a card says of weights that were learned from these texts."""
    names = {"imdb": "reviews: none stated, no review is in this folder", "novels_en": "novels: public domain"}
    names |= {"nsmc": "reviews: CC0 1.0", "kornlu": "captions: CC BY-SA 4.0", "tatoeba_kor_eng": "examples: CC BY 2.0"}
    others = "".join(f"; {names[text.name]}" for text in texts if text.name in names)
    return f"{WEIGHTS_LICENCE}{' (Wikipedia)' if others else ''}{others}"


# ---- words


def split_corpus(name: str, folder: Path) -> Path:
    """The text as a file of words in `folder`, made if it is not there yet. CourseError if the text is not there."""
    path = folder / f"{name}.words.txt"
    with lock(path.with_suffix(".lock")):
        if path.exists():
            return path
        korean = name in {text.name for text in EVERYDAY_KOREAN}
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


_SHORT: dict[str, Callable[[], Iterator[str]]] = {
    "nsmc": lambda: (record.text for record in load_public("nsmc", "train")),
    "kornlu": lambda: (
        text for pair in load_public("kornlu", "sts_train") for text in dict.fromkeys((pair.first, pair.second))
    ),
    "tatoeba_kor_eng": lambda: (pair.target.text for pair in load_public("tatoeba_kor_eng")),
}


def _documents(name: str) -> Iterator[Sequence[str]]:
    """The paragraphs of each document."""
    if name == "imdb":
        for record in unseen_in_tests(load_public(name, "train")):
            yield record.text.splitlines()
    elif name in _SHORT:
        texts = list(_SHORT[name]())
        yield from (texts[at : at + _TOGETHER] for at in range(0, len(texts), _TOGETHER))
    elif name == "novels_en":  # dialogue has paragraphs of two words; the title is no sentence of the novel
        for part in read_articles(locate(name), min_words=2):
            yield [paragraph for paragraph in part.paragraphs if paragraph != part.title]
    else:
        for article in read_articles(locate(name)):
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


@dataclass(frozen=True)
class WordTexts:
    """Several texts as words, to be mixed so that each has its share."""

    texts: tuple[Text, ...]
    paths: list[Path]
    lower: bool
    counts: Counter[str]  # in an epoch of the mix, without held-out documents
    times: list[float]  # how often an epoch reads each text

    @classmethod
    def of(cls, texts: Sequence[Text], folder: Path, *, lower: bool = False) -> WordTexts:
        """The words' files are made in `folder` where they are not there yet."""
        paths = [split_corpus(text.name, folder) for text in texts]
        by_text: list[Counter[str]] = [Counter() for _ in texts]
        for counts, path, text in zip(by_text, paths, texts, strict=True):
            for document in islice(read_documents(path, lower=lower), text.held_out, None):
                for sentence in document:
                    counts.update(sentence)
        times, mixed = repeats(texts, [counts.total() for counts in by_text]), Counter()
        for counts, often in zip(by_text, times, strict=True):
            mixed.update({word: round(often * n) for word, n in counts.items()})
        return cls(tuple(texts), paths, lower, mixed, times)

    def encoded(
        self, encode: Callable[[list[list[str]]], Tensor], seed: int
    ) -> tuple[list[Tensor], dict[str, list[Tensor]]]:
        """The documents of an epoch, each as `encode` gives it, and those that are held out, by text."""
        every = [list(map(encode, read_documents(path, lower=self.lower))) for path in self.paths]
        held_out = {text.name: documents[: text.held_out] for documents, text in zip(every, self.texts, strict=True)}
        rest = [documents[text.held_out :] for documents, text in zip(every, self.texts, strict=True)]
        return mix(rest, self.times, seed), held_out


def repeats(texts: Sequence[Text], sizes: Sequence[int]) -> list[float]:
    """How often each text is read so that it has its weight; one is read once, the others more often."""
    once = max(size / text.weight for text, size in zip(texts, sizes, strict=True))
    return [once * text.weight / size for text, size in zip(texts, sizes, strict=True)]


def mix(documents: Sequence[list[Item]], times: Sequence[float], seed: int) -> list[Item]:
    """The documents of each text as often as `times` says; of a fraction, documents drawn once."""
    choose, mixed = Random(seed), []
    for of_text, often in zip(documents, times, strict=True):
        mixed += of_text * int(often) + choose.sample(of_text, round(often % 1 * len(of_text)))
    return mixed


# ---- pieces


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


def cut_corpus(
    name: str, folder: Path, vocab_size: int, lowercase: bool, max_characters: int, held_out: int
) -> tuple[WordPieces, PieceText]:
    """The corpus `name` in pieces learned from it, from the file kept in `folder`, which is made if it is not there.

    The first `held_out` articles do not count for the vocabulary.
    """
    source = split_corpus(name, folder)

    def make() -> bytes:
        articles = chain.from_iterable(islice(read_documents(source), held_out, None))
        pieces = WordPieces.train(articles, vocab_size, lowercase=lowercase, max_characters=max_characters)
        return save(vars(encode_documents(source, pieces)), {"pieces": json.dumps(pieces.vocabulary)})

    case = "lower" if lowercase else "cased"
    path = folder / f"{name}.pieces-{vocab_size}-{case}-{max_characters}-{held_out}.safetensors"
    with safe_open(made_once(path, make), "pt") as file:
        return WordPieces(json.loads(file.metadata()["pieces"]), lowercase=lowercase), _piece_text(file)


def _piece_text(file: Any) -> PieceText:
    return PieceText(*(file.get_tensor(key) for key in ("ids", "sentences", "documents")))


def made_once(path: Path, make: Callable[[], bytes]) -> Path:
    """The file `path`; if it is not there yet, one process writes into it what `make` gives, and the others wait."""
    with lock(path.with_suffix(".lock")):
        if not path.exists():
            with atomic_file(path) as file:
                file.write(make())
    return path


def encode_corpus(name: str, folder: Path, pieces: WordPieces) -> PieceText:
    """The text `name` in pieces that are given, from the file kept in `folder`; it is made if it is not there yet."""
    source, digest = split_corpus(name, folder), hashlib.sha256("\n".join(pieces.vocabulary).encode()).hexdigest()[:12]
    path = folder / f"{name}.pieces-{digest}.safetensors"
    with safe_open(made_once(path, lambda: save(vars(encode_documents(source, pieces)))), "pt") as file:
        return _piece_text(file)


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
    cut = [[i for i, _, _ in word] for word in pieces.split(list(numbers))]
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


# ---- rows of pieces


class Places:
    """Where rows of `length` pieces may begin in a text: at sentences with enough of their article behind them."""

    def __init__(self, text: PieceText, length: int):
        self.text, self.length = text, length
        self.shortest, self.longest = (length - 3) // 4, 3 * (length - 3) // 4  # of the first span
        n_sentences = text.documents.diff()
        self.document = torch.repeat_interleave(torch.arange(len(n_sentences)), n_sentences)  # of each sentence
        end = text.sentences[text.documents[1:]][self.document]
        # The second span begins after the first sentence, or `longest` pieces after its beginning, or in between.
        second = torch.maximum(text.sentences[1:], text.sentences[:-1] + self.longest)
        self.allowed = (second + length <= end).nonzero().squeeze(1)
        assert len(self.document[self.allowed].unique()) > 1, f"two articles of {2 * length} pieces or more are needed"

    def seconds(
        self, first: Int[Tensor, " row"], generator: torch.Generator
    ) -> tuple[Int[Tensor, " row"], Int[Tensor, " row"]]:
        """For rows that begin at the sentences `first`: how long the first span is, and where the next one begins.

        The first span is of whole sentences up to a length that is drawn; a sentence longer than that is cut off.
        """
        starts = self.text.sentences
        most = torch.randint(self.shortest, self.longest + 1, first.shape, generator=generator)
        after = torch.searchsorted(starts, starts[first] + most, right=True) - 1
        begin = starts[torch.maximum(after, first + 1)]
        return torch.minimum(begin - starts[first], most), begin

    def elsewhere(self, first: Int[Tensor, " row"], generator: torch.Generator) -> Int[Tensor, " row"]:
        """For each sentence of `first` another one, of another article."""
        other = first
        while (same := self.document[other] == self.document[first]).any():
            drawn = self.allowed[torch.randint(len(self.allowed), first.shape, generator=generator)]
            other = torch.where(same, drawn, other)
        return other


@dataclass(frozen=True)
class Rows:
    """Batches for `fit`: called with an epoch it gives that epoch's, the same for the same seed.

    An epoch takes every sentence once as the beginning of a row of the usual length. Every LONG_EVERY-th batch has
    longer rows, and fewer of them.
    """

    usual: Places
    long: Places
    make: Callable[[Places, Int[Tensor, " row"], torch.Generator], Any]
    pieces_per_batch: int
    seed: int = 0

    @classmethod
    def of(cls, text: PieceText, length: int, *how: Any) -> Rows:
        """The longer rows are twice as long."""
        return cls(Places(text, length), Places(text, 2 * length), *how)

    def __call__(self, epoch: int = 0) -> Iterator[Any]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        usual, long = (self._beginnings(places, generator) for places in (self.usual, self.long))
        anew = chain.from_iterable(self._beginnings(self.long, generator) for _ in count())
        long = chain(long, anew)  # of short documents there are few; the epoch is the usual rows'
        for number in count(1):
            is_long = number % LONG_EVERY == 0
            first = next(long if is_long else usual, None)
            if first is None:
                return
            yield self.make(self.long if is_long else self.usual, first, generator)

    def _beginnings(self, places: Places, generator: torch.Generator) -> Iterator[Int[Tensor, " row"]]:
        order = places.allowed[torch.randperm(len(places.allowed), generator=generator)]
        n_rows = max(1, self.pieces_per_batch // places.length)
        return (order[at : at + n_rows] for at in range(0, len(order), n_rows))


@dataclass(frozen=True)
class MixedRows:
    """Batches of several texts, each of one text, drawn by weight. An epoch is short, so that a resume skips little."""

    texts: tuple[Rows, ...]
    weights: tuple[float, ...]
    batches: int = 2_000
    seed: int = 0

    def __call__(self, epoch: int = 0) -> Iterator[Any]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        order = torch.multinomial(torch.tensor(self.weights), self.batches, replacement=True, generator=generator)
        # A text that ends within an epoch begins anew. Each pass has its own number, so none repeats another's order.
        streams = [chain.from_iterable(map(rows, count(epoch * self.batches))) for rows in self.texts]
        return (next(streams[text]) for text in order.tolist())


@dataclass(frozen=True)
class MaskedPairRows:
    """[CLS] a [SEP] b [SEP], masked: for `Bert.loss`. Half of the b follow their a; asks_next: is that asked for?"""

    pieces: WordPieces
    masking: Masking
    asks_next: bool = True

    def __call__(self, places: Places, first: Int[Tensor, " row"], generator: torch.Generator) -> MaskedPairs:
        """Rows that begin at the sentences `first`."""
        text, length = places.text, places.length
        n_first, following = places.seconds(first, generator)
        # The other seconds are found like the true ones, so that nothing but their meaning tells them apart.
        _, foreign = places.seconds(places.elsewhere(first, generator), generator)
        follows = torch.rand(first.shape, generator=generator) < 0.5
        second = torch.where(follows, following, foreign)
        column, sep = torch.arange(length), n_first[:, None] + 1  # column of the first [SEP]
        in_second = column > sep
        source = column + torch.where(in_second, second[:, None] - sep - 1, text.sentences[first][:, None] - 1)
        ids = text.ids[source.clamp(0, len(text.ids) - 1)].long()
        ids[:, 0] = self.pieces.cls
        ids[(column == sep) | (column == length - 1)] = self.pieces.sep
        masked = self.masking(ids, torch.ones_like(ids, dtype=torch.bool), generator)
        asked = follows if self.asks_next else None
        return MaskedPairs(masked.ids, masked.rows, masked.columns, masked.answers, in_second.long(), None, asked)


@dataclass(frozen=True)
class OneWayRows:
    """[CLS] and the text from a sentence's beginning on: for `LeftToRightLM.loss`."""

    pieces: WordPieces

    def __call__(self, places: Places, first: Int[Tensor, " row"], generator: torch.Generator) -> StreamBatch:
        """Rows that begin at the sentences `first`."""
        text = places.text
        targets = text.ids[text.sentences[first][:, None] + torch.arange(places.length)].long()
        ids = targets.roll(1, 1)
        ids[:, 0] = self.pieces.cls
        return StreamBatch(ids, targets)
