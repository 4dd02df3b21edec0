"""The checkpoint format: what is stored comes back, whatever is wrong is said, and no moment leaves nothing."""

import json
import subprocess
import sys
import textwrap
import time
from unittest.mock import Mock

import filelock
import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course_lib import checkpoints
from course_lib.checkpoints import load_checkpoint, load_weights, save_checkpoint
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
    save_checkpoint(folder, kind="bert", config=config, tensors=TENSORS, files=files, card="# Card")
    return folder


def listed(folder):
    return sorted(entry.name for entry in folder.iterdir())


def rewrite_header(folder, **changes):
    """Change config.json as a forger would: with a right checksum."""
    header = json.loads((folder / "config.json").read_text()) | changes
    header["checksum"] = checkpoints._checksum(header)
    (folder / "config.json").write_text(json.dumps(header))


def test_all_comes_back(folder):
    loaded = load_checkpoint(folder)
    assert (loaded.kind, loaded.config, loaded.card) == ("bert", {"hidden": 5, "paper": None}, "# Card")
    assert loaded.files == {"vocab.txt": folder / "vocab.txt"}
    assert loaded.files["vocab.txt"].read_bytes() == "가\nb\n".encode()
    assert loaded.tensors.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        torch.testing.assert_close(loaded.tensors[name], tensor, rtol=0, atol=0)  # their types and shapes, too
    assert listed(folder) == ["card.md", "config.json", "model.safetensors", "vocab.txt"]


PLAIN = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


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
    with pytest.raises(CourseError, match=r"large holds numbers beyond float16.*half=False"):
        save_checkpoint(tmp_path / "x", kind="x", config={}, tensors={"large": torch.tensor([7e4])}, half=True)
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


def flip(path):
    """Another digit or number near the end, so that the file can still be read."""
    data = bytearray(path.read_bytes())
    place = max(data.rfind(digit) for digit in b"0246") if path.suffix == ".json" else -3
    data[place] ^= 1
    path.write_bytes(data)


def config(content):
    return lambda folder: (folder / "config.json").write_bytes(content)


