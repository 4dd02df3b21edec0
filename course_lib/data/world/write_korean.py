"""A clause in Korean: particles split off, modifiers before nouns, the predicate last."""

from __future__ import annotations

from course_lib.data.world.draw import Clause, Mention
from course_lib.data.world.korean import particle
from course_lib.data.world.line import Line

_NUMBERS = {2: "두", 3: "세", 4: "네", 5: "다섯"}
_PRONOUNS = {"f": "그녀", "m": "그"}
_QUESTIONS = {"who": "누구", "what": "무엇", "where": "어디"}


def write_clause(line: Line, clause: Clause, number: int = 0, *, form: str = "") -> int:
    """Appends the clause and returns the place of its predicate.

    `form` is the predicate's form (and, after, because ...; "" = the tense).
    """
    waiting: list[int] = []
    heads: dict[str, int] = {}
    parents: list[tuple[int, str]] = []
    owned: list[tuple[int, str]] = []
    clause_words: dict[str, int] = {}
    root = -1
    frame, mentions = clause.frame, clause.mentions
    time_after = frame.subject if clause.time is not None and not clause.time_first else ""
    first = frame.patterns["ko"][0].text == frame.subject and mentions[frame.subject].ko_form != "zero"
    if clause.time is not None and not (time_after and first):
        waiting.append(line.phrase(clause.time, "ko", (number, "TIME")))
        time_after = ""
    pattern = frame.patterns["ko"]
    for position, item in enumerate(pattern):
        if item.optional and item.optional not in mentions:
            continue
        if item.kind == "role":
            mention = mentions[item.text]
            if mention.ko_form == "zero":
                continue
            if mention.adverbial is not None:
                waiting.append(line.phrase(mention.adverbial, "ko", (number, item.text)))
                continue
            place = write_noun(line, mention, (number, item.text))
            heads[item.text] = place
            if item.parent:
                parents.append((place, item.parent))
            else:
                waiting.append(place)
        elif item.kind == "verb":
            root = _predicate(line, clause, waiting, form)
            line.places[number, "V", ""] = root
        elif item.owner and mentions[item.owner].ko_form == "zero":
            continue
        elif item.upos == "ADP" and item.attaches == "prev":
            _particle(line, item.text, item.owner, owned, number, mentions)
        else:
            place = line.add(item.text, item.upos)
            clause_words[f"word:{position}"] = place
            (owned.append((place, item.owner)) if item.owner else waiting.append(place))
        if time_after and item.owner == time_after:
            waiting.append(line.phrase(clause.time, "ko", (number, "TIME")))
            time_after = ""
    for place in waiting:
        line.heads[place] = root
    for place, parent in parents:
        line.heads[place] = heads.get(parent, clause_words.get(parent, root))
    for place, owner in owned:
        line.heads[place] = heads.get(owner, place - 1) if owner else place - 1
    return root


def _particle(line: Line, name: str, owner: str, owned: list, number: int, mentions: dict[str, Mention]) -> None:
    if owner and mentions[owner].ko_form == "who" and name in ("은", "이"):
        line.words[-1] = "누"  # 누구 + 가 -> 누가
        name = "이"
    elif owner and mentions[owner].ko_form in ("who", "what") and name == "은":
        name = "이"  # a question word is never a topic
    elif owner and name == "은" and mentions[owner].determiner in ("a", "some", "number"):
        name = "이"  # new to the listener: no topic yet
    place = line.add(particle(name, line.words[-1]), "ADP")
    owned.append((place, owner))
    if owner:
        line.places[number, owner, "case"] = place


def _predicate(line: Line, clause: Clause, waiting: list[int], form: str) -> int:
    forms = (clause.verb or clause.adjective).ko
    upos = "VERB" if clause.verb is not None else "ADJ"
    tense = form or clause.tense
    if clause.negated:
        place = line.add(forms["not"], upos)
        present = "않는다" if upos == "VERB" else "않다"
        negation = {"past": "않았다", "present": present, "ask_past": "않았나요"}[tense]
        line.add(negation, "AUX", head=place)
        return place
    if tense == "progressive":
        place = line.add(forms["and"], upos)
        line.add("있었다", "AUX", head=place)
        return place
    return line.add(forms[tense], upos)


def write_noun(line: Line, mention: Mention, key: tuple) -> int:
    """Appends a noun phrase without its particle and returns the place of its head."""
    number, role = key
    lexeme = mention.lexeme
    start = len(line.words)
    if mention.ko_form == "pronoun" and mention.gender:
        place = line.add(_PRONOUNS[mention.gender], "PRON", entity=mention.entity)
        line.places[number, role, "noun"] = place
        line.roles[role] = (place, place + 1)
        return place
    if mention.ko_form in _QUESTIONS:
        return line.add(_QUESTIONS[mention.ko_form], "PRON")
    if lexeme.named:
        return line.name(lexeme.ko, lexeme.kind, mention.entity, key)
    pending: list[int] = []
    if (
        mention.determiner == "owner" and lexeme.kind in ("friend", "kin") and mention.entity % 3 == 0
    ):  # mostly left unsaid
        pending.append(line.add("자기", "PRON", entity=mention.owner.entity))
        line.places[number, role, "owner"] = pending[0]
    if mention.adjective is not None:
        pending.append(line.add(mention.adjective.ko["after"], "ADJ"))
        line.places[number, role, "adjective"] = pending[-1]
    for word in lexeme.ko[:-1]:
        pending.append(line.add(word, "NOUN"))
    word = lexeme.ko[-1]
    if mention.number > 1 and lexeme.person and mention.determiner != "number":
        word += "들"
    place = line.add(word, "NOUN", sense=lexeme.senses.get("ko", "_"), entity=mention.entity)
    for dependent in pending:
        line.heads[dependent] = place
    if mention.determiner == "number":
        count = line.add(_NUMBERS[mention.number], "NUM")
        counter = line.add(lexeme.counter, "NOUN", head=place)
        line.heads[count] = counter
        line.places[number, role, "number"] = count
    line.places[number, role, "noun"] = place
    line.roles[role] = (start, len(line.words))
    return place
