"""A stack of LSTM layers with a narrow state: ELMo's network for one direction.

Source: Peters et al. 2018, arXiv:1802.05365, section 3.4 (4096 cells projected to 512, a residual connection from the
first to the second layer); Sak et al. 2014, arXiv:1402.1128, equations 1-7 without peepholes (the projection).
Unlike in ELMo's code, cells and states are not clipped at 3, unless `clip` says so (the published weights need it):
the gradient's norm is, in `fit`.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from course_lib.errors import CourseError

# Per layer (h [1, batch, projection], c [1, batch, hidden]), or None for zeros: the state before the first word.
Carry = list[tuple[Tensor, Tensor]] | None


class ProjectedLSTM(nn.Module):
    """`n_layers` LSTMs; each has `hidden` cells and gives `projection` numbers per word; layers 2.. add their input.

    clip  cells and projected states are kept in [-clip, clip], as they are passed on from word to word. None: free.
          PyTorch's LSTM cannot do that, so with a clip the words are read one by one: slower
    """

    def __init__(self, projection: int, hidden: int, n_layers: int, dropout: float = 0.0, clip: float | None = None):
        """Raises CourseError unless 1 <= projection <= hidden, n_layers >= 1, 0 <= dropout < 1 and clip > 0."""
        super().__init__()
        if not 1 <= projection <= hidden or n_layers < 1 or not 0 <= dropout < 1:
            raise CourseError(
                f"ProjectedLSTM: projection={projection}, hidden={hidden}, n_layers={n_layers}, dropout={dropout}. "
                "Use 1 <= projection <= hidden, n_layers >= 1 and 0 <= dropout < 1."
            )
        if clip is not None and not clip > 0:
            raise CourseError(f"ProjectedLSTM: clip={clip}. Use a number above 0 (ELMo: 3.0), or None.")
        narrow = projection if projection < hidden else 0  # 0 is PyTorch's word for no projection
        self.layers = nn.ModuleList(LSTMLayer(projection, hidden, narrow, clip) for _ in range(n_layers))
        self.dropout = nn.Dropout(dropout)
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
            states, last = layer(self.dropout(inputs), None if carry is None else carry[number])
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
    lstm: nn.LSTM,
    inputs: Float[Tensor, "batch unit dim"],
    state: tuple[Tensor, Tensor] | None = None,
    clip: float | None = None,
) -> tuple[Float[Tensor, "batch unit projection"], tuple[Tensor, Tensor]]:
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


class _Steps(torch.autograd.Function):
    """The loop over words of an LSTM with projection, forward and back, for a CPU.

    PyTorch's own has no fused kernel with a projection on a CPU and adds to the weights' gradients at every word. Here
    the way back keeps what each word sends to its gates, and each weight's gradient is one product over all words.
    Gates are in PyTorch's order: input, forget, new, output. Time is the first dimension, so that a step is one block.
    """

    @staticmethod
    def forward(
        ctx: Any,
        from_input: Float[Tensor, "step batch gates"],
        h: Float[Tensor, "batch projection"],
        c: Float[Tensor, "batch hidden"],
        weight_hh: Float[Tensor, "gates projection"],
        weight_hr: Float[Tensor, "projection hidden"],
    ) -> tuple[Float[Tensor, "step batch projection"], Float[Tensor, "batch hidden"]]:
        n_steps, hidden = len(from_input), c.shape[1]
        gates = from_input.clone()
        states, cells = h.new_empty(n_steps + 1, *h.shape), c.new_empty(n_steps + 1, *c.shape)
        squashed, shown = c.new_empty(n_steps, *c.shape), c.new_empty(n_steps, *c.shape)
        states[0], cells[0] = h, c
        for t, gate in enumerate(gates):
            gate.addmm_(states[t], weight_hh.T)
            gate[:, : 2 * hidden].sigmoid_()
            gate[:, 2 * hidden : 3 * hidden].tanh_()
            gate[:, 3 * hidden :].sigmoid_()
            i, f, g, o = gate.chunk(4, dim=1)
            torch.mul(f, cells[t], out=cells[t + 1]).addcmul_(i, g)
            torch.tanh(cells[t + 1], out=squashed[t])
            torch.mul(o, squashed[t], out=shown[t])
            torch.mm(shown[t], weight_hr.T, out=states[t + 1])
        ctx.save_for_backward(gates, states, cells, squashed, shown, weight_hh, weight_hr)
        return states[1:], cells[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_states: Tensor, of_cell: Tensor) -> tuple[Tensor, ...]:
        gates, states, cells, squashed, shown, weight_hh, weight_hr = ctx.saved_tensors
        i, f, g, o = gates.chunk(4, dim=2)
        # how a gate's sum moves the cell (the first three) or what is shown of it (the last), for all words at once
        slope = torch.cat([i * (1 - i) * g, f * (1 - f) * cells[:-1], i * (1 - g * g), o * (1 - o) * squashed], dim=2)
        of_squashed = o * (1 - squashed * squashed)
        of_gates, of_h, of_c = slope, torch.zeros_like(states[0]), of_cell.clone()
        of_outputs = torch.empty_like(of_states)
        for t in reversed(range(len(gates))):
            torch.add(of_states[t], of_h, out=of_outputs[t])
            of_shown = of_outputs[t] @ weight_hr
            of_c.addcmul_(of_shown, of_squashed[t])
            rows = of_gates[t].unflatten(1, (4, -1))
            rows[:, :3] *= of_c[:, None]
            rows[:, 3] *= of_shown
            of_c *= f[t]
            of_h = of_gates[t] @ weight_hh
        flat = of_gates.flatten(0, 1)
        of_hh = flat.T @ states[:-1].flatten(0, 1)
        of_hr = of_outputs.flatten(0, 1).T @ shown.flatten(0, 1)
        return of_gates, of_h, of_c, of_hh, of_hr


class LSTMLayer(nn.LSTM):
    """nn.LSTM of one layer, batch first, by the fastest way there is for its device; `clip` as in ProjectedLSTM."""

    def __init__(self, inputs: int, hidden: int, projection: int = 0, clip: float | None = None):
        """projection = 0 is PyTorch's word for none."""
        super().__init__(inputs, hidden, proj_size=projection, batch_first=True)
        self.clip = clip

    def forward(
        self, inputs: Float[Tensor, "batch unit dim"], state: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Float[Tensor, "batch unit projection"], tuple[Tensor, Tensor]]:
        # on "mps" PyTorch has no projection, and nowhere a clip
        if self.clip is not None or (inputs.device.type == "mps" and self.proj_size):
            return lstm_by_steps(self, inputs, state, self.clip)
        if inputs.device.type != "cpu" or not self.proj_size:
            return super().forward(inputs, state)
        h, c = _zeros(self, inputs) if state is None else (part[0] for part in state)
        from_input = F.linear(inputs.transpose(0, 1), self.weight_ih_l0, self.bias_ih_l0 + self.bias_hh_l0)
        outputs, c = _Steps.apply(from_input, h, c, self.weight_hh_l0, self.weight_hr_l0)
        return outputs.transpose(0, 1), (outputs[-1][None], c[None])


def _zeros(lstm: nn.LSTM, inputs: Tensor) -> tuple[Tensor, Tensor]:
    return tuple(inputs.new_zeros(len(inputs), size) for size in (lstm.proj_size or lstm.hidden_size, lstm.hidden_size))
