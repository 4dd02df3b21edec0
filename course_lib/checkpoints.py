"""A checkpoint: one safetensors file, in whose header stands what its numbers need to be a model again.

    model.safetensors   the tensors; as metadata `course`, in JSON: format version, kind, the model's configuration, how
                        the numbers are encoded, and small texts by name (a vocabulary, a tokenizer)
    README.md           of those that ship: the card, which their recipe writes

They lie in a folder, by whose name the checkpoint is called. Text and numbers only, never code.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from course_lib.errors import CourseError
from course_lib.files import atomic_file, bounded, compact_json, given_path, json_table
from course_lib.language import key, t
from course_lib.stored_numbers import decode, encode, refuse_nan, shorten, untie

VERSION = 2
TENSORS, CARD, META = "model.safetensors", "README.md", "course"
CONFIG = "config.json"  # of the Hugging Face layout
REMEDY = "Delete the folder and make or download it again."
MOST = 4 << 30  # bytes: the largest BERT has a third of it
_ENTRIES = {"kind": str, "config": dict, "encodings": dict, "ties": dict, "files": dict}


@dataclass(frozen=True)
class Checkpoint:
    kind: str
    config: dict
    tensors: dict[str, Tensor]  # on the CPU
    files: dict[str, str]  # texts by name
    folder: Path


def save_checkpoint(
    folder: str | Path,
    *,
    kind: str,
    config: Mapping,
    tensors: Mapping[str, Tensor],
    files: Mapping[str, str] | None = None,
    half: bool = False,
    int8: Collection[str] = (),
    int6: Collection[str] = (),
) -> None:
    """Write a checkpoint, whole or not at all; an older one in `folder` is replaced, what else lies there stays.

    `half` stores float32 tensors as float16; loading gives float32 back. Tables [row, dim] named in `int8` take a byte
    per number and a scale per row: each number is off by at most 1/254 of its row's largest. Those named in `int6` take
    six bits per number and a scale for 32: off by at most 1/62 of the largest of these. Tensors that are one and the
    same (tied weights) are stored once.
    """
    folder = given_path(folder)
    if (folder / CONFIG).exists():
        raise CourseError(f"{folder} holds a model in another layout ({CONFIG}). Choose a new folder.")
    tensors, ties = untie(tensors)
    stored, encodings = encode(tensors, half, int8, int6, folder)
    about = {"version": VERSION, "kind": kind, "config": config, "encodings": encodings, "ties": ties}
    content = safetensors.torch.save(stored, {META: compact_json({**about, "files": dict(files or {})})})
    with atomic_file(folder / TENSORS) as file:
        file.write(content)


def load_checkpoint(folder: str | Path, kinds: Collection[str] = (), what: str = "") -> Checkpoint:
    """Read a checkpoint. Raises CourseError that names the file, its fault and what to do.

    kinds: others are refused, in a CourseError that calls the model `what`; (): any is read
    """
    folder = given_path(folder)
    path = folder / TENSORS
    stored, metadata = read_tensors(path, REMEDY)
    try:
        about = json_table(metadata[META], path, REMEDY)
        if about.pop("version") != VERSION:
            raise ValueError(f"of a format that is not version {VERSION} of this course")
        if fault := [name for name, kind in _ENTRIES.items() if not isinstance(about[name], kind)]:
            raise ValueError(f"no proper entry {fault[0]!r}")
        tensors = decode(stored, about.pop("encodings"))
        tensors |= {name: tensors[first] for name, first in about.pop("ties").items()}
        checkpoint = Checkpoint(**about, tensors=tensors, folder=folder)
    except Exception as error:  # of many kinds, all about what the header says
        raise CourseError(f"{path} is no checkpoint that this course reads: {error!r:.300}. {REMEDY}") from error
    refuse_nan(tensors, f"{path} holds", REMEDY)  # a scale may be
    if kinds and checkpoint.kind not in kinds:
        raise CourseError(
            f"{folder} holds a {checkpoint.kind!r}, not a {what}. Load it with its own class; an encoder with "
            "course_lib.load."
        )
    return checkpoint


def read_tensors(path: Path, remedy: str) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and the metadata of a safetensors file that came from elsewhere, without NaN."""
    if not path.is_file():  # a pipe would be waited for
        where = key("the folder is there, the file is not") if path.parent.is_dir() else key("there is no such folder")
        says = key("{path} is missing: {where}. Check the name, or make or download it again.")
        raise CourseError(t(says, path=path, where=t(where)))
    try:
        content = bounded(path, MOST, remedy)  # at once: another process may put a new file in its place
        tensors = safetensors.torch.load(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    except Exception as error:  # safetensors raises several kinds, all about the file
        says = key("{path} is not a readable safetensors file: {error}. {remedy}")
        raise CourseError(t(says, path=path, error=error, remedy=remedy)) from error
    refuse_nan(tensors, f"{path} holds", remedy)
    return tensors, header.get("__metadata__") or {}  # null is allowed


def load_weights(module: nn.Module, tensors: Mapping[str, Tensor], *, source: str | Path) -> None:
    """Copy `tensors` into `module` if names, shapes and kinds of number fit; otherwise CourseError, nothing touched."""
    own = module.state_dict()
    both = [(name, tensors[name], own[name]) for name in own if name in tensors]
    faults = {
        "missing": [name for name in own if name not in tensors],
        "not known to the model": [name for name in tensors if name not in own],
        "of another shape": [
            f"{n} {list(a.shape)} instead of {list(b.shape)}" for n, a, b in both if a.shape != b.shape
        ],
        "of another type": [
            f"{n} {a.dtype} instead of {b.dtype}" for n, a, b in both if a.is_floating_point() != b.is_floating_point()
        ],
    }
    if any(faults.values()):
        listed = "; ".join(f"{what}: {shorten(names)}" for what, names in faults.items() if names)
        says = key(
            "The weights in {source} do not fit this {kind}. {listed}. "
            "Build the model with the configuration the weights were made with, or choose other weights."
        )
        raise CourseError(t(says, source=source, kind=type(module).__name__, listed=listed))
    module.load_state_dict(tensors)


@contextmanager
def rebuilding(folder: str | Path, what: str, tensors: Mapping[str, Tensor]) -> Iterator[None]:
    """Inside, a model is built whose weights are then filled with `tensors`, read from `folder`.

    Every error in here becomes a CourseError that names `folder` and `what` the model is. A network much larger than
    `tensors` is refused before its memory is taken: the sizes come from a file that anybody may have written.
    """
    left = 2 * sum(tensor.numel() for tensor in tensors.values()) + 2**20

    def count(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        nonlocal left
        left -= 0 if parameter is None else 1_000 + parameter.numel()  # a thousand: no endless row of small layers
        if left < 0:
            raise ValueError("it asks for a larger network than its numbers fill")

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    except Exception as error:
        said = str(error) if isinstance(error, CourseError) else f"{error!r:.300}."
        raise CourseError(
            f"{folder} does not hold a {what} of this version, or is damaged: {said} "
            "Fetch the checkpoint again, or use one made by this version."
        ) from error
    finally:
        hook.remove()


@contextmanager
def opened(folder: str | Path, kind: str, what: str) -> Iterator[Checkpoint]:
    """`with opened(folder, "review-words", "classifier of reviews") as checkpoint:` rebuild the model from it in here.

    Raises CourseError if `folder` holds another kind, and as `rebuilding` does. what: the model, in error messages
    """
    checkpoint = load_checkpoint(folder, [kind], what)
    with rebuilding(folder, what, checkpoint.tensors):
        yield checkpoint
