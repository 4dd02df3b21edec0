"""The words of the world: nouns, names, verbs, adjectives, adverbials, each with its English and Korean forms.

Read from the tables of a folder and checked: an edit that does not fit names file, line and remedy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from course.world import english, korean
from course.world.files import Entry, fault, read_table

NAME_TYPES = ("PER.f", "PER.m", "LOC", "ORG")
UPOS = ("NOUN", "PROPN", "VERB", "AUX", "ADJ", "ADV", "ADP", "DET", "NUM", "PRON", "CCONJ", "SCONJ", "PART", "PUNCT")


@dataclass(slots=True, eq=False)
class Lexeme:
    """A noun or a name. `family` is equal for lexemes that look alike in either language: splits go by it."""

    concept: str
    kind: str  # its class, or PER, LOC, ORG
    topic: str
    en: tuple[str, ...]
    en_plural: tuple[str, ...]
    number: str  # "count", "mass", "plural" (always plural)
    ko: tuple[str, ...]
    counter: str = ""  # Korean counting word; "" if not counted
    preposition: str = "in"  # of place: on the farm, at the station
    gender: str = ""  # f or m for persons' names
    person: bool = False
    split: str = "train"
    family: int = 0
    senses: dict[str, str] = field(default_factory=dict)  # language -> sense label, only where the word is ambiguous
    adjectives: tuple[Adjective, ...] = ()  # that may follow be
    attributes: tuple[Adjective, ...] = ()  # that may stand before it

    @property
    def named(self) -> bool:
        return self.kind in ("PER", "LOC", "ORG")


@dataclass(slots=True, eq=False)
class Verb:
    concept: str
    base: str
    third: str
    past: str
    ing: str
    ko: dict[str, str]  # form name -> form, see korean.conjugate
    family: int = 0


@dataclass(slots=True, eq=False)
class Adjective:
    concept: str
    en: str
    ko: dict[str, str]
    before_nouns_only: bool  # in Korean (새)
    judgement: int  # +1, -1, 0
    after_be_only: bool = False
    family: int = 0


@dataclass(slots=True, eq=False)
class Adverbial:
    """An adverb or a short phrase: words with their parts of speech per language, and which of them is the head."""

    words: dict[str, tuple[tuple[str, str], ...]]
    heads: dict[str, int]
    family: int = 0


def make_name(kind: str, en: tuple[str, ...], ko: tuple[str, ...]) -> Lexeme:
    """A name of type PER.f, PER.m, LOC or ORG."""
    ner, _, gender = kind.partition(".")
    return Lexeme(" ".join(en), ner, "names", en, en, "count", ko, gender=gender, person=ner == "PER")


class Lexicon:
    """All tables of a folder. Raises CourseError naming file, line and remedy for what does not fit."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.parents: dict[str, str] = {}
        self._class_rows: dict[str, Entry] = {}
        for row in read_table(folder / "classes.tsv", ("class", "parent", "topic", "counter")):
            if row["parent"] != "-" and row["parent"] not in self.parents:
                row.fault(f"unknown parent class {row['parent']!r}.", "Write its row above this one, or -.")
            self.parents[row["class"]] = row["parent"]
            self._class_rows[row["class"]] = row
        self.nouns = self._nouns()
        self.names = self._names()
        self.name_parts = self._name_parts()
        self.verbs = self._verbs()
        self.adjectives = self._adjectives()
        self.adverbials = self._adverbials()
        self.function_words = self._function_words()
        self.cues = self._cues()
        self.fillers = self._fillers()
        self._set_families()

    def ancestors(self, name: str) -> Iterable[str]:
        while name != "-":
            yield name
            name = self.parents[name]

    def members(self, name: str) -> list[Lexeme]:
        """The nouns of a class and of the classes below it, in the order of the file."""
        return [noun for noun in self.nouns.values() if name in self.ancestors(noun.kind)]

    def _nouns(self) -> dict[str, Lexeme]:
        nouns: dict[str, Lexeme] = {}
        columns = ("concept", "class", "Korean", "plural", "counter", "preposition")
        for row in read_table(self.folder / "nouns.tsv", columns):
            concept, kind = row["concept"], row["class"]
            if kind not in self.parents:
                row.fault(f"unknown class {kind!r}.", "Use a class of classes.tsv, or add it there.")
            if concept in nouns:
                row.fault(f"{concept!r} stands here twice.", "Name each sense: bank.river, bank.money.")
            words, plural, about = tuple(concept.split(".")[0].split("_")), row["plural"], self._class_rows[kind]
            number = {"-": "mass", "!": "plural"}.get(plural, "count")
            many = plural.split("_") if plural not in ("", "-", "!") else [*words[:-1], english.with_s(words[-1])]
            many = words if number == "plural" else tuple(many)
            counter = row["counter"] or about["counter"]
            counter = counter if counter != "-" and number == "count" else ""
            noun = Lexeme(concept, kind, about["topic"], words, many, number, _korean(row), counter)
            noun.preposition, noun.person = row["preposition"] or "in", "person" in self.ancestors(kind)
            nouns[concept] = noun
        return nouns

    def _names(self) -> dict[str, list[Lexeme]]:
        names: dict[str, list[Lexeme]] = {kind: [] for kind in NAME_TYPES}
        for row in read_table(self.folder / "names.tsv", ("type", "English", "Korean")):
            if row["type"] not in names:
                row.fault(f"unknown type {row['type']!r} of a name.", f"Use one of {', '.join(NAME_TYPES)}.")
            if not row["English"]:
                row.fault("the English name is missing.", "Fill the second cell.")
            names[row["type"]].append(make_name(row["type"], tuple(row["English"].split("_")), _korean(row)))
        for kind, entries in names.items():
            for position, name in enumerate(entries):
                name.split = {3: "dev", 4: "test"}.get(position % 5, "train")
            if len(entries) < 5:
                remedy = "Write at least 5: each split needs its own."
                raise fault(self.folder / "names.tsv", 1, f"only {len(entries)} names of type {kind}.", remedy)
        return names

    def _name_parts(self) -> dict[str, list[tuple[str, str]]]:
        parts = defaultdict(list)
        for row in read_table(self.folder / "name_parts.tsv", ("kind", "English", "Korean")):
            if row["kind"] not in ("syllable", *NAME_TYPES):
                row.fault(f"unknown kind {row['kind']!r}.", f"Use syllable, {', '.join(NAME_TYPES)}.")
            parts[row["kind"]].append((row["English"], _korean(row)[0]))
        return dict(parts)

    def _verbs(self) -> dict[str, Verb]:
        verbs = {}
        for row in read_table(self.folder / "verbs.tsv", ("concept", "past", "Korean", "irregular")):
            concept, base = row["concept"], row["concept"].split(".")[0]
            past, forms = row["past"] or english.past(base), _conjugate(row, adjective=False)
            verbs[concept] = Verb(concept, base, english.third_person(base), past, english.ing(base), forms)
        return verbs

    def _adjectives(self) -> dict[str, Adjective]:
        adjectives: dict[str, Adjective] = {}
        by_noun: dict[str, list[Adjective]] = defaultdict(list)
        columns = ("concept", "Korean", "irregular", "judgement", "describes")
        for row in read_table(self.folder / "adjectives.tsv", columns):
            concept, fixed = row["concept"], row["irregular"] == "관"
            if row["judgement"] not in ("+", "-", "0", "+p", "-p", "0p"):
                remedy = "Write + (good), - (bad) or 0; p behind it: only after be."
                row.fault(f"judgement is {row['judgement']!r}.", remedy)
            forms = dict.fromkeys(("after",), row["Korean"]) if fixed else _conjugate(row, adjective=True)
            judgement = {"+": 1, "-": -1, "0": 0}[row["judgement"][0]]
            only = row["judgement"].endswith("p")
            adjective = Adjective(concept, concept.split(".")[0], forms, fixed, judgement, only)
            adjectives[concept] = adjective
            for target in row["describes"].split():
                if target != "-":
                    for noun in self.find(target, row):
                        by_noun[noun.concept].append(adjective)
        for concept, words in by_noun.items():
            unique = dict.fromkeys(words)
            self.nouns[concept].adjectives = tuple(word for word in unique if not word.before_nouns_only)
            self.nouns[concept].attributes = tuple(word for word in unique if not word.after_be_only)
        return adjectives

    def find(self, target: str, row: Entry, key: str = "") -> list[Lexeme]:
        """The nouns named by a class, or by =concept."""
        if target.startswith("="):
            if target[1:] not in self.nouns:
                row.fault(f"unknown noun {target[1:]!r}.", "Use a concept of nouns.tsv, with its sense.", key)
            return [self.nouns[target[1:]]]
        if target not in self.parents:
            row.fault(f"unknown class {target!r}.", "Use a class of classes.tsv, or =concept for one noun.", key)
        return self.members(target)

    def _adverbials(self) -> dict[str, list[Adverbial]]:
        kinds = defaultdict(list)
        for row in read_table(self.folder / "adverbials.tsv", ("kind", "English", "Korean")):
            words, heads = {}, {}
            for language, column in (("en", "English"), ("ko", "Korean")):
                words[language] = _tagged(row, column)
                heads[language] = max((i for i, (_, tag) in enumerate(words[language]) if tag != "ADP"), default=0)
            kinds[row["kind"]].append(Adverbial(words, heads))
        return dict(kinds)

    def _function_words(self) -> dict[tuple[str, str], tuple[str, str]]:
        words = {}
        for row in read_table(self.folder / "function_words.tsv", ("language", "word", "upos", "attaches")):
            if row["upos"] not in UPOS or row["attaches"] not in ("next", "prev", "verb", "clause", "be"):
                row.fault("part of speech or attachment is unknown.", "See the first line of this file.")
            words[row["language"], row["word"]] = (row["upos"], row["attaches"])
        return words

    def _cues(self) -> dict[str, dict[str, list[str]]]:
        """language -> concept -> activities; sets the sense labels of the nouns listed."""
        cues: dict[str, dict[str, list[str]]] = {"en": {}, "ko": {}}
        for row in read_table(self.folder / "senses.tsv", ("language", "concept", "activity")):
            language, concept = _language(row), row["concept"]
            self.find("=" + concept, row)[0].senses[language] = concept
            if row["activity"]:
                verb = row["activity"].rpartition("V:")[2]
                if language == "ko" and verb not in self.verbs:
                    row.fault(f"the activity ends in {verb!r}, no verb.", "End it in V:concept of verbs.tsv.")
                cues[language].setdefault(concept, []).append(row["activity"])
        return cues

    def _fillers(self) -> dict[str, list[tuple[tuple[str, str], ...]]]:
        fillers: dict[str, list] = {"en": [], "ko": []}
        for row in read_table(self.folder / "fillers.tsv", ("language", "phrase")):
            fillers[_language(row)].append(_tagged(row, "phrase"))
        return fillers

    def _set_families(self) -> None:
        """Numbers such that lexemes sharing an English or Korean form share a number (homonyms and synonyms)."""
        first: dict[tuple, int] = {}
        numbers, lexemes = count(1), [*self.nouns.values(), *chain(*self.names.values())]
        for lexeme, number in zip(lexemes, numbers, strict=False):
            forms = [("en", lexeme.en), ("en", lexeme.en_plural), ("ko", lexeme.ko)]
            shared = {first[form] for form in forms if form in first}
            family = min(shared, default=number)
            first |= {form: family for form, other in first.items() if other in shared} | dict.fromkeys(forms, family)
        for lexeme in lexemes:
            lexeme.family = first["ko", lexeme.ko]
        for group in (self.verbs, self.adjectives):
            seen: dict[str, int] = {}
            for word in group.values():
                number, forms = next(numbers), (word.concept.split(".")[0], word.ko["after"])
                word.family = next((seen[form] for form in forms if form in seen), number)
                seen |= dict.fromkeys(forms, word.family)
        for adverbial in chain(*self.adverbials.values()):
            adverbial.family = next(numbers)  # two adverbs with one Korean form differ in English only


