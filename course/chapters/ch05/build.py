"""Build 5.B: the third stage of ULMFiT, of the reader's parts, on the chapter's question of swapped neighbours."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from course.by_hand.ulmfit import Encoder, concat_pool, from_shipped, new_head
from course.check.build import Build, Ran
from course.check.messages import Message
from course.lab.swapped import LABELS, Swapped
from course.lab.word_classes import typed_words, with_unknown
from course_lib.errors import CourseError
from course_lib.language import t
from course_lib.models.awd_lstm import BEGIN
from course_lib.progress import Progress

NAMES = {"pre-trained": "your stage 3", "scratch": "the same, from scratch"}  # also in texts.toml, for their Korean
LABELLED, STEPS, BATCH, RATE, FACTOR = 800, 200, 16, 1e-2, 2.6  # as in section 5.4
PASSES = 10
BAR = 8  # points more than from scratch; five recorded seeds gained about 22, one run may gain less
SENTENCE = "the boat left the harbour early in the morning ."


class Classifier(nn.Module):
    """The encoder, and the head of section 5.2. parts: from the top down."""

    def __init__(self, encoder: Encoder):
        super().__init__()
        self.encoder, self.head = encoder, new_head(encoder.lstms[-1].hidden_size, 2)

    @property
    def parts(self) -> list[nn.Module]:
        return [self.head, *self.encoder.layers]


def run(train: bool, slanted_triangle, layer_rates, classifier_loss) -> Ran:
    task = Swapped()
    starts = {
        "pre-trained": Classifier(from_shipped(task.encoder)),
        "scratch": Classifier(Encoder(len(task.encoder.embedding.weight), task.encoder.dims)),
    }
    own = starts["pre-trained"]
    ran = Ran({"own-ulmfit": own}, play=lambda sentence=SENTENCE: _play(own, task, sentence))
    if not train:
        return ran

    def share(step: int, total: int) -> float:
        return slanted_triangle(step, total, 0.1, 32)

    def rates(step: int, n_layers: int) -> list[float]:
        return layer_rates(step, STEPS, STEPS // PASSES, n_layers, RATE, FACTOR, share)

    def loss(network: Classifier, records: list) -> torch.Tensor:
        ids = [[task.encoder.row(word) for word in record.text.split()] for record in records]
        labels = [LABELS.index(record.label) for record in records]
        return classifier_loss(ids, labels, network.encoder, concat_pool, network.head)

    drawn, found, first = task.sample(LABELLED, seed=0), {}, {}
    for start, network in starts.items():
        first[start] = _fine_tune(network, drawn, loss, rates, NAMES[start])
        right, n = _right(network, task)
        found[start] = 100 * right / n
    says = {"moved": f"{found['pre-trained']:.0f}", "scratch": f"{found['scratch']:.0f}", "n": n}
    ran.prove("accuracy", found["pre-trained"] >= found["scratch"] + BAR, **says, bar=f"{found['scratch'] + BAR:.0f}")
    moved = first["pre-trained"]
    asked = [k * STEPS // PASSES for k in range(len(moved))]
    ran.prove("order", moved == asked, moved=", ".join(map(str, moved)), asked=", ".join(map(str, asked)))
    return ran


def _fine_tune(network: Classifier, records: list, loss: Callable, rates: Callable, name: str) -> list[int | None]:
    """The step at which each part has moved first, from the top down."""
    parts = network.parts
    optimizer = torch.optim.Adam([{"params": part.parameters()} for part in parts], betas=(0.7, 0.99))
    before, first = [_weights(part) for part in parts], [None] * len(parts)
    with Progress(name, total=STEPS) as bar:
        for step in range(STEPS):
            for part, group, rate in zip(parts, optimizer.param_groups, rates(step, len(parts)), strict=True):
                group["lr"] = float(rate)
                part.requires_grad_(group["lr"] > 0)
            batch = [records[i] for i in torch.randint(len(records), (BATCH,)).tolist()]
            now = loss(network, batch)
            optimizer.zero_grad()
            now.backward()
            optimizer.step()
            for k, part in enumerate(parts):
                if first[k] is None and not torch.equal(_weights(part), before[k]):
                    first[k] = step
            bar.update(step + 1, loss=now.item())
    return first


def _weights(part: nn.Module) -> torch.Tensor:
    return nn.utils.parameters_to_vector(part.parameters()).detach().clone()


@torch.no_grad()
def _logits(network: Classifier, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    network.eval()
    return network.head(concat_pool(network.encoder(ids), real))


def _right(network: Classifier, task: Swapped) -> tuple[int, int]:
    ids, real, labels = task.batch(task.test)
    return int((_logits(network, ids, real).argmax(1) == labels).sum()), len(labels)


def _play(network: Classifier, task: Swapped, sentence: str) -> Message:
    """The sentence as it is and with each two neighbours swapped -> how probably two words have been swapped."""
    words = typed_words(sentence.lower(), ())
    if len(words) < 3:
        raise CourseError(t(BUILD.texts["says"]["too short"]))
    rows = [words, *([*words[:i], words[i + 1], words[i], *words[i + 2 :]] for i in range(len(words) - 1))]
    ids = torch.tensor([[BEGIN, *map(task.encoder.row, row)] for row in rows])
    probable = _logits(network, ids, torch.ones_like(ids).bool()).softmax(1)[:, 1].tolist()
    first, *others = (f"{share:4.0%}  {' '.join(row)}" for share, row in zip(probable, rows, strict=True))
    says = with_unknown(t(BUILD.texts["says"]["play"]), words, task.encoder.vocabulary.index)
    return Message(says, code="\n".join([first, "", *others]))


BUILD = Build("5.B", ("5.1", "5.7", "5.8"), run, importance=5, minutes=30)
