"""ELMo's published files: the numbers of the layout written out in numpy, and every fault of a file."""

import copy
import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from course_lib.errors import CourseError
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.elmo_files import elmo_config, load_elmo
from course_lib.models.lstm_lm import SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.models.shipped import load
from course_lib.text.elmo_bytes import ElmoBytes
from course_lib.text.vocabulary import Vocabulary
from tests.models.battery import EncoderBattery
from tests.models.elmo_layout import OPTIONS, forward, random_weights, shapes, write

SENTENCES = [
    ["She", "paid", "her", "wages", "in", "at", "the"],
    ["배", "가", "바다", "에", "떠", "있다"],
    ["a"],
    ["🙂", "x" * 47, "x" * 48, "x" * 49, "한" * 17],  # 48 bytes fit; the 17th syllable would end at byte 51
]
CELL = "RNN_1/RNN/MultiRNNCell/Cell1/LSTMCell"
PUBLISHED = """{"lstm": {"use_skip_connections": true, "projection_dim": 512, "cell_clip": 3, "proj_clip": 3,
"dim": 4096, "n_layers": 2}, "char_cnn": {"activation": "relu", "filters": [[1, 32], [2, 32], [3, 64], [4, 128],
[5, 256], [6, 512], [7, 1024]], "n_highway": 2, "embedding": {"dim": 16}, "n_characters": 262,
"max_characters_per_token": 50}}"""


def changed(**changes):
    """OPTIONS with some entries changed: lstm__dim=7 is options["lstm"]["dim"] = 7."""
    options = copy.deepcopy(OPTIONS)
    for name, value in changes.items():
        section, entry = name.split("__")
        options[section][entry] = value
    return options


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (OPTIONS, 261),
        (OPTIONS, 262),  # one more character row is not read
        (changed(lstm__cell_clip=None, lstm__proj_clip=None), 261),
        (changed(lstm__n_layers=3, char_cnn__n_highway=1, char_cnn__n_characters=261), 261),
    ],
    ids=["clipped", "one row more", "free", "other depths"],
)
def test_a_loaded_model_computes_what_the_layout_says(tmp_path, options, rows, monkeypatch):
    weights = random_weights(options=options, rows=rows)
    paths = write(tmp_path, weights, options)
    monkeypatch.setenv("HOME", str(tmp_path))
    model = load_elmo(*(f"~/{path.relative_to(tmp_path)}" for path in paths))
    assert not model.training
    # together and alone: padding must not matter
    for words, found in zip(SENTENCES, model.encode(SENTENCES, batch_size=3), strict=True):
        np.testing.assert_allclose(found, forward(words, weights, options), rtol=0, atol=1e-5)


class TestLoaded(EncoderBattery):
    @pytest.fixture
    def encoder(self, tmp_path):
        return load_elmo(*write(tmp_path, random_weights()))


def test_the_published_options_give_the_papers_sizes(tmp_path):
    (tmp_path / "options.json").write_text(PUBLISHED)
    config = elmo_config(tmp_path / "options.json")
    assert config == replace(BiLMConfig.paper(2), characters=CharCNNConfig.paper(), softmax=None, clip=3.0)
    with torch.device("meta"):
        model = BiLM(config, Vocabulary(SPECIALS, unknown=UNKNOWN), ElmoBytes())
    second_biases = 4 * 4 * 4096  # PyTorch has two per LSTM, the file one
    assert sum(p.numel() for p in model.parameters()) - second_biases - 16 == sum(
        int(np.prod(shape)) for shape in shapes(json.loads(PUBLISHED)).values()
    )
    assert model.dims == (1024, 1024, 1024)


@pytest.mark.parametrize(
    ("section", "entry", "value", "says"),
    [
        ("lstm", "use_skip_connections", False, "use_skip_connections is False; it must be True"),
        ("lstm", "cell_clip", 3, "proj_clip is 0.4; it must be 3"),
        ("char_cnn", "activation", "tanh", "activation is 'tanh'; it must be 'relu'"),
        ("char_cnn", "n_characters", 300, "n_characters is 300; it must be 261 or 262"),
        ("char_cnn", "embedding", {}, "KeyError.'dim'"),
    ],
)
def test_options_that_are_not_elmos_are_named(tmp_path, section, entry, value, says):
    paths = write(tmp_path, {}, changed(**{f"{section}__{entry}": value}))
    with pytest.raises(CourseError, match=rf"options\.json does not hold a biLM of ELMo.*{says}"):
        load_elmo(*paths)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({f"{CELL}/B": np.zeros(42, "f4")}, "/B' is of shape .42,., the options ask for"),
        ({f"{CELL}/B": np.full(44, np.nan, "f4")}, "/B' holds NaN"),
        ({f"{CELL}/B/inside": np.zeros(44, "f4")}, "RNN_1.*/B'"),
        ({"RNN_0/RNN/MultiRNNCell/Cell2/LSTMCell/B": np.zeros(44, "f4")}, "say nothing of 'RNN_0.*Cell2"),
    ],
)
def test_data_sets_that_do_not_belong_are_named(tmp_path, changes, says):
    weights = {name: array for name, array in random_weights().items() if f"{name}/inside" not in changes}
    with pytest.raises(CourseError, match=rf"weights\.hdf5 does not hold .*options\.json describes.*{says}"):
        load_elmo(*write(tmp_path, {**weights, **changes}))


def test_a_folder_with_the_pair_of_files_is_loaded_by_its_name(tmp_path):
    options, path = write(tmp_path, random_weights())
    expected = load_elmo(options, path).encode(SENTENCES)
    for file in (options, path):
        file.rename(tmp_path / f"elmo_small_{file.name}")
    for found, other in zip(load(f"elmo:{tmp_path}").encode(SENTENCES), expected, strict=True):
        np.testing.assert_array_equal(found, other)


def test_missing_files_and_a_missing_h5py_are_named(tmp_path, monkeypatch):
    options, path = write(tmp_path, random_weights())
    with pytest.raises(CourseError, match=r"options\.json cannot be read: No such file"):
        load(f"elmo:{tmp_path / 'none'}")
    with pytest.raises(CourseError, match=r"none\.hdf5 does not hold.*No such file"):
        load_elmo(options, tmp_path / "none.hdf5")
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(CourseError, match=r"weights\.hdf5 is an HDF5 file.*pip install h5py"):
        load_elmo(options, path)
