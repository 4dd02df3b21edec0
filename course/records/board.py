"""The board's recorded half: what each system gets on the roles of words, in both languages.

    python -m course.records.board                  all systems, five seeds: about ten minutes on one core

The rules, fixed on the development part (`Thread.dev`) before the test part was read. A seed draws the labelled
sentences, the networks' first weights and the order of their text. Every system has the same head, a linear layer on
what the system says of each word (an RNN below it where its name says so), trained for 400 steps of 16 sentences by
Adam at 1e-2. A table that moves does so at a tenth of that. The mix reads layers brought to mean 0 and variance 1, the
paper's layer norm; its weights learn at 0.3 and the layer above it at 3e-3. (English, development part, three seeds: 64
from 20 labelled sentences and 76 from 100. With one rate for both 57 and 70, since the few weights of the mix then
hardly move in 400 steps; without the norm 48 and 65, since the table's numbers are almost twice a state's.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course.by_hand.classifier import Classifier
from course.by_hand.elmo import Mix
from course.by_hand.language_model import LanguageModel, both_ways
from course.by_hand.skip_gram import SkipGram
from course.lab.roles import Thread, padded
from course.ledger.records import provenance
from course.records.store import Store
from course_lib.data.world import WorldSentence
from course_lib.device import seed_everything
from course_lib.errors import CourseError
from course_lib.language import LANGUAGES, key

COMMAND = "python -m course.records.board"
SEEDS, DIM = 5, 64
Features = Callable[[list[WorldSentence]], Tensor]  # sentences -> what the head reads [sentence, word, ...]
System = tuple[
    Features | None, Callable[[], nn.Module], Callable[[nn.Module], list[dict]] | None
]  # ..., rates of its own


@dataclass(frozen=True)
class Row:
    """One training: F1 in % on the test sentences, learned from `labels` sentences that `seed` drew."""

    language: str
    chapter: int
    system: str
    labels: int
    seed: int
    f1: float


@dataclass(frozen=True)
class Board:
    rows: tuple[Row, ...]
    run: Mapping[str, str]


STORE = Store("board.json", Board, COMMAND, check=lambda board: board.rows[0], rows="rows")
CHAPTERS = {
    key("random table"): 2,
    key("random table, RNN"): 2,
    key("my vectors, frozen"): 2,
    key("my vectors, slow"): 2,
    key("my vectors, frozen, RNN"): 2,
    key("one language model"): 3,
    key("two language models"): 3,
    key("ELMo: layers mixed"): 4,
}


def systems(thread: Thread) -> dict[str, System]:
    """Trains the networks, from the generator's present state."""
    n_words, n_roles = len(thread.words), len(thread.roles)
    vectors, forward, backward = SkipGram(n_words, DIM), LanguageModel(n_words, DIM), LanguageModel(n_words, DIM)
    thread.train_vectors(vectors)
    thread.train_forward(forward)
    thread.train_backward(backward)

    def table(pretrained: bool, frozen: bool = False, hidden: int = 0) -> Callable[[], nn.Module]:
        def make() -> Classifier:
            model = Classifier(n_words, DIM, n_roles, hidden)
            if pretrained:
                model.embedding.weight.data.copy_(vectors.v.weight)
            model.embedding.weight.requires_grad_(not frozen)
            return model

        return make

    def slow(model: Classifier) -> list[dict]:
        return [{"params": model.output.parameters()}, {"params": model.embedding.parameters(), "lr": 1e-3}]

    def one_way(sentences: list[WorldSentence]) -> Tensor:
        with torch.no_grad():
            return padded([forward.layers(thread.ids(s.words)[None])[-1, 0, 1:-1] for s in sentences])

    def two_ways(sentences: list[WorldSentence]) -> Tensor:
        return padded([both_ways(forward, backward, thread.ids(s.words))[-1] for s in sentences])

    def all_layers(sentences: list[WorldSentence]) -> Tensor:
        layers = [both_ways(forward, backward, thread.ids(s.words)).movedim(0, 1) for s in sentences]
        return F.layer_norm(padded(layers), (2 * DIM,))  # [sentence, word, layer, 2 DIM]

    def mix() -> nn.Module:
        return nn.Sequential(Mix(3), nn.Linear(2 * DIM, n_roles))

    def mix_rates(model: nn.Sequential) -> list[dict]:
        return [{"params": model[0].parameters(), "lr": 0.3}, {"params": model[1].parameters(), "lr": 3e-3}]

    found = (
        (None, table(False), None),
        (None, table(False, hidden=DIM), None),
        (None, table(True, frozen=True), None),
        (None, table(True), slow),
        (None, table(True, frozen=True, hidden=DIM), None),
        (one_way, lambda: nn.Linear(DIM, n_roles), None),
        (two_ways, lambda: nn.Linear(2 * DIM, n_roles), None),
        (all_layers, mix, mix_rates),
    )
    return dict(zip(CHAPTERS, found, strict=True))


def measured(language: str, seed: int, *, part: str = "test") -> Iterator[Row]:
    """One row for each system and number of labels. part: "test", or "dev" to choose settings."""
    thread = Thread(language)
    seed_everything(seed)
    for name, (read, make, rates) in systems(thread).items():
        for n, f1 in thread.scores(make, read, rates, seed=seed, sentences=getattr(thread, part)).items():
            yield Row(language, CHAPTERS[name], name, n, seed, round(f1, 2))


def record() -> Board:
    """Measure everything and replace the record."""
    origin = provenance()
    rows = [row for language in LANGUAGES for seed in range(SEEDS) for row in measured(language, seed)]
    order = list(CHAPTERS)
    rows.sort(key=lambda row: (LANGUAGES.index(row.language), order.index(row.system), row.labels, row.seed))
    board = Board(tuple(rows), {"command": COMMAND, **origin})
    STORE.write(board)
    return board


def main() -> None:
    try:
        board = record()
    except CourseError as error:
        raise SystemExit(str(error)) from None
    for row in board.rows:
        print(f"{row.language} {row.system:>24} {row.labels:>4} labels, seed {row.seed}: {row.f1:5.1f}")


if __name__ == "__main__":
    main()
