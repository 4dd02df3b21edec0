"""A checkpoint as scripts: a page opened from the disk may load scripts, but may not read files.

NAME/about.js says how large it is, NAME/0.js, 1.js, ... hold its model.safetensors, packed by gzip, in base64.
Each part carries the checkpoint's stamp, so that two versions never mix in a browser's cache. Several parts give a
progress bar, which one script has not. loader.js puts them together, tensors.js decodes them.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from math import prod
from pathlib import Path

from course_lib.files import atomic_file

PART = 600_000  # packed bytes in a script: a multiple of 3, so that base64 pads nothing in between


def write_model(folder: Path, checkpoint: Path) -> int:
    """Write `checkpoint`, a folder of data/checkpoints, as scripts into `folder`. -> their bytes, all together"""
    raw = (checkpoint / "model.safetensors").read_bytes()
    packed = gzip.compress(raw, 4, mtime=0)  # 9 takes twice the time for a hundredth
    stamp, name = hashlib.sha256(packed).hexdigest()[:12], json.dumps(checkpoint.name)
    parts = [packed[start : start + PART] for start in range(0, len(packed), PART)]
    about = {"stamp": stamp, "bytes": len(packed), "part": PART, "parts": len(parts), "numbers": numbers_of(raw)}
    scripts = {"about.js": f"course.live.about({name}, {json.dumps(about)});\n"}
    for number, part in enumerate(parts):
        text = base64.b64encode(part).decode()
        scripts[f"{number}.js"] = f'course.live.part({name}, {number}, "{stamp}", "{text}");\n'
    for file, text in scripts.items():
        with atomic_file(folder / file, "w") as script:
            script.write(text)
    return sum(len(text.encode()) for text in scripts.values())


def numbers_of(raw: bytes) -> int:
    """How many numbers the tensors of a model.safetensors hold when decoded, each rounded up to four."""
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    total = 0
    for name, entry in header.items():
        if name != "__metadata__" and not name.endswith(".scale"):
            count = prod(entry["shape"])
            count = count * 4 // 3 if entry["dtype"] == "U8" else count  # int6: four numbers in three bytes
            total += -(-count // 4) * 4
    return total
