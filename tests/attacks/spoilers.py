"""Ways to spoil a file: what disks, editors, proxies and enemies do to bytes, and to JSON that stays JSON."""

from __future__ import annotations

import copy
import gzip
import json
import pickle
import re
from random import Random
from typing import Any

FOREIGN = {
    "empty": b"",
    "a space": b" ",
    "an error page": b"<!doctype html>\n<html><body><h1>404 Not Found</h1></body></html>\n",
    "an LFS pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 123\n",
    "a pickle": pickle.dumps({"weight": [1.0, 2.0]}),
    "UTF-16": "format = 1\nword\tlabel\n".encode("utf-16"),
    "zeros": bytes(4_099),
    "packed": gzip.compress(b"word\tlabel\n" * 7, mtime=0),
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "deep lists": b"[" * 100_003,
    "deep tables": b'{"a":' * 50_021,
    "deep TOML": b"a = " + b"[" * 20_011,
    "a number": b"7",
    "a list": b"[]",
    "a table": b"{}",
    "null": b"null",
    "one long line": b"a" * 300_007,
    "line ends": b"\r\n" * 1_009,
    "tabs": b"\t\t\t\n" * 101,
    "conflict": b"<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n",
}
NUMBERS = ("-1", "0", "7" * 30, "9" * 5_003, "1e999", "-1e999", "NaN", "null", "true", '"x"', "[]", "{}", "1.5", "٣")

_RAW = re.compile(r'"@raw:(.*?)@"')
_HOSTILE: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 3, 2**31, 10**9, 10**18, -(10**18), 10**400, 0.5, "", "x", "0", "../x", "\ud800"),
    *("\0", "a" * 10_007, [], {}, [[]], [None], {"x": 1}, ["x", "x"], [10**9] * 3, {"a": {"b": []}}),
    *("@raw:1e999@", "@raw:NaN@", f"@raw:{'9' * 5_003}@", f"@raw:{'[' * 3_001}{']' * 3_001}@"),
)


def spoil_bytes(chance: Random, content: bytes) -> tuple[str, bytes]:
    """What was done, and the content after it."""
    do = chance.choice(("cut", "cut", "flip", "flip", "insert", "delete", "zeros", "repeat", "foreign", "number"))
    at = chance.randrange(len(content) + 1)
    length = chance.choice((1, 3, 17, 257))
    if do == "cut":
        return f"cut at {at}", content[:at]
    if do == "flip":
        data = bytearray(content)
        for _ in range(chance.choice((1, 1, 5))):
            if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        return "bits flipped", bytes(data)
    if do == "insert":
        return f"{length} bytes inserted at {at}", content[:at] + chance.randbytes(length) + content[at:]
    if do == "delete":
        return f"{length} bytes deleted at {at}", content[:at] + content[at + length :]
    if do == "zeros":
        return f"{length} zeros at {at}", content[:at] + bytes(length) + content[at + length :]
    if do == "repeat":
        return f"{length} bytes twice at {at}", content[:at] + content[at : at + length] * 2 + content[at + length :]
    if do == "number" and (found := list(re.finditer(rb"-?\d+(?:\.\d+)?", content))):
        number, other = chance.choice(found), chance.choice(NUMBERS)
        return f"{other:.20} for {number[0]!r}", content[: number.start()] + other.encode() + content[number.end() :]
    name = chance.choice(list(FOREIGN))
    return f"foreign: {name}", FOREIGN[name]


def spoil_json(chance: Random, document: Any, below: tuple[str, ...] = ()) -> tuple[str, str]:
    """What was done, and the text of a document that differs in one place under the keys `below`."""
    document = root = copy.deepcopy(document)
    for key in below:
        root = root[key]
    places = list(_places(root))
    if not places:
        return "nothing", json.dumps(document)
    holder, key, path = chance.choice(places)
    do = chance.choice(("hostile", "hostile", "hostile", "hostile", "delete", "swap", "add"))
    if do == "delete":
        del holder[key]
    elif do == "swap":
        other, with_key, _ = chance.choice(places)
        holder[key] = copy.deepcopy(other[with_key])
    elif do == "add" and isinstance(holder, dict):
        holder[chance.choice(("", "x", "format", "__class__", "가"))] = copy.deepcopy(chance.choice(_HOSTILE))
    else:
        holder[key] = copy.deepcopy(chance.choice(_HOSTILE))
        do = f"{holder[key]!r:.30} in"
    return f"{do} {path}", _RAW.sub(lambda found: found[1], json.dumps(document))


def _places(value: Any, path: str = ""):
    """(list or dict, key, path) of everything inside; of long lists the first entries and the last."""
    if isinstance(value, dict):
        keys = list(value)
    elif isinstance(value, list):
        keys = sorted({*range(min(3, len(value))), *range(max(0, len(value) - 1), len(value))})
    else:
        return
    for key in keys:
        yield value, key, f"{path}/{key}"
        yield from _places(value[key], f"{path}/{key}")
