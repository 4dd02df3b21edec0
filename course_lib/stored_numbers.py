"""How numbers lie in a checkpoint: as they are, as float16, or as whole numbers with a scale.

int8 rows  a table [row, dim]: -127 ... 127, float32 scale [row, 1]
int6       a table [row, dim], dim a multiple of 4: -31 ... 31, four in three bytes: uint8 [row, dim * 3 / 4],
           scale [row, dim / 32 rounded up]: float16, or float32 where one lies beyond float16's normal numbers
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import torch
from torch import Tensor

from course_lib.errors import CourseError

SCALE = ".scale"  # the second stored tensor of a table
GROUP = 32  # int6: so many neighbours in a row share a scale
HALF, INT8, INT6 = "float16", "int8 rows", "int6"


def untie(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Tensors to store, and for each name that shares another's memory the name of that one."""
    kept, ties, seen = {}, {}, {}
    for name, tensor in tensors.items():
        place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor.device)
        if tensor.numel() and place in seen:
            ties[name] = seen[place]
        else:
            kept[name] = tensor
            seen[place] = name
    return kept, ties


def encode(
    tensors: Mapping[str, Tensor], half: bool, int8: Collection[str], int6: Collection[str], folder: Path
) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Tensors as they lie in the file, and for each that is not stored as it is the name of its encoding."""
    stored, encodings = {}, {}
    for name, tensor in tensors.items():
        tensor = tensor.detach().cpu()
        if (name in int6 or name in int8) and tensor.isinf().any():
            raise CourseError(f"{name} holds infinity, which has no scale. Save {folder} without int8 and int6.")
        if name in int6 and tensor.shape[1] % 4 == 0:
            encodings[name] = INT6
            tensor, stored[name + SCALE] = _to_int6(tensor)
        elif name in int8 or name in int6:
            encodings[name] = INT8
            scale = tensor.abs().amax(1, keepdim=True).clamp(min=torch.finfo(torch.float32).tiny) / 127
            stored[name + SCALE] = scale
            tensor = (tensor / scale).round().to(torch.int8)
        elif half and tensor.dtype == torch.float32:
            encodings[name] = HALF
            if (tensor.half().isinf() & tensor.isfinite()).any():
                raise CourseError(f"{name} holds numbers beyond float16 (65504). Save {folder} with half=False.")
            tensor = tensor.half()
        stored[name] = tensor.clone(memory_format=torch.contiguous_format)  # views of one memory become separate
    refuse_nan(stored, f"Nothing was written to {folder}: there is", "Train with a smaller learning rate.")
    return stored, encodings


def decode(stored: Mapping[str, Tensor], encodings: Mapping[str, str]) -> dict[str, Tensor]:
    """The tensors as they were, within their encoding. Raises ValueError or a kin for what `encode` did not write."""
    if unknown := set(encodings.values()) - {HALF, INT8, INT6}:
        raise ValueError(f"unknown encoding {shorten(sorted(unknown))}")
    scales = {name + SCALE for name, encoding in encodings.items() if encoding != HALF}
    tensors = {name: tensor for name, tensor in stored.items() if name not in scales}
    for name, encoding in encodings.items():
        if encoding == INT6:
            tensors[name] = _from_int6(stored[name], stored[name + SCALE])
        elif encoding == INT8:
            table, scale = stored[name], stored[name + SCALE]
            if table.dtype != torch.int8 or table.ndim != 2 or scale.shape != (len(table), 1):
                raise ValueError(
                    f"table {table.dtype} {list(table.shape)} does not go with a scale {list(scale.shape)}"
                )
            tensors[name] = table.float() * scale
        else:
            tensors[name] = stored[name].float()
    return tensors


def _to_int6(table: Tensor) -> tuple[Tensor, Tensor]:
    """[row, dim] -> packed [row, dim * 3 / 4], scale [row, group]."""
    groups = torch.nn.functional.pad(table.float(), (0, -table.shape[1] % GROUP)).unflatten(1, (-1, GROUP))
    scale, half = groups.abs().amax(2) / 31, torch.finfo(torch.float16)
    if ((scale == 0) | (scale >= half.tiny) & (scale <= half.max)).all():
        scale = scale.half()
    step = scale.float().clamp(min=torch.finfo(torch.float32).tiny)  # of a group of zeros: not 0
    numbers = (groups / step[..., None]).round().clamp(-31, 31).flatten(1)[:, : table.shape[1]]
    a, b, c, d = (numbers + 31).to(torch.uint8).unflatten(1, (-1, 4)).unbind(2)
    return torch.stack([a | b << 6, b >> 2 | c << 4, c >> 4 | d << 2], 2).flatten(1), scale


def _from_int6(packed: Tensor, scale: Tensor) -> Tensor:
    one, two, three = packed.unflatten(1, (-1, 3)).unbind(2)
    numbers = torch.stack([one, one >> 6 | two << 2, two >> 4 | three << 4, three >> 2], 2).flatten(1) & 63
    dim = numbers.shape[1]
    if packed.dtype != torch.uint8 or scale.shape != (len(packed), -(-dim // GROUP)):
        raise ValueError(f"packed {packed.dtype} {list(packed.shape)} does not go with a scale {list(scale.shape)}")
    return (numbers.float() - 31) * scale.float().repeat_interleave(GROUP, 1)[:, :dim]


def refuse_nan(tensors: Mapping[str, Tensor], where: str, remedy: str) -> None:
    """NaN is never meant; infinity may be (the score of a forbidden tag)."""
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and tensor.isnan().any():
            raise CourseError(f"{where} NaN (not a number) in {name}. {remedy}")


def shorten(names: list[str]) -> str:
    """The first four."""
    return ", ".join(map(str, names[:4])) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
