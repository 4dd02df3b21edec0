"""Spoilt rules and records: data/claims.toml, and all that lies in data/recorded. What is read is shown as well."""

import json
import random
import re

import pytest

from course.ledger import records, rules
from course.ledger.card import Card
from course.records import crossing, label_curves, one_table, particles, plateau, store, swapped
from course.records.translation import recorded_translation
from course_lib.config import project_dir
from tests.attacks.spoilers import NUMBERS, spoil_bytes, spoil_json

DATA = project_dir() / "data"
CURVES = {
    "format": 1,
    "tasks": {"imdb": {"metric": "accuracy in %", "n_test": 1_000, "baseline": "words"}},
    "runs": [{"command": "c", "date": "2026-01-02"}],
    "cells": [
        {"task": "imdb", "system": system, "labels": n, "seed": seed, "n_labels": n, "steps": 9, "score": 70.5 + seed,
         "seconds": 3.25}
        for system in ("slow", "fast") for n in (10, 100) for seed in (0, 1)
    ],
}  # fmt: skip


def every_number(curves) -> str:
    shown = [curves.rows("imdb", "slow"), curves.gains("imdb", "slow", "fast"), curves.gains("imdb", "fast", "x")]
    return f"{shown} {[run['date'] for run in curves.runs]}"


def both_forms(found) -> str:
    return repr(found) + found._repr_html_()


# name -> file, what reads it, what shows it
RECORDS = {
    "verdict": ("C2.2.json", lambda: records.read_record(CLAIMS["C2.2"]), lambda r: card("C2.2", r)),
    "verdict of parts": ("C8.2.json", lambda: records.read_record(CLAIMS["C8.2"]), lambda r: card("C8.2", r)),
    "exact verdict": ("C6.1.json", lambda: records.read_record(CLAIMS["C6.1"]), lambda r: card("C6.1", r)),
    "table": ("table.json", one_table.recorded_table, lambda table: table.to_markdown()),
    "plateau": ("plateau.json", plateau.STORE.read, lambda found: found.to_text()),
    "captions": ("multi30k.json", lambda: recorded_translation("multi30k"), both_forms),
    "world": ("world-ko-en.json", lambda: recorded_translation("world-ko-en"), both_forms),
    "swapped": ("swapped.json", swapped.STORE.read, swapped.swapped_markdown),
    "crossing": ("crossing.json", crossing.STORE.read, lambda found: "".join(crossing.table(found))),
    "particles": ("particles.json", particles.STORE.read, particles.markdown),
    "curves": ("curves.json", label_curves.recorded_curves, every_number),
}
CLAIMS = rules.load_claims(DATA / "claims.toml")
EACH = 15
VALUES = (*NUMBERS, "inf", "nan", '""', "{ x = 1 }", "[[]]", "1979-05-27", "[1, 'a']", "2e308")


def card(name, record) -> str:
    return repr(Card(CLAIMS[name], record=record)) + Card(CLAIMS[name], record=record)._repr_mimebundle_()["text/html"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What stands for data/."""
    for module in (records, store):
        monkeypatch.setattr(module, "data_dir", lambda *parts: tmp_path.joinpath(*parts))
    (tmp_path / "recorded").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", RECORDS)
def test_spoilt_records(law, folder, name):
    file, read, show = RECORDS[name]
    document = CURVES if name == "curves" else json.loads((DATA / "recorded" / file).read_text(encoding="utf-8"))
    whole = json.dumps(document, ensure_ascii=False, indent=1).encode()
    path, chance = folder / "recorded" / file, random.Random(f"records {name}")
    path.write_bytes(whole)
    assert show(read())
    spoil = lambda number: spoil_json(chance, document) if number % 3 else spoil_bytes(chance, whole)  # noqa: E731
    law.attack(EACH, path, spoil, lambda: show(read()), lambda shown: isinstance(shown, str))


def test_a_folder_in_place_of_a_record(law, folder):
    for file, read, _ in RECORDS.values():
        (folder / "recorded" / file).mkdir()
        (folder / "recorded" / file / file).touch()  # names the folder in the errors
        law.hold(file, folder, read, lambda found: False)
    law.judge(len(RECORDS))


def test_spoilt_rules(law, tmp_path):
    path, chance = tmp_path / "claims.toml", random.Random("claims")
    whole = (DATA / "claims.toml").read_text(encoding="utf-8")
    tables = re.findall(r"\[\[claim\]\].*?(?=\n\[\[claim\]\]|\Z)", whole, re.DOTALL)

    def spoil(number):
        text = "\n".join(chance.sample(tables, 3))
        if number % 2 == 0:
            return spoil_bytes(chance, text.encode())
        line, value = chance.choice(list(re.finditer(r"^(\w+) = (.*)$", text, re.MULTILINE))), chance.choice(VALUES)
        return f"{line[1]} = {value:.20}", text[: line.start(2)] + value + text[line.end(2) :]

    def right(found):
        assert all(Card(claim)._repr_mimebundle_()["text/html"] for claim in found.values())
        return all(isinstance(claim.sentence, str) and claim.rules and claim.command for claim in found.values())

    law.attack(80, path, spoil, lambda: rules.load_claims(path), right)
