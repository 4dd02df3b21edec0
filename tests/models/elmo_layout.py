"""Small files in the layout of ELMo's published ones, and what they mean: a forward pass in numpy.

Nothing here is shared with course_lib. The layout follows bilm-tf, which wrote the files: ids without a shift, the
transform gate of the highway layers, gates in the order input, new, forget, output, 1 added to the forget gate.
"""

import json

import h5py
import numpy as np

OPTIONS = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 5,
        "cell_clip": 0.4,  # small, so that both clips matter
        "proj_clip": 0.4,
        "dim": 11,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 2], [3, 7], [4, 4]],
        "n_highway": 2,
        "embedding": {"dim": 3},
        "n_characters": 262,
        "max_characters_per_token": 50,
    },
}
BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, FILL = 256, 257, 258, 259, 260


def shapes(options: dict = OPTIONS, rows: int = 261) -> dict[str, tuple[int, ...]]:
    """Data set -> shape."""
    lstm, cnn = options["lstm"], options["char_cnn"]
    projection, cells, letter = lstm["projection_dim"], lstm["dim"], cnn["embedding"]["dim"]
    n_filters = sum(count for _, count in cnn["filters"])
    found = {
        "char_embed": (rows, letter),
        "CNN_proj/W_proj": (n_filters, projection),
        "CNN_proj/b_proj": (projection,),
    }
    for i, (width, count) in enumerate(cnn["filters"]):
        found |= {f"CNN/W_cnn_{i}": (1, width, letter, count), f"CNN/b_cnn_{i}": (count,)}
    for i in range(cnn["n_highway"]):
        for part in ("carry", "transform"):
            found |= {f"CNN_high_{i}/W_{part}": (n_filters, n_filters), f"CNN_high_{i}/b_{part}": (n_filters,)}
    for direction in range(2):
        for layer in range(lstm["n_layers"]):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            found |= {f"{cell}/W_0": (2 * projection, 4 * cells), f"{cell}/B": (4 * cells,)}
            found |= {f"{cell}/W_P_0": (cells, projection)}
    return found


def random_weights(**arguments) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(0)
    return {name: draw.normal(0, 0.7, shape).astype("f4") for name, shape in shapes(**arguments).items()}


def write(folder, weights, options=OPTIONS):
    """(options file, weights file)"""
    paths = folder / "options.json", folder / "weights.hdf5"
    paths[0].write_text(json.dumps(options))
    with h5py.File(paths[1], "w") as file:
        for name, array in weights.items():
            file[name] = array
    return paths


def forward(words: list[str], weights: dict, options: dict = OPTIONS) -> np.ndarray:
    """[layer, word, 2 * projection] for one sentence, in float64."""
    weights = {name: array.astype(float) for name, array in weights.items()}
    vectors = np.stack([_word(_letters(list(word.encode())), weights, options) for word in words])
    begin, end = (_word(_letters([mark]), weights, options)[None] for mark in (BEGIN_SENTENCE, END_SENTENCE))
    one_way = _stack(np.concatenate([begin, vectors]), "RNN_0", weights, options)
    other_way = _stack(np.concatenate([end, vectors[::-1]]), "RNN_1", weights, options)
    upper = [np.concatenate([a[1:], b[1:][::-1]], 1) for a, b in zip(one_way, other_way, strict=True)]
    return np.stack([np.concatenate([vectors, vectors], 1), *upper])


def _letters(inside: list[int]) -> list[int]:
    letters = [BEGIN_WORD, *inside[:48], END_WORD]
    return letters + [FILL] * (50 - len(letters))


def _word(letters, weights, options):
    places = weights["char_embed"][letters]
    features = []
    for i, (width, _) in enumerate(options["char_cnn"]["filters"]):
        kernel = weights[f"CNN/W_cnn_{i}"][0]
        windows = [np.einsum("wl,wlf->f", places[at : at + width], kernel) for at in range(50 - width + 1)]
        features.append(np.maximum(np.max(windows, 0) + weights[f"CNN/b_cnn_{i}"], 0))
    x = np.concatenate(features)
    for i in range(options["char_cnn"]["n_highway"]):
        gate = _sigmoid(x @ weights[f"CNN_high_{i}/W_carry"] + weights[f"CNN_high_{i}/b_carry"])
        new = np.maximum(x @ weights[f"CNN_high_{i}/W_transform"] + weights[f"CNN_high_{i}/b_transform"], 0)
        x = gate * new + (1 - gate) * x
    return x @ weights["CNN_proj/W_proj"] + weights["CNN_proj/b_proj"]


def _stack(inputs, name, weights, options):
    lstm, layers = options["lstm"], []
    for layer in range(lstm["n_layers"]):
        cell = {part: weights[f"{name}/RNN/MultiRNNCell/Cell{layer}/LSTMCell/{part}"] for part in ("W_0", "B", "W_P_0")}
        memory, state, outputs = np.zeros(lstm["dim"]), np.zeros(lstm["projection_dim"]), []
        for x in inputs:
            i, j, f, o = np.split(np.concatenate([x, state]) @ cell["W_0"] + cell["B"], 4)
            memory = _clip(_sigmoid(f + 1) * memory + _sigmoid(i) * np.tanh(j), lstm["cell_clip"])
            state = _clip((_sigmoid(o) * np.tanh(memory)) @ cell["W_P_0"], lstm["proj_clip"])
            outputs.append(state)
        inputs = np.stack(outputs) + (inputs if layer else 0)
        layers.append(inputs)
    return layers


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _clip(x, limit):
    return x if limit is None else np.clip(x, -limit, limit)
