"""The published BERT that ships: our class against transformers, and what rounding to six bits costs."""

import pytest
import torch

from course.recipes.minilm import package_folder
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.models.bert import Bert
from course_lib.models.shipped import SUMS, load, sums
from tests.models.test_bert_files import assert_equal_networks

NAME = "minilm-en"
TEXT = "She sat on the bank of the river."
# [CLS] of TEXT in the top layer, its first eight numbers: transformers on the published file, and ours as shipped
PUBLISHED = (0.21049, -0.10685, -0.17855, 0.23476, -0.1827, 0.14222, 0.03386, 0.14938)
SHIPPED = (0.23478, -0.11755, -0.19877, 0.20886, -0.1791, 0.09825, 0.05748, 0.13774)
TEXTS = [
    TEXT,
    "It closed; she put her savings, unbelievably, in the bank: 배가 고프다!",
    "Hi",
    "Ångström naïve 12,345.67 (e-mail@host) 😀 " * 9,
]


@pytest.fixture(scope="module")
def minilm() -> Bert:
    return load(NAME)


def first_numbers(bert):
    with torch.no_grad():
        return bert(bert.batch([TEXT]).ids["pieces"]).hidden_states[-1][0, 0, :8]


def test_equal_to_transformers(minilm, tmp_path):
    import transformers

    minilm.save_pretrained(tmp_path / "published")
    theirs = transformers.BertTokenizer.from_pretrained(tmp_path / "published")
    for text in TEXTS:
        assert minilm.batch([text]).ids["pieces"][0].tolist() == theirs(text)["input_ids"]
    model = transformers.BertForPreTraining.from_pretrained(tmp_path / "published", attn_implementation="eager").eval()
    assert_equal_networks(minilm, model)  # logits and loss, with the heads that were drawn


def test_its_numbers_are_the_stored_ones(minilm):
    found = first_numbers(minilm)
    torch.testing.assert_close(found, torch.tensor(SHIPPED), rtol=0, atol=1e-4)
    torch.testing.assert_close(found, torch.tensor(PUBLISHED), rtol=0, atol=0.05)  # six bits


def test_its_heads_are_fresh_and_it_says_so(minilm, tmp_path):
    assert minilm.fresh_heads == ("mlm", "nsp")
    with pytest.raises(CourseError, match=r"held no masked-LM head, so its guesses would be noise"):
        minilm.fill("a cup of [MASK]")
    minilm.save(tmp_path / "again", half=True)
    assert load(tmp_path / "again").fresh_heads == ("mlm", "nsp")
    assert load("bert-en").fresh_heads == ()


def test_its_licence_and_its_diet_are_beside_it():
    folder = data_dir("checkpoints") / NAME
    assert "Apache License" in (folder / "LICENSE.txt").read_text(encoding="utf-8")
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "Apache 2.0" in card
    assert "SQuAD" in card
    assert "1,170,060,424 pairs" in card


def test_all_that_ships_is_whole_and_small():
    folders = list(data_dir("checkpoints").glob("*/"))
    listed = (data_dir("checkpoints") / SUMS).read_text()
    assert listed == sums(data_dir("checkpoints")), "run: python -m course.recipes table"
    sizes = [sum(file.stat().st_size for file in folder.iterdir()) for folder in folders]
    assert max(sizes) <= 20e6
    assert sum(sizes) <= 50e6


@pytest.mark.skipif(package_folder() is None, reason="needs the package that the checkpoint is made from")
def test_the_package_is_what_was_packed(minilm):
    published = Bert.from_pretrained(package_folder())
    torch.testing.assert_close(first_numbers(published), torch.tensor(PUBLISHED), rtol=0, atol=1e-5)
    assert published.pieces.vocabulary == minilm.pieces.vocabulary
