"""Published BERTs by name, fetched from a hub on this machine, and the ways it can fail."""

import shutil

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.models import hub as module
from course_lib.models.bert import Bert
from course_lib.models.shipped import load
from tests.models.hub_server import hub
from tests.models.small_berts import small_bert

NAME = "hub:course/bert"


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub") / "original"
    small_bert(["The", "bank", "by", "the", "River"]).save_pretrained(folder)
    return folder


@pytest.fixture
def server(original, tmp_path, monkeypatch, cache):
    """A hub with one repository, course/bert, whose files a test may change."""
    folder = tmp_path / "repository"
    shutil.copytree(original, folder)
    with hub({"course/bert": folder, "alone": folder}) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
        yield served


def fails(words):
    return pytest.raises(CourseError, match=words)


def same(first, second):
    numbers = zip(first.parameters(), second.parameters(), strict=True)
    return first.pieces.vocabulary == second.pieces.vocabulary and all(torch.equal(a, b) for a, b in numbers)


def test_a_second_load_asks_nobody_and_a_name_stays_its_revision(server, monkeypatch, capsys):
    revision, first = server.revision, load(NAME)
    assert f"{NAME}@{revision}" in capsys.readouterr().out
    assert same(first, Bert.from_pretrained(server.folders["course/bert"]))
    n_asked = len(server.asked)
    server.revision = "f" * 40  # the author publishes another one
    again = load(NAME)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    without = load(f"{NAME}@{revision}")
    assert len(server.asked) == n_asked
    assert same(first, again)
    assert same(first, without)
    assert module.fetched_names() == [NAME]
    with fails(r"could not be fetched from http.*Without a network course_lib.load has: hub:course/bert, bert-en"):
        load("hub:alone")


def test_a_name_without_an_owner_and_a_revision_of_one_s_choice(server):
    assert isinstance(load("hub:alone"), Bert)
    assert isinstance(load(f"{NAME}@{server.revision}"), Bert)
    with fails("could not be fetched.*RevisionNotFound"):
        load(f"{NAME}@{'e' * 40}")


def test_a_damaged_file_in_the_cache_is_deleted_and_fetched_again(server):
    load(NAME)
    path = next(module._cache().rglob("model.safetensors"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with fails(r"model\.safetensors is not what was published.*Load it again"):
        load(NAME)
    load(NAME)


BPE = '{"model": {"type": "BPE", "vocab": {}, "merges": []}}'


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"), "no model.safetensors"),
        (lambda folder: (folder / "vocab.txt").unlink(), r"vocab\.txt cannot be read"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "roberta"}'), "computes 'bert' only"),
        (lambda folder: (folder / "tokenizer.json").write_text(BPE), "kind BPE"),
    ],
    ids=["pickle", "no vocabulary", "another kind", "another tokenizer"],
)
def test_what_cannot_be_used_is_refused_before_its_weights_are_fetched(change, words, server):
    change(server.folders["course/bert"])
    with fails(words):
        load(NAME)
    assert not {"model.safetensors", "pytorch_model.bin"} & {*server.asked}


def test_names_that_are_none(server):
    with fails("could not be fetched.*RepositoryNotFound"):
        load("hub:course/other")
    for name in ("hub:", "hub:a/b/c", "hub:../x", "hub:a--b", f"{NAME}@main", "hub:x y"):
        with fails("is no name of a model"):
            load(name)
    assert server.asked == []
