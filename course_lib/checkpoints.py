"""The checkpoint format: a folder that is whole or an error, and that holds text and numbers only, never code.

    config.json          format and version, kind, the model's configuration, SHA-256 and size of every other file
    model.safetensors    the tensors
    card.md, ...         small text files: the card, tokenizer files

`save_checkpoint` replaces the folder as a whole (course_lib/files.py): a reader finds the old one or the new one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.files import MOST_TEXT, bounded, given_path, recover_folder, replace_folder
from course_lib.stored_numbers import decode, encode, refuse_nan, shorten, untie

FORMAT, VERSION = "course-lib checkpoint", 1
CONFIG, TENSORS, CARD = "config.json", "model.safetensors", "card.md"
REMEDY = "Delete the folder and make or download it again."


@dataclass(frozen=True)
class Checkpoint:
    kind: str
    config: dict
    tensors: dict[str, Tensor]  # on the CPU
    files: dict[str, Path]  # further files by name, without the card
    card: str | None
    folder: Path


def save_checkpoint(
    folder: str | Path,
    *,
    kind: str,
    config: Mapping,
    tensors: Mapping[str, Tensor],
    files: Mapping[str, str | bytes] | None = None,
    card: str | None = None,
    half: bool = False,
    int8: Collection[str] = (),
    int6: Collection[str] = (),
) -> None:
    """Write a checkpoint, all or nothing; an older checkpoint in `folder` is replaced, anything else there is an error.

    `half` stores float32 tensors as float16; loading gives float32 back. Tables [row, dim] named in `int8` take a byte
    per number and a scale per row: each number is off by at most 1/254 of its row's largest. Those named in `int6` take
    six bits per number and a scale for 32: off by at most 1/62 of the largest of these. Tensors that are one and the
    same (tied weights) are stored once.
    """
    folder = given_path(folder).resolve()
    tensors, ties = untie(tensors)
    stored, encodings = encode(tensors, half, int8, int6, folder)
    contents = {name: text.encode() if isinstance(text, str) else text for name, text in (files or {}).items()}
    for name in contents:
        if not _is_plain(name) or name in (CONFIG, TENSORS, CARD):
            raise CourseError(f"A checkpoint cannot hold a file called {name!r}. Use a plain name such as vocab.txt.")
    if card is not None:
        contents[CARD] = card.encode()
    contents[TENSORS] = safetensors.torch.save(stored, {"format": "pt"})
    header = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "config": config,
        "encodings": encodings,
        "ties": ties,
        "files": {name: _fingerprint(content) for name, content in contents.items()},
    }
    try:
        header = json.loads(json.dumps(header, allow_nan=False))  # as a reader will see it: lists, string keys
        header["checksum"] = _checksum(header)
        contents[CONFIG] = (json.dumps(header, indent=1, ensure_ascii=False) + "\n").encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise CourseError(
            f"The configuration for {folder} cannot be written as JSON: {error}. "
            "Use finite numbers, strings, lists and dicts only."
        ) from error
    replace_folder(folder, contents, may_replace=_own_names)


def load_checkpoint(folder: str | Path) -> Checkpoint:
    """Read and verify a checkpoint. Raises CourseError that names the file, its fault and what to do."""
    folder = given_path(folder).resolve()
    last = raw = b""
    for _ in range(100):
        recover_folder(folder)
        last, raw = raw, None
        try:
            raw = _read(folder / CONFIG, MOST_TEXT)
            return _load(folder, raw)
        except CourseError:
            # Another process may have replaced the folder between two reads: an error counts if it stays.
            if raw == last:
                raise
    raise CourseError(f"{folder} is being replaced by other processes all the time. Try again when they are done.")


def load_weights(module: nn.Module, tensors: Mapping[str, Tensor], *, source: str | Path) -> None:
    """Copy `tensors` into `module` if names, shapes and kinds of number fit; otherwise CourseError, nothing touched."""
    own = module.state_dict()
    faults = {
        "missing": [name for name in own if name not in tensors],
        "not known to the model": [name for name in tensors if name not in own],
        "of another shape": [
            f"{name} {list(tensors[name].shape)} instead of {list(own[name].shape)}"
            for name in own
            if name in tensors and tensors[name].shape != own[name].shape
        ],
        "of another type": [
            f"{name} {tensors[name].dtype} instead of {own[name].dtype}"
            for name in own
            if name in tensors and tensors[name].is_floating_point() != own[name].is_floating_point()
        ],
    }
    if any(faults.values()):
        listed = "; ".join(f"{what}: {shorten(names)}" for what, names in faults.items() if names)
        raise CourseError(
            f"The weights in {source} do not fit this {type(module).__name__}. {listed}. "
            "Build the model with the configuration the weights were made with, or choose other weights."
        )
    module.load_state_dict(tensors)


@contextmanager
def rebuilding(folder: str | Path, what: str) -> Iterator[None]:
    """Whatever goes wrong inside is a CourseError that names `folder`."""
    try:
        yield
    except Exception as error:
        said = str(error) if isinstance(error, CourseError) else f"{error!r:.300}."
        raise CourseError(
            f"{folder}/config.json does not describe a {what} of this version, or a file beside it is damaged: {said} "
            "Fetch the checkpoint again, or use one made by this version."
        ) from error


@contextmanager
def opened(folder: str | Path, kind: str, what: str) -> Iterator[Checkpoint]:
    """The checkpoint in `folder`, which must be of `kind`, while a `what` is rebuilt from it."""
    checkpoint = load_checkpoint(folder)
    if checkpoint.kind != kind:
        raise CourseError(
            f"{folder} holds a {checkpoint.kind!r}, not a {what}. Load it with its own class; an encoder with "
            "course_lib.load."
        )
    if huge := re.findall(r"(?<![\d.])\d{10,}(?!\.)", json.dumps(checkpoint.config)):  # no digits behind a point
        raise CourseError(f"{folder}/config.json asks for a network of an impossible size: {shorten(huge)}. {REMEDY}")
    with rebuilding(folder, what):
        yield checkpoint


def _load(folder: Path, raw: bytes) -> Checkpoint:
    header = _header(folder / CONFIG, raw)
    contents = {}
    for name, expected in header["files"].items():
        path = folder / name
        contents[name] = _read(path, expected["bytes"])
        if len(contents[name]) < expected["bytes"]:
            raise CourseError(f"{path} ends after {len(contents[name])} of {expected['bytes']} bytes. {REMEDY}")
        if _fingerprint(contents[name]) != expected:
            raise CourseError(f"{path} was damaged or changed: its SHA-256 is not the one in {CONFIG}. {REMEDY}")
    try:
        stored = safetensors.torch.load(contents[TENSORS])
        tensors = decode(stored, header["encodings"])
        tensors |= {name: tensors[first] for name, first in header["ties"].items()}
        card = contents[CARD].decode() if CARD in contents else None
    except Exception as error:  # safetensors raises several kinds, all about the file
        raise CourseError(f"{folder / TENSORS} is not a readable safetensors file: {error}. {REMEDY}") from error
    refuse_nan(tensors, f"{folder / TENSORS} holds", REMEDY)
    files = {name: folder / name for name in contents if name not in (TENSORS, CARD)}
    return Checkpoint(header["kind"], header["config"], tensors, files, card, folder)


def _header(path: Path, raw: bytes) -> dict:
    def refuse(constant: str):
        raise ValueError(f"it holds the number {constant}")

    try:
        header = json.loads(raw, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise CourseError(f"{path} is not readable JSON: {error}. {REMEDY}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        hint = "It looks like a Hugging Face model: Bert.from_pretrained reads those. " * ("model_type" in str(header))
        raise CourseError(f"{path} was not written by this course. {hint}Give the folder of a course checkpoint.")
    if header.get("version") != VERSION:
        raise CourseError(
            f"{path} is of format version {header.get('version')!r}, this course reads version {VERSION}. "
            "Update the course (git pull, then make), or make the checkpoint again with this one."
        )
    try:
        fits = header.get("checksum") == _checksum(header)
    except (ValueError, RecursionError):  # 1e999 is read as infinity, which is never written
        fits = False
    if not fits:
        raise CourseError(f"{path} was damaged or changed: its own checksum does not fit. {REMEDY}")
    if fault := _fault(header):
        raise CourseError(f"{path} {fault}. Do not use this checkpoint; get it again from its source.")
    return header


def _fault(header: dict) -> str | None:
    """What no checkpoint written by `save_checkpoint` has; the checksum does not help against a forger."""
    kinds = {"kind": str, "config": dict, "encodings": dict, "ties": dict, "files": dict}
    for key, kind in kinds.items():
        if not isinstance(header.get(key), kind):
            return f"has no proper entry {key!r}"
    if odd := [name for name in header["files"] if not _is_plain(name) or name == CONFIG]:
        return f"names files outside its folder: {shorten(odd)}"
    if TENSORS not in header["files"]:
        return f"does not list {TENSORS}"
    if not all(isinstance(entry, dict) and isinstance(entry.get("bytes"), int) for entry in header["files"].values()):
        return "lists a file without its size"
    return None


def _read(path: Path, limit: int) -> bytes:
    """The bytes of a file that should have at most `limit`."""
    try:
        return bounded(path, limit, REMEDY)
    except FileNotFoundError:
        where = "the folder is there, the file is not" if path.parent.is_dir() else "there is no such folder"
        raise CourseError(f"{path} is missing: {where}. Check the name, or make or download it again.") from None
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. Check its permissions.") from error


def _own_names(folder: Path) -> set[str]:
    """The files in `folder` that are a checkpoint's and may be replaced."""
    try:
        return {CONFIG, *_header(folder / CONFIG, _read(folder / CONFIG, MOST_TEXT))["files"]}
    except CourseError:
        return {CONFIG, TENSORS, CARD}  # a damaged checkpoint may be replaced too


def _is_plain(name: str) -> bool:
    return name not in ("", ".", "..") and not any(sign in name for sign in '/\\:\0<>"|?*') and name.isprintable()


def _fingerprint(content: bytes) -> dict:
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _checksum(header: Mapping) -> str:
    rest = {key: value for key, value in header.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, allow_nan=False).encode()).hexdigest()
