"""Published BERTs by name: fetched from a hub on this machine; every way it can fail."""

import shutil
import socket

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
    first = load(NAME)
    assert f"{NAME}@{server.revision}" in capsys.readouterr().out
    assert same(first, Bert.from_pretrained(server.folders["course/bert"]))
    n_asked = len(server.asked)
    server.revision = "f" * 40  # the author publishes another one
    again = load(NAME)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    without = load(f"{NAME}@{'0123456789abcdef' * 2}01234567")
    assert len(server.asked) == n_asked
    assert same(first, again)
    assert same(first, without)
    assert module.fetched_names() == [NAME]


def test_a_name_without_an_owner_and_a_revision_of_one_s_choice(server):
    assert isinstance(load("hub:alone"), Bert)
    assert isinstance(load(f"{NAME}@{server.revision}"), Bert)
    assert module.fetched_names() == ["hub:alone"]  # a revision that was asked for is not what the name means
    with fails("no revision"):
        load(f"{NAME}@{'e' * 40}")


@pytest.mark.parametrize("both", [False, True])
def test_a_tokenizer_json_stands_for_the_list_of_pieces(server, both):
    import transformers

    folder, pieces = server.folders["course/bert"], Bert.from_pretrained(server.folders["course/bert"]).pieces
    transformers.BertTokenizer.from_pretrained(folder).save_pretrained(folder)
    if not both:
        (folder / "vocab.txt").unlink()
    found = load(NAME).pieces
    assert (found.vocabulary, found.lowercase) == (pieces.vocabulary, pieces.lowercase)
    assert {file for file, _ in server.asked} >= {"tokenizer.json"}


def test_a_broken_connection_goes_on_where_it_broke(server, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 1_000)
    server.cut, server.breaks = {"model.safetensors": 3_001}, 2
    load(NAME)
    starts = [start for file, start in server.asked if file == "model.safetensors"]
    assert starts == [0, 3_000, 6_000]


def test_a_download_that_was_given_up_goes_on_in_the_next_call(server):
    content = (server.folders["course/bert"] / "model.safetensors").read_bytes()
    whole = module._cache() / "course--bert" / server.revision
    whole.mkdir(parents=True)
    (whole / "model.safetensors.part").write_bytes(content[: len(content) // 2])  # what a killed process leaves behind
    load(NAME)
    assert next(start for file, start in server.asked if file == "model.safetensors") == len(content) // 2
    assert not list(whole.glob("*.part"))


def test_no_network_says_what_works_without_one(server, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    load("hub:alone")
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{port}")
    with fails(r"could not be fetched from http.*Without a network course_lib.load has: hub:alone, bert-en"):
        load(NAME)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"lies": {"model.safetensors": (None, "a" * 64)}}, "is not what was published"),
        ({"lies": {"model.safetensors": (100, None)}}, "should have 100"),
        ({"lies": {"model.safetensors": (10**6, None)}}, "of 1000000"),
        ({"missing": {"model.safetensors"}}, r"model\.safetensors .*404"),
        ({"cut": {"model.safetensors": 0}, "breaks": 100}, r"\(0 of \d+ bytes are here\) could not be fetched"),
    ],
    ids=["wrong hash", "larger than said", "smaller than said", "listed and not there", "a connection that breaks"],
)
def test_a_file_that_is_not_as_published_is_refused_until_it_is(fault, words, server):
    honest = {name: getattr(server, name) for name in fault}
    vars(server).update(fault)
    with fails(words):
        load(NAME)
    vars(server).update(honest)
    load(NAME)


def test_a_damaged_file_in_the_cache_is_named(server):
    load(NAME)
    path = next(module._cache().rglob("model.safetensors"))
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with fails(r"model\.safetensors is not what was published.*Delete the folder"):
        load(NAME)
    shutil.rmtree(path.parent)
    load(NAME)


@pytest.mark.parametrize(
    ("change", "words", "fetched"),
    [
        (
            lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
            r"no model\.safetensors: only pytorch_model\.bin, which may hold code",
            set(),
        ),
        (lambda folder: (folder / "vocab.txt").unlink(), r"has no vocab\.txt", set()),
        (
            lambda folder: (folder / "config.json").write_text('{"model_type": "roberta"}'),
            "Bert computes 'bert' only",
            {"config.json"},
        ),
        (
            lambda folder: (folder / "tokenizer.json").write_text('{"model": {"type": "BPE", "vocab": {}}}'),
            "of the kind BPE",
            {"config.json", "vocab.txt", "tokenizer.json", "tokenizer_config.json"},
        ),
    ],
    ids=["pickle", "no vocabulary", "another kind", "another tokenizer"],
)
def test_what_cannot_be_used_is_refused_before_its_weights_are_fetched(change, words, fetched, server):
    change(server.folders["course/bert"])
    with fails(words):
        load(NAME)
    assert {file for file, _ in server.asked} == fetched


def test_names_that_are_none(server):
    with fails("There is no open model course/other"):
        load("hub:course/other")
    for name in ("hub:", "hub:a/b/c", "hub:../x", "hub:a--b", f"{NAME}@main", "hub:x y"):
        with fails("is no name of a model"):
            load(name)
    assert server.asked == []
