"""Small BERTs that learn in seconds, and their one-way twins, for the claims of chapter 7; and what they are asked.

model = world_bert(seed=0)      # a Bert of the invented world, in eval mode: model.encode([["The", "bank", ...]])

A twin is the same network with a one-way mask, trained to predict the piece after each one instead of a hidden one.
Devlin et al. 2018, section 5.1, compare BERT with such a network ("LTR").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from random import Random

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course.lab.world_models import ADAM, world_text
from course_lib.data.batch import length_mask, pad
from course_lib.data.bucketing import Buckets
from course_lib.data.masking import Masking
from course_lib.device import seed_everything
from course_lib.models.bert import Bert, BertConfig, MaskedPairs
from course_lib.models.transformer import TransformerEncoder
from course_lib.text.word_pieces import SPECIALS, WordPieces
from course_lib.training import fit
from course_lib.training.schedules import rise_and_fall

RATE = 3e-3
N_WORDS = 60_000
BATCH = 32  # rows
Schedule = Callable[[int, int], float]


@dataclass(frozen=True)
class Row:
    """[CLS] a [SEP], or [CLS] a [SEP] b [SEP]; n_first: pieces of segment 0. follows: does b follow a?"""

    ids: tuple[int, ...]
    n_first: int
    follows: bool | None = None


@dataclass(frozen=True)
class Shares:
    """The settings of `data.masking.Masking` without the vocabulary. A one-way network takes `predict` alone."""

    corrupt: float = 0.15
    predict: float | None = None
    to_mask: float = 0.8
    to_random: float = 0.1


MASKED = Shares()  # the paper's: 15 %, 80/10/10
LEAKY = Shares(to_mask=0.0, to_random=0.0)  # 15 % are asked for and none is hidden: the answer can be read


def sentence_rows(text: Sequence[Sequence[str]], pieces: WordPieces) -> tuple[Row, ...]:
    rows = [(pieces.cls, *pieces.ids(words), pieces.sep) for words in text]
    return tuple(Row(ids, len(ids)) for ids in rows)


def pair_rows(
    documents: Sequence[Sequence[Sequence[str]]], topics: Sequence[str], pieces: WordPieces, seed: int = 0
) -> tuple[Row, ...]:
    """Each sentence that has a next one, half of them with that, half with one from a document of another topic.

    Devlin et al. 2018, section 3.1, task 2; there the second is drawn from any other document.
    """
    assert len(set(topics)) > 1, "none is from elsewhere"
    draw, rows = Random(seed * 1_000_003), []
    every = [(d, s) for d, document in enumerate(documents) for s in range(len(document))]
    firsts = [(d, s) for d, s in every if s + 1 < len(documents[d])]
    draw.shuffle(firsts)
    for number, (document, sentence) in enumerate(firsts):
        follows, following = number % 2 == 0, documents[document][sentence + 1]
        second, topic = following, topics[document]
        while not follows and (second == following or topic == topics[document]):
            place = every[draw.randrange(len(every))]
            second, topic = documents[place[0]][place[1]], topics[place[0]]
        first, second = pieces.ids(documents[document][sentence]), pieces.ids(second)
        rows.append(Row((pieces.cls, *first, pieces.sep, *second, pieces.sep), len(first) + 2, follows))
    return tuple(rows)


class Asked:
    """Batches for `Bert.loss`, the rows in the same order for all objectives; give it to `fit`.

    objective  "masked": pieces hidden as `shares` says; "left-to-right": a random `shares.predict` of the places
               (None: all) is asked for the next piece
    nsp        ask whether the second sentence follows, too
    Called with an epoch it gives that epoch's batches, the same for the same seed.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        pieces: WordPieces,
        *,
        objective: str = "masked",
        shares: Shares = MASKED,
        nsp: bool = False,
        seed: int = 0,
        batch: int = BATCH,
    ):
        self.rows, self.pieces, self.objective, self.shares, self.nsp = rows, pieces, objective, shares, nsp
        self.masking = Masking(len(pieces), pieces.mask, pieces.special_ids, **asdict(shares))
        self.buckets, self.seed = Buckets([len(row.ids) for row in rows], size=batch, seed=seed), seed

    def __call__(self, epoch: int = 0) -> Iterator[MaskedPairs]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        for numbers in self.buckets(epoch):
            yield self.batch([self.rows[number] for number in numbers], generator)

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> MaskedPairs:
        ids, real = pad([row.ids for row in rows], self.pieces.padding), length_mask([len(row.ids) for row in rows])
        segments = torch.arange(ids.shape[1]) >= torch.tensor([[row.n_first] for row in rows])
        shared = MaskedPairs(
            ids,
            *(torch.empty(0, dtype=torch.long),) * 3,
            token_type_ids=(segments & real).long(),
            attention_mask=real,
            is_next=torch.tensor([row.follows for row in rows]) if self.nsp else None,
        )
        if self.objective == "masked":
            masked = self.masking(ids, real, generator)
            places = {"rows": masked.rows, "columns": masked.columns, "labels": masked.answers}
            return replace(shared, input_ids=masked.ids, **places)
        may = real.clone()
        may[:, 0] = False  # what may be an answer: neither [CLS] nor padding
        if self.shares.predict is not None:
            may &= torch.rand(ids.shape, generator=generator) < self.shares.predict
        answer_rows, answer_columns = may.nonzero(as_tuple=True)
        return replace(shared, rows=answer_rows, columns=answer_columns - 1, labels=ids[answer_rows, answer_columns])


