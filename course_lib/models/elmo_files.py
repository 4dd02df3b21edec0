"""ELMo's published files into a BiLM: options as JSON, weights as HDF5, the layout of bilm-tf and AllenNLP.

Source: allenai/bilm-tf (bilm/training.py, dump_weights and what the options mean; bilm/model.py) and allenai/allennlp
(modules/elmo.py, modules/elmo_lstm.py, modules/lstm_cell_with_projection.py). What differs between file and PyTorch:

    matrices      the file has [in, out], PyTorch [out, in]
    characters    the file has no row for "no word": a row of zeros goes before it
    highway       the file's gate weighs the transformed part, ours the carried one: opposite sign
    LSTM gates    the file has input, new, forget, output, PyTorch input, forget, new, output
    forget bias   TensorFlow adds 1 to it while it runs; here it is in the bias
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from course_lib.checkpoints import load_weights, rebuilding
from course_lib.errors import CourseError
from course_lib.files import given_path, read_json
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.text.elmo_bytes import ElmoBytes
from course_lib.text.vocabulary import Vocabulary

N_ROWS = len(ElmoBytes()) - 1  # character vectors in a file of weights: without that of id 0
Take = Callable[..., np.ndarray]  # (name, *shapes): the numbers called so, as float32, of one of these shapes


def load_elmo(options: str | Path, weights: str | Path) -> BiLM:
    """The biLM of files such as elmo_2x4096_512_2048cnn_2xhighway_{options.json, weights.hdf5}, in eval mode.

    It gives the layers of AllenNLP's `_ElmoBiLm`, each sentence read from a zero state (AllenNLP keeps the state from
    batch to batch). The files hold no softmax: it encodes, but cannot predict.
    """
    config, path = elmo_config(options), given_path(weights)
    try:
        import h5py
    except ImportError:
        raise CourseError(
            f"{path} is an HDF5 file; h5py, which reads such files, is not installed. Install it: pip install h5py"
        ) from None
    sets: dict[str, Any] = {}

    def take(name: str, *shapes: tuple[int, ...]) -> np.ndarray:
        found = sets.pop(name)
        if found.shape not in shapes:  # before it is read into memory
            raise ValueError(f"{name!r} is of shape {found.shape}, the options ask for {shapes}")
        if not np.isfinite(array := found[()].astype(np.float32)).all():
            raise ValueError(f"{name!r} holds NaN or infinity")
        return array

    with rebuilding(path, f"biLM such as {options} describes", {}):
        with h5py.File(path, "r") as file:
            file.visititems(lambda name, found: sets.update({name: found}) if isinstance(found, h5py.Dataset) else None)
            tensors = {name: torch.from_numpy(array) for name, array in _tensors(take, config)}
        if more := [name for name in sets if name.startswith(("CNN", "RNN_"))]:
            raise ValueError(f"the options say nothing of {more[0]!r}")
    model = BiLM(config, Vocabulary(SPECIALS, unknown=UNKNOWN), ElmoBytes())
    load_weights(model, tensors, source=path)
    return model.eval()


def elmo_config(options: str | Path) -> BiLMConfig:
    """The sizes that an options file states."""
    found = read_json(given_path(options), "Fetch ELMo's options file again.")
    with rebuilding(options, "biLM of ELMo", {}):
        lstm, cnn = found["lstm"], found["char_cnn"]
        allowed = [  # of what changes the network, the values that all published models have
            (lstm, "use_skip_connections", (True,)),
            (lstm, "proj_clip", (lstm["cell_clip"],)),
            (cnn, "activation", ("relu",)),
            (cnn, "max_characters_per_token", (ElmoBytes.max_length,)),
            (cnn, "n_characters", (N_ROWS, N_ROWS + 1)),
        ]
        for table, name, values in allowed:
            if table[name] not in values:
                raise ValueError(f"{name} is {table[name]!r}; it must be {' or '.join(map(repr, values))}")
        projection, filters = lstm["projection_dim"], tuple((width, count) for width, count in cnn["filters"])
        characters = CharCNNConfig(len(ElmoBytes()), cnn["embedding"]["dim"], filters, cnn["n_highway"], projection)
        clip = None if lstm["cell_clip"] is None else float(lstm["cell_clip"])
        shape = {"softmax": None, "characters": characters, "clip": clip}
        return BiLMConfig(len(SPECIALS), projection, lstm["dim"], lstm["n_layers"], **shape)


def _tensors(take: Take, config: BiLMConfig) -> Iterator[tuple[str, np.ndarray]]:
    """The weights under our names, in our order."""
    cnn = config.characters
    n_filters = sum(count for _, count in cnn.filters)
    # a model trained with 262 characters has one row more, which no byte and no mark means
    rows = take("char_embed", (N_ROWS, cnn.char_dim), (N_ROWS + 1, cnn.char_dim))[:N_ROWS]
    yield "token.cnn.char_embedding.weight", np.concatenate([np.zeros_like(rows[:1]), rows])
    for i, (width, count) in enumerate(cnn.filters):
        windows = take(f"CNN/W_cnn_{i}", (1, width, cnn.char_dim, count))[0]
        yield f"token.cnn.convolutions.{i}.weight", windows.transpose(2, 1, 0)
        yield f"token.cnn.convolutions.{i}.bias", take(f"CNN/b_cnn_{i}", (count,))
    for i in range(cnn.n_highway):
        for part, sign in (("transform", 1), ("carry", -1)):
            ours, theirs = f"token.cnn.highways.{i}.{part}", f"CNN_high_{i}/"
            yield f"{ours}.weight", sign * take(f"{theirs}W_{part}", (n_filters, n_filters)).T
            yield f"{ours}.bias", sign * take(f"{theirs}b_{part}", (n_filters,))
    yield "token.cnn.projection.weight", take("CNN_proj/W_proj", (n_filters, config.projection)).T
    yield "token.cnn.projection.bias", take("CNN_proj/b_proj", (config.projection,))
    for number, direction in enumerate(("forward", "backward")):
        for layer in range(config.n_layers):
            theirs = f"RNN_{number}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/"
            for name, array in _lstm(take, theirs, config.projection, config.hidden):
                yield f"lstms.{direction}_lstm.layers.{layer}.{name}", array


def _lstm(take: Take, place: str, projection: int, hidden: int) -> Iterator[tuple[str, np.ndarray]]:
    matrix = _torch_order(take(f"{place}W_0", (2 * projection, 4 * hidden))).T
    bias = _torch_order(take(f"{place}B", (4 * hidden,)))
    bias[hidden : 2 * hidden] += 1  # the forget gate's
    yield "weight_ih_l0", matrix[:, :projection]
    yield "weight_hh_l0", matrix[:, projection:]
    yield "bias_ih_l0", bias
    yield "bias_hh_l0", np.zeros_like(bias)  # PyTorch adds two biases, the file has one
    yield "weight_hr_l0", take(f"{place}W_P_0", (hidden, projection)).T


def _torch_order(gates: np.ndarray) -> np.ndarray:
    """Input, new, forget, output -> input, forget, new, output, along the last axis."""
    take, new, forget, show = np.split(gates, 4, axis=-1)
    return np.concatenate([take, forget, new, show], axis=-1)
