"""ULMFiT's three stages as functions: a general language model, the same on target text, a classifier on it.

Source: Howard & Ruder 2018, arXiv:1801.06146, section 3. The tricks can be left out one by one; the network, the
labels and the number of steps stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import torch

from course.lab.company import text
from course.lab.unfreezing import FACTOR, Stage, Unfreezing, at_once, gradual
from course.lab.world_models import world_text
from course_lib.data.records import LabelledText
from course_lib.device import seed_everything
from course_lib.evaluation import accuracy
from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.models.shipped import load
from course_lib.models.ulmfit import ULMFiTClassifier
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import adamw, fit
from course_lib.training.schedules import constant, slanted_triangular

UNKNOWN = "<unk>"
ADAM = partial(adamw, betas=(0.7, 0.99))  # section 4.1
_DOCUMENT = 16  # sentences that stay together when general text is shuffled
Documents = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Tricks:
    """What classifier fine-tuning does beside plain steps, each on by default; `rate` is the head's largest rate."""

    rate: float = 1e-2
    discriminative: bool = True  # each group at 1/2.6 of the rate of the group above
    triangle: bool = True  # slanted triangular rates, else a constant one
    opens: str = "gradual"  # or "at once", or "last layer": the head alone, all the time

    @classmethod
    def none(cls, rate: float = 1e-2) -> Tricks:
        """Full fine-tuning: all layers, one constant rate."""
        return cls(rate, discriminative=False, triangle=False, opens="at once")

    def without(self) -> dict[str, Tricks]:
        """Each trick left out once, by name."""
        return {
            "discriminative rates": replace(self, discriminative=False),
            "slanted triangle": replace(self, triangle=False),
            "gradual unfreezing": replace(self, opens="at once"),
        }

    def plan(self, model: ULMFiTClassifier, epochs: int) -> Unfreezing:
        factor = FACTOR if self.discriminative else 1.0
        if self.opens == "gradual":
            return gradual(model, epochs, factor)
        whole = at_once(model, epochs, factor)
        return whole if self.opens == "at once" else replace(whole, stages=(Stage(0, epochs, whole.names[-1:]),))


# Slow lower layers and late opening help who has something to keep; from scratch they leave the network at chance.
FROM_SCRATCH = Tricks.none(3e-3)


def general_documents(source: str, n_words: int) -> list[list[str]]:
    """Running text, 16 sentences a document: `n_words` words of "world", "on-disk" or a public corpus."""
    if source == "world":
        sentences = [[word.lower() for word in sentence] for sentence in world_text(n_words)]
    else:
        sentences = text(source, n_words)
    groups = (sentences[at : at + _DOCUMENT] for at in range(0, len(sentences), _DOCUMENT))
    return [[word for sentence in group for word in sentence] for group in groups]


def general_lm(name: AWDLSTM | str = "") -> AWDLSTM:
    """A language model as it is, a checkpoint by name, or, for "", a small one learned in seconds."""
    if not isinstance(name, str):
        return name
    return load(name) if name else _quick_lm()


@lru_cache(maxsize=1)
def _quick_lm(n_words: int = 40_000, steps: int = 100, size: int = 4_000) -> AWDLSTM:
    """Learned from the world's text, which has few words; so its table starts from the shipped skip-gram vectors."""
    documents, vectors = general_documents("world", n_words), load("skipgram-en").word_vectors()
    words = dict.fromkeys([*vectors.words[:size], *(word for document in documents for word in document)])
    vocabulary = Vocabulary([UNKNOWN, *words], unknown=UNKNOWN)
    seed_everything(0)
    config = replace(AWDLSTMConfig.small(len(vocabulary)), emb_dim=vectors.vectors.shape[1], hidden=128)
    model = AWDLSTM(config, vocabulary)
    table = model.embedding.weight.data
    rows = torch.tensor([place for place, word in enumerate(vocabulary.words) if word in vectors])
    known = torch.stack([vectors[vocabulary.words[place]] for place in rows.tolist()])
    table[1 + rows] = known  # row 0 is the begin mark
    streams = model.streams(documents, 16, 20)
    fit(model, streams, steps=steps, learning_rate=3e-3, schedule=slanted_triangular, show=False)
    return model.eval()


