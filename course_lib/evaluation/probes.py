"""What frozen vectors say by themselves: the nearest sense.

Source: Peters et al. 2018, arXiv:1802.05365, section 5.3 (the nearest mean of the training occurrences).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from course_lib.arrays import listed, numbers


def nearest_mean(
    train_vectors: np.ndarray | Tensor,
    train_labels: Iterable,
    test_vectors: np.ndarray | Tensor,
    test_labels: Iterable,
) -> Float[np.ndarray, " item"]:
    """How right the sense with the nearest mean vector is (cosine): 1, 0, or the chance of a fair guess among ties.

    Vectors are [item, dim]. Equal vectors for all items tie always, so each item gets 1 / number of senses.
    A test label that was never trained is never right.
    """
    train, test = (
        F.normalize(torch.tensor(numbers("nearest_mean: the vectors", vectors)), dim=1)
        for vectors in (train_vectors, test_vectors)
    )
    train_labels, test_labels = listed(train_labels), listed(test_labels)
    assert len(train) == len(train_labels)
    assert len(test) == len(test_labels)
    names = sorted(set(train_labels))
    is_sense = torch.tensor([[label == name for label in train_labels] for name in names]).double()
    means = F.normalize(is_sense @ train, dim=1)
    scores = test @ means.T
    best = scores >= scores.amax(1, keepdim=True) - 1e-9  # rounding must not break a tie
    is_gold = torch.tensor([[name == label for name in names] for label in test_labels])
    return ((best & is_gold).sum(1).double() / best.sum(1)).numpy()
