"""What the package says to a reader, and how much of it has its Korean: of a chapter (exercises, recall questions,
claims, labels of its records) in course/chapters/chNN/ko.toml, of the library and the course in the files of HOME."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from html import unescape
from pathlib import Path

from course.catalogue import catalogue, catalogue_files, entries
from course.check import registry
from course.check.build import of_chapter as builds_of_chapter
from course.check.recall_questions import questions
from course.lab.generations import WORDS, occurrences
from course.ledger.rules import all_claims, reasons
from course.sources.registry import registry as registered
from course.widgets.base import sentences
from course_lib.config import data_dir
from course_lib.language import label_key
from tests.notebooks.environment import ROOT

# Where the Korean of what these folders say has its place; the first that fits.
HOME = {
    "course/widgets": "course/korean/widgets.toml",
    "course_lib": "course/korean/library.toml",
    "course/check": "course/korean/check.toml",
    "course/ledger": "course/korean/cards.toml",
    "course/site": "course/korean/site.toml",
    "course/live": "course/korean/site.toml",
    "course/lab": "course/korean/lab.toml",
    "course/records": "course/korean/lab.toml",
    "course": "course/korean/commands.toml",
}
FIELD = re.compile(r"\{(\w+)(?::[^{}]+)?\}")
MARKUP = re.compile(r"<[/!?a-zA-Z][^<>]*>?")
_SAYS = {"t", "key", "t_label"}  # course_lib.language
_REMARK = re.compile(r"[(;] ?[a-z][^();]*? [^();]*? ")  # words beside the paper's name in a source
_NUMBER_OF = re.compile(r"(\d\d)_")

Keys = dict[str, dict[str, None]]  # kind -> English sentences, in order


def of_chapter(number: int) -> Keys:
    """What course/chapters/chNN/ko.toml translates."""
    kinds = {"exercises": _exercises(number), "recall": _recall(number), "claims": _claims(number)}
    return {kind: _known(said) for kind, said in (kinds | {"labels": _labels(number)}).items()}


def of_name(name: str) -> Keys:
    """Of the chapter of a notebook; an appendix has none."""
    return of_chapter(int(form[1])) if (form := _NUMBER_OF.match(name)) else {}


@cache
def of_code() -> dict[str, dict[str, None]]:
    """File of the catalogue -> what the code that belongs to it says through `t`."""
    found: dict[str, dict[str, None]] = {file: {} for file in HOME.values()}
    for path in sorted(path for kind in ("py", "js", "j2") for path in ROOT.glob(f"course*/**/*.{kind}")):
        name = path.relative_to(ROOT).as_posix()
        if not any(folder in name for folder in ("/vendor/", "/chapters/", "/.ipynb_checkpoints/")):
            file = next(file for folder, file in HOME.items() if name.startswith(folder + "/"))
            found[file] |= dict.fromkeys(said_by(path))
    senses = {e.sense for lang, words in WORDS.items() for word in words for e in occurrences(word, lang)}
    found["course/korean/lab.toml"] |= dict.fromkeys(sorted(senses))
    found["course/korean/library.toml"] |= dict.fromkeys(public.title for public in registered().values())
    return found


def said_by(path: Path) -> Iterable[str]:
    """The constant sentences of `t`, `key` and `t_label`, and the labels of progress bars, in one file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".js", ".j2"):
        yield from sentences(text)
    elif any(word in text for word in ("course_lib.language import", "Progress(", "typer")):
        for node in ast.walk(ast.parse(text)):
            if path.parent.name == "course":
                yield from _help(node)
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
                first = node.args[:1] if name in _SAYS or name == "Progress" else []
                units = [k.value for k in node.keywords if k.arg == "unit"] if name == "Progress" else []
                chosen = [(v.body, v.orelse) if isinstance(v, ast.IfExp) else (v,) for v in [*first, *units]]
                for value in (branch for branches in chosen for branch in branches):
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        yield label_key(value.value) if name == "t_label" else value.value


def _help(node: ast.AST) -> Iterator[str]:
    """Help texts of a command: its docstring, `help=`."""
    if isinstance(node, ast.FunctionDef) and any(isinstance(d, ast.Call) for d in node.decorator_list):
        yield ast.get_docstring(node) or ""
    if isinstance(node, ast.keyword) and node.arg == "help" and isinstance(node.value, ast.Constant):
        yield node.value.value


def _exercises(number: int) -> Iterator[str]:
    for exercise in registry.of_chapter(number):
        texts = exercise.texts
        yield from said_by(Path(inspect.getfile(exercise.solution)))
        yield from (texts.title, texts.question, " ".join(exercise.solution.__doc__.split()), texts.why, *texts.hints)
        yield from (probe.shows for probe in exercise.probes)
        for name, says in texts.mistakes.items():
            yield from (name, *([says] if isinstance(says, str) else says))
    for build in builds_of_chapter(number):
        yield from (build.texts["title"], build.texts["question"], *build.texts["says"].values())


def _recall(number: int) -> Iterator[str]:
    if number in registry.chapters_with("recall.toml"):
        for question in questions(number):
            yield from (question.text, *(words for o in question.options for words in (o.text, o.because)))


