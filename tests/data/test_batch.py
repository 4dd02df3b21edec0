"""A batch goes to a device whole: whatever form the carry has, no tensor stays behind."""

from typing import NamedTuple

import torch
from torch import Tensor

from course_lib.data.batch import Batch
from course_lib.data.streams import StreamBatch, TwoWayBatch


class State(NamedTuple):
    hidden: Tensor
    cell: Tensor


def tensors_in(value):
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    elif hasattr(value, "__dataclass_fields__"):
        value = list(vars(value).values())
    return [t for part in value for t in tensors_in(part)] if isinstance(value, (list, tuple)) else []


def test_every_tensor_moves():
    one, mask = torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)
    carry = {"forward": [(one, one)], "backward": State(one, one), "step": 7}
    side = Batch({"words": one}, mask, one, [[(0, 1)], [(0, 1)]])
    stream = StreamBatch(one, one, carry)
    for batch in (
        Batch({"words": one}, mask, one, [[(0, 1)]], carry, (side, side), {"tags": one}),
        stream,
        TwoWayBatch(stream, stream, carry),
    ):
        moved = batch.to("meta")
        assert len(tensors_in(moved)) == len(tensors_in(batch)) > 5
        assert {tensor.device.type for tensor in tensors_in(moved)} == {"meta"}
        assert type(moved.carry["backward"]) is State
        assert moved.carry["step"] == 7
        assert {tensor.device.type for tensor in tensors_in(batch)} == {"cpu"}
