"""The checkpoint format: what is stored comes back, whatever is wrong is said, and no moment leaves nothing."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import filelock
import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course_lib.checkpoints import load_checkpoint, load_weights, read_tensors, rebuilding, save_checkpoint
from course_lib.errors import CourseError
from course_lib.files import lock

TENSORS = {
    "weight": torch.arange(15, dtype=torch.float32).reshape(3, 5) / 7,
    "ids": torch.tensor([2**40, -1]),
    "mask": torch.tensor([True, False]),
    "scale": torch.tensor(0.5),
    "nothing": torch.zeros(0, 7),
}


@pytest.fixture
def folder(tmp_path):
    folder, files = tmp_path / "bert-en", {"vocab.txt": "가\nb\n"}
    config = {"hidden": 5, "paper": None}
    save_checkpoint(folder, kind="bert", config=config, tensors=TENSORS, files=files)
    return folder


def listed(folder):
    return sorted(entry.name for entry in folder.iterdir())


def rewrite(folder, **changes):
    """Change what the header says."""
    path = folder / "model.safetensors"
    stored, metadata = read_tensors(path, "")
    about = json.loads(metadata["course"]) | changes
    safetensors.torch.save_file(stored, path, {"course": json.dumps(about)})


def test_all_comes_back(folder):
    loaded = load_checkpoint(folder)
    assert (loaded.kind, loaded.config) == ("bert", {"hidden": 5, "paper": None})
    assert loaded.files == {"vocab.txt": "가\nb\n"}
    assert loaded.tensors.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        torch.testing.assert_close(loaded.tensors[name], tensor, rtol=0, atol=0)  # their types and shapes, too
    assert listed(folder) == ["model.safetensors"]


PLAIN = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@settings(max_examples=40)  # each is written to the disk
@given(st.dictionaries(st.text(), PLAIN))
def test_any_configuration_comes_back(tmp_path_factory, config):
    folder = tmp_path_factory.mktemp("any") / "x"
    save_checkpoint(folder, kind="x", config={10: (1, 2), "any": config}, tensors={})
    assert load_checkpoint(folder).config == {"10": [1, 2], "any": config}  # as JSON has integer keys and tuples


def test_half_is_float16_on_disk_and_float32_in_memory(tmp_path):
    save_checkpoint(tmp_path / "x", kind="x", config={}, tensors=TENSORS, half=True)
    assert safetensors.torch.load_file(tmp_path / "x" / "model.safetensors")["weight"].dtype == torch.float16
    loaded = load_checkpoint(tmp_path / "x").tensors
    assert torch.equal(loaded["weight"], TENSORS["weight"].half().float())
    assert torch.equal(loaded["ids"], TENSORS["ids"])
    forbidden = {"score": torch.tensor([-torch.inf])}
    save_checkpoint(tmp_path / "x", kind="x", config={}, tensors=forbidden, half=True)
    assert torch.equal(load_checkpoint(tmp_path / "x").tensors["score"], forbidden["score"])


def test_tied_weights_are_stored_once_and_views_apart(tmp_path):
    table = torch.randn(211, 31)
    tensors = {"embedding": table, "output": table, "turned": table.T, "row": table[3]}
    save_checkpoint(tmp_path / "x", kind="x", config={}, tensors=tensors)
    stored = safetensors.torch.load_file(tmp_path / "x" / "model.safetensors")
    assert set(stored) == {"embedding", "turned", "row"}
    loaded = load_checkpoint(tmp_path / "x").tensors
    assert all(torch.equal(loaded[name], tensors[name]) for name in tensors)


def content(content):
    return lambda folder: (folder / "model.safetensors").write_bytes(content)


DAMAGE = {
    "no folder": (lambda f: f.rename(f.with_name("gone")), "is missing: there is no such folder"),
    "no tensors": (lambda f: (f / "model.safetensors").unlink(), "is missing: the folder is there"),
    "empty": (content(b""), "is not a readable safetensors file"),
    "huge": (content((200 << 20).to_bytes(8, "little") + b"{}"), "is not a readable safetensors file"),
    "pickle": (content(b"\x80\x04pickle"), "is not a readable safetensors file.*Delete the folder"),
    "NaN": (content(safetensors.torch.save({"weight": torch.tensor([torch.nan])})), "holds NaN .* in weight"),
    "foreign": (content(safetensors.torch.save(TENSORS)), "is no checkpoint"),
    "no texts": (
        content((21).to_bytes(8, "little") + b'{"__metadata__":null}'),
        "no checkpoint that this course reads",
    ),
    "newer": (lambda f: rewrite(f, version=3), "of a format that is not version 2"),
    "no list": (lambda f: rewrite(f, files=None), "no proper entry 'files'"),
    "tie to nothing": (lambda f: rewrite(f, ties={"x": "y"}), "is no checkpoint.*'y'"),
    "encoding": (lambda f: rewrite(f, encodings={"weight": "int3"}), "unknown encoding int3"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named(folder, damage):
    do, message = DAMAGE[damage]
    do(folder)
    with pytest.raises(CourseError, match=rf"model\.safetensors.*{message}"):
        load_checkpoint(folder)


@pytest.mark.parametrize(
    ("number", "how", "says"),
    [
        (torch.nan, {}, "Nothing was written .* NaN .* in table"),
        (7e4, {"half": True}, "table holds numbers beyond float16.*half=False"),
        (torch.inf, {"int8": ["table"]}, "table holds infinity"),
        (torch.inf, {"int6": ["table"]}, "table holds infinity"),
    ],
)
def test_numbers_that_cannot_be_kept_are_not_written(folder, number, how, says):
    with pytest.raises(CourseError, match=says):
        save_checkpoint(folder, kind="x", config={}, tensors={"table": torch.tensor([[1.0, 2.0, number, 3.0]])}, **how)
    assert load_checkpoint(folder).kind == "bert"
    assert listed(folder.parent) == [folder.name]


def test_an_old_checkpoint_is_replaced_and_nothing_of_others(folder):
    (folder / "thesis.md").write_text("years of work")
    save_checkpoint(folder, kind="lm", config={}, tensors={})
    loaded = load_checkpoint(folder)
    assert (loaded.kind, loaded.files, loaded.tensors) == ("lm", {}, {})
    assert listed(folder) == ["model.safetensors", "thesis.md"]
    with pytest.raises(CourseError, match="Could not write"):
        save_checkpoint(folder / "thesis.md", kind="x", config={}, tensors={})
    (folder / "config.json").write_text("{}")
    with pytest.raises(CourseError, match=r"holds a model in another layout"):
        save_checkpoint(folder, kind="x", config={}, tensors={})
    assert load_checkpoint(folder).kind == "lm"


def test_no_network_is_built_that_is_larger_than_its_numbers():
    few, says = {"weight": torch.zeros(7)}, r"^here does not hold a net.*larger network"
    for build in (lambda: nn.Linear(10**4, 10**4), lambda: [nn.LayerNorm(1) for _ in range(10**9)]):
        with pytest.raises(CourseError, match=says), rebuilding("here", "net", few):
            build()
    with rebuilding("here", "net", few):
        nn.Linear(7, 1)


def test_load_weights_says_everything_before_it_touches():
    module = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5))
    before = {name: value.clone() for name, value in module.state_dict().items()}
    tensors = {name: value + 1 for name, value in before.items()}
    tensors["0.weight"] = torch.ones(5, 7)
    tensors["1.num_batches_tracked"] = torch.tensor(1.0)
    tensors["head.bias"] = tensors.pop("0.bias")
    with pytest.raises(CourseError) as error:
        load_weights(module, tensors, source="bert-en")
    told = ("in bert-en do not fit", "missing: 0.bias", "known to the model: head.bias", "0.weight [5, 7] instead of")
    assert [says for says in (*told, "1.num_batches_tracked torch.float32") if says not in str(error.value)] == []
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())
    other = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5))
    with pytest.raises(CourseError, match=r"not known to the model: a0, a1, a2, a3 and 7 more\."):
        load_weights(other, before | {f"a{i}": torch.ones(()) for i in range(11)}, source="x")
    load_weights(other, before, source="x")
    torch.testing.assert_close(other.state_dict(), before, rtol=0, atol=0)


SAVER = """
import sys, torch
from course_lib.checkpoints import save_checkpoint
for _ in range(40):
    save_checkpoint(sys.argv[1], kind="1", config={}, tensors={"weight": torch.full((1009,), 1.0)})
