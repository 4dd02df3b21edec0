"""Spoilt folders in the Hugging Face layout: nothing in them has a checksum, so what is read is looked at."""

import json
import os
import random

import pytest

from course_lib.models.bert import Bert
from tests.attacks.spoilers import FOREIGN, spoil_bytes, spoil_json
from tests.models.small_berts import small_bert

pytestmark = pytest.mark.slow

EACH = {"config.json": 55, "vocab.txt": 35, "tokenizer_config.json": 25, "tokenizer.json": 55, "model.safetensors": 35}


@pytest.fixture
def folder(tmp_path):
    small_bert(["the", "bank"], max_units=29).save_pretrained(tmp_path / "bert")
    return tmp_path / "bert"


def works(model) -> bool:
    """A network of the file's size that reads a sentence."""
    if model.config.max_units >= 7 and model.config.layer_norm_eps < 1:
        (vectors,) = model.encode([["the", "bank"]])
        assert vectors.shape == (model.config.n_layers + 1, 2, model.config.d_model)
    return sum(p.numel() for p in model.parameters()) < 20_000


@pytest.mark.parametrize("name", EACH)
def test_spoilt_files(law, folder, name):
    chance, path = random.Random(f"published {name}"), folder / name
    if name == "tokenizer.json":
        import transformers

        transformers.BertTokenizer.from_pretrained(folder).save_pretrained(folder)
        (folder / "vocab.txt").unlink()
    whole = path.read_bytes()

    def spoil(number):
        if number < len(FOREIGN):
            return list(FOREIGN.items())[number]
        number -= len(FOREIGN)
        if path.suffix == ".json" and number % 4:
            return spoil_json(chance, json.loads(whole))
        return spoil_bytes(chance, whole)

    law.attack(len(FOREIGN) + EACH[name], path, spoil, lambda: Bert.from_pretrained(folder), works)


@pytest.mark.parametrize("name", ["config.json", "vocab.txt", "tokenizer_config.json"])
def test_what_would_fill_the_memory_is_refused_by_its_size(law, folder, name):
    os.truncate(folder / name, 17 << 20)
    law.hold("too large", folder, lambda: Bert.from_pretrained(folder), lambda found: False)
    law.judge(1)
