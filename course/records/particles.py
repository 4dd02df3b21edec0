"""The thread's question in Korean when particles are dropped, as in speech: who does what, to whom, where?

    python -m course.records.particles          five seeds: some five minutes of one core

Speech often leaves out the particles of topic, subject and object (민지 책 읽었어). Here the text, the labelled sentences
and the new ones lose them alike, and everything is learned anew; a last column learns from written text and is asked in
speech. In the text a particle is known by its form: of 52 words 이 eight are no particle and are lost with them.

The rules, written before the test part was read. A seed draws the labelled sentences, the first weights and the order
of the text. Vectors, language models and the linear head are trained as for the board, at the rates that were chosen
for it on the development part. Controls: the place of a word, counted from both ends, knows no word; the row of a word
knows no neighbour, as in a bag of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course.by_hand.language_model import LanguageModel, both_ways
from course.by_hand.skip_gram import SkipGram
from course.lab.roles import LABELS, Thread, padded
from course.ledger.records import provenance
from course.records.store import Store, markdown_table
from course.world import WorldSentence
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import seed_interval
from course_lib.language import key, t

COMMAND = "python -m course.records.particles"
SEEDS, DIM, FAR = 5, 64, 15  # FAR: places further from an end count as this one
WRITTEN, SPOKEN, SHIFTED = key("written"), key("as in speech"), key("learned written, asked in speech")
DROPPED = {WRITTEN: frozenset(), SPOKEN: frozenset("은는이가을를")}
SYSTEMS = (key("place alone"), key("word alone"), key("word and place"), key("two language models"))


@dataclass(frozen=True)
class Row:
    """One training: F1 in % on the test sentences, learned from `labels` sentences that `seed` drew."""

    text: str
    system: str
    labels: int
    seed: int
    f1: float


@dataclass(frozen=True)
class Table:
    rows: tuple[Row, ...]
    run: Mapping[str, str]


STORE = Store("particles.json", Table, COMMAND, check=lambda table: table.rows[0], rows="rows")


def without(sentence: WorldSentence, dropped: frozenset[str]) -> WorldSentence:
    """Its words and roles without these particles; a role's label stands at the last of its words that is left."""
    tagged = zip(sentence.words, sentence.upos, strict=True)
    kept = [i for i, (word, upos) in enumerate(tagged) if upos != "ADP" or word not in dropped]
    left = {role: [n for n, i in enumerate(kept) if a <= i < b] for role, (a, b) in sentence.roles.items()}
    roles = {role: (places[0], places[-1] + 1) for role, places in left.items()}
    return replace(sentence, words=tuple(sentence.words[i] for i in kept), roles=roles)


def thread_without(dropped: frozenset[str]) -> Thread:
    """The Korean thread, its text and its sentences without these particles."""
    thread = Thread("ko")
    thread.text = [[word for word in words if word not in dropped] for words in thread.text]
    for part in ("pool", "dev", "test"):
        setattr(thread, part, [without(sentence, dropped) for sentence in getattr(thread, part)])
    return thread


def places(n: int) -> Tensor:
    """Of n words the place from the start and from the end, one-hot [word, 2 (FAR + 1)]."""
    ahead = torch.arange(n)
    return torch.cat([F.one_hot(at.clamp(max=FAR), FAR + 1) for at in (ahead, ahead.flip(0))], -1).float()


def features(thread: Thread) -> dict[str, Callable[[list[WorldSentence]], Tensor]]:
    """{system: sentences -> what its head reads [sentence, word, dim]}, trained from the generator's present state."""
    n_words = len(thread.words)
    vectors, forward, backward = SkipGram(n_words, DIM), LanguageModel(n_words, DIM), LanguageModel(n_words, DIM)
    thread.train_vectors(vectors)
    thread.train_forward(forward)
    thread.train_backward(backward)
    rows = vectors.v.weight.detach()

    def of_each(read: Callable[[Tensor], Tensor]) -> Callable[[list[WorldSentence]], Tensor]:
        return lambda sentences: padded([read(thread.ids(sentence.words)) for sentence in sentences])

    found = (
        of_each(lambda ids: places(len(ids) - 2)),
        of_each(lambda ids: rows[ids[1:-1]]),
        of_each(lambda ids: torch.cat([rows[ids[1:-1]], places(len(ids) - 2)], -1)),
        of_each(lambda ids: both_ways(forward, backward, ids)[-1]),
    )
    return dict(zip(SYSTEMS, found, strict=True))


def measured(seed: int) -> Iterator[Row]:
    """The rows of one seed."""
    spoken = thread_without(DROPPED[SPOKEN]).test
    for text, dropped in DROPPED.items():
        thread = thread_without(dropped)
        asked = {text: thread.test} | ({SHIFTED: spoken} if text == WRITTEN else {})
        seed_everything(seed)
        for system, read in features(thread).items():
            for name, sentences in asked.items():
                make = lambda width=read(sentences[:1]).shape[-1]: nn.Linear(width, len(thread.roles))  # noqa: E731
                for labels, f1 in thread.scores(make, read, seed=seed, sentences=sentences).items():
                    yield Row(name, system, labels, seed, round(f1, 2))


def record() -> Table:
    """Measure everything and replace the record, after each seed."""
    rows, run = [], {"command": COMMAND, **provenance()}
    for seed in range(SEEDS):
        rows += measured(seed)
        STORE.write(Table(tuple(rows), run))
    return STORE.read()


def markdown(table: Table) -> str:
    """A line for each system: mean and 95 % interval over the seeds, from the larger number of labelled sentences."""
    labels, texts = max(LABELS), dict.fromkeys(row.text for row in table.rows)

    def cell(text: str, system: str) -> str:
        asked = (text, system, labels)
        found = seed_interval([row.f1 for row in table.rows if (row.text, row.system, row.labels) == asked])
        return f"{found.estimate:.1f} [{found.low:.1f}, {found.high:.1f}]"

    head = [t("F1 in %, {n} labelled sentences", n=labels), *map(t, texts)]
    return "\n".join(markdown_table(head, [[t(system), *(cell(text, system) for text in texts)] for system in SYSTEMS]))


def show_particles() -> None:
    """Display the table. Raises CourseError where nothing is recorded."""
    from IPython.display import Markdown, display

    table = STORE.read()
    if table is None:
        raise CourseError(f"The particles are not recorded in this copy. Run: {COMMAND}")
    display(Markdown(markdown(table)))


if __name__ == "__main__":
    print(markdown(record()))
