"""Finding the question's new name in a passage: the smallest reader that can only use who is the same as whom."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course.world import World
from course_lib.data.batch import Batch
from course_lib.device import seed_everything
from course_lib.models.encoder import ContextEncoder
from course_lib.text.vocabulary import known_form
from course_lib.text.words import split_words
from course_lib.training import fit


@dataclass(frozen=True)
class NameQuestion:
    """A passage that names four persons, and a question about one of them."""

    passage: tuple[str, ...]
    question: tuple[str, ...]
    places: tuple[int, ...]  # where the four names stand in the passage
    answer: int  # which of the four is meant: 0 to 3

    @property
    def name(self) -> str:
        return self.passage[self.places[self.answer]]


def name_questions(
    known: Container[str], n: int, *, seed: int = 0, split: str = "train", made_up: bool = True
) -> list[NameQuestion]:
    """Questions of the world with exactly four words that are not `known`, one of which the question names."""
    passages = World(seed, split=split).questions("en", made_up_names=made_up)
    return list(islice(_four_names(passages, known), n))


def _four_names(passages: Iterator, known: Container[str]) -> Iterator[NameQuestion]:
    for passage in passages:
        words = split_words(passage.text)
        new = {word: place for place, word in reversed(list(enumerate(words))) if known_form(word, known) is None}
        for asked in passage.questions:
            question = split_words(asked.question)
            meant = [word for word in new if word in question]
            if len(new) == 4 and len(meant) == 1:
                places = sorted(new.values())
                yield NameQuestion(tuple(words), tuple(question), tuple(places), places.index(new[meant[0]]))


def renamed(questions: Sequence[NameQuestion], seed: int = 0) -> list[NameQuestion]:
    """The control: the question asks for a name that the passage does not know (that of another passage)."""
    order, changed = Random(seed), []
    for question in questions:
        other = question
        while other.name in question.passage:
            other = order.choice(questions)
        words = tuple(other.name if word == question.name else word for word in question.question)
        changed.append(replace(question, question=words))
    return changed


class Matcher(nn.Module):
    """Scores each of four places j by the best match of its vector with a question word i: max_i h_j^T M q_i.

    No context and no position enters, so all that can tell four new names apart is that one of them is the question's.
    Source of the idea: the aligned question match of Chen et al. 2017, "Reading Wikipedia", section 3.2.
    """

    def __init__(self, encoder: ContextEncoder):
        super().__init__()
        self.encoder = encoder
        self.match = nn.Linear(encoder.dim, encoder.dim, bias=False)
        nn.init.normal_(self.match.weight, std=0.01)

    def forward(self, batch: Batch) -> Float[Tensor, "batch 4"]:
        encoding = self.encoder.states(batch)
        hidden = encoding.layers[0]
        names = hidden.gather(1, batch.labels["places"][..., None].expand(-1, -1, hidden.shape[2]))
        scores = self.match(names) @ hidden.transpose(1, 2)  # [batch, 4, unit]
        asked = (encoding.segment == 1) & encoding.mask
        return scores.masked_fill(~asked[:, None], -1e4).amax(2)

    def loss(self, batch: Batch) -> dict:
        logits = self(batch)
        return {"loss": nn.functional.cross_entropy(logits, batch.labels["answer"]), "count": len(logits)}

    def batch(self, questions: Sequence[NameQuestion]) -> Batch:
        batch = self.encoder.batch([list(q.passage) for q in questions], [list(q.question) for q in questions])
        batch.labels["places"] = torch.tensor([q.places for q in questions])
        batch.labels["answer"] = torch.tensor([q.answer for q in questions])
        return batch

    @torch.no_grad()
    def accuracy(self, questions: Sequence[NameQuestion]) -> float:
        """In %, a tie of the best scores counting as a fair guess among them."""
        self.eval()
        batch = self.batch(questions)
        scores = self(batch.to(self.encoder.device)).cpu()
        best = scores >= scores.amax(1, keepdim=True) - 1e-6
        right = best.gather(1, batch.labels["answer"][:, None])[:, 0]
        return 100 * float((right / best.sum(1)).mean())


def train_matcher(
    make_encoder: Callable[[], ContextEncoder], questions: Sequence[NameQuestion], seed: int, *, steps: int = 150
) -> Matcher:
    """A matcher trained on batches of 32 questions, dealt out once and then taken in an order that `seed` decides."""
    seed_everything(seed)
    matcher, order = Matcher(make_encoder()), Random(seed).sample(list(questions), len(questions))
    batches = [matcher.batch(order[start : start + 32]) for start in range(0, len(order) - 31, 32)]

    def epoch(number: int) -> list[Batch]:
        return Random(seed * 1_000_003 + number).sample(batches, len(batches))

    fit(matcher, epoch, steps=steps, learning_rate=3e-3, seed=seed, show=False)
    return matcher
