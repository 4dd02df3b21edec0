"""Spoilt checkpoints: bytes, and headers that lie under a right checksum."""

import json
import os
import random

import pytest
import torch

from course_lib import checkpoints
from course_lib.checkpoints import Checkpoint, load_checkpoint, save_checkpoint
from tests.attacks.law import TIMES
from tests.attacks.spoilers import spoil_bytes, spoil_json

pytestmark = pytest.mark.slow

TENSORS = {
    "table": torch.randn(13, 8, generator=torch.Generator().manual_seed(1)),
    "rows": torch.randn(7, 5, generator=torch.Generator().manual_seed(2)),
    "bias": torch.arange(11.0),
    "ids": torch.arange(3),
}


def write(folder):
    save_checkpoint(
        folder,
        kind="bert",
        config={"hidden": 5, "words": ["a", "배"]},
        tensors=TENSORS | {"tied": TENSORS["bias"]},
        files={"vocab.txt": "가\nb0\n", "words.json": "[1, 0]"},
        card="# Card 0",
        half=True,
        int6=["table"],
        int8=["rows"],
    )
    return folder


def same(one: Checkpoint, other: Checkpoint) -> bool:
    return (
        (one.kind, one.config, one.card, one.files) == (other.kind, other.config, other.card, other.files)
        and one.tensors.keys() == other.tensors.keys()
        and all(torch.equal(tensor, other.tensors[name]) for name, tensor in one.tensors.items())
    )


def forge(folder, text):
    """config.json as an enemy writes it: with a right checksum, where one can be computed."""
    try:
        header = json.loads(text)
        header["checksum"] = checkpoints._checksum(header)
        text = json.dumps(header)
    except (ValueError, TypeError, RecursionError):
        pass  # NaN and the like have no checksum
    (folder / "config.json").write_text(text, encoding="utf-8")


def test_spoilt_bytes(law, tmp_path):
    folder, chance = write(tmp_path / "c"), random.Random(1)
    expected, whole = load_checkpoint(folder), {path: path.read_bytes() for path in folder.iterdir()}
    for number in range(150 * TIMES):
        path = chance.choice(sorted(whole))
        what, content = spoil_bytes(chance, whole[path])
        path.write_bytes(content)
        law.hold(f"{number} {path.name} {what}", folder, lambda: load_checkpoint(folder), lambda c: same(c, expected))
        path.write_bytes(whole[path])
    law.judge(150 * TIMES)


def test_what_is_no_file(law, tmp_path):
    for number, make in enumerate((os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path))):
        for name in ("config.json", "model.safetensors", "words.json"):
            folder = write(tmp_path / f"{number} {name}")
            (folder / name).unlink()
            make(folder / name)
            law.hold(f"{number} {name}", folder, lambda folder=folder: load_checkpoint(folder), lambda found: False)
    law.judge(9)


def test_headers_that_lie(law, tmp_path):
    folder, chance = write(tmp_path / "c"), random.Random(3)
    header = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    size = sum(path.stat().st_size for path in folder.iterdir())

    def sound(found):
        numbers = sum(tensor.numel() for tensor in found.tensors.values())
        plain = isinstance(found.kind, str) and isinstance(found.config, dict) and numbers < 8 * size
        return plain and found.tensors["bias"].equal(TENSORS["bias"])

    for number in range(120 * TIMES):
        below = chance.choice(((), ("files",), ("encodings",), ("ties",), ("config",)))
        what, text = spoil_json(chance, header, below)
        forge(folder, text)
        law.hold(f"{number} {below}: {what}", folder, lambda: load_checkpoint(folder), sound)
    law.judge(120 * TIMES)


def test_tensors_that_lie(law, tmp_path):
    """A right checksum over tensors that `save_checkpoint` never writes."""
    import safetensors.torch

    scale, kinds = torch.ones(1, 6_007), (torch.float8_e4m3fn, torch.bfloat16, torch.bool, torch.uint8)
    lies = [({"table": torch.ones(6_007, 1, dtype=torch.int8), "table.scale": scale}, {"table": "int8 rows"})]
    lies += [({"table": torch.ones(5, 3).to(kind)}, {"table": "int6"}) for kind in kinds]
    lies += [({"table": torch.ones(5, 3).to(kind)}, {}) for kind in kinds]
    lies += [
        ({"table": torch.full((5,), torch.inf)}, {"table": "float16"}),
        ({"table": torch.ones(5), "table.scale": torch.ones(5, 1)}, {"table": "int8 rows"}),
        ({"table": torch.ones(2, 3), "table.scale": torch.full((2, 1), torch.nan)}, {"table": "int8 rows"}),
        ({"table": torch.ones(0, 3), "table.scale": torch.ones(0, 1)}, {"table": "int8 rows"}),
    ]
    for number, (tensors, encodings) in enumerate(lies):
        folder = write(tmp_path / f"c{number}")
        content = safetensors.torch.save(tensors)
        (folder / "model.safetensors").write_bytes(content)
        header = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        header |= {"files": {"model.safetensors": checkpoints._fingerprint(content)}}
        forge(folder, json.dumps(header | {"encodings": encodings, "ties": {}}))
        law.hold(
            f"{number} {encodings}",
            folder,
            lambda folder=folder: load_checkpoint(folder),
            lambda found, tensors=tensors: found.tensors["table"].shape == tensors["table"].shape,
        )
    law.judge(len(lies))
