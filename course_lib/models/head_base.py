"""What all heads share: reading an encoder's layers, layer groups with rates, and the file of a whole system.

Source of the two ways to read a frozen encoder: one layer (Devlin et al. 2019, section 5.3) or a learned mix of all
(Peters et al. 2018, section 3.2); of the bidirectional LSTM between states and output: the former, who take two layers.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.checkpoints import Checkpoint, load_weights, rebuilding, save_checkpoint
from course_lib.data.batch import Batch
from course_lib.language import key
from course_lib.models.elmo import ScalarMix
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.fast import run_lstm
from course_lib.models.layer_groups import LayerGroups
from course_lib.models.shipped import KINDS


class Head(LayerGroups):
    """An encoder and what a task puts on top of it. A subclass sets `output`, `kind`, `_settings` (the arguments of its
    constructor beside encoder and seed, for the file) and writes `loss`.

    body   "none": the encoder's states as they are; "bilstm": one bidirectional LSTM over them
    layer  which layer is read: a number as in `encoder.layer_names`, or "mix" for a learned ScalarMix of all
    width  numbers per word after the body
    """

    kind: str
    _settings: dict[str, Any]

    def __init__(self, encoder: ContextEncoder, *, body: str, hidden: int, layer: int | str, dropout: float | int):
        super().__init__()
        name, n_layers = type(self).__name__, len(encoder.dims)
        assert body in ("none", "bilstm"), f"{name}: body={body!r}"
        if layer != "mix":
            encoder.check_layer(layer, name)
        self.encoder, self.layer = encoder, layer
        self.width = encoder.dim if layer == "mix" else encoder.dims[layer]
        self.mix = ScalarMix(n_layers) if layer == "mix" else None
        self.dropout, self.lstm = nn.Dropout(dropout), None
        if body == "bilstm":
            self.lstm = nn.LSTM(self.width, hidden, batch_first=True, bidirectional=True)
            self.width = 2 * hidden

    @abstractmethod
    def loss(self, batch: Batch) -> dict[str, Any]:
        """{"loss": mean in nats, "count": items it is the mean of}, as `fit` wants it."""

    def word_states(self, batch: Batch, encoding: Encoding) -> Float[Tensor, "batch unit width"]:
        """What head and body make of each word: its layer or mix, then the LSTM, with dropout before and after it."""
        if self.mix is not None:
            states = self.mix(encoding.layers, encoding.mask)
        else:
            states = encoding.layers[self.layer][..., : self.encoder.dims[self.layer]]  # without the zeros of filling
        states = self.dropout(states)
        return states if self.lstm is None else self.dropout(run_lstm(self.lstm, states, batch.lengths)[0])

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        """The encoder's groups, then "head"."""
        return [*self.encoder._groups(), (key("head"), [m for name, m in self.named_children() if name != "encoder"])]

    def groups(self, slow: Mapping[str, float | int] | None = None) -> list[tuple]:
        """(name, parameters, factor of the learning rate) for `fit(groups=...)`, without what is frozen.

        Three ways to reuse word vectors (chapter 2): initial: groups(); frozen: freeze(["word"]); slow:
        groups(slow={"word": 0.1}).
        """
        factors = dict(slow or {})
        self._known(list(factors))
        trainable = [(name, [p for p in group if p.requires_grad]) for name, group in self.layer_groups()]
        return [(name, group, factors.get(name, 1.0)) for name, group in trainable if group]

    def save(self, folder: str | Path) -> None:
        """Write encoder and head as one checkpoint folder, which `load_head` reads."""
        config = {"head": self._settings, "encoder": {"kind": self.encoder.kind, "config": self.encoder._config()}}
        tensors, files = self.state_dict(), self.encoder._files()
        save_checkpoint(folder, kind=self.kind, config=config, tensors=tensors, files=files)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint) -> Head:
        with rebuilding(checkpoint.folder, cls.__name__, checkpoint.tensors):
            encoder = checkpoint.config["encoder"]
            built = resolve_name(KINDS[encoder["kind"]])._build(encoder["config"], checkpoint.files)
            head = cls(built, **checkpoint.config["head"])
        load_weights(head, checkpoint.tensors, source=checkpoint.folder)
        return head.eval()


def match(first: Float[Tensor, "batch dim"], second: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch four_dim"]:
    """[u; v; |u - v|; u * v]: a linear layer over it can ask where two vectors agree.

    For pairs that an encoder reads apart: Conneau et al. 2017, arXiv:1705.02364, section 3.1.
    """
    return torch.cat([first, second, (first - second).abs(), first * second], -1)


@contextmanager
def seeded(seed: int | None) -> Iterator[None]:
    """New weights drawn in here come from `seed`, and the global generator stays as it was; None: from the global."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
