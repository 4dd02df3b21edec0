"""Several heads on one published body: its matrices stay and are shared, a task moves only the biases and gains.

So a trained task is a small file beside the body: the head, and the few numbers in which its body differs.
Source: Ben Zaken, Goldberg & Ravfogel 2022, arXiv:2106.10199 (BitFit: only biases are tuned; here the gains of layer
norms are, too).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from pkgutil import resolve_name

from torch import Tensor

from course_lib.checkpoints import load_weights, opened, rebuilding, save_checkpoint
from course_lib.config import data_dir
from course_lib.files import given_path
from course_lib.models.encoder import ContextEncoder
from course_lib.models.head_base import Head
from course_lib.models.heads import HEADS
from course_lib.models.shipped import load

KIND = "heads-on-a-body"
_BODY = "encoder."


def with_its_matrices(body: ContextEncoder) -> ContextEncoder:
    """Another encoder over the same matrices and tables, which no longer learn; biases and gains are its own."""
    matrices = [p for p in body.parameters() if p.dim() > 1]
    copy = deepcopy(body, {id(matrix): matrix for matrix in matrices})
    for matrix in matrices:
        matrix.requires_grad_(False)
    return copy


def own_numbers(head: Head, body: ContextEncoder) -> dict[str, Tensor]:
    """What `head` has and `body` has not, by name: all of the head, and what moved below it. Devices may differ."""
    start = body.state_dict()
    return {
        name: value
        for name, value in head.state_dict().items()
        if not name.startswith(_BODY) or not value.cpu().equal(start[name.removeprefix(_BODY)].cpu())
    }


def save_heads(folder: str | Path, body: str, heads: Mapping[str, Head]) -> None:
    """Write one folder with all heads, float16. body: the name of the shipped encoder that they were learned on."""
    start = load(body)
    tensors = {f"{task}/{name}": n for task, head in heads.items() for name, n in own_numbers(head, start).items()}
    described = {task: {"kind": head.kind, "settings": head._settings} for task, head in heads.items()}
    save_checkpoint(folder, kind=KIND, config={"body": body, "heads": described}, tensors=tensors, half=True)


def load_heads(name_or_folder: str | Path) -> dict[str, Head]:
    """Each head by its task, in eval mode, all over one body in memory: `load_heads("heads-en")["sentence"]`."""
    folder = given_path(name_or_folder)
    folder = folder if folder.is_dir() else data_dir("checkpoints") / str(name_or_folder)
    with opened(folder, KIND, "set of heads") as checkpoint:
        body, described = Path(checkpoint.config["body"]).name, dict(checkpoint.config["heads"])
    body, heads = load(data_dir("checkpoints", body)), {}
    with rebuilding(folder, "set of heads", body.state_dict() | checkpoint.tensors):
        for task, one in described.items():
            heads[task] = head = resolve_name(HEADS[one["kind"]])(with_its_matrices(body), **one["settings"])
            start = {name: numbers for name, numbers in head.state_dict().items() if name.startswith(_BODY)}
            own = {name: numbers for name, numbers in checkpoint.tensors.items() if name.startswith(f"{task}/")}
            own = {name.removeprefix(f"{task}/"): numbers for name, numbers in own.items()}
            load_weights(head.eval(), start | own, source=folder)
    return heads
