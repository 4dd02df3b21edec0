"""What a reader's own networks are and get, kept from chapter to chapter in `answers/kept/LANGUAGE/`.

    NAME.safetensors    the weights of a network
    board.json          system -> number of labelled sentences -> F1 in %

A write is whole or does not happen; what cannot be read is said, and never overwritten by a later chapter.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import safetensors.torch
from torch import nn

from course_lib.checkpoints import load_weights
from course_lib.config import answers_dir
from course_lib.errors import CourseError
from course_lib.files import MOST_TEXT, atomic_file, bounded, lock
from course_lib.language import language, t
from course_lib.stored_numbers import refuse_nan

_NAME = re.compile(r"[\w][\w-]{0,59}", re.ASCII)
_MOST_WEIGHTS = 1 << 28  # bytes: the reader's networks have a few megabytes
_REMEDY = "Delete it, and run the cell that makes it again."
LABELS = (20, 100)  # labelled sentences that a score on the board is learned from
Scores = dict[str, dict[int, float]]


def folder() -> Path:
    return answers_dir() / "kept" / language()


def keep(name: str, model: nn.Module) -> Path:
    """Write the weights of `model`; those kept under this name before are replaced."""
    path = _path(name)
    weights = {key: value.detach().cpu().contiguous().clone() for key, value in model.state_dict().items()}
    refuse_nan(weights, f"keep({name!r}): the network holds", "Train it again with a smaller learning rate.")
    with atomic_file(path) as file:
        file.write(safetensors.torch.save(weights, {"format": "pt"}))
    return path


def restore(name: str, model: nn.Module) -> bool:
    """Fill `model` with the weights kept under this name; False if there are none.

    Raises CourseError, and leaves the model as it is, if the file cannot be read or is of another network.
    """
    path = _path(name)
    if not path.exists():
        return False
    content = bounded(path, _MOST_WEIGHTS, _REMEDY)
    try:
        weights = safetensors.torch.load(content)
    except Exception as error:  # safetensors raises several kinds, all about the file
        raise CourseError(f"{path} is not a readable safetensors file: {error}. {_REMEDY}") from None
    refuse_nan(weights, f"{path} holds", _REMEDY)
    load_weights(model, weights, source=path)
    return True


def taken_up(name: str, model: nn.Module, train: Callable[[nn.Module], object] | None) -> nn.Module:
    """`model` as it was kept, or else as `train` leaves it; then it is kept. Says which, unless it was kept."""
    fault = None
    try:
        if restore(name, model):
            return model.eval()
        says = t("{name}: not kept yet, so it is trained here.", name=name)
    except CourseError as error:
        fault, says = error, t("{name}: trained anew here. {why}", name=name, why=error)
    if train is None:
        why = fault or "Run the chapter that keeps it, or give `train`."
        raise CourseError(f"kept({name!r}): there is nothing to take up. {why}")
    print(says)
    train(model)
    if fault is None:
        keep(name, model)
    return model.eval()


def score(name: str, value: float | Mapping[int, float]) -> None:
    """Write a system's F1 in %: by number of labelled sentences, or one number, for the most of them."""
    values = dict(value) if isinstance(value, Mapping) else {LABELS[-1]: value}
    for labels, f1 in values.items() or [(None, None)]:
        number = isinstance(f1, int | float) and not isinstance(f1, bool) and math.isfinite(f1) and 0 <= f1 <= 100
        if labels not in LABELS or not number:
            says = f"score({name!r}, ...): {f1!r} from {labels!r} labelled sentences."
            raise CourseError(f"{says} Give F1 in % from 0 to 100, from {' or '.join(map(str, LABELS))} sentences.")
    if not isinstance(name, str) or not name.strip() or len(name) > 60:
        raise CourseError(f"score({name!r:.80}, ...): a system's name is a text of 1 to 60 letters.")
    path = folder() / "board.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with lock(path.parent / ".board.lock"):
        found = scores()
        found[name] = found.get(name, {}) | {int(labels): float(f1) for labels, f1 in values.items()}
        with atomic_file(path, "w") as file:
            file.write(json.dumps(found, ensure_ascii=False, indent=1) + "\n")


def scores() -> Scores:
    """The reader's own. Raises CourseError if the file cannot be read."""
    path = folder() / "board.json"
    if not path.exists():
        return {}
    try:
        content = json.loads(bounded(path, MOST_TEXT, _REMEDY))
        return {str(name): {int(n): float(f1) for n, f1 in found.items()} for name, found in content.items()}
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise CourseError(f"{path} cannot be read ({error}). {_REMEDY}") from None


def _path(name: str) -> Path:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise CourseError(f"{name!r:.80} cannot be kept under this name. Use letters, digits, - and _, at most 60.")
    return folder() / f"{name}.safetensors"