def rise(step: int, total: int) -> float:
    """Up for 20 steps, then the same rate for ever: for curves, whose points must not depend on where they end."""
    return min(1.0, (step + 1) / 20)


class OneWay(nn.Module):
    """A stack in which each place sees itself and what stands before it."""

    def __init__(self, stack: TransformerEncoder):
        super().__init__()
        self.both_ways = stack

    @property
    def layers(self) -> nn.ModuleList:
        return self.both_ways.layers

    def groups(self) -> list[list[nn.Module]]:
        return self.both_ways.groups()

    def trace(
        self, states: Float[Tensor, "batch seq d_model"], mask: Bool[Tensor, "batch 1 seq"] | None = None
    ) -> list[Float[Tensor, "batch seq d_model"]]:
        return self.both_ways.trace(states, mask, causal=True)


@lru_cache(maxsize=16)
def world_bert(
    seed: int = 0, *, steps: int = 400, shares: Shares = MASKED, rate: float = RATE, batch: int = BATCH
) -> Bert:
    """Trained on sentences of the world, always the same, whole words as pieces. Cached: do not change it."""
    model = new_bert(whole_words(world_text(N_WORDS)), seed)
    return train_bert(model, world_rows(), seed, steps=steps, shares=shares, rate=rate, batch=batch)


@lru_cache(maxsize=1)
def world_rows() -> tuple[Row, ...]:
    text = world_text(N_WORDS)
    return sentence_rows(text, whole_words(text))


@lru_cache(maxsize=4)
def whole_words(text: tuple[tuple[str, ...], ...]) -> WordPieces:
    """Every word is a piece of its own; 's is two, since BERT cuts at the apostrophe."""
    words = {part for words in text for word in words for part in word.replace("'", " ' ").split()}
    return WordPieces([*SPECIALS, *sorted(words)], lowercase=False)


def new_bert(pieces: WordPieces, seed: int, *, objective: str = "masked", width: int = 64) -> Bert:
    """Untrained. With one seed and width all objectives start from the same numbers."""
    seed_everything(seed)
    sizes = {"d_model": width, "n_heads": 4, "n_layers": 2, "d_ff": 2 * width, "max_units": 64}
    config = BertConfig(vocab_size=len(pieces), **sizes, dropout=0.0, attention_dropout=0.0)
    model = Bert(config, pieces)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:  # 0.02 is for 768 numbers in a row: their sum would be too quiet here
                parameter *= (BertConfig.paper().d_model / width) ** 0.5
    if objective != "masked":
        model.stack = OneWay(model.stack)
    return model.eval()


def train_bert(
    model: Bert,
    rows: Sequence[Row],
    seed: int,
    *,
    steps: int,
    objective: str = "masked",
    shares: Shares = MASKED,
    rate: float = RATE,
    nsp: bool = False,
    schedule: Schedule = rise_and_fall,
    watchers: Sequence[Callable[[int], object]] = (),
    batch: int = BATCH,
) -> Bert:
    """In eval mode; steps=0 leaves it untrained. batch: rows of a step."""
    if steps:
        batches = Asked(rows, model.pieces, objective=objective, shares=shares, nsp=nsp, seed=seed, batch=batch)
        settings = {"learning_rate": rate, "schedule": schedule, "optimizer": ADAM, "watchers": watchers}
        fit(model, batches, steps=steps, show=False, **settings)
    return model.eval()
