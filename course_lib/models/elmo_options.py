"""The options file of ELMo's published models: what their sizes are, and whether our network is made for them.

Source: the files elmo_2x..._options.json; what they mean is in allenai/bilm-tf, bilm/training.py, and in
allenai/allennlp, modules/elmo.py.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from course_lib.errors import CourseError
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm_config import SPECIALS, BiLMConfig
from course_lib.text.elmo_bytes import ElmoBytes

N_ROWS = len(ElmoBytes()) - 1  # character vectors in a file of weights: without that of id 0
_LONGEST = 1 << 20  # bytes
# What an option must be, because the network is made for it
_FIXED = {
    "lstm.use_skip_connections": True,
    "char_cnn.activation": "relu",
    "char_cnn.max_characters_per_token": ElmoBytes.max_length,
}


def elmo_config(options: str | Path) -> BiLMConfig:
    """The sizes that an options file states. Raises CourseError for what is missing, senseless or not known here."""
    path = Path(options)
    found = _read_options(path)
    for name, needed in _FIXED.items():
        if (value := _option(found, name)) != needed or type(value) is not type(needed):
            raise CourseError(
                f"{path}: {name} is {json.dumps(value)}; only {json.dumps(needed)} is known here, which is what all "
                "published models have. Use the options file that belongs to one of them."
            )
    if (n_characters := _option(found, "char_cnn.n_characters")) not in (N_ROWS, N_ROWS + 1):
        raise _senseless(path, "char_cnn.n_characters", n_characters, f"{N_ROWS} or {N_ROWS + 1}")
    names = ("lstm.projection_dim", "lstm.dim", "lstm.n_layers", "char_cnn.embedding.dim", "char_cnn.n_highway")
    sizes = {name: _option(found, name) for name in names}
    for name, value in sizes.items():
        if type(value) is not int or value < 1:
            raise _senseless(path, name, value, "a whole number of 1 or more")
    projection, hidden, n_layers, char_dim, n_highway = sizes.values()
    if projection >= hidden:
        raise _senseless(path, "lstm.projection_dim", projection, f"less than lstm.dim = {hidden}")
    clips = [_option(found, name) for name in ("lstm.cell_clip", "lstm.proj_clip")]
    if clips[0] != clips[1] or not (clips[0] is None or (type(clips[0]) in (int, float) and 0 < clips[0] < math.inf)):
        raise _senseless(path, "lstm.cell_clip, lstm.proj_clip", clips, "the same number above 0, or both null")
    filters = _option(found, "char_cnn.filters")
    if not isinstance(filters, list) or not filters or not all(map(_is_filter, filters)):
        raise _senseless(path, "char_cnn.filters", filters, "a list of [width, number of filters]")
    cnn = CharCNNConfig(len(ElmoBytes()), char_dim, tuple(map(tuple, filters)), n_highway, projection)
    clip = None if clips[0] is None else float(clips[0])
    return BiLMConfig(len(SPECIALS), projection, hidden, n_layers, softmax=None, characters=cnn, clip=clip)


def _read_options(path: Path) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            found = json.loads(file.read(_LONGEST))
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. Check the name and its permissions.") from error
    except (ValueError, RecursionError) as error:
        raise CourseError(
            f"{path} is not readable JSON: {error}. Give ELMo's options file, or fetch it again."
        ) from error
    if not isinstance(found, dict):
        raise CourseError(f"{path} holds no JSON object. Give ELMo's options file, or fetch it again.")
    return found


def _option(options: dict[str, Any], name: str) -> Any:
    """options["a"]["b"] for "a.b"; None if it is not there."""
    value: Any = options
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _is_filter(pair: object) -> bool:
    if not isinstance(pair, list) or len(pair) != 2 or not all(type(size) is int and size >= 1 for size in pair):
        return False
    return pair[0] <= ElmoBytes.max_length  # a filter wider than a word would see nothing


def _senseless(path: Path, name: str, value: object, needed: str) -> CourseError:
    return CourseError(
        f"{path}: {name} is {json.dumps(value)[:80]}; it must be {needed}. "
        "Use the options file that belongs to the weights."
    )