"""


def test_two_savers_and_a_reader_at_once(tmp_path):
    """Another process saves while this one saves and reads."""
    folder, seen, n = tmp_path / "x", set(), 0
    with subprocess.Popen([sys.executable, "-c", SAVER, str(folder)]) as other:
        while other.poll() is None or not n:
            if n % 5 == 0:
                save_checkpoint(folder, kind="2", config={}, tensors={"weight": torch.full((1009,), 2.0)})
            loaded, n = load_checkpoint(folder), n + 1
            assert set(loaded.tensors["weight"].tolist()) == {float(loaded.kind)}
            seen.add(loaded.kind)
    assert (other.returncode, seen) == (0, {"1", "2"})
    assert listed(folder) == ["model.safetensors"]


@pytest.mark.parametrize("how", [{"int8": ["table"]}, {"int6": ["table"]}])  # six bits do not fit a dim of 7
def test_int8_rows_are_off_by_at_most_half_a_step(tmp_path, how):
    table = torch.randn(13, 7) * torch.logspace(-3, 3, 13)[:, None]
    table[5] = 0
    save_checkpoint(tmp_path / "c", kind="k", config={}, tensors={"table": table, "bias": table[0]}, **how)
    tensors = load_checkpoint(tmp_path / "c").tensors
    assert tensors.keys() == {"table", "bias"}
    assert ((tensors["table"] - table).abs().amax(1) <= table.abs().amax(1) / 253).all()
    assert tensors["bias"].equal(table[0])
    assert not tensors["table"].equal(table)


@pytest.mark.parametrize("size", [1e-30, 1e-12, 3e-5, 1e-4, 1e-3, 1.0, 1e5, 3e6, 1e30])
@pytest.mark.parametrize("dim", [4, 64, 100])
def test_six_bits_are_off_by_at_most_half_a_step_of_their_group(dim, size, tmp_path):
    table = torch.randn(13, dim) * size
    table[3, 32:] *= 1e-3 if size != 1 else 1
    table[5] = 0
    save_checkpoint(tmp_path / "c", kind="k", config={}, tensors={"table": table}, int6=["table"])
    again = load_checkpoint(tmp_path / "c").tensors["table"]
    for group, found in zip(table.split(32, 1), again.split(32, 1), strict=True):
        assert ((found - group).abs() <= group.abs().amax(1, keepdim=True) / 62 * 1.001).all()
    stored = (tmp_path / "c" / "model.safetensors").stat().st_size
    scale = 2 if size == 1 else 4  # bytes: of float16 where that is enough
    assert stored < 13 * (dim * 0.75 + scale * -(-dim // 32)) + 300


# -- locks of files.py; what else it promises is tested where it is used
def test_one_is_inside_and_the_other_waits(tmp_path):
    path = tmp_path / "x.lock"

    def enter():
        with lock(path, patience=0.1):
            return True

    with ThreadPoolExecutor() as other:
        with lock(path), pytest.raises(CourseError, match="Waited 0 s for another process that holds"):
            other.submit(enter).result()
        assert other.submit(enter).result()
    assert path.stat().st_mode & 0o777 == 0o666  # another account that shares the folder can lock it, too


@pytest.mark.parametrize("fault", [PermissionError, NotImplementedError])
def test_where_no_lock_can_be_nobody_waits(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(filelock.FileLock, "acquire", Mock(side_effect=fault))
    inside = []
    with lock(tmp_path / "x.lock", patience=0.1):
        inside.append(True)
    assert inside
