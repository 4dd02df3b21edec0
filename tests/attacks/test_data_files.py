"""Spoilt data files: every reader of the public sets, and what a reader hands to `course predict`."""

import bz2
import gzip
import lzma
import random
from functools import partial

import numpy as np
import pytest

from course import predict
from course.lab.review_words import ReviewWords
from course_lib.data.readers.texts import read_aligned
from tests.attacks.law import TIMES
from tests.attacks.samples import READERS, SQUAD
from tests.attacks.spoilers import spoil_bytes, spoil_json

pytestmark = pytest.mark.slow

PACKERS = {".xz": lzma.compress, ".gz": partial(gzip.compress, mtime=0), ".bz2": bz2.compress}
EACH = 14


@pytest.mark.parametrize("name", READERS)
def test_spoilt_data(law, tmp_path, name):
    read, file, plain, sound = READERS[name]
    plain = plain.encode() if isinstance(plain, str) else plain
    pack = next((pack for end, pack in PACKERS.items() if file.endswith(end)), bytes)
    path, chance = tmp_path / file, random.Random(f"data {name}")
    path.write_bytes(pack(plain))
    assert all(map(sound, read(path)))

    def spoil(number):
        if name.startswith("squad") and number % 2:
            what, text = spoil_json(chance, SQUAD)
            return what, pack(text.encode())
        if number % 3:
            head = len(plain) if ".tar" not in file else 2_048  # of an archive the rest is mostly zeros
            what, content = spoil_bytes(chance, plain[:head])
            return what, pack(content + plain[head:])
        return spoil_bytes(chance, pack(plain))

    law.attack(EACH, path, spoil, lambda: read(path), lambda found: all(map(sound, found)))


def test_two_files_of_one_text(law, tmp_path):
    source, target, chance = tmp_path / "a.en", tmp_path / "a.de", random.Random("aligned")
    for number in range(20 * TIMES):
        whole = {source: b"A king .\nA car .\nA river\n", target: b"Ein K .\nEin A .\nEin F\n"}
        path = chance.choice([source, target])
        what, whole[path] = spoil_bytes(chance, whole[path])
        for file, content in whole.items():
            file.write_bytes(content)
        law.hold(f"{number} {what}", tmp_path, lambda: read_aligned(source, target), lambda found: True)
    law.judge(20 * TIMES)


def test_texts_to_predict(law, tmp_path, monkeypatch):
    ReviewWords(["good", "bad"], np.array([1.0, -1.0]), -0.125, ("neg", "pos")).save(tmp_path / "reviews-en")
    monkeypatch.setattr(predict, "data_dir", lambda *parts: tmp_path / parts[-1])
    path, chance = tmp_path / "texts.txt", random.Random("predict")

    def right(found):
        raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        end = b"\n" if b"\n" in raw.removesuffix(b"\n") else b"\r"  # an old Mac's
        lines = raw.removesuffix(b"\n").removesuffix(b"\r").count(end) + 1
        return len(found.labels) == lines and set(found.labels) <= {"neg", "pos"}

    spoil = lambda number: spoil_bytes(chance, "good film 배\nbad\r\nso bad, so good\nx".encode())  # noqa: E731
    law.attack(50, path, spoil, lambda: predict.predict_file("imdb", path), right)
