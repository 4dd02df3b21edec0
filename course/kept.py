"""What a reader's own networks are and get, kept from chapter to chapter in `answers/kept/LANGUAGE/`.

    NAME.safetensors    the weights of a network; with its vocabulary, `course ask NAME` opens it
    board.json          system -> number of labelled sentences -> F1 in %

Networks of a text of the reader's own are kept in a folder of its name in there.

A write is whole or does not happen; what cannot be read is said, and never overwritten by a later chapter.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path

import safetensors.torch
from torch import nn

from course.settings import answers_dir
from course_lib.checkpoints import load_weights, read_tensors
from course_lib.errors import CourseError
from course_lib.files import MOST_TEXT, atomic_file, bounded, given_path, lock
from course_lib.language import key, language, t
from course_lib.stored_numbers import refuse_nan

_NAME = re.compile(r"[\w][\w-]{0,59}", re.ASCII)
_ENDING = ".safetensors"
_MOST_WEIGHTS = 1 << 28  # bytes: the reader's networks have a few megabytes
_REMEDY = key("Delete it, and run the cell that makes it again.")
LABELS = (20, 100)  # labelled sentences that a score on the board is learned from
Scores = dict[str, dict[int, float]]
_TEXT = ContextVar("text", default="")


@contextlib.contextmanager
def of_text(name: str) -> Iterator[None]:
    """In the block `text()` is `name`, and what is kept is of that text; "": the course's text."""
    if name:
        refuse_name(name)
    token = _TEXT.set(name)
    try:
        yield
    finally:
        _TEXT.reset(token)


def text() -> str:
    """The name of the text that is chosen now."""
    return _TEXT.get()


def folder() -> Path:
    return answers_dir() / "kept" / language() / text()


def keep(name: str, model: nn.Module, words: Sequence[str] | None = None) -> Path:
    """Write the weights of `model`; those kept under this name before are replaced.

    words: what its ids stand for, [PAD], [UNK], [CLS], [SEP] and [MASK] among them. With them the file says all that
    "Ask BERT" needs: it also tells the language, and of the model `n_heads` and `pre_norm`.
    """
    path = _path(name)
    about = {"format": "pt"}
    if words is not None:
        about |= {"words": json.dumps(list(words), ensure_ascii=False), "language": language()}
        parts = reversed(list(model.modules()))  # the model itself has the last word
        about |= {key: str(vars(part)[key]) for part in parts for key in ("n_heads", "pre_norm") if key in vars(part)}
    weights = {key: value.detach().cpu().contiguous().clone() for key, value in model.state_dict().items()}
    refuse_nan(weights, f"keep({name!r}): the network holds", "Train it again with a smaller learning rate.")
    with atomic_file(path) as file:
        file.write(safetensors.torch.save(weights, about))
    return path


def restore(name: str, model: nn.Module) -> bool:
    """Fill `model` with the weights kept under this name; False if there are none.

    Raises CourseError, and leaves the model as it is, if the file cannot be read or is of another network.
    """
    path = _path(name)
    if not path.exists():
        return False
    load_weights(model, read_tensors(path, t(_REMEDY))[0], source=path)
    return True


def bytes_of(name: str) -> bytes:
    """The kept file that is called so: its path, or its name in `folder()`, both also without the ending.

    Raises CourseError that lists what is there, if that is none.
    """
    named = given_path(name)
    kept_as = Path(*(part for part in named.parts if part not in ("answers", "kept", language())))
    ended = (named.with_suffix(_ENDING), folder() / kept_as.with_suffix(_ENDING)) if kept_as.name else ()
    if path := next((path for path in (named, *ended) if path.is_file()), None):
        content = bounded(path, _MOST_WEIGHTS, t(_REMEDY))
        read_tensors(path, t(_REMEDY))  # a notebook, say, is none
        return content
    place = named if named.is_dir() else folder()
    found = sorted([*place.glob(f"*{_ENDING}"), *place.glob(f"*/*{_ENDING}")])
    names = ", ".join(path.relative_to(place).with_suffix("").as_posix() for path in found)
    says = key("{name} is no network that is kept. In {folder} there are: {names}. {call} makes own-bert.")
    raise CourseError(t(says, name=name, folder=place, names=names or "–", call='`check("7.B")`'))


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
        try:
            keep(name, model)
        except CourseError as error:  # what was trained stands, where the disk is full, too
            print(error)
    return model.eval()


def score(name: str, value: float | Mapping[int, float]) -> None:
    """Write a system's F1 in %: by number of labelled sentences, or one number, for the most of them."""
    values = dict(value) if isinstance(value, Mapping) else {LABELS[-1]: value}
    for labels, f1 in values.items() or [(None, None)]:
        number = isinstance(f1, int | float) and not isinstance(f1, bool) and math.isfinite(f1) and 0 <= f1 <= 100
        if labels not in LABELS or not number:
            says = f"score({name!r}, ...): {f1!r} from {labels!r} labelled sentences."
            raise CourseError(f"{says} Give F1 in % from 0 to 100, from {' or '.join(map(str, LABELS))} sentences.")
    if not isinstance(name, str) or not _is_system(name):
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
        content = json.loads(bounded(path, MOST_TEXT, t(_REMEDY)))
        board = {str(name): {int(n): float(f1) for n, f1 in found.items()} for name, found in content.items()}
        if not all(0 <= f1 <= 100 and n in LABELS for found in board.values() for n, f1 in found.items()):  # NaN, too
            raise ValueError(f"a score is none from 0 to 100, from {' or '.join(map(str, LABELS))} sentences")
        if not all(map(_is_system, board)):
            raise ValueError("a system's name is no text of 1 to 60 letters")
        return board
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise CourseError(f"{path} cannot be read ({error}). {t(_REMEDY)}") from None


def _is_system(name: str) -> bool:
    return len(name.strip()) > 0 and len(name) <= 60 and name.isprintable()  # half a letter cannot be drawn


def refuse_name(name: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise CourseError(f"{name!r:.80} cannot be kept under this name. Use letters, digits, - and _, at most 60.")


def _path(name: str) -> Path:
    refuse_name(name)
    return folder() / f"{name}{_ENDING}"
