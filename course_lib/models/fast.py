"""Hand-written fast paths, so that they do not interrupt what is to be read: each is proved equal to the plain way."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.device import move


class Dropout(nn.Dropout):
    """nn.Dropout, on a CPU in less than half its time: one random integer of 64 bits decides over four numbers.

    p is met to 1 / 65,536. PyTorch draws anew for every number, which is a tenth of a small network's training step.
    """

    def forward(self, states: Shaped[Tensor, "*rows"]) -> Shaped[Tensor, "*rows"]:
        dropped = round(self.p * 2**16)
        if not self.training or not 0 < dropped < 2**16 or states.device.type != "cpu":
            return F.dropout(states, self.p, self.training)
        drawn = torch.empty(-(-states.numel() // 4), dtype=torch.long).random_(torch.iinfo(torch.long).min, None)
        sixteen_bits = drawn.view(torch.int16)[: states.numel()].view(states.shape)  # -32,768 ... 32,767, each as often
        keep = sixteen_bits >= dropped - 2**15
        return states * keep.to(states.dtype).mul_(2**16 / (2**16 - dropped))


class ProjectedSteps(torch.autograd.Function):
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


def run_lstm(
    lstm: nn.LSTM, inputs: Float[Tensor, "batch unit dim"], lengths: Int[Tensor, " batch"]
) -> tuple[Float[Tensor, "batch unit hidden"], tuple[Tensor, Tensor]]:
    """Outputs of an LSTM (batch first), zeros at padding, which is never read; and its state after the real units.

    lengths: real units of each row, on the CPU, as in `batch.lengths`.
    """
    lengths, order = lengths.sort(descending=True)  # PyTorch's own sorting reads the order back from the device
    order = move(order, inputs.device)
    packed, state = lstm(pack_padded_sequence(inputs.index_select(0, order), lengths, batch_first=True))
    outputs, _ = pad_packed_sequence(packed, batch_first=True, total_length=inputs.shape[1])
    back = order.argsort()
    return outputs.index_select(0, back), tuple(part.index_select(1, back) for part in state)
