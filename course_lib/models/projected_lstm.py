"""A stack of LSTM layers with a narrow state: ELMo's network for one direction.

Source: Peters et al. 2018, arXiv:1802.05365, section 3.4 (4096 cells projected to 512, a residual connection from the
first to the second layer); Sak et al. 2014, arXiv:1402.1128, equations 1-7 without peepholes (the projection).
Unlike in ELMo's code, cells and states are not clipped at 3, unless `clip` says so (the published weights need it):
the gradient's norm is, in `fit`.
"""

from __future__ import annotations

import warnings

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

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
        self.clip = clip
        narrow = projection if projection < hidden else 0  # 0 is PyTorch's word for no projection
        self.layers = nn.ModuleList(
            nn.LSTM(projection, hidden, proj_size=narrow, batch_first=True) for _ in range(n_layers)
        )
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
            states, last = _run(layer, self.dropout(inputs), None if carry is None else carry[number], self.clip)
            inputs = states + inputs if number else states
            outputs.append(inputs)
            after.append(last)
        return torch.stack(outputs), after


def reverse_rows(
    rows: Float[Tensor, "batch unit dim"], mask: Bool[Tensor, "batch unit"]
) -> Float[Tensor, "batch unit dim"]:
    """Each row's real units last to first; padding stays where it is, on the right. Twice gives the rows again."""
    position = torch.arange(rows.shape[1], device=rows.device)
    source = torch.where(mask, mask.sum(1, keepdim=True) - 1 - position, position)
    return rows.gather(1, source[..., None].expand_as(rows))


def lstm_by_steps(
    lstm: nn.LSTM,
    inputs: Float[Tensor, "batch unit dim"],
    state: tuple[Tensor, Tensor] | None = None,
    clip: float | None = None,
) -> tuple[Float[Tensor, "batch unit projection"], tuple[Tensor, Tensor]]:
    """What `lstm(inputs, state)` computes, word by word as the equations say; slower, and the same on every device.

    With `clip` the cell is clipped before the output gate reads it, the output after its projection.
    """
    hidden, width = lstm.hidden_size, lstm.proj_size or lstm.hidden_size
    h, c = (inputs.new_zeros(len(inputs), size) for size in (width, hidden)) if state is None else (s[0] for s in state)
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


def _run(
    lstm: nn.LSTM,
    inputs: Float[Tensor, "batch unit dim"],
    state: tuple[Tensor, Tensor] | None,
    clip: float | None,
) -> tuple[Float[Tensor, "batch unit projection"], tuple[Tensor, Tensor]]:
    # on "mps" PyTorch has no projection, and nowhere a clip
    if clip is not None or (inputs.device.type == "mps" and lstm.proj_size):
        return lstm_by_steps(lstm, inputs, state, clip)
    with warnings.catch_warnings():
        # True, and no reason to worry: it is still the fastest way on a CPU.
        warnings.filterwarnings("ignore", message="LSTM with projections is not supported with oneDNN")
        return lstm(inputs, state)
