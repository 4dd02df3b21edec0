"""The board's recorded half: what each system gets on the roles of words, in both languages.

    python -m course.records.board                  all systems, five seeds: about ten minutes on one core

The rules, fixed on the development part (`Thread.dev`) before the test part was read. A seed draws the labelled
sentences, the networks' first weights and the order of their text. Every system has the same head, a linear layer on
what the system says of each word (an RNN below it where its name says so), trained for 400 steps of 16 sentences by
Adam at 1e-2. A table that moves does so at a tenth of that. The mix reads layers brought to mean 0 and variance 1, the
paper's layer norm; its weights learn at 0.3 and the layer above it at 3e-3. (English, development part, three seeds: 64
from 20 labelled sentences and 76 from 100. With one rate for both 57 and 70, since the few weights of the mix then
hardly move in 400 steps; without the norm 48 and 65, since the table's numbers are almost twice a state's.)

Where everything moves, a pre-trained body learns as its chapter shows it: the two LSTMs by ULMFiT's discriminative
rates, each layer at 1 / 2.6 of the rate above it; Transformer and BERT at a tenth of the head's. From scratch all of a
network has one rate, the best of those tried on the development part (English, one seed, from 100 sentences): the LSTMs
1e-2 (76 against 74 with 3e-3), BERT 3e-3 (62; with 1e-3 62, with 5e-4 61).
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course.by_hand import transformer
from course.by_hand.bert import Bert, pretrain
from course.by_hand.classifier import Classifier
from course.by_hand.elmo import Mix
from course.by_hand.language_model import LanguageModel, both_ways
from course.by_hand.language_model import train as train_lm
from course.by_hand.skip_gram import SkipGram
from course.lab.roles import Thread, padded
from course.ledger.records import provenance
from course.records.store import Store, in_a_sentence
from course.world import WorldSentence
from course_lib.device import seed_everything
from course_lib.language import LANGUAGES, key

COMMAND = "python -m course.records.board"
SEEDS, DIM = 5, 64
SPECIALS = ("[PAD]", "[MASK]", "[CLS]", "[SEP]", "[UNK]")  # chapter 7's, in the place of the thread's first two words
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
    key("two language models, everything moves"): 5,
    key("the same, from scratch"): 5,
    key("left-to-right Transformer"): 6,
    key("left-to-right Transformer, everything moves"): 6,
    key("BERT, frozen"): 7,
    key("BERT, everything moves"): 8,
    key("BERT, from scratch"): 8,
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

    def one_way(model: nn.Module) -> Features:
        @torch.no_grad()
        def read(sentences: list[WorldSentence]) -> Tensor:
            return padded([model.layers(thread.ids(s.words)[None])[-1, 0, 1:-1] for s in sentences])

        return read

    def two_ways(sentences: list[WorldSentence]) -> Tensor:
        return padded([both_ways(forward, backward, thread.ids(s.words))[-1] for s in sentences])

    def all_layers(sentences: list[WorldSentence]) -> Tensor:
        layers = [both_ways(forward, backward, thread.ids(s.words)).movedim(0, 1) for s in sentences]
        return F.layer_norm(padded(layers), (2 * DIM,))  # [sentence, word, layer, 2 DIM]

    def mix() -> nn.Module:
        return nn.Sequential(Mix(3), nn.Linear(2 * DIM, n_roles))

    def mix_rates(model: nn.Sequential) -> list[dict]:
        return [{"params": model[0].parameters(), "lr": 0.3}, {"params": model[1].parameters(), "lr": 3e-3}]

    lm, left_to_right = partial(LanguageModel, n_words, DIM), partial(transformer.LanguageModel, n_words, DIM)
    new_bert = partial(Bert, len(SPECIALS) + n_words - 2, DIM)
    one_direction, bert = left_to_right(), new_bert()
    train_lm(one_direction, thread.stream)
    pretrain(bert, bert_rows(thread, sorted(thread.text, key=len)), mask=1, n_special=len(SPECIALS))

    def moving(read: Callable[..., Tensor], *bodies: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
        return lambda: Moving(read, [make() for make in bodies], n_roles)

    def copy_of(model: nn.Module, new: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
        def make() -> nn.Module:
            copy = new()
            copy.load_state_dict(model.state_dict())
            return copy

        return make

    def ahead_and_back(ids: Tensor, ahead: LanguageModel, back: LanguageModel) -> Tensor:
        ids = F.pad(ids, (1, 1))  # 0 is the boundary, and fills rows up
        return torch.cat([ahead.layers(ids)[-1], back.layers(ids.flip(1))[-1].flip(1)], -1)[:, 1:-1]

    def by_layer(model: Moving) -> list[dict]:
        parts = [
            [model.output],
            *([b.lstms[k] for b in model.bodies] for k in (1, 0)),
            [b.embedding for b in model.bodies],
        ]
        return [{"params": nn.ModuleList(part).parameters(), "lr": 1e-2 / 2.6**k} for k, part in enumerate(parts)]

    def tenth(model: Moving) -> list[dict]:
        return [{"params": model.output.parameters()}, {"params": model.bodies.parameters(), "lr": 1e-3}]

    def causal(ids: Tensor, body: transformer.LanguageModel) -> Tensor:
        return body.layers(F.pad(ids, (1, 1)))[-1][:, 1:-1]

    def of_bert(ids: Tensor, body: Bert) -> Tensor:
        return body.states(ids)[-1][:, 1:-1]

    def as_bert(sentences: list[WorldSentence]) -> Tensor:
        return bert_rows(thread, [s.words for s in sentences])

    @torch.no_grad()
    def bert_states(sentences: list[WorldSentence]) -> Tensor:
        return of_bert(as_bert(sentences), bert)

    def linear(width: int) -> Callable[[], nn.Module]:
        return lambda: nn.Linear(width, n_roles)

    found = (
        (None, table(False), None),
        (None, table(False, hidden=DIM), None),
        (None, table(True, frozen=True), None),
        (None, table(True), slow),
        (None, table(True, frozen=True, hidden=DIM), None),
        (one_way(forward), linear(DIM), None),
        (two_ways, linear(2 * DIM), None),
        (all_layers, mix, mix_rates),
        (None, moving(ahead_and_back, copy_of(forward, lm), copy_of(backward, lm)), by_layer),
        (None, moving(ahead_and_back, lm, lm), None),
        (one_way(one_direction), linear(DIM), None),
        (None, moving(causal, copy_of(one_direction, left_to_right)), tenth),
        (bert_states, linear(DIM), None),
        (as_bert, moving(of_bert, copy_of(bert, new_bert)), tenth),
        (as_bert, moving(of_bert, new_bert), lambda model: [{"params": model.parameters(), "lr": 3e-3}]),
    )
    return dict(zip(CHAPTERS, found, strict=True))


class Moving(nn.Module):
    """Networks and a linear layer on their states, all of which can be trained.

    read: (what the networks read, *networks) -> states [sentence, word, dim]
    """

    def __init__(self, read: Callable[..., Tensor], bodies: Sequence[nn.Module], n_roles: int):
        super().__init__()
        self.read, self.bodies, self.output = read, nn.ModuleList(bodies), nn.Linear(DIM * len(bodies), n_roles)

    def forward(self, ids: Tensor) -> Tensor:
        return self.output(self.read(ids, *self.bodies))


def bert_rows(thread: Thread, sentences: Sequence[Sequence[str]]) -> Tensor:
    """As chapter 7 writes them: token ids [sentence, position] between [CLS] and [SEP], filled up with 0."""
    n = len(SPECIALS)
    _, _, cls, sep, unk = range(n)

    def token(word: str) -> int:
        return thread.index[word] + n - 2 if word in thread.index else unk

    return padded([torch.tensor([cls, *map(token, words), sep]) for words in sentences])


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


@in_a_sentence()
def main() -> None:
    """Measure all systems and replace the record."""
    ArgumentParser(prog=COMMAND, description=main.__doc__).parse_args()
    for row in record().rows:
        print(f"{row.language} {row.system:>24} {row.labels:>4} labels, seed {row.seed}: {row.f1:5.1f}")


if __name__ == "__main__":
    main()