DAMAGE = {
    "no folder": (lambda f: f.rename(f.with_name("gone")), r"config\.json is missing: there is no such folder"),
    "no config": (lambda f: (f / "config.json").unlink(), r"config\.json is missing: the folder is there"),
    "no tensors": (lambda f: (f / "model.safetensors").unlink(), r"model\.safetensors is missing"),
    "cut": (lambda f: (f / "vocab.txt").write_text("b"), r"vocab\.txt ends after 1 of 6 bytes"),
    "longer": (lambda f: (f / "vocab.txt").write_text("1234567"), r"vocab\.txt has more than the 6 bytes"),
    "bit in tensors": (lambda f: flip(f / "model.safetensors"), r"model\.safetensors was damaged.*Delete the folder"),
    "bit in config": (lambda f: flip(f / "config.json"), r"config\.json was damaged or changed: its own checksum"),
    "cut config": (config(b'{"format": '), r"config\.json is not readable JSON"),
    "not text": (config(b"\xff\xfe\xfd"), r"config\.json is not readable JSON"),
    "deep": (config(b"[" * 10**5), r"config\.json is not readable JSON"),
    "NaN": (config(b'{"x": NaN}'), r"it holds the number NaN"),
    "foreign": (config(b'{"model_type": "bert"}'), r"Hugging Face.*from_pretrained"),
    "a list": (config(b"[3]"), r"was not written by this course\. Give"),
    "newer": (lambda f: rewrite_header(f, version=2), r"format version 2, this course reads version 1\. Update"),
    "escape": (
        lambda f: rewrite_header(f, files={"../x": {"sha256": "", "bytes": 0}}),
        r"names files outside its folder: \.\./x\. Do not use",
    ),
    "no list": (lambda f: rewrite_header(f, files=None), r"has no proper entry 'files'"),
    "no model listed": (lambda f: rewrite_header(f, files={}), r"does not list model\.safetensors"),
    "no size": (lambda f: rewrite_header(f, files={"model.safetensors": "abc"}), r"lists a file without its size"),
    "tie to nothing": (lambda f: rewrite_header(f, ties={"x": "y"}), r"not a readable safetensors file: 'y'"),
    "encoding": (lambda f: rewrite_header(f, encodings={"weight": "int3"}), r"unknown encoding int3"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_named(folder, damage):
    do, message = DAMAGE[damage]
    do(folder)
    with pytest.raises(CourseError, match=message):
        load_checkpoint(folder)


def store_tensor_file(folder, content):
    """A model.safetensors that is wrong in itself, with the right size and hash."""
    (folder / "model.safetensors").write_bytes(content)
    rewrite_header(folder, files={"model.safetensors": checkpoints._fingerprint(content)})


def test_a_tensor_file_that_is_none(folder):
    """Empty, with an absurd, a huge or a broken header, and a pickle."""
    headers = [(size).to_bytes(8, "little") + text for size, text in ((2**63, b"{}"), (200 << 20, b"{}"), (2, b"{]"))]
    for content in (b"", *headers, b"\x80\x04pickle"):
        store_tensor_file(folder, content)
        with pytest.raises(CourseError, match=r"model\.safetensors is not a readable safetensors.*Delete the folder"):
            load_checkpoint(folder)


def test_nan_is_refused_on_both_ways(folder):
    broken = {"weight": torch.tensor([1.0, torch.nan])}
    with pytest.raises(CourseError, match=r"Nothing was written .* NaN .* in weight"):
        save_checkpoint(folder, kind="x", config={}, tensors=broken)
    assert load_checkpoint(folder).kind == "bert"
    store_tensor_file(folder, safetensors.torch.save(broken))
    with pytest.raises(CourseError, match=r"model\.safetensors holds NaN"):
        load_checkpoint(folder)


NAMES = ("../x", "a/b", "a\\b", "", "..", "C:x", "config.json", "model.safetensors", "card.md")
REFUSED = [({"files": {name: ""}}, "plain name") for name in NAMES]
REFUSED += [({"config": {"x": x}}, "cannot be written as JSON") for x in (float("nan"), {1}, "\ud800")]


@pytest.mark.parametrize(("given", "says"), REFUSED)
def test_what_cannot_be_kept_is_refused_and_nothing_written(tmp_path, given, says):
    with pytest.raises(CourseError, match=says):
        save_checkpoint(tmp_path / "x", **{"kind": "x", "config": {}, "tensors": {}, **given})
    assert listed(tmp_path) == []


def test_replacing_keeps_nothing_of_the_old_and_nothing_of_others_is_replaced(folder):
    (folder / "thesis.md").write_text("years of work")
    with pytest.raises(CourseError, match=r"bert-en holds 'thesis\.md', which would be lost"):
        save_checkpoint(folder, kind="x", config={}, tensors={})
    assert (folder / "thesis.md").read_text() == "years of work"
    assert load_checkpoint(folder).kind == "bert"
    with pytest.raises(CourseError, match="is a file, not a folder"):
        save_checkpoint(folder / "thesis.md", kind="x", config={}, tensors={})
    (folder / "thesis.md").unlink()
    (folder / ".thesis.md.lock").unlink()
    save_checkpoint(folder, kind="lm", config={}, tensors={})
    loaded = load_checkpoint(folder)
    assert (loaded.kind, loaded.files, loaded.card, loaded.tensors) == ("lm", {}, None, {})
    (folder / "config.json").write_text("{")  # a damaged one may be replaced
    save_checkpoint(folder, kind="y", config={}, tensors={})
    assert load_checkpoint(folder).kind == "y"
    assert listed(folder.parent) == [".bert-en.lock", "bert-en"]


def test_load_weights_says_everything_before_it_touches():
    module = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5))
    before = {name: value.clone() for name, value in module.state_dict().items()}
    tensors = {name: value + 1 for name, value in before.items()}
    tensors["0.weight"] = torch.ones(5, 7)
    tensors["1.num_batches_tracked"] = torch.tensor(1.0)
    tensors["head.bias"] = tensors.pop("0.bias")
    with pytest.raises(CourseError) as error:
        load_weights(module, tensors, source="bert-en")
    for part in (
        "weights in bert-en do not fit this Sequential",
        "missing: 0.bias",
        "not known to the model: head.bias",
        "0.weight [5, 7] instead of [5, 3]",
        "1.num_batches_tracked torch.float32 instead of torch.int64",
    ):
        assert part in str(error.value)
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())
    other = nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5))
    with pytest.raises(CourseError, match=r"not known to the model: a0, a1, a2, a3 and 7 more\."):
        load_weights(other, before | {f"a{i}": torch.ones(()) for i in range(11)}, source="x")
    load_weights(other, before, source="x")
    torch.testing.assert_close(other.state_dict(), before, rtol=0, atol=0)


def run(code, *arguments):
    code = "import os, sys, torch\nfrom course_lib.checkpoints import *\n" + textwrap.dedent(code)
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)])


