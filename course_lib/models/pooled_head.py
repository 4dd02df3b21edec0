"""What heads with one label per item share: one vector for a text, and the most probable label.

P(label) = softmax(W c + b), with c the vector of the text (Devlin et al. 2019, section 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.models.baselines import masked_mean
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.head_base import seeded
from course_lib.models.label_head import LabelHead, Texts

POOLINGS = ("sentence", "mean", "max")


class PooledHead(LabelHead):
    """One label per item, from one vector per text.

    pooling  what stands for the text: "sentence", the encoder's own sentence vector (BERT: [CLS]); "mean" or "max" over
             the words' vectors. Over a "bilstm" body "sentence" is mean and max side by side
    """

    def __init__(
        self,
        encoder: ContextEncoder,
        labels: Sequence[str],
        *,
        body: str = "none",
        hidden: int = 64,
        layer: int | str = -1,
        pooling: str = "sentence",
        dropout: float | int = 0.1,
        seed: int | None = None,
    ):
        """Raises CourseError for settings that cannot work, or of which one would be ignored."""
        name = type(self).__name__
        if pooling not in POOLINGS:
            raise CourseError(f"{name}: pooling={pooling!r}. Use one of: {', '.join(POOLINGS)}.")
        if pooling == "sentence" and body == "none" and layer != -1:
            raise CourseError(
                f'{name}: pooling="sentence" takes the encoder\'s own sentence vector, so layer={layer!r} '
                'would be ignored. Use pooling="mean" or "max", or body="bilstm".'
            )
        with seeded(seed):
            super().__init__(encoder, labels, body=body, hidden=hidden, layer=layer, dropout=dropout)
            own = encoder.sentence_dim if body == "none" else 2 * self.width
            text_width = own if pooling == "sentence" else self.width
            self.output = nn.Linear(self._vectors_per_item() * text_width, len(self.labels))
        self.pooling = pooling
        self._settings["pooling"] = pooling
        self.to(encoder.device)

    def predict(self, items: Texts, batch_size: int = 32) -> list[str]:
        """The most probable label of each item, in input order."""
        return [self.labels[int(row.argmax())] for row in self._logits(items, batch_size)]

    def probabilities(self, items: Texts, batch_size: int = 32) -> Float[np.ndarray, "item label"]:
        """Rows sum to 1."""
        return torch.stack(self._logits(items, batch_size)).softmax(-1).numpy()

    def _vectors_per_item(self) -> int:
        """How many vectors of a text's width `output` reads."""
        return 1

    def _text(self, encoding: Encoding) -> Float[Tensor, "batch text_width"]:
        """One vector for each row of an encoding, after body and dropout."""
        if self.pooling == "sentence" and self.lstm is None:
            return self.dropout(encoding.sentence)
        words, mask = self._words(encoding), encoding.mask
        mean = masked_mean(words, mask)
        largest = words.masked_fill(~mask[..., None], -torch.inf).amax(1)
        return {"mean": mean, "max": largest, "sentence": torch.cat([mean, largest], 1)}[self.pooling]

    def _stack(self, targets: list) -> Tensor:
        return torch.tensor(targets)
