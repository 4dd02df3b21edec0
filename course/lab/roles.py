"""The thread of the course: one text, and one question. Who does what, to whom, where?

thread = Thread("en")                       # or "ko"
thread.text                                  # 60,000 words of the invented world, sentence by sentence
ids, labels = thread.batch(thread.sample(20, seed=0))      # of 20 labelled sentences
thread.f1(model(thread.batch(thread.test)[0]).argmax(-1))   # of the answers on sentences that no model has read
thread.scores(lambda: Classifier(len(thread.words), 64, len(thread.roles)))    # both steps, from 20 and from 100

In a build it is `thread()`, whose text may be one of the reader's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice

import torch
from jaxtyping import Int
from torch import Tensor, nn

from course import kept
from course.by_hand import classifier, language_model, skip_gram
from course.kept import LABELS
from course.lab import own_text
from course.lab.world_models import world_text
from course.world import World, WorldSentence
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.language import language as language_now

N_WORDS = 60_000
BOUNDARY, UNKNOWN = "</s>", own_text.UNKNOWN  # the first two of `words`
NONE = "-"  # the label of a word that has no role
NO_LABEL = -100  # after the end of a sentence: F.cross_entropy leaves these out
_SEED, _PARTS = 777, {"pool": 400, "dev": 200, "test": 300}


def one_clause(sentence: WorldSentence) -> bool:
    """Of a sentence with two clauses either gives some of the roles: that is not what a reader would call right."""
    return len({clause for clause, *_ in sentence.places}) == 1


class Thread:
    """The text, its words, and sentences that are not in it, each with the roles of its words.

    own      the name of a text of the reader's own, see `own_text`. It has no roles: pool, dev and test stay the
             world's, and words of theirs that the text does not know are "<unk>"
    new      sentences of the text's kind that are not in it, words only
    words    all different words of the text, after "</s>", the boundary of a sentence, and "<unk>"
    roles    "-" and the names of the roles: AGENT, PLACE ...; a role's label stands at its last word, its noun
    pool, dev, test   sentences, all different: to draw the labelled ones from, to choose settings by, to report
    """

    def __init__(self, language: str = "en", own: str = ""):
        self.language, self.own = language, own
        self.text = own_text.read(own) if own else [list(words) for words in world_text(N_WORDS, language)]
        if own:
            self.text, self.new = _parted(self.text)
        known = {word for sentence in self.text for word in sentence} - {UNKNOWN}
        self.words = [BOUNDARY, UNKNOWN, *sorted(known)]
        self.index = {word: i for i, word in enumerate(self.words)}
        fresh = {}  # text -> sentence, in the order of the world
        read = {" ".join(words) for words in self.text}
        for sentence in islice(World(_SEED).sentences(language), 3 * sum(_PARTS.values())):
            if " ".join(sentence.words) not in read and sentence.roles:
                fresh.setdefault(" ".join(sentence.words), sentence)
        sentences = iter(fresh.values())
        self.pool, self.dev, self.test = (list(islice(sentences, n)) for n in _PARTS.values())
        if not own:
            self.new = [list(sentence.words) for sentence in self.test]
        self.roles = [NONE, *sorted({role for s in (*self.pool, *self.dev, *self.test) for role in s.roles})]

    @cached_property
    def pairs(self) -> Int[Tensor, "pair 2"]:
        """The word ids (centre, context) of all pairs of the text, in windows of two words to each side."""
        rows = [[self.index[word] for word in words] for words in self.text]
        return torch.tensor([pair for row in rows for pair in skip_gram.pairs(row, 2)])

    @property
    def counts(self) -> Int[Tensor, " word"]:
        """How often each word occurs in the text."""
        return torch.bincount(self.stream, minlength=len(self.words)).index_fill(0, torch.tensor([0]), 0)

    @cached_property
    def stream(self) -> Int[Tensor, " position"]:
        """The word ids of the whole text, a boundary after each sentence."""
        return torch.tensor([self.index[word] for words in self.text for word in [*words, BOUNDARY]])

    def ids(self, words: Sequence[str]) -> Int[Tensor, " position"]:
        """The word ids of one sentence between two boundaries."""
        return torch.tensor([self.index.get(word, 1) for word in [BOUNDARY, *words, BOUNDARY]])

    def train_vectors(self, model: skip_gram.SkipGram) -> None:
        """As chapter 1 does it."""
        skip_gram.train(model, self.pairs, self.counts, epochs=6)

    def train_forward(self, model: language_model.LanguageModel) -> None:
        """As chapter 3 does it."""
        language_model.train(model, self.stream)

    def train_backward(self, model: language_model.LanguageModel) -> None:
        """The same, on the text turned round."""
        language_model.train(model, self.stream.flip(0))

    def sample(self, n: int, seed: int) -> list[WorldSentence]:
        """`n` sentences of the pool, drawn by `seed`: the labelled ones."""
        if not 1 <= n <= len(self.pool):
            raise CourseError(f"Thread.sample: n={n}. There are {len(self.pool)} labelled sentences to draw from.")
        order = torch.randperm(len(self.pool), generator=torch.Generator().manual_seed(seed))
        return [self.pool[i] for i in order[:n].tolist()]

    def batch(self, sentences: Sequence[WorldSentence]) -> tuple[Tensor, Tensor]:
        """Word ids and label ids [sentence, word], filled up to the longest with 0 and -100."""
        rows = [self.ids(sentence.words)[1:-1] for sentence in sentences]
        labels = [torch.tensor([self.roles.index(label) for label in self.labels(s)]) for s in sentences]
        return padded(rows), padded(labels, NO_LABEL)

    def labels(self, sentence: WorldSentence) -> list[str]:
        """One for each word."""
        found = [NONE] * len(sentence.words)
        for role, (_, end) in sentence.roles.items():
            found[end - 1] = role
        return found

    def scores(
        self,
        make: Callable[[], nn.Module],
        read: Callable[[list[WorldSentence]], Tensor] | None = None,
        rates: Callable[[nn.Module], list[dict]] | None = None,
        *,
        seed: int = 0,
        sentences: list[WorldSentence] | None = None,
    ) -> dict[int, float]:
        """F1 on new sentences by number of labelled ones: 20 and 100. What the board shows; a few seconds.

        make       an untrained model: what `read` says of sentences -> a logit for each role
        read       None: their word ids [sentence, word]; else for example features [sentence, word, dim]
        rates      the optimizer's parameter groups of a model, for rates of their own
        seed       draws the labelled sentences and the model's first weights
        sentences  None: `test`; `dev` to choose settings by
        """
        read, new = read or (lambda drawn: self.batch(drawn)[0]), self.test if sentences is None else sentences
        found, unseen = {}, read(new)
        for n in LABELS:
            drawn = self.sample(n, seed)
            seed_everything(seed)
            model = make()
            classifier.train(model, read(drawn), self.batch(drawn)[1], rates and rates(model))
            with torch.no_grad():
                found[n] = self.f1(model.eval()(unseen).argmax(-1), new)
        return found

    def f1(self, guesses: Int[Tensor, "sentence word"], sentences: Sequence[WorldSentence] | None = None) -> float:
        """F1 in % over words that have a role or were given one. guesses: label ids; sentences: None for `test`."""
        _, labels = self.batch(self.test if sentences is None else sentences)
        real = labels != NO_LABEL
        guess, label = guesses[real], labels[real]
        hits = ((guess == label) & (label > 0)).sum().item()
        return 200 * hits / max(1, ((guess > 0).sum() + (label > 0).sum()).item())


def thread() -> Thread:
    """The thread of the language spoken now and of the text that is chosen: what builds read."""
    return Thread(language_now(), kept.text())


def _parted(sentences: Sequence[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """(what is read, as many sentences as the world's test has that are not in it, evenly from the whole)."""
    every = max(2, len(sentences) // _PARTS["test"])
    apart = sentences[every // 2 :: every]
    read = [words for i, words in enumerate(sentences) if i % every != every // 2]
    known = set(map(tuple, read))
    return read, [words for words in apart if tuple(words) not in known]


def padded(rows: Sequence[Tensor], value: float = 0) -> Tensor:
    """Rows of different lengths [word, ...] as one tensor [sentence, word, ...], filled up on the right."""
    return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True, padding_value=value)
