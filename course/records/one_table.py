"""The systems of the course and an untrained one in a table: the same small heads, labels and steps on frozen vectors.

    one_table()                                             measured now, on the handmade sets
    python -m course.records.one_table --record     the same on public sets, kept: table_record.py

What differs between the rows is not only the idea: tokens and parameters stand beside the scores for that reason.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from course.lab.kept_states import KeptStates
from course.records.table_columns import COLUMNS, METRICS, Column, column, sides
from course_lib.checkpoints import CARD
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.models.baselines import RandomEncoder
from course_lib.models.encoder import ContextEncoder
from course_lib.models.shipped import load, shipped_names
from course_lib.training import fit

LEARNING_RATE, BATCH_SIZE = 1e-2, 16  # of a linear head; 50 steps are five epochs of 160 labels
RANDOM_WIDTH = 256  # as wide as the language models


@dataclass(frozen=True)
class System:
    """checkpoint: its name among the shipped, or None: untrained. mixed: a learned mix of all layers is read."""

    checkpoint: str | None
    read: str = "top layer"
    mixed: bool = False

    @property
    def ships(self) -> bool:
        return self.checkpoint is None or self.checkpoint in shipped_names()

    def encoder(self) -> ContextEncoder:
        return RandomEncoder(RANDOM_WIDTH) if self.checkpoint is None else load(self.checkpoint)

    def tokens_seen(self) -> int | None:
        """Tokens of pre-training, repeats counted: the first number on the checkpoint's card, times its epochs.

        None if the card does not say.
        """
        if self.checkpoint is None:
            return 0
        path = data_dir("checkpoints", self.checkpoint, CARD)
        card = path.read_text(encoding="utf-8") if path.exists() else ""
        row = re.search(r"^\| tokens \| ([\d,]+)(.*)\|$", card, re.M)
        if row is None:
            return None
        epochs = re.search(r"([\d.]+) (?:of \d+ )?epochs", row[2])
        return round(int(row[1].replace(",", "")) * (float(epochs[1]) if epochs else 1))


SYSTEMS = {  # named as in the figures of all chapters
    "random": System(None, "top layer, untrained"),
    "skip-gram": System("skipgram-en", "the word itself"),
    "TagLM": System("bilm-en"),
    "CoVe": System("cove-en"),
    "ELMo": System("bilm-en", "learned mix of all layers", mixed=True),
    "ULMFiT": System("awd-lstm-en"),
    "left-to-right Transformer": System("gpt-en"),
    "BERT": System("bert-en"),
}


@dataclass(frozen=True, eq=False)
class Table:
    """scores in % [system, column, seed]; labels, tests: records learned from and scored on, per column.

    parameters, tokens, seconds   per system: of the encoder; seen in its pre-training, None: its card does not say; of
                                  training the heads of one seed
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

    def to_markdown(self) -> str:
        """Mean over the seeds in %, with the lowest and the highest one."""
        heads = [f"{name}<br>{METRICS[name]}" for name in self.columns]
        lines = [_line(["system", *heads, "parameters", "tokens seen", "head seconds"])]
        lines.append(_line(["---", *["---:"] * (len(self.columns) + 3)]))
        for number, system in enumerate(self.systems):
            cells = [f"{seeds.mean():.1f} ({seeds.min():.1f} to {seeds.max():.1f})" for seeds in self.scores[number]]
            tokens = "not stated" if self.tokens[number] is None else f"{self.tokens[number]:,}"
            costs = (f"{self.parameters[number]:,}", tokens, f"{self.seconds[number]:.1f}")
            lines.append(_line([f"{system}: {SYSTEMS[system].read}", *cells, *costs]))
        lines.append(_line(["*labels learned from*", *(f"{n:,}" for n in self.labels), "", "", ""]))
        lines.append(_line(["*scored on*", *(f"{n:,}" for n in self.tests), "", "", ""]))
        return "\n".join([*lines, "", self.note, ""])

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def points(self, name: str) -> dict[str, list[tuple[int, float, float, float]]]:
        """{system: [(tokens seen, mean, lowest, highest)]} of a column: the curves of `figures.learning_curves`.

        Without systems that saw no token (see `baselines`) or whose number is not known. Raises CourseError for a
        column that is not there.
        """
        scores = self._column(name)
        rows = zip(self.systems, self.tokens, scores, strict=True)
        return {system: [(n, seeds.mean(), seeds.min(), seeds.max())] for system, n, seeds in rows if n}

    def baselines(self, name: str) -> dict[str, float]:
        """{system: mean} of the systems that saw no token: the level lines of the same figure."""
        rows = zip(self.systems, self.tokens, self._column(name), strict=True)
        return {system: float(seeds.mean()) for system, n, seeds in rows if n == 0}

    def _column(self, name: str) -> Float[np.ndarray, "system seed"]:
        if name not in self.columns:
            raise CourseError(f"This table has no column {name!r}. It has: {', '.join(self.columns)}.")
        return self.scores[:, self.columns.index(name)]


