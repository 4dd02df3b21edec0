"""The thread's question in Korean when particles are dropped, as in speech: who does what, to whom, where?

    python -m course.records.particles          five seeds: some minutes of one core

Speech often leaves out the particles of topic, subject and object (민지 책 읽었어). Here the text, the labelled
sentences and the new ones lose them alike, and everything is learned anew; a last column learns from written text and
is asked in speech. In the text a particle is known by its form: of 52 words 이 eight are no particle and go with them.

The rules, written before the test part was read. A seed draws the labelled sentences, the first weights and the order
of the text. Vectors, language models and the linear head are trained as for the board. On the development part, three
seeds, the top layer was best from 100 labels: written 79.8 (79.2 below it, 46.9 for the table) after 600 steps, 71.5
after 300; as in speech 74.3 (71.6, 44.1) after 300. Controls: the place of a word, counted from both ends, is order
alone; a bag of words has the word's row beside the mean of its sentence's rows.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course.by_hand import language_model
from course.by_hand.skip_gram import SkipGram
from course.lab.roles import LABELS, Thread, padded
from course.ledger.records import provenance
from course.records.store import Store, in_a_sentence, markdown_table
from course.world import WorldSentence
from course_lib.device import seed_everything
from course_lib.evaluation.intervals import seed_interval
from course_lib.language import key, t

COMMAND = "python -m course.records.particles"
SEEDS, DIM, FAR = 5, 64, 15  # FAR: places further from an end count as this one
STEPS = 600  # of the language models
WRITTEN, SPOKEN, SHIFTED = key("written"), key("as in speech"), key("learned written, asked in speech")
DROPPED = {WRITTEN: frozenset(), SPOKEN: frozenset("은는이가을를")}
SYSTEMS = (key("word order alone"), key("bag of words"), key("bag of words and word order"), key("two language models"))
Read = Callable[[list[WorldSentence]], Tensor]  # sentences -> what a head reads [sentence, word, dim]


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

    def scores(self, text: str, system: str) -> list[float]:
        """F1 of each seed, from the most labelled sentences."""
        return [row.f1 for row in self.rows if (row.text, row.system, row.labels) == (text, system, max(LABELS))]


STORE = Store("particles.json", Table, COMMAND, check=lambda table: markdown(table), rows="rows")


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
    for part in ("pool", "test"):
        setattr(thread, part, [without(sentence, dropped) for sentence in getattr(thread, part)])
    return thread


def places(n: int) -> Tensor:
    """Of n words the place from the start and from the end, one-hot [word, 2 (FAR + 1)]."""
    ahead = torch.arange(n)
    return torch.cat([F.one_hot(at.clamp(max=FAR), FAR + 1) for at in (ahead, ahead.flip(0))], -1).float()


def of_each(thread: Thread, read: Callable[[Tensor], Tensor]) -> Read:
    return lambda sentences: padded([read(thread.ids(sentence.words)) for sentence in sentences])


def language_models(thread: Thread) -> Read:
    """The top states of two language models, forward and backward."""
    forward, backward = (language_model.LanguageModel(len(thread.words), DIM) for _ in range(2))
    language_model.train(forward, thread.stream, STEPS)
    language_model.train(backward, thread.stream.flip(0), STEPS)
    return of_each(thread, lambda ids: language_model.both_ways(forward, backward, ids)[-1])


def features(thread: Thread) -> dict[str, Read]:
    """What each system's head reads, trained from the generator's present state."""
    vectors = SkipGram(len(thread.words), DIM)
    thread.train_vectors(vectors)

    def order(ids: Tensor) -> Tensor:
        return places(len(ids) - 2)

    def bag(ids: Tensor) -> Tensor:
        rows = vectors.v.weight.detach()[ids[1:-1]]
        return torch.cat([rows, rows.mean(0).expand_as(rows)], -1)

    bags = (order, bag, lambda ids: torch.cat([bag(ids), order(ids)], -1))
    found = (*(of_each(thread, read) for read in bags), language_models(thread))
    return dict(zip(SYSTEMS, found, strict=True))


def scores(thread: Thread, read: Read, seed: int, sentences: list[WorldSentence]) -> dict[int, float]:
    """F1 of a linear head by number of labelled sentences."""
    width = read(sentences[:1]).shape[-1]
    return thread.scores(lambda: nn.Linear(width, len(thread.roles)), read, seed=seed, sentences=sentences)


def record() -> Table:
    """Measure everything and replace the record, after each seed."""
    threads = {text: thread_without(dropped) for text, dropped in DROPPED.items()}
    asked = {text: {text: thread.test} for text, thread in threads.items()}
    asked[WRITTEN][SHIFTED] = threads[SPOKEN].test
    rows, run = [], {"command": COMMAND, **provenance()}
    for seed in range(SEEDS):
        for text, thread in threads.items():
            seed_everything(seed)
            for system, read in features(thread).items():
                for name, sentences in asked[text].items():
                    found = scores(thread, read, seed, sentences).items()
                    rows += [Row(name, system, labels, seed, round(f1, 2)) for labels, f1 in found]
        STORE.write(Table(tuple(rows), run))
    return STORE.read()


def markdown(table: Table) -> str:
    """A line for each system: mean and 95 % interval over the seeds, and of the differences within a seed."""

    def cell(values: list[float], sign: str = "") -> str:
        found = seed_interval(values)
        return f"{found.estimate:{sign}.1f} [{found.low:{sign}.1f}, {found.high:{sign}.1f}]"

    lines = []
    for system in SYSTEMS:
        written, spoken, shifted = (table.scores(text, system) for text in (WRITTEN, SPOKEN, SHIFTED))
        lost = [b - a for a, b in zip(written, spoken, strict=True)]
        lines.append([t(system), cell(written), cell(spoken), cell(lost, "+"), cell(shifted)])
    head = [t("F1 in %, {n} labelled sentences", n=max(LABELS)), t(WRITTEN), t(SPOKEN), t("difference"), t(SHIFTED)]
    return "\n".join(markdown_table(head, lines))


def show_particles() -> None:
    """Display the table. Raises CourseError where nothing is recorded."""
    from IPython.display import Markdown, display

    display(Markdown(markdown(STORE.recorded())))


@in_a_sentence()
def main() -> None:
    """Measure everything, replace the record and print it."""
    ArgumentParser(prog=COMMAND, description=main.__doc__).parse_args()
    print(markdown(record()))


if __name__ == "__main__":
    main()
