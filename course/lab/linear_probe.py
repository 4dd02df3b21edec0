"""What frozen vectors say of their words: a linear probe on one layer, or on a mix of all. Nothing is drawn at random.

Source: Peters et al. 2018, arXiv:1802.05365, section 5.3 (a linear classifier on one layer for parts of speech).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.arrays import listed, numbers
from course_lib.errors import CourseError
from course_lib.models.elmo import ScalarMix

Vectors = np.ndarray | Tensor
_STEPS = 100  # of L-BFGS, at most; the predictions of the course's tasks no longer change after about 50


def probe(train_vectors: Vectors, train_labels: Iterable, test_vectors: Vectors, *, l2: float | int = 1.0) -> list:
    """The label of each test vector by multinomial logistic regression, trained to its optimum.

    train_vectors, test_vectors  [item, dim]; each dimension is scaled by mean and deviation of the training items
    l2                           penalty l2 / 2 * |weights|^2 beside the summed cross-entropy, as C = 1 / l2 elsewhere
    """
    train, test = (_table(vectors)[None] for vectors in (train_vectors, test_vectors))
    return mixed_probe(train, train_labels, test, l2=l2)[0]


def mixed_probe(
    train_layers: Vectors, train_labels: Iterable, test_layers: Vectors, *, l2: float | int = 1.0
) -> tuple[list, list[float]]:
    """The same probe on ScalarMix of the layers, both trained together: predictions, and the weight of each layer.

    train_layers, test_layers  [layer, item, dim]; each dimension of each layer is scaled as `probe` does
    """
    train, test = (_table(layers) for layers in (train_layers, test_layers))
    train_labels = listed(train_labels)
    _check(train, train_labels, test)
    names = sorted(set(train_labels))
    number = {name: i for i, name in enumerate(names)}
    gold = torch.tensor([number[label] for label in train_labels])
    mean, deviation = train.mean(1, keepdim=True), train.std(1, correction=0, keepdim=True)
    scale = deviation.where(deviation > 1e-6, 1.0)  # a constant dimension says nothing; it must not divide by 0
    train, test = (train - mean) / scale, (test - mean) / scale

    mix = ScalarMix(len(train))
    mix.gamma.requires_grad_(False)  # the weights below can grow as well, and they pay for it
    weight = torch.zeros(train.shape[2], len(names), requires_grad=True)
    bias = torch.zeros(len(names), requires_grad=True)
    learned = [weight, bias] if len(train) == 1 else [weight, bias, mix.raw]

    optimizer = torch.optim.LBFGS(
        learned, max_iter=_STEPS, history_size=10, tolerance_grad=1e-6, line_search_fn="strong_wolfe"
    )

    def objective() -> Tensor:
        optimizer.zero_grad()
        cross_entropy = F.cross_entropy(mix(train[:, None])[0] @ weight + bias, gold)
        loss = cross_entropy + l2 / (2 * len(gold)) * weight.square().sum()
        loss.backward()
        return loss

    optimizer.step(objective)
    with torch.no_grad():
        best = (mix(test[:, None])[0] @ weight + bias).argmax(1).tolist()
    return [names[i] for i in best], mix.weights.tolist()


def _table(vectors: Vectors) -> Tensor:
    return torch.tensor(numbers("A probe: the vectors", vectors, np.float32))


def _check(train: Tensor, labels: Sequence, test: Tensor) -> None:
    assert train.shape[::2] == test.shape[::2]
    assert len(labels) == train.shape[1]
    if len(set(labels)) < 2:
        raise CourseError(f"A probe got {len(set(labels))} different labels. It needs two or more to tell apart.")
    for name, vectors in (("training", train), ("test", test)):
        if wrong := int((~vectors.isfinite()).any(2).any(0).sum()):
            raise CourseError(f"{wrong} {name} vectors hold NaN or infinite numbers. Find out why before probing.")