def _language(row: Entry) -> str:
    if row["language"] not in ("en", "ko"):
        row.fault(f"unknown language {row['language']!r}.", "Write en or ko.")
    return row["language"]


def _korean(row: Entry) -> tuple[str, ...]:
    words = tuple(row["Korean"].split("_"))
    if not all(korean.is_hangul(word) for word in words):
        row.fault(f"Korean is {row['Korean']!r}, not Hangul.", "Write it in Hangul, without spaces (use _).")
    return words


def _tagged(row: Entry, column: str) -> tuple[tuple[str, str], ...]:
    words = tuple(tuple(word.partition("/")[::2]) for word in row[column].split())
    if not words or any(tag not in UPOS for _, tag in words):
        row.fault(f"{column} must be words with their part of speech.", "Write word/ADV word/NOUN ...")
    return words


def _conjugate(row: Entry, *, adjective: bool) -> dict[str, str]:
    word, irregular = row["Korean"], row["irregular"]
    if not korean.is_hangul(word) or not word.endswith("다") or len(word) < 2:
        row.fault(f"the Korean form is {word!r}.", "Write the dictionary form, ending in 다 (먹다).")
    if irregular not in korean.IRREGULAR:
        row.fault(f"{irregular!r} is no kind of stem.", "Use ㅂ, ㄷ, ㅅ, ㅎ, 르, or leave it empty.")
    return korean.conjugate(word, irregular, adjective=adjective)