def _claims(number: int) -> Iterator[str]:
    for claim in all_claims().values():
        if claim.chapter == number:
            yield from (claim.sentence, claim.delta_why, *(value.text for value in claim.published))
            yield from filter(_REMARK.search, (claim.source, *(value.source for value in claim.published)))
            if claim.id in reasons():
                yield reasons()[claim.id].because
            for rule in claim.rules:
                yield from (rule.name, rule.quantity, rule.unit, rule.item, rule.clusters)
                yield from () if rule.kind == "exact" else (f"{{v}} {rule.unit}",)
                yield from (rule.control, rule.no_control, rule.positive_control)


def _labels(number: int) -> Iterator[str]:
    """Of the chapter's records: data, notes, names of baselines and parts."""
    for path in sorted(data_dir("recorded").glob(f"C{number}.*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        words = [record["data"], record["note"], *(finding["detail"] for finding in record["findings"])]
        for values in (record["baselines"], record["parts"]):
            words += [*values, *(value for value in values.values() if isinstance(value, str))]
        yield from (words_of if words_of in catalogue() else label_key(words_of) for words_of in words)


def _known(said: Iterable[str]) -> dict[str, None]:
    """Each once, without those in which there is no word."""
    return {text.strip("\n"): None for text in said if re.search("[A-Za-z]{2}", text)}


# ---- what is missing


def file_of(number: int) -> Path:
    return ROOT / "course" / "chapters" / f"ch{number:02}" / "ko.toml"


def faults(name: str, complete: bool) -> list[str]:
    """What is wrong with the catalogue of a chapter; complete: what is missing is wrong, too."""
    keys = of_name(name)
    if not keys:
        return []
    path = file_of(int(name[:2]))
    where = path.relative_to(ROOT).as_posix()
    known = {key for said in keys.values() for key in said}
    found = [f"{where}: no Korean for {key!r}" for key in known - catalogue().keys()] if complete else []
    if path.exists():
        rows = entries(path)
        left = [en for en, _ in rows if en not in known]
        shown = _shown(name) if left else ""
        found += [f"{where}: the chapter does not say {en!r} any more" for en in left if en not in shown]
        found += [f"{where}: {fault}" for en, ko in rows for fault in entry_faults(en, ko)]
    return sorted(found)


def _shown(name: str) -> str:
    """What the cards of the stored notebook say: the labels of a live line stand in no record."""
    notebook = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    outputs = (output.get("data", {}) for cell in notebook["cells"] for output in cell.get("outputs", []))
    return label_key(unescape("".join(line for data in outputs for line in data.get("text/html", []))))


def entry_faults(english: str, korean: str) -> Iterator[str]:
    """Values, code and formulas are the same in both; what has no Korean yet has no fault."""
    if not korean:
        return
    if set(FIELD.findall(english)) != set(FIELD.findall(korean)):
        yield f"other {{values}} in {korean!r} than in {english!r}"
    if "{" not in english and english.count("#") != korean.count("#"):
        yield f"another number of # in {korean!r} than in {english!r}"
    for code in re.findall(r"`[^`]+`|\$[^$]+\$", english):
        if code not in korean:
            yield f"{code} is missing in {korean!r}"
    if not set(MARKUP.findall(korean)) <= set(MARKUP.findall(english)):  # cards and pages set it as it stands
        yield f"other markup in {korean!r} than in {english!r}"
    if korean == english and re.search(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){2}", english):
        yield f"{english!r} is not in Korean"


def stale() -> list[str]:
    """Entries of the course and the library whose English nobody says any more."""
    said = {key for keys in of_code().values() for key in keys}
    shared = {key for number in range(10) for keys in of_chapter(number).values() for key in keys}
    own = [path for path in catalogue_files() if path.name != "ko.toml"]
    return [
        f"{path.name}: nobody says {en!r} any more"
        for path in own
        for en, _ in entries(path)
        if en not in said | shared
    ]


def todo(name: str) -> Iterator[str]:
    """Append the chapter's sentences without Korean to its ko.toml, with an empty `ko`. Yields what was done."""
    keys = of_name(name)
    if not keys:
        return
    path = file_of(int(name[:2]))
    there = {en for en, _ in entries(path)} if path.exists() else set()
    added = []
    for kind, said in keys.items():
        if due := [key for key in said if key not in there and key not in catalogue()]:
            added.append(f"# ---- {kind}\n\n" + "\n\n".join(entry(key) for key in due) + "\n")
            yield f"{path.relative_to(ROOT)}: {len(due)} of {kind} were added"
    if added:
        text = path.read_text(encoding="utf-8").rstrip("\n") + "\n\n" if path.exists() else ""
        path.write_text(text + "\n".join(added), encoding="utf-8")


def entry(english: str, korean: str = "") -> str:
    """One [[text]] of a catalogue: literal strings, so that TeX and quotes stay as they are."""
    return f"[[text]]\nen = {_literal(english)}\nko = {_literal(korean)}"


def _literal(text: str) -> str:
    if "\n" in text:
        return f"'''\n{text}\n'''"
    return f"'{text}'" if "'" not in text else f"'''{text}'''"
