"""Spoilt checkpoints of every kind that is saved: any byte, and any size, setting or text that the header says."""

import contextlib
import json
import os
import random

import numpy as np
import pytest
import safetensors.torch
import torch

from course.lab import heads_on_body
from course.lab.review_words import ReviewWords
from course_lib.checkpoints import META, TENSORS, load_checkpoint, read_tensors
from course_lib.errors import CourseError
from course_lib.models.cove import CoVe, CoVeConfig
from course_lib.models.elmo_files import load_elmo
from course_lib.models.encoder import ContextEncoder, RandomEncoder, StaticVectors
from course_lib.models.heads import SequenceClassifier, load_head
from course_lib.models.shipped import load
from course_lib.models.transformer import Translator
from course_lib.models.word_vectors import WordVectors
from course_lib.text.pieces import Pieces
from tests.attacks.spoilers import spoil_bytes, spoil_json
from tests.models.awd_lstms import small_awd_lstm
from tests.models.bilms import small_bilm
from tests.models.elmo_layout import random_weights, write
from tests.models.head_samples import build
from tests.models.small_berts import small_bert
from tests.models.small_transformers import small_config, small_lm

pytestmark = pytest.mark.slow

WORDS = ["the", "bank", "paid", "mud", "배", "."]
TABLE = torch.arange(30.0).reshape(6, 5)
MODELS = {
    "static": (lambda: StaticVectors(WORDS, TABLE), load),
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


def use(model) -> bool:
    """A model that was read can be used."""
    if isinstance(model, ContextEncoder):
        with contextlib.suppress(CourseError):  # room for one piece, say: a small model, not a fault
            model.encode([["the", "bank"], ["mud"]])
    elif isinstance(model, ReviewWords):
        assert set(model.predict(["good", "worst"])) <= set(model.labels)
    elif isinstance(model, WordVectors):
        model.neighbours(model.words[0], 2)
    return True


def spoil_header(chance, about):
    """What was done, and a header that is whole and says something else: an entry, a setting, or within a text."""
    if about["files"] and chance.random() < 0.4:
        name, text = chance.choice(list(about["files"].items()))
        if name.endswith(".json") and chance.random() < 0.7:
            what, text = spoil_json(chance, json.loads(text))
        else:
            what, content = spoil_bytes(chance, text.encode())
            text = content.decode(errors="replace")
        return f"{name}: {what}", json.dumps(about | {"files": about["files"] | {name: text}})
    return spoil_json(chance, about, chance.choice(((), ("config",), ("config",), ("encodings",), ("ties",))))


def attack(law, folder, name, read):
    """`read` the checkpoint in `folder`, whose bytes, header and texts are spoilt one after the other."""
    path, chance = folder / TENSORS, random.Random(f"models {name}")
    whole, (stored, metadata) = path.read_bytes(), read_tensors(path, "")
    about = json.loads(metadata[META])

    def spoil(number):
        if number % 3 == 0:
            return spoil_bytes(chance, whole)
        what, text = spoil_header(chance, about)
        return what, safetensors.torch.save(stored, {META: text.encode(errors="replace").decode()})

    law.attack(36, path, spoil, lambda: read(folder), use)


@pytest.mark.parametrize("name", MODELS)
def test_spoilt_models(law, tmp_path, name):
    make, read = MODELS[name]
    make().save(tmp_path / "model")
    attack(law, tmp_path / "model", name, read)


def test_spoilt_heads_on_a_body(law, tmp_path, monkeypatch):
    body = small_bert(WORDS, max_units=29)
    monkeypatch.setattr(heads_on_body, "load", lambda name: body)
    heads_on_body.save_heads(tmp_path / "heads", "small", {"sentence": SequenceClassifier(body, ["no", "yes"])})
    attack(law, tmp_path / "heads", "heads", heads_on_body.load_heads)


@pytest.mark.parametrize("spoilt", [0, 1])
def test_spoilt_files_of_elmo(law, tmp_path, spoilt):
    files, chance = write(tmp_path, random_weights()), random.Random(f"elmo {spoilt}")
    whole = files[spoilt].read_bytes()

    def spoil(number):
        return spoil_bytes(chance, whole) if spoilt or number % 2 else spoil_json(chance, json.loads(whole))

    law.attack(24, files[spoilt], spoil, lambda: load_elmo(*files), use)


def test_what_is_no_file(law, tmp_path):
    for number, make in enumerate((os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path))):
        folder = tmp_path / str(number)
        folder.mkdir()
        make(folder / TENSORS)
        law.hold(f"{number}", folder, lambda folder=folder: load_checkpoint(folder), lambda found: False)
    law.judge(3)
