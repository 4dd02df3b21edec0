"""The systems of the course and an untrained one in a table: the same small heads, labels and steps on frozen vectors.

    one_table()                                     measured now, on the handmade sets
    python -m course.records.one_table --record     the same on public sets, kept: `recorded_table()` reads it
    ... --record --top                              every deep row at its top layer: `recorded_table(top=True)`

A deep row is a learned mix of all its layers, whatever the system: at its top layer a network says most about its own
pre-training, and a comparison in which only one row may mix favours that row. What differs between the rows is not only
the idea: tokens and parameters stand beside the scores for that reason.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from random import Random

import numpy as np
from jaxtyping import Float

from course.lab.kept_states import KeptStates
from course.lab.learning import Recipe
from course.lab.tasks import Record, Task, answers, pairs, parts_of_speech, reviews, texts_of
from course.ledger.records import provenance
from course.records.store import Store, in_a_sentence, markdown_table
from course_lib.checkpoints import CARD
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.language import key, t, t_label
from course_lib.models.encoder import ContextEncoder, RandomEncoder
from course_lib.models.shipped import load
from course_lib.text.words import split_words
from course_lib.training import fit

COMMAND = "python -m course.records.one_table --record"
FULL = {"source": "public", "n_labels": 2_000, "n_test": 1_000, "steps": 600, "learning_rate": 2e-3}
BATCH_SIZE = 16  # 50 steps are five epochs of 160 labels
RANDOM_WIDTH = 256  # as wide as the language models
MIX, TOP, WORD = key("learned mix of all layers"), key("top layer"), key("the word itself")
COLUMNS = {
    key("sentence"): key("accuracy"),
    key("pair"): key("accuracy"),
    key("tagging"): key("accuracy of words"),
    key("span"): key("F1 of words"),
}
HEADS = {"sentence": {"pooling": "mean"}, "pair": {"pooling": "mean"}, "tagging": {}, "span": {"unit": "word"}}
HOW = key("Frozen vectors, linear heads, # steps of # records, # seeds.")
MOST_WORDS = 50  # of a text, or of both sides of a pair: every encoder of the course reads that many in one pass
MOST_IN_PASSAGE = 36  # which leaves room for the question


@dataclass(frozen=True)
class System:
    """A row of the table: a network, and what is read of it."""

    checkpoint: str | None  # None: untrained
    read: str = MIX
    two_passes: bool = False  # the sides of a pair are read alone, as by encoders that know no pairs

    def reading(self, top: bool) -> str:
        return TOP if top and self.read == MIX else self.read

    def encoder(self) -> ContextEncoder:
        return RandomEncoder(RANDOM_WIDTH) if self.checkpoint is None else load(self.checkpoint)

    def tokens_seen(self) -> int | None:
        """Tokens of pre-training, repeats counted: the first number on the checkpoint's card, times its epochs.

        None if the card does not say, or counts pairs.
        """
        if self.checkpoint is None:
            return 0
        path = data_dir("checkpoints", self.checkpoint, CARD)
        card = path.read_text(encoding="utf-8") if path.exists() else ""
        row = re.search(r"^\| tokens \| ([\d,]+)(?![\d,]| pairs)(.*)\|$", card, re.M)
        if row is None:
            return None
        epochs = re.search(r"([\d.]+) (?:of \d+ )?epochs", row[2])
        return round(int(row[1].replace(",", "")) * (float(epochs[1]) if epochs else 1))


SYSTEMS = {  # named as in the figures of all chapters
    "random": System(None),
    "skip-gram": System("skipgram-en", WORD),
    "TagLM": System("bilm-en", TOP),
    "CoVe": System("cove-en"),
    "ELMo": System("bilm-en"),
    "ULMFiT": System("awd-lstm-en"),
    "left-to-right Transformer": System("gpt-en"),
    "BERT": System("bert-en"),
    "BERT, two passes": System("bert-en", two_passes=True),
    "MiniLM": System("minilm-en"),
    "MiniLM, two passes": System("minilm-en", two_passes=True),
}


@dataclass(frozen=True, eq=False)
class Table:
    """scores in % [system, column, seed]; labels, tests: records learned from and scored on, per column.

    parameters, tokens, seconds   per system: of the encoder; seen in its pre-training, None: its card does not say; of
                                  training the heads of one seed
    note                          how the heads were trained
    top                           every deep row was read at its top layer
    run                           command, date, device, commit ... of a recorded table
    """

    systems: tuple[str, ...]
    columns: tuple[str, ...]
    scores: Float[np.ndarray, "system column seed"]
    labels: tuple[int, ...]
    tests: tuple[int, ...]
    data: tuple[str, ...]
    parameters: tuple[int, ...]
    tokens: tuple[int | None, ...]
    seconds: tuple[float, ...]
    note: str
    run: Mapping[str, str] = field(default_factory=dict)
    top: bool = False

    def to_markdown(self) -> str:
        """Mean over the seeds in %, with the lowest and the highest one."""
        rows = []
        for number, system in enumerate(self.systems):
            spreads = ({"mean": x.mean(), "low": x.min(), "high": x.max()} for x in self.scores[number])
            cells = [t("{mean} ({low} to {high})", **{k: f"{x:.1f}" for k, x in s.items()}) for s in spreads]
            tokens = t("not stated") if self.tokens[number] is None else f"{self.tokens[number]:,}"
            costs = (f"{self.parameters[number]:,}", tokens, f"{self.seconds[number]:.1f}")
            rows.append([f"{t_label(system)}: {t(SYSTEMS[system].reading(self.top))}", *cells, *costs])
        for what, numbers in ((t("*labels learned from*"), self.labels), (t("*scored on*"), self.tests)):
            rows.append([what, *(f"{n:,}" for n in numbers), "", "", ""])
        columns = [f"{t(name)}<br>{t(COLUMNS[name])}" for name in self.columns]
        lines = markdown_table([t("system"), *columns, t("parameters"), t("tokens seen"), t("head seconds")], rows)
        data = "; ".join(f"{t(name)}: {t_label(data)}" for name, data in zip(self.columns, self.data, strict=True))
        return "\n".join([*lines, "", f"{t_label(self.note)} {t('Data: {data}.', data=data)}", ""])

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def beside(self, top: Table) -> str:
        """The mean of each row that mixes, and what it was at the top layer, as Markdown."""
        both = [name for name in self.systems if SYSTEMS[name].read == MIX and name in top.systems]
        columns = [name for name in self.columns if name in top.columns]
        rows = []
        for name in both:
            means = [[one._column(c)[one.systems.index(name)].mean() for c in columns] for one in (top, self)]
            rows.append([t_label(name), *(f"{low:.1f} → {mixed:.1f}" for low, mixed in zip(*means, strict=True))])
        return "\n".join([*markdown_table([t("top layer → learned mix"), *map(t, columns)], rows), ""])

    def points(self, name: str) -> dict[str, list[tuple[int, float, float, float]]]:
        """{system: [(tokens seen, mean, lowest, highest)]} of a column: the curves of `figures.learning_curves`.

        Without systems that saw no token (see `baselines`) or whose number is not known.
        """
        rows = zip(self.systems, self.tokens, self._column(name), strict=True)
        return {system: [(n, seeds.mean(), seeds.min(), seeds.max())] for system, n, seeds in rows if n}

    def baselines(self, name: str) -> dict[str, float]:
        """{system: mean} of the systems that saw no token: the level lines of the same figure."""
        rows = zip(self.systems, self.tokens, self._column(name), strict=True)
        return {system: float(seeds.mean()) for system, n, seeds in rows if n == 0}

    def _column(self, name: str) -> Float[np.ndarray, "system seed"]:
        if name not in self.columns:
            raise CourseError(f"This table has no column {name!r}. It has: {', '.join(self.columns)}.")
        return self.scores[:, self.columns.index(name)]


# What is measured


def one_table(
    systems: Sequence[str] | None = None,
    columns: Sequence[str] = tuple(COLUMNS),
    *,
    n_seeds: int = 3,
    steps: int = 50,
    learning_rate: float = 1e-2,
    n_labels: int = 160,
    source: str = "handmade",
    n_test: int | None = None,
    top: bool = False,
) -> Table:
    """Train a linear head per system, column and seed on frozen vectors; the seed draws labels, weights and order.

    learning_rate  of every head; it falls to 0, or wide vectors would pay for the noise of the last steps
    source   "handmade", or "public" (needs the public sets; then all seeds learn from the same `n_labels` records)
    top      read every deep row at its top layer
    """
    systems = _names("system", SYSTEMS, SYSTEMS if systems is None else systems)
    columns = _names("column", COLUMNS, columns)
    if min(n_seeds, steps, n_labels) < 1:
        raise CourseError(f"one_table: n_seeds={n_seeds}, steps={steps}, n_labels={n_labels}. Use 1 or more.")
    tasks = {name: column(name, source, None if source == "handmade" else n_labels, n_test) for name in columns}
    scores, parameters, seconds = np.zeros((len(systems), len(tasks), n_seeds)), [], []
    training = {"learning_rate": learning_rate, "schedule": Recipe(learning_rate).schedule, "show": False}
    for row, system in enumerate(SYSTEMS[name] for name in systems):
        encoder, spent, mixed = system.encoder(), 0.0, system.reading(top) == MIX
        for place, (kind, task) in enumerate(tasks.items()):
            kept = {"layer": None if mixed else -1, "two_passes": system.two_passes}
            states = KeptStates(encoder, spread=sides(task.train), **kept)  # it reads each record once
            for seed in range(n_seeds):
                head = task.head(states, seed, layer="mix" if mixed else -1, dropout=0.0, **HEADS[kind])
                records = task.sample(min(n_labels, len(task.train)), seed)
                batches = list(head.batches(records, BATCH_SIZE, seed)(0))  # made once, read in each epoch
                spent += fit(head, batches, steps=steps, groups=head.groups(), **training).seconds
                scores[row, place, seed] = task.score(head)
        seconds.append(spent / n_seeds)
        parameters.append(sum(parameter.numel() for parameter in encoder.parameters()))
    note = HOW
    for number in (steps, BATCH_SIZE, n_seeds):
        note = note.replace("#", str(number), 1)
    return Table(
        systems,
        columns,
        scores,
        labels=tuple(min(n_labels, len(task.train)) for task in tasks.values()),
        tests=tuple(len(task.test) for task in tasks.values()),
        data=tuple(task.name for task in tasks.values()),
        parameters=tuple(parameters),
        tokens=tuple(SYSTEMS[name].tokens_seen() for name in systems),
        seconds=tuple(seconds),
        note=note,
        top=top,
    )


def column(name: str, source: str = "handmade", n_train: int | None = None, n_test: int | None = None) -> Task:
    """The task of a column, with at most `n_train` records to draw from and `n_test` to score on (None: all).

    Pair and span are made of the same questions: does this sentence answer the question, and where is the answer in a
    few sentences of its passage? source: "handmade" or "public".
    """
    public = source == "public"
    if not (public or source == "handmade"):
        raise CourseError(f"There are no {source!r} data. There are: handmade, public.")
    if name == "sentence":
        task = reviews(source)
    elif name == "tagging":
        task = parts_of_speech("ud_english_ewt" if public else source)
    else:
        task = (pairs if name == "pair" else answers)(source, n_words=MOST_IN_PASSAGE)
        task = replace(task, name=key("SQuAD 1.1 dev, split by article") if public else "handmade questions")
    return replace(task, train=_short(task.train, n_train), test=_short(task.test, n_test))


def sides(records: Iterable[Record]) -> tuple[list, list | None]:
    """What an encoder reads of the records: sentences, or the firsts and the seconds of pairs."""
    columns = [list(side) for side in zip(*map(texts_of, records), strict=True)]
    return (columns[0], columns[1] if len(columns) == 2 else None)


def _short(records: Sequence[Record], n: int | None) -> list[Record]:
    """The first n of a fixed shuffle that are short enough; all of these, in their order, if there are no more."""

    def length(record: Record) -> int:
        return sum(len(split_words(text) if isinstance(text, str) else text) for text in texts_of(record))

    order = records if n is None or n >= len(records) else Random(0).sample(list(records), len(records))
    return list(islice((record for record in order if length(record) <= MOST_WORDS), n))


def _names(what: str, known: Mapping, names: Sequence[str] | Mapping) -> tuple[str, ...]:
    names = (names,) if isinstance(names, str) else tuple(names)
    if not names or len(set(names)) < len(names) or not set(names) <= set(known):
        raise CourseError(f"one_table: {what}s {', '.join(names) or 'none'}. Name each once, of: {', '.join(known)}.")
    return names


# What is kept


def _check(table: Table) -> None:
    sizes = [len(table.systems), len(table.columns)]
    per_system = (table.parameters, table.tokens, table.seconds)
    if [*table.scores.shape[:2]] != sizes or any(len(values) != sizes[0] for values in per_system):
        raise ValueError(f"scores of shape {table.scores.shape} for {sizes[0]} systems, {sizes[1]} columns")
    table.to_markdown()  # a record that cannot be shown is damaged


STORE = Store("table.json", Table, COMMAND, _check)
STORE_TOP = Store("table-top.json", Table, f"{COMMAND} --top", _check)


def recorded_table(top: bool = False) -> Table | None:
    """What was measured at full scale; its `run` says when and on what. None if nothing was."""
    return (STORE_TOP if top else STORE).read()


def record(systems: Sequence[str] | None = None, **settings) -> Table:
    """Measure at full scale (`settings` change FULL) and replace the file. Nothing is written if measuring fails."""
    origin, start = provenance(), time.perf_counter()  # of the code as it is when the measurement starts
    table = one_table(systems, **(FULL | settings))
    store = STORE_TOP if table.top else STORE
    run = {"command": store.command, **origin, "seconds": f"{time.perf_counter() - start:.0f}"}
    store.write(replace(table, seconds=tuple(round(seconds, 2) for seconds in table.seconds), run=run))
    return store.read()


@in_a_sentence()
def main() -> None:
    """The live table, or with --record the full one, printed as Markdown."""
    from argparse import ArgumentParser

    parser = ArgumentParser(prog="python -m course.records.one_table", description=main.__doc__)
    parser.add_argument("--record", action="store_true", help="measure on the public sets and keep the result")
    parser.add_argument("--top", action="store_true", help="read every deep row at its top layer")
    asked = parser.parse_args()
    print((record if asked.record else one_table)(top=asked.top).to_markdown())


if __name__ == "__main__":
    main()