def one_table(
    systems: Sequence[str] | None = None,
    columns: Sequence[str] = COLUMNS,
    *,
    n_seeds: int = 3,
    steps: int = 50,
    n_labels: int = 160,
    source: str = "handmade",
    n_test: int | None = None,
) -> Table:
    """Train a linear head per system, column and seed on frozen vectors; the seed draws labels, weights and order.

    systems  names of SYSTEMS; None: all. One that does not ship with this version is left out and named in the note
    source   "handmade", or "public" (needs the public sets; then all seeds learn from the same `n_labels` records)
    Raises CourseError for unknown names, for numbers below 1, and if none of the systems ships.
    """
    asked = _names("system", SYSTEMS, SYSTEMS if systems is None else systems)
    columns = _names("column", COLUMNS, columns)
    if min(n_seeds, steps, n_labels) < 1:
        raise CourseError(f"one_table: n_seeds={n_seeds}, steps={steps}, n_labels={n_labels}. Use 1 or more.")
    here = tuple(name for name in asked if SYSTEMS[name].ships)
    if not here:
        raise CourseError(f"one_table: none of {', '.join(asked)} ships with this version. Leave `systems` away.")
    tasks = [column(name, source, None if source == "handmade" else n_labels, n_test) for name in columns]
    scores, parameters, seconds = np.zeros((len(here), len(tasks), n_seeds)), [], []
    for row, name in enumerate(here):
        encoder, mixed = SYSTEMS[name].encoder(), SYSTEMS[name].mixed
        found = [_scores(encoder, mixed, task, n_seeds, steps, n_labels) for task in tasks]
        scores[row] = [values for values, _ in found]
        seconds.append(sum(spent for _, spent in found) / n_seeds)
        parameters.append(sum(parameter.numel() for parameter in encoder.parameters()))
    return Table(
        here,
        columns,
        scores,
        labels=tuple(min(n_labels, len(task.train)) for task in tasks),
        tests=tuple(len(task.test) for task in tasks),
        data=tuple(task.data for task in tasks),
        parameters=tuple(parameters),
        tokens=tuple(SYSTEMS[name].tokens_seen() for name in here),
        seconds=tuple(seconds),
        note=_note(tasks, steps, n_seeds, [name for name in asked if name not in here]),
    )


def _scores(
    encoder: ContextEncoder, mixed: bool, task: Column, n_seeds: int, steps: int, n_labels: int
) -> tuple[list[float], float]:
    """Scores by seed, and the seconds that training took. The encoder reads each record once."""
    kept, scores, seconds = KeptStates(encoder, None if mixed else -1, spread=sides(task.train)), [], 0.0
    for seed in range(n_seeds):
        head = task.make(kept, layer="mix" if mixed else -1, dropout=0.0, seed=seed)
        batches = list(head.batches(task.drawn(n_labels, seed), BATCH_SIZE, seed)(0))  # made once, read in each epoch
        history = fit(head, batches, steps=steps, learning_rate=LEARNING_RATE, groups=head.groups(), show=False)
        scores.append(task.score(head))
        seconds += history.seconds
    return scores, seconds


def _note(tasks: Sequence[Column], steps: int, n_seeds: int, missing: Sequence[str]) -> str:
    data = "; ".join(f"{task.name}: {task.data}" for task in tasks)
    note = f"Frozen vectors, linear heads, {steps} steps of {BATCH_SIZE} records, {n_seeds} seeds. Data: {data}."
    if missing:
        note += " Not in this version: " + ", ".join(f"{name} ({SYSTEMS[name].checkpoint})" for name in missing) + "."
    return note


def _names(what: str, known: Sequence[str] | Mapping, asked: Sequence[str]) -> tuple[str, ...]:
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    if not names or len(set(names)) < len(names) or not set(names) <= set(known):
        raise CourseError(f"one_table: {what}s {', '.join(names) or 'none'}. Name each once, of: {', '.join(known)}.")
    return names


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    from course.records.table_record import main

    main()
