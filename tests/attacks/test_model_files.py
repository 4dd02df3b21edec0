"""Spoilt models: configurations and word lists that lie under right checksums, for every kind that is saved."""

import contextlib
import json
import random

import numpy as np
import pytest
import torch

from course_lib import checkpoints
from course_lib.errors import CourseError
from course_lib.models.cove import CoVe, CoVeConfig
from course_lib.models.encoder import ContextEncoder, RandomEncoder, StaticVectors
from course_lib.models.heads import load_head
from course_lib.models.review_words import ReviewWords
from course_lib.models.shipped import load
from course_lib.models.transformer import Translator
from course_lib.models.unknown_vectors import UnknownVectors
from course_lib.models.word_vectors import WordVectors
from course_lib.text.pieces import Pieces
from tests.attacks.law import TIMES
from tests.attacks.spoilers import spoil_bytes, spoil_json
from tests.attacks.test_checkpoint_files import forge
from tests.models.awd_lstms import small_awd_lstm
from tests.models.bilms import small_bilm
from tests.models.head_samples import build
from tests.models.small_berts import small_bert
from tests.models.small_transformers import small_config, small_lm

pytestmark = pytest.mark.slow

WORDS = ["the", "bank", "paid", "mud", "배", "."]
TABLE = torch.arange(30.0).reshape(6, 5)
MODELS = {
    "static": (lambda: StaticVectors(WORDS, TABLE), load),
    "unknown": (lambda: UnknownVectors(WORDS, TABLE, unknown="classes"), load),
    "random": (lambda: RandomEncoder(6, n_layers=1, buckets=97), load),
    "bilm": (lambda: small_bilm(WORDS), load),
    "bilm of characters": (lambda: small_bilm(WORDS, characters=True), load),
    "awd-lstm": (lambda: small_awd_lstm(["<unk>", *WORDS]), load),
    "left-to-right": (lambda: small_lm(WORDS, bpe=True, positions="learned"), load),
    "cove": (lambda: CoVe(WORDS, TABLE, CoVeConfig(dim=5, hidden=3)), load),
    "bert": (lambda: small_bert(WORDS, max_units=29), load),
    "head": (lambda: build("static", "bilstm"), load_head),
    "translator": (lambda: Translator(small_config(), Pieces.words([WORDS])), Translator.load),
    "word vectors": (lambda: WordVectors(WORDS, TABLE), WordVectors.load),
    "reviews": (lambda: ReviewWords(["good", "bad"], np.array([1.0, -1.0]), 0.5, ("neg", "pos")), ReviewWords.load),
}
EACH = 18


def use(model) -> None:
    """A model that was read can be used."""
    if isinstance(model, ContextEncoder):
        with contextlib.suppress(CourseError):  # room for one piece, say: a small model, not a fault
            model.encode([["the", "bank"], ["mud"]])
    elif isinstance(model, ReviewWords):
        assert set(model.predict(["good", "worst"])) <= set(model.labels)
    elif isinstance(model, WordVectors):
        model.neighbours(model.words[0], 2)


@pytest.mark.parametrize("name", MODELS)
def test_spoilt_models(law, tmp_path, name):
    make, read = MODELS[name]
    folder, chance = tmp_path / "model", random.Random(f"models {name}")
    make().save(folder)
    whole = {path: path.read_bytes() for path in folder.iterdir()}
    header = json.loads(whole[folder / "config.json"])
    texts = [file for file in header["files"] if file != "model.safetensors"]

    def right(model):
        use(model)
        return True

    for number in range(EACH * TIMES):
        file = chance.choice([None, None, *texts])
        if file is None:
            lost = chance.choice(list(header["config"]))
            config = {name: value for name, value in header["config"].items() if name != lost}
            what, text = f"without {lost}", json.dumps(header | {"config": config})
        else:
            path = folder / file
            if path.suffix == ".json" and chance.random() < 0.7:
                what, content = spoil_json(chance, json.loads(whole[path]))
                content = content.encode()
            else:
                what, content = spoil_bytes(chance, whole[path])
            path.write_bytes(content)
            text = json.dumps(header | {"files": header["files"] | {file: checkpoints._fingerprint(content)}})
        forge(folder, text)
        law.hold(f"{number} {file or 'config'}: {what}", folder, lambda: read(folder), right)
        for path, content in whole.items():
            path.write_bytes(content)
    law.judge(EACH * TIMES)
