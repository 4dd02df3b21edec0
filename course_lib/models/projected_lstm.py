"""A stack of LSTM layers with a narrow state: ELMo's network for one direction.

Source: Peters et al. 2018, arXiv:1802.05365, section 3.4 (4096 cells projected to 512, a residual connection from the
first to the second layer); Sak et al. 2014, arXiv:1402.1128, equations 1-7 without peepholes (the projection).
Unlike in ELMo's code, cells and states are not clipped at 3, unless `clip` says so (the published weights need it):
the gradient's norm is, in `fit`.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.models.fast import ProjectedSteps

Words = Float[Tensor, "batch unit _"]
State = tuple[Tensor, Tensor]  # h [1, batch, projection], c [1, batch, hidden]
Carry = list[State] | None  # per layer; None for zeros: the state before the first word


class ProjectedLSTM(nn.Module):
    """`n_layers` LSTMs; each has `hidden` cells and gives `projection` numbers per word; layers 2.. add their input.

    clip  cells and projected states are kept in [-clip, clip], as they are passed on from word to word. None: free.
          PyTorch's LSTM cannot do that, so with a clip the words are read one by one: slower
    """

    def __init__(self, projection: int, hidden: int, n_layers: int, dropout: float = 0.0, clip: float | None = None):
        super().__init__()
        narrow = projection if projection < hidden else 0  # 0 is PyTorch's word for no projection
        self.layers = nn.ModuleList(LSTMLayer(projection, hidden, narrow, clip) for _ in range(n_layers))
        self.dropout = nn.Dropout(dropout).p  # it says what is no probability
        for layer in self.layers:
            for bias in (layer.bias_ih_l0, layer.bias_hh_l0):
                nn.init.zeros_(bias)
            nn.init.ones_(layer.bias_ih_l0[hidden : 2 * hidden])  # forget gate: remember at first

    def forward(
        self, inputs: Float[Tensor, "batch unit projection"], carry: Carry = None
    ) -> tuple[Float[Tensor, "layer batch unit projection"], Carry]:
        """All layers' outputs, lowest first, and the state after the last word."""
        outputs, after = [], []
        for number, layer in enumerate(self.layers):
            dropped = F.dropout(inputs, self.dropout, layer.training)  # a frozen layer's input loses nothing
            states, last = layer(dropped, None if carry is None else carry[number])
            inputs = states + inputs if number else states
            outputs.append(inputs)
            after.append(last)
        return torch.stack(outputs), after


def turned(values: Tensor, mask: Bool[Tensor, "batch unit"]) -> Tensor:
    """Each row's real units last to first; padding stays where it is, on the right. values: [batch, unit, ...]

    Twice gives the rows again.
    """
    position = torch.arange(mask.shape[1], device=mask.device)
    places = torch.where(mask, mask.sum(1, keepdim=True) - 1 - position, position)
    return values[torch.arange(len(values), device=mask.device)[:, None], places]


def lstm_by_steps(
    lstm: nn.LSTM, inputs: Words, state: State | None = None, clip: float | None = None
) -> tuple[Words, State]:
    """What `lstm(inputs, state)` computes, word by word as the equations say; slower, and the same on every device.

    With `clip` the cell is clipped before the output gate reads it, the output after its projection.
    """
    h, c = _zeros(lstm, inputs) if state is None else (part[0] for part in state)
    from_input = F.linear(inputs, lstm.weight_ih_l0, lstm.bias_ih_l0)  # for all words at once
    outputs = []
    for x in from_input.unbind(1):
        i, f, g, o = (x + F.linear(h, lstm.weight_hh_l0, lstm.bias_hh_l0)).chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        if clip is not None:
            c = c.clamp(-clip, clip)
        h = o.sigmoid() * c.tanh()
        if lstm.proj_size:
            h = F.linear(h, lstm.weight_hr_l0)
            if clip is not None:
                h = h.clamp(-clip, clip)
        outputs.append(h)
    return torch.stack(outputs, dim=1), (h[None], c[None])


class LSTMLayer(nn.LSTM):
    """nn.LSTM of one layer, batch first, by the fastest way there is for its device; `clip` as in ProjectedLSTM."""

    def __init__(self, inputs: int, hidden: int, projection: int = 0, clip: float | None = None):
        """projection = 0 is PyTorch's word for none."""
        super().__init__(inputs, hidden, proj_size=projection, batch_first=True)
        self.clip = clip

    def forward(self, inputs: Words, state: State | None = None) -> tuple[Words, State]:
        # on "mps" PyTorch has no projection, and nowhere a clip
        if self.clip is not None or (inputs.device.type == "mps" and self.proj_size):
            return lstm_by_steps(self, inputs, state, self.clip)
        if inputs.device.type != "cpu" or not self.proj_size:
            return super().forward(inputs, state)
        h, c = _zeros(self, inputs) if state is None else (part[0] for part in state)
        from_input = F.linear(inputs.transpose(0, 1), self.weight_ih_l0, self.bias_ih_l0 + self.bias_hh_l0)
        outputs, c = ProjectedSteps.apply(from_input, h, c, self.weight_hh_l0, self.weight_hr_l0)
        return outputs.transpose(0, 1), (outputs[-1][None], c[None])


def _zeros(lstm: nn.LSTM, inputs: Tensor) -> State:
    return tuple(inputs.new_zeros(len(inputs), size) for size in (lstm.proj_size or lstm.hidden_size, lstm.hidden_size))