@pytest.mark.parametrize("moment", [0, 1])
def test_killed_at_a_rename(folder, moment):
    """0: before the old folder steps aside; 1: after that, before the new one takes its place."""
    child = run(
        """
        rename, calls = os.rename, []
        def deadly(*places):
            if len(calls) == int(sys.argv[2]): os._exit(9)
            calls.append(rename(*places))
        os.rename = deadly
        save_checkpoint(sys.argv[1], kind="new", config={}, tensors={})
        """,
        folder,
        moment,
    )
    assert child.wait() == 9
    assert folder.exists() == (moment == 0)
    assert load_checkpoint(folder).kind == "bert"
    save_checkpoint(folder, kind="new", config={}, tensors={})
    assert load_checkpoint(folder).kind == "new"
    assert listed(folder.parent) == [".bert-en.lock", "bert-en"]


def test_two_savers_and_a_reader_at_once(tmp_path):
    folder = tmp_path / "x"
    save_checkpoint(folder, kind="0", config={}, tensors={"weight": torch.full((1009,), 0.0)})
    code = """
    for _ in range(30):
        weight = torch.full((1009,), float(sys.argv[2]))
        save_checkpoint(sys.argv[1], kind=sys.argv[2], config={}, tensors={"weight": weight})
    """
    children = [run(code, folder, kind) for kind in (1, 2)]
    seen = set()
    while any(child.poll() is None for child in children):
        loaded = load_checkpoint(folder)
        assert set(loaded.tensors["weight"].tolist()) == {float(loaded.kind)}
        seen.add(loaded.kind)
    assert [child.wait() for child in children] == [0, 0]
    assert load_checkpoint(folder).kind in "12"
    assert {"1", "2"} <= seen
    assert listed(tmp_path) == [".x.lock", "x"]


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


@pytest.mark.parametrize("dim", [4, 64, 100, 352])
def test_six_bits_are_off_by_at_most_half_a_step_of_their_group(dim, tmp_path):
    table = torch.randn(13, dim) * torch.logspace(-1, 3, 13)[:, None]
    table[5] = 0
    save_checkpoint(tmp_path / "c", kind="k", config={}, tensors={"table": table}, int6=["table"])
    again = load_checkpoint(tmp_path / "c").tensors["table"]
    assert again.shape == table.shape
    for first in range(0, dim, 32):
        group = table[:, first : first + 32]
        step = group.abs().amax(1, keepdim=True) / 31 * 1.001  # the scale is a float16
        assert ((again[:, first : first + 32] - group).abs() <= 0.51 * step + 1e-4).all()
    assert len(again[0].unique()) <= 63 * -(-dim // 32)
    stored = (tmp_path / "c" / "model.safetensors").stat().st_size
    assert stored < 13 * (dim * 0.75 + 2 * -(-dim // 32)) + 300


@pytest.mark.parametrize("size", [1e-30, 1e-12, 3e-5, 1e-4, 1e-3, 1.0, 1e5, 3e6, 1e30])
def test_six_bits_keep_their_promise_for_small_and_large_numbers(size, tmp_path):
    table = torch.randn(13, 64) * size
    table[3, 32:] *= 1e-3
    table[5] = 0
    save_checkpoint(tmp_path / "c", kind="k", config={}, tensors={"table": table}, int6=["table"])
    again = load_checkpoint(tmp_path / "c").tensors["table"]
    largest = table.unflatten(1, (2, 32)).abs().amax(2, keepdim=True)
    assert ((again - table).unflatten(1, (2, 32)).abs() <= largest / 62 * 1.001).all()


@pytest.mark.parametrize("how", ["int8", "int6"])
def test_infinity_has_no_scale(how, tmp_path):
    table = torch.tensor([[1.0, 2.0, torch.inf, 3.0]])
    with pytest.raises(CourseError, match="table holds infinity"):
        save_checkpoint(tmp_path / "c", kind="k", config={}, tensors={"table": table}, **{how: ["table"]})
    assert listed(tmp_path) in ([], [".c.lock"])


# -- locks of files.py; what else it promises is tested where it is used
HOLD = """
import sys, time
from course_lib.files import lock
with lock(sys.argv[1]):
    print("in", flush=True)
    time.sleep(99)
"""


def test_another_process_is_waited_for_and_a_killed_one_lets_go(tmp_path):
    path = tmp_path / "x.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "in\n"
        with pytest.raises(CourseError, match="Waited 0 s for another process that holds"), lock(path, patience=0.1):
            pytest.fail("two were inside")
        other.kill()
        other.wait()
        start = time.monotonic()
        with lock(path):
            assert time.monotonic() - start < 30
    assert path.stat().st_mode & 0o777 == 0o666  # another account that shares the folder can lock it, too


@pytest.mark.parametrize("fault", [PermissionError, NotImplementedError])
def test_where_no_lock_can_be_nobody_waits(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(filelock.FileLock, "acquire", Mock(side_effect=fault))
    inside = []
    with lock(tmp_path / "x.lock", patience=0.1):
        inside.append(True)
    assert inside
