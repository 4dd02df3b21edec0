"""PyTorch's LSTM over sentences of unequal length."""

from __future__ import annotations

from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def run_lstm(
    lstm: nn.LSTM, inputs: Float[Tensor, "batch unit dim"], mask: Bool[Tensor, "batch unit"]
) -> tuple[Float[Tensor, "batch unit hidden"], tuple[Tensor, Tensor]]:
    """Outputs of an LSTM (batch first), zeros at padding, which is never read; and its state after the real units."""
    packed = pack_padded_sequence(inputs, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)
    packed, state = lstm(packed)
    return pad_packed_sequence(packed, batch_first=True, total_length=inputs.shape[1])[0], state
