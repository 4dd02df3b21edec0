"""Reads `claims.toml` and says, for a hand-made mistake, in which claim and key it is and what to write instead."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path

from course_lib.errors import CourseError

TEXT, NUMBER, FLAG, TEXTS, TABLES = "a text in quotes", "a number", "true or false", "a list of texts", "tables"
_CLAIM_KEYS = {
    "id": TEXT,
    "sentence": TEXT,
    "source": TEXT,
    "live": FLAG,
    "delta_why": TEXT,
    "baselines": TEXTS,
    "parts": TEXTS,
    "published": TABLES,
    "condition": TABLES,
}
_RULE_KEYS = {
    "kind": TEXT,
    "quantity": TEXT,
    "unit": TEXT,
    "side": TEXT,
    "threshold": NUMBER,
    "delta": NUMBER,
    "tolerance": NUMBER,
    "varies": TEXT,
    "item": TEXT,
    "clusters": TEXT,
    "control": TEXT,
    "no_control": TEXT,
}
_PUBLISHED_KEYS = {"text": TEXT, "certainty": TEXT, "source": TEXT}
_CHOICES = {
    "kind": ("difference", "equivalence", "exact"),
    "side": ("greater", "less"),
    "varies": ("items", "seeds"),
    "certainty": ("V", "V1", "M"),
}
_NEEDED = {  # by kind, of a rule
    "difference": ("quantity", "unit", "side", "delta", "varies"),
    "equivalence": ("quantity", "unit", "delta", "varies"),
    "exact": ("quantity", "unit", "tolerance"),
}
_NOT_FOR_EXACT = ("side", "threshold", "delta", "varies", "item", "clusters", "control", "no_control")


def read_rule_file(path: Path) -> list[dict]:
    """The [[claim]] tables of the file, checked. Raises CourseError for what cannot be read or is not a rule."""
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise CourseError(f"{path} is missing. It holds the rules of all claims: restore it with git.") from None
    except UnicodeDecodeError as error:
        raise CourseError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. Restore it with git.") from None
    except (ValueError, RecursionError) as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise CourseError(f"{path} is not valid TOML: {error}. Texts stand in quotes, each key once.") from None
    tables = document.get("claim")
    if set(document) != {"claim"} or not isinstance(tables, list):
        extra = sorted(set(document) - {"claim"})
        raise CourseError(f"{path}: expected [[claim]] tables and nothing else; found {extra or 'no claim'}.")
    seen: set[str] = set()
    for number, table in enumerate(tables, start=1):
        name = table.get("id", f"number {number}") if isinstance(table, dict) else f"number {number}"
        _check_claim(table, f"{path}: claim {name}")
        if table["id"] in seen:
            raise CourseError(f"{path}: claim {table['id']} stands there twice. Delete one or give it its own id.")
        seen.add(table["id"])
    return tables


def _check_claim(table: dict, where: str) -> None:
    _check_keys(table, _CLAIM_KEYS | _RULE_KEYS, where)
    _need(table, ("id", "sentence", "source", "live"), where)
    if not re.fullmatch(r"C[1-9]\.[1-9][0-9]?", table["id"]):
        raise CourseError(f"{where}: an id is C, chapter, point, number, such as C4.5.")
    for index, entry in enumerate(table.get("published", ()), start=1):
        _check_keys(entry, _PUBLISHED_KEYS, f"{where}, published value {index}")
        _need(entry, tuple(_PUBLISHED_KEYS), f"{where}, published value {index}")
    conditions = table.get("condition")
    if conditions is None:
        return _check_rule(table, where)
    shared = {key: table[key] for key in _RULE_KEYS if key in table}
    names = [str(part.get("name", "")) for part in conditions]
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        raise CourseError(f"{where}: conditions need at least two different names, found {names}. Name each of them.")
    for part in conditions:
        inside = f"{where}, condition {part['name']!r}"
        _check_keys(part, _RULE_KEYS | {"name": TEXT}, inside)
        _check_rule(shared | part, inside)
    if any((shared | part)["kind"] != "exact" for part in conditions):
        _need(table, ("delta_why",), where)


def _check_rule(rule: dict, where: str) -> None:
    _need(rule, ("kind",), where)
    kind = rule["kind"]
    _need(rule, _NEEDED[kind], where)
    if kind == "exact":
        if wrong := [key for key in _NOT_FOR_EXACT if key in rule]:
            raise CourseError(f"{where}: an exact claim is judged by its tolerance alone. Delete {', '.join(wrong)}.")
        if rule["tolerance"] < 0:
            raise CourseError(f"{where}: key 'tolerance' is {rule['tolerance']}. Use 0 or a small positive number.")
        return
    if rule["delta"] <= 0:
        raise CourseError(f"{where}: key 'delta' is {rule['delta']}. Use a positive number; `side` tells the way.")
    if "tolerance" in rule:
        raise CourseError(f"{where}: key 'tolerance' belongs to exact claims. Delete it; the margin is `delta`.")
    if kind == "equivalence" and "control" in rule:
        raise CourseError(
            f"{where}: a control removes a cause, and a claim of no difference has none. Show it among `parts`."
        )
    if kind == "difference" and ("control" in rule) == ("no_control" in rule):
        raise CourseError(f"{where}: give either 'control' or, with the reason, 'no_control'.")
    if rule["varies"] == "seeds" and "clusters" in rule:
        raise CourseError(f"{where}: seeds are independent. Delete 'clusters', or let items vary.")
    if "name" not in rule:  # of a condition the claim gives it
        _need(rule, ("delta_why",), where)


def _check_keys(table: dict, known: dict[str, str], where: str) -> None:
    if not isinstance(table, dict):
        raise CourseError(f"{where}: expected a table of keys, found {table!r}.")
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known keys: {', '.join(known)}."
            raise CourseError(f"{where}: key {key!r} is not known. {hint}")
        if not _fits(value, known[key]):
            raise CourseError(f"{where}: key {key!r} is {value!r}, but must be {known[key]}.")
        if key in _CHOICES and value not in _CHOICES[key]:
            raise CourseError(f"{where}: key {key!r} is {value!r}. Use one of: {', '.join(_CHOICES[key])}.")


def _fits(value, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {
        TEXT: isinstance(value, str) and bool(value.strip()),
        NUMBER: number and abs(value) < 1e300,
        FLAG: isinstance(value, bool),
        TEXTS: isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value),
        TABLES: isinstance(value, list) and all(isinstance(entry, dict) for entry in value),
    }[kind]


def _need(table: dict, keys: tuple[str, ...], where: str) -> None:
    if missing := [key for key in keys if key not in table]:
        raise CourseError(f"{where}: missing {', '.join(map(repr, missing))}. Every claim of this kind states it.")
