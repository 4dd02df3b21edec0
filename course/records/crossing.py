"""Chapter 7's crossing: the reader's BERT beside its left-to-right twin, at several points of one training.

    python -m course.records.crossing          three seeds: seven minutes of one core

The rules, written before anything was measured. Both are the class of `course.by_hand.bert`, on the thread's text, with
the settings of the live cell in 7.3: 2,000 steps of 64 sentences, the same first weights, the same rise and fall of the
rate. The twin has the causal mask and a loss at the token after each position. The training is not stopped at a point:
the network is asked in passing. On new sentences (`Thread.test`): the loss, and how often the most probable token is
right, for BERT at masked positions (five draws of the masks, the same for all), for the twin at every position. And F1
on the roles of words from 20 and 100 labelled sentences, as on the board: top states under a linear layer, frozen, or
all moved, the network at a tenth of the layer's rate. Nothing was chosen on the test sentences or on `Thread.dev`.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from operator import attrgetter
from statistics import fmean

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course.by_hand.bert import Bert, masked
from course.by_hand.transformer import causal
from course.lab.roles import Thread
from course.ledger.records import provenance
from course.records.board import SPECIALS, Moving, bert_rows
from course.records.store import Store, in_a_sentence, markdown_table
from course.world import WorldSentence
from course_lib.device import seed_everything
from course_lib.language import key, t

COMMAND = "python -m course.records.crossing"
SEEDS, STEPS, BATCH, RATE, DIM = 3, 2_000, 64, 3e-3, 64
POINTS = (150, 250, 500, 1_000, 2_000)
JUDGED = (150, 1_000, 2_000)  # points at which the roles are asked
PAD, MASK = range(2)
BERT, TWIN = "masked", "left to right"
HEADS = {"frozen": key("frozen, {n} labelled"), "moved": key("moved, {n} labelled")}


@dataclass(frozen=True)
class Row:
    """A network after so many steps. f1: {"frozen, 20": in %, ...}; empty at points at which the roles are not asked.

    loss, right  nats, and % of the most probable tokens, on new sentences: at the masked positions, or at all
    """

    language: str
    kind: str
    seed: int
    steps: int
    loss: float
    right: float
    f1: Mapping[str, float]


@dataclass(frozen=True)
class Crossing:
    rows: tuple[Row, ...]
    run: Mapping[str, str]


STORE = Store("crossing.json", Crossing, COMMAND, check=lambda crossing: table(crossing), rows="rows")


class LeftToRight(Bert):
    """The same network with the causal mask."""

    def states(self, ids: Tensor) -> Tensor:
        return super().states(ids, visible=causal(ids.shape[1]))


class Material:
    """The thread as BERT reads it: tokens, rows of ids, and the new sentences with their masks."""

    def __init__(self, language: str):
        self.thread = Thread(language)
        self.tokens = [*SPECIALS, *self.thread.words[2:]]
        self.ids = self.rows(sorted(self.thread.text, key=len))
        self.new = self.rows([s.words for s in self.thread.test] * 5)
        seed_everything(0)
        self.read, self.predict = masked(self.new, MASK, 5, len(self.tokens))

    def rows(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Token ids [sentence, position], filled up with 0."""
        return bert_rows(self.thread, sentences)

    def asked(self, model: Bert, ids: Tensor, read: Tensor, predict: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and answers: at the positions of `predict`, or for the twin of the token after each position."""
        if not isinstance(model, LeftToRight):
            return model(model.states(read)[-1][predict]), ids[predict]
        follows = ids[:, 1:] != PAD
        return model(model.states(ids)[-1][:, :-1][follows]), ids[:, 1:][follows]


def trainings(model: Bert, material: Material, points: Sequence[int], steps: int) -> Iterator[int]:
    """Trains as `pretrain` of chapter 7 does, and stops at each point for whoever asks."""
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    for step in range(steps):
        start = torch.randint(len(material.ids) - BATCH, ()).item()
        batch = material.ids[start : start + BATCH]
        batch = batch[:, : int((batch != PAD).sum(1).max())]
        read, predict = masked(batch, MASK, 5, len(material.tokens))
        loss = F.cross_entropy(*material.asked(model, batch, read, predict))
        optimizer.param_groups[0]["lr"] = RATE * min(1, (step + 1) / 50) * (1 - step / steps)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step + 1 in points:
            state = torch.get_rng_state()
            yield step + 1
            torch.set_rng_state(state)  # what is asked in passing changes nothing


@torch.no_grad()
def held_out(model: Bert, material: Material) -> tuple[float, float]:
    """Loss in nats, and in % how often the most probable token is right, on new sentences."""
    logits, answers = material.asked(model, material.new, material.read, material.predict)
    loss = F.cross_entropy(logits, answers).item()
    if not isinstance(model, LeftToRight):  # a visible token would be easy
        gap = (material.read == MASK)[material.predict]
        logits, answers = logits[gap], answers[gap]
    return loss, 100 * (logits.argmax(-1) == answers).float().mean().item()


def roles_told(model: Bert, material: Material, seed: int) -> dict[str, float]:
    """{"frozen, 20": F1 in %, ...}, of `Thread.test`."""
    n_roles = len(material.thread.roles)

    def ids(drawn: list[WorldSentence]) -> Tensor:
        return material.rows([sentence.words for sentence in drawn])

    def top(drawn: list[WorldSentence]) -> Tensor:
        with torch.no_grad():
            return model.states(ids(drawn))[-1][:, 1:-1]

    def moving() -> Moving:
        return Moving(lambda ids, network: network.states(ids)[-1][:, 1:-1], [deepcopy(model)], n_roles)

    def rates(tagger: Moving) -> list[dict]:
        return [{"params": tagger.output.parameters()}, {"params": tagger.bodies.parameters(), "lr": 1e-3}]

    asked = {
        "frozen": (lambda: nn.Linear(DIM, n_roles), top, None),
        "moved": (moving, ids, rates),
    }
    return {
        f"{how}, {n}": round(f1, 2)
        for how, (make, read, own) in asked.items()
        for n, f1 in material.thread.scores(make, read, own, seed=seed).items()
    }


def measured(material: Material, kind: str, seed: int) -> Iterator[Row]:
    """The rows of one training."""
    seed_everything(seed)
    model = {BERT: Bert, TWIN: LeftToRight}[kind](len(material.tokens), DIM)
    for steps in trainings(model, material, POINTS, STEPS):
        loss, right = held_out(model, material)
        f1 = roles_told(model, material, seed) if steps in JUDGED else {}
        yield Row(material.thread.language, kind, seed, steps, round(loss, 3), round(right, 2), f1)


def record() -> Crossing:
    """Measure all seeds and replace the record."""
    run, material = {"command": COMMAND, **provenance()}, Material("en")
    rows = [row for kind in (TWIN, BERT) for seed in range(SEEDS) for row in measured(material, kind, seed)]
    crossing = Crossing(tuple(rows), run)
    STORE.write(crossing)
    return crossing


def table(crossing: Crossing) -> list[str]:
    """The lines of a table in Markdown: a line for each point; means over the seeds, "masked / left to right"."""
    rows = crossing.rows
    columns = list(max((row.f1 for row in rows), key=len))
    heads = [t("steps"), t("loss, nats"), t("right, %")]
    heads += [t(HEADS[how], n=n) for how, n in (column.split(", ") for column in columns)]

    def both(steps: int, value: Callable[[Row], float], digits: int = 0) -> str:
        means = (fmean(value(row) for row in rows if (row.steps, row.kind) == (steps, kind)) for kind in (BERT, TWIN))
        return " / ".join(f"{mean:.{digits}f}" for mean in means)

    lines = []
    for steps in sorted({row.steps for row in rows}):
        judged = all(row.f1 for row in rows if row.steps == steps)
        f1 = [both(steps, lambda row, c=column: row.f1[c]) if judged else "" for column in columns]
        lines.append([f"{steps:,}", both(steps, attrgetter("loss"), 2), both(steps, attrgetter("right")), *f1])
    return markdown_table(heads, lines)


def show_crossing() -> None:
    """Display the table, of the English text. Raises CourseError where nothing is recorded."""
    from IPython.display import Markdown, display

    display(Markdown("\n".join(table(STORE.recorded()))))


@in_a_sentence()
def main() -> None:
    """Measure all seeds, and print the table."""
    ArgumentParser(prog=COMMAND, description=main.__doc__).parse_args()
    print("\n".join(table(record())))


if __name__ == "__main__":
    main()
