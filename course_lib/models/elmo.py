"""ELMo: one vector per word, mixed from all layers of a frozen bidirectional language model for the task at hand.

Source: Peters et al. 2018, arXiv:1802.05365, sections 3.2 (equation 1) and 3.3 (use in a task network). The language
model itself is models/lstm_lm.py; any other ContextEncoder can take its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.models.encoder import ContextEncoder, Sentences

Mask, Vectors = Bool[Tensor, "batch unit"], Float[Tensor, "batch unit dim"]


class ScalarMix(nn.Module):
    """gamma * sum over layers j of s_j h_j, where s = softmax(raw): equation 1 of the paper.

    raw    [layer], one number per layer, layer 0 included; all 0 at first, which is the plain mean of the layers
    gamma  [1], scales the whole vector; 1 at first. It does not say how useful ELMo is for the task

    With `layer_norm` each layer is brought to mean 0 and variance 1 before it is weighted: one mean and one variance
    over all dimensions of all real units of the batch. Same as AllenNLP's ScalarMix with do_layer_norm.
    """

    def __init__(self, n_layers: int, layer_norm: bool = False):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(1))
        self.layer_norm = layer_norm

    @property
    def weights(self) -> Float[Tensor, " layer"]:
        """s: positive, sums to 1."""
        return self.raw.softmax(0)

    def forward(self, layers: Float[Tensor, "layer batch unit dim"], mask: Mask | None = None) -> Vectors:
        """One vector per unit. The mask (True = real) is read by `layer_norm` only; None: all real."""
        if self.layer_norm:
            real = torch.ones_like(layers[0]) if mask is None else mask[..., None].expand_as(layers[0])
            mean = (layers * real).sum((1, 2, 3), keepdim=True) / real.sum()
            variance = ((layers - mean).square() * real).sum((1, 2, 3), keepdim=True) / real.sum()
            layers = (layers - mean) / (variance + 1e-13).sqrt()  # as in AllenNLP: no constant layer divides by 0
        return self.gamma * torch.einsum("l,lbud->bud", self.weights, layers)


class FrozenStates(nn.Module):
    """The vectors of a frozen encoder as plain inputs: what ELMo and TagLM feed to a task network.

    Reads all layers of `encoder`, or only `layer` (-1: the top), without gradient and without dropout. The encoder
    stays the caller's: it is not frozen, and its weights are neither this module's parameters nor in its
    `state_dict()`. It goes along to another device.
    """

    def __init__(self, encoder: ContextEncoder, layer: int | None = None):
        super().__init__()
        self.layer = layer
        object.__setattr__(self, "encoder", encoder)  # no submodule: its weights must not be trained

    def _apply(self, fn: Callable, recurse: bool = True) -> FrozenStates:
        self.encoder._apply(fn, recurse)
        return super()._apply(fn, recurse)

    @property
    def dim(self) -> int:
        return self.encoder.dim if self.layer is None else self.encoder.dims[self.layer]

    def read(self, sentences: Sentences) -> Float[Tensor, "batch unit layer dim"]:
        """Vectors on the CPU, one per word and layer, zeros after a sentence's end."""
        arrays = self.encoder.encode(sentences, layer=self.layer)
        if self.layer is not None:
            arrays = [array[None, :, : self.dim] for array in arrays]  # without the zeros that fill up a narrow layer
        rows = [torch.from_numpy(array.swapaxes(0, 1)) for array in arrays]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True)


class ELMo(FrozenStates):
    """The layers of an encoder that does not learn here, and a ScalarMix with dropout for each place of the task net.

    places   "input": beside the word vectors; "output": beside the task biLSTM's output. Each has weights of its own
    dropout  probability, on the mixed vectors

        elmo = ELMo(bilm, ("input", "output"))
        vectors = elmo(elmo.read(sentences), mask)
        hidden, _ = lstm(torch.cat([words, vectors["input"]], dim=-1))
        logits = linear(torch.cat([hidden, vectors["output"]], dim=-1))
        loss = cross_entropy(logits, tags)

    The paper's penalty, lambda times the sum of `mix.raw.square()` over `elmo.mixes`, is one more term of that loss.
    """

    def __init__(
        self,
        encoder: ContextEncoder,
        places: Sequence[str] = ("input",),
        *,
        dropout: float | int = 0.5,
        layer_norm: bool = False,
    ):
        super().__init__(encoder)
        self.places = (places,) if isinstance(places, str) else tuple(places)
        self.mixes = nn.ModuleDict({place: ScalarMix(len(encoder.dims), layer_norm) for place in self.places})
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Float[Tensor, "batch unit layer dim"], mask: Mask | None = None) -> dict[str, Vectors]:
        """The mixed vectors for each place, on the device of the mixes."""
        layers = states.to(next(self.mixes.parameters()).device).movedim(2, 0)
        return {place: self.dropout(mix(layers, mask)) for place, mix in self.mixes.items()}
