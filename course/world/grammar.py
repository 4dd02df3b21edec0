"""Frames: one meaning, with an English and a Korean pattern. Read from frames/*.toml, checked line by line.

A pattern is a row of roles (CAPITALS), V (the verb), ADJ (the adjective) and function words; brackets hold what may be
left out. What a role may be is written as "determiner class/class/=noun"; see data/world/README.md.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from course.world.files import Entry, fault, read_blocks
from course.world.lexicon import Adjective, Adverbial, Lexeme, Lexicon, Verb

DETERMINERS = ("a", "an", "the", "some", "bare", "own", "one")
LANGUAGES = ("en", "ko")
EVERY = 8  # of eight nouns of a class, from the fifth on, one goes to dev and one to test
FIRST = 4
_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(slots=True)
class Role:
    name: str
    determiner: str  # one of DETERMINERS; "" for names
    groups: list[list[Lexeme]]  # alternatives of equal weight, each with its most frequent word first
    name_types: tuple[str, ...]  # types of names that may fill it
    optional: bool = False
    plural: bool = False  # may stand in the plural
    person: bool = False
    adverbials: tuple[Adverbial, ...] = ()


@dataclass(slots=True)
class Item:
    """One place of a pattern: a role, the predicate, or a function word."""

    kind: str  # "role", "verb", "word", "be"
    text: str  # the role's name or the word
    upos: str = ""
    attaches: str = ""
    optional: str = ""  # the role whose absence removes this item
    owner: str = ""  # the role a preposition or particle belongs to
    parent: str = ""  # of a role: the role or "word:n" it depends on; "" = the predicate


@dataclass(slots=True, eq=False)
class Frame:
    topic: str
    name: str
    stage: int
    verbs: tuple[Verb, ...]
    adjective_of: str  # role whose adjectives are the predicate, or ""
    adjective: Adjective | None
    roles: dict[str, Role]
    patterns: dict[str, list[Item]]
    subject: str
    reasons: tuple[str, ...] = ()
    habit: bool = False  # also said of what is done again and again
    time: str = "past"  # kind of adverbial that says when it happened
    entry: Entry | None = field(default=None, repr=False)


def read_frames(folder: Path, lexicon: Lexicon) -> list[Frame]:
    """All frames of `folder`/frames, in the order of the file names. The topic is the name of the file."""
    paths = sorted((folder / "frames").glob("[!.]*.toml"), key=lambda path: path.name)
    optional = ("name", "stage", "verb", "adj", "why", "habit", "time")
    blocks = [(entry, path.stem) for path in paths for entry in read_blocks(path, ("en", "ko"), optional)]
    frames = [_frame(entry, topic, lexicon) for entry, topic in blocks]
    if not frames:
        raise fault(folder / "frames", 1, "no frame found.", "Restore the folder: `git checkout -- data/world`.")
    known = {frame.name for frame in frames if frame.name}
    for frame in frames:
        for reason in frame.reasons:
            if reason not in known:
                frame.entry.fault(f"unknown reason {reason!r} in why.", f"Known: {', '.join(sorted(known))}.", "why")
    return frames


def _frame(entry: Entry, topic: str, lexicon: Lexicon) -> Frame:
    roles = {key: _role(entry, key, lexicon) for key in entry.values if key.isupper()}
    patterns = {language: _pattern(entry, language, roles, lexicon) for language in LANGUAGES}
    stage = entry["stage"] or "0"
    if not stage.isdecimal():
        entry.fault(f"stage is {stage!r}.", "Write a whole number: frames of a topic happen in this order.", "stage")
    predicate = _predicate(entry, roles, lexicon)
    before = [item.text for item in patterns["en"] if item.kind in ("role", "verb", "be")]
    if not before or before[0] not in roles:
        entry.fault("the English pattern must begin with its subject role.", 'Write "AGENT V ...".', "en")
    for name, role in roles.items():
        for language in LANGUAGES:
            if not any(item.kind == "role" and item.text == name for item in patterns[language]):
                entry.fault(f"role {name} is missing in the {language} pattern.", "Use it in both.", name)
        role.plural = name in ("THING", "AGENT") and not role.adverbials
    if entry["habit"] not in ("", "yes"):
        entry.fault(f"habit is {entry['habit']!r}.", 'Write habit = "yes", or leave the line out.', "habit")
    time = entry["time"] or "past"
    if time not in lexicon.adverbials:
        entry.fault(f"unknown time {time!r}.", "Use a kind of adverbials.tsv (past, long), or leave it out.", "time")
    subject, reasons, habit = before[0], tuple(entry["why"].split()), bool(entry["habit"])
    return Frame(topic, entry["name"], int(stage), *predicate, roles, patterns, subject, reasons, habit, time, entry)


def _predicate(entry: Entry, roles: dict, lexicon: Lexicon) -> tuple[tuple[Verb, ...], str, Adjective | None]:
    if bool(entry["verb"]) == bool(entry["adj"]):
        entry.fault("a frame has either a verb or an adj.", "Keep one of the two lines.")
    concepts, adj = entry["verb"].split(), entry["adj"]
    for concept in concepts:
        if concept not in lexicon.verbs:
            entry.fault(f"unknown verb {concept!r}.", "Use a concept of verbs.tsv, or add it there.", "verb")
    verbs = tuple(lexicon.verbs[concept] for concept in concepts)
    if not adj or adj in roles:
        return verbs, adj, None
    if adj[:1] != "=" or adj[1:] not in lexicon.adjectives:
        entry.fault(f"adj is {adj!r}.", "Write a role of this frame, or =adjective of adjectives.tsv.", "adj")
    return verbs, "", lexicon.adjectives[adj[1:]]


def _role(entry: Entry, key: str, lexicon: Lexicon) -> Role:
    text = entry[key]
    if text.startswith("~"):
        if text[1:] not in lexicon.adverbials:
            known = ", ".join(lexicon.adverbials)
            entry.fault(f"unknown kind of adverb {text[1:]!r}.", f"Known in adverbials.tsv: {known}.", key)
        return Role(key, "", [], (), adverbials=tuple(lexicon.adverbials[text[1:]]))
    *determiner, classes = text.split()
    if len(determiner) > 1 or (determiner and determiner[0] not in DETERMINERS):
        entry.fault(f"{text!r} is not understood.", f'Write "determiner class/class"; {", ".join(DETERMINERS)}.', key)
    groups: list[list[Lexeme]] = []
    single: list[Lexeme] = []
    name_types: list[str] = []
    for target in classes.split("/"):
        if target in ("LOC", "ORG"):
            name_types.append(target)
        elif target == "name":
            name_types += ["PER.f", "PER.m"]
        elif target.startswith("="):
            single += lexicon.find(target, entry, key)
        else:
            groups.append(lexicon.find(target, entry, key))
            if target == "person":
                name_types += ["PER.f", "PER.m"]
    if single:
        groups.append(single)
    person = all(noun.person for group in groups for noun in group) and "LOC" not in name_types
    chosen = determiner[0] if determiner else "" if person or not groups else "a"
    return Role(key, {"an": "a"}.get(chosen, chosen), groups, tuple(name_types), person=person)


def _pattern(entry: Entry, language: str, roles: dict[str, Role], lexicon: Lexicon) -> list[Item]:
    items: list[Item] = []
    group: list[Item] | None = None
    for token in _TOKEN.findall(entry[language]):
        if token == "(" and group is None:
            group = []
        elif token == "(":
            entry.fault("a bracket opens inside a bracket.", "Close the first one.", language)
        elif token == ")":
            _close_group(entry, language, group, roles)
            group = None
        else:
            items.append(_item(entry, language, token, roles, lexicon))
            if group is not None:
                group.append(items[-1])
    if group is not None:
        entry.fault("a bracket is not closed.", "Write ( ... ) around what may be left out.", language)
    if sum(item.kind == "verb" for item in items) != 1:
        entry.fault("the pattern needs one V or ADJ.", "Write it where the predicate stands.", language)
    _attach(entry, language, items)
    return items


def _close_group(entry: Entry, language: str, group: list[Item] | None, roles: dict[str, Role]) -> None:
    names = [item.text for item in group or () if item.kind == "role"]
    if len(names) != 1:
        entry.fault("a bracket must hold one role.", "Write (PLACE 에서), (in PLACE).", language)
    roles[names[0]].optional = True
    for item in group:
        item.optional = names[0]


def _item(entry: Entry, language: str, token: str, roles: dict[str, Role], lexicon: Lexicon) -> Item:
    if token in ("V", "ADJ"):
        return Item("verb", token)
    if token in roles:
        return Item("role", token)
    if (language, token) not in lexicon.function_words:
        entry.fault(
            f"unknown word {token!r} in the {language} pattern.",
            f'Write a role in capitals (with a line {token.upper()} = "..."), or add the word to function_words.tsv.',
            language,
        )
    upos, attaches = lexicon.function_words[language, token]
    return Item("be" if attaches == "be" else "word", token, upos, attaches)


def _attach(entry: Entry, language: str, items: list[Item]) -> None:
    """Which noun a preposition or particle belongs to; which nouns depend on a noun (of, 's, 의) or a clause word."""
    role_places = [place for place, item in enumerate(items) if item.kind == "role"]
    predicate = next(place for place, item in enumerate(items) if item.kind in ("verb", "be"))
    for place, item in enumerate(items):
        if item.kind != "word":
            continue
        ahead = next((items[p].text for p in role_places if p > place), "")
        behind = next((items[p].text for p in reversed(role_places) if p < place), "")
        if item.attaches in ("next", "clause"):
            if not ahead:
                entry.fault(f"nothing follows {item.text!r}.", "Put a role behind it.", language)
            item.owner = ahead
        elif item.attaches == "prev":
            literal_before = place and items[place - 1].kind == "word" and items[place - 1].attaches == "verb"
            if not behind and not literal_before:
                entry.fault(f"nothing stands before {item.text!r}.", "Put a role before it.", language)
            item.owner = "" if literal_before else behind
        if behind and ahead:
            parent = {"of": (ahead, behind), "'s": (behind, ahead), "의": (behind, ahead)}.get(item.text)
            if item.attaches == "next" and language == "en" and place < predicate:
                parent = (ahead, behind)  # the apple in the basket is ...
            if item.attaches == "clause":
                parent = (behind, f"word:{place}")
            if parent:
                next(i for i in items if i.kind == "role" and i.text == parent[0]).parent = parent[1]


def hold_out(lexicon: Lexicon, frames: list[Frame]) -> None:
    """Sets `split` of the nouns. Ambiguous nouns, nouns that look like another word, and those a frame needs stay."""
    taken = _words_elsewhere(lexicon)
    families = Counter(noun.family for noun in lexicon.nouns.values())
    places: dict[str, int] = defaultdict(int)
    for noun in lexicon.nouns.values():
        place = places[noun.kind]
        places[noun.kind] += 1
        plain = not noun.senses and families[noun.family] == 1 and len(noun.en) == len(noun.ko) == 1
        if place >= FIRST and place % EVERY in (5, 7) and plain and not taken & {*noun.en, *noun.en_plural, *noun.ko}:
            noun.split = "dev" if place % EVERY == 5 else "test"
    for frame in frames:
        for role in frame.roles.values():
            for group in role.groups:
                if not any(noun.split == "train" for noun in group):
                    group[0].split = "train"


def _words_elsewhere(lexicon: Lexicon) -> set[str]:
    """Words that occur outside the nouns' own places: in verbs, cues, adverbials, and as parts of longer nouns."""
    words = {verb.base for verb in lexicon.verbs.values()} | {word.en for word in lexicon.adjectives.values()}
    words |= {verb.third for verb in lexicon.verbs.values()} | {verb.past for verb in lexicon.verbs.values()}
    words |= {word for _, word in lexicon.function_words} | {noun.counter for noun in lexicon.nouns.values()}
    for noun in lexicon.nouns.values():
        if len(noun.en) > 1 or len(noun.ko) > 1:
            words |= {*noun.en, *noun.en_plural, *noun.ko}
    for by_concept in lexicon.cues.values():
        words |= {word.partition("/")[0] for cues in by_concept.values() for cue in cues for word in cue.split()}
    for kinds in lexicon.adverbials.values():
        words |= {word for adverbial in kinds for side in adverbial.words.values() for word, _ in side}
    for phrases in lexicon.fillers.values():
        words |= {word for phrase in phrases for word, _ in phrase}
    return words