def for_target(lm: AWDLSTM, documents: Documents, *, min_count: int = 2, max_size: int = 8_000) -> AWDLSTM:
    """The language model with the vocabulary of the target text; words it does not know start as the mean row."""
    vocabulary = Vocabulary.from_sentences(
        documents, min_count=min_count, max_size=max_size, specials=[UNKNOWN], unknown=UNKNOWN
    )
    return lm.adapted(vocabulary)


def tuned(
    lm: AWDLSTM,
    documents: Documents,
    *,
    steps: int,
    rate: float = 4e-3,
    seed: int = 0,
    batch_size: int = 16,
    length: int = 40,
) -> AWDLSTM:
    """A copy of the language model after `steps` more steps on other text: discriminative rates, slanted triangle."""
    model = lm.adapted()
    model.unfreeze()
    plan = at_once(model, 1)
    groups = plan.start(model, plan.stages[0])
    fit(
        model, model.streams(documents, batch_size, length, seed=seed), steps=steps, learning_rate=rate, optimizer=ADAM,
        schedule=slanted_triangular, groups=groups, seed=seed, show=False,
    )  # fmt: skip
    return model.eval()


def classifier(
    lm: AWDLSTM,
    records: Sequence[LabelledText],
    labels: Sequence[str],
    *,
    steps: int,
    tricks: Tricks | None = None,
    seed: int = 0,
    batch_size: int = 16,
    watch: Callable[[int, ULMFiTClassifier], object] | None = None,
) -> ULMFiTClassifier:
    """A classifier on a copy of `lm`, trained for `steps` steps, whatever the tricks.

    The steps are shared out over the epochs of the unfreezing plan: two for each layer group. `watch` is called with
    the number of steps done and the model, after each.
    """
    tricks = tricks or Tricks()
    model = ULMFiTClassifier(lm, labels, seed=seed)
    epochs = 2 * len(model.layer_groups())
    plan, done = tricks.plan(model, epochs), 0
    batches = model.batches(records, batch_size, seed)
    for stage in plan.stages:
        until = round(steps * (stage.first + stage.epochs) / epochs)
        if until == done:
            continue
        fit(
            model,
            lambda epoch, first=stage.first: batches(1_000 * first + epoch),  # each stage shuffles anew
            steps=until - done,
            learning_rate=tricks.rate,
            schedule=slanted_triangular if tricks.triangle else constant,
            groups=plan.start(model, stage),
            optimizer=ADAM,
            seed=seed + stage.first,
            watchers=() if watch is None else (lambda step, before=done: watch(before + step, model),),
            show=False,
        )
        done = until
    return model.eval()


def percent_right(model: ULMFiTClassifier, records: Sequence[LabelledText]) -> float:
    """Accuracy in %."""
    return 100 * accuracy(model.predict(records), [record.label for record in records])


def language_loss(
    encoder: AWDLSTM, documents: Documents, *, head: AWDLSTM | None = None, batch_size: int = 16, length: int = 40
) -> float:
    """Mean loss on running text, in nats per word, without dropout; exp of it is the perplexity.

    head  whose softmax and table score the states: the language model before fine-tuning; None: the encoder's own
    """
    head = encoder if head is None else head
    modes = [(module, module.training) for module in encoder.modules()]
    encoder.eval()
    total, count, carry = 0.0, 0, None
    with torch.no_grad():
        for batch in encoder.streams(documents, batch_size, length)():
            batch = batch.to(encoder.device)
            outputs, carry = encoder(batch.ids, carry)
            logits = head.logits(outputs[-1].to(head.device)).flatten(0, 1)
            targets = batch.targets.flatten().to(head.device)
            total += float(torch.nn.functional.cross_entropy(logits, targets, reduction="sum"))
            count += len(targets)
    for module, mode in modes:
        module.training = mode
    return total / count
