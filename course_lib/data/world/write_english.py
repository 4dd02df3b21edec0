"""A clause in English: words, parts of speech, heads, names, senses, referents."""

from __future__ import annotations

from course_lib.data.world import english
from course_lib.data.world.draw import Clause, Mention
from course_lib.data.world.line import Line

_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}
_PRONOUNS = {"f": ("she", "her", "her"), "m": ("he", "him", "his")}  # subject, object, possessive
_QUESTIONS = {"who": ("who", "PRON"), "what": ("what", "PRON"), "where": ("where", "ADV")}


def write_clause(line: Line, clause: Clause, number: int = 0, *, adjust: str = "") -> int:
    """Appends the clause and returns the place of its predicate. `adjust`: "" or "infinitive" (after did)."""
    waiting: list[int] = []  # places whose head is the predicate
    heads: dict[str, int] = {}  # role -> place of its head word
    parents: list[tuple[int, str]] = []
    owned: list[tuple[int, str]] = []
    root = -1
    be = -1
    frame, mentions = clause.frame, clause.mentions
    subject = mentions[frame.subject]
    if clause.time is not None and clause.time_first:
        waiting.append(line.phrase(clause.time, "en", (number, "TIME")))
        waiting.append(line.add(",", "PUNCT"))
    for item in frame.patterns["en"]:
        if item.optional and item.optional not in mentions:
            continue
        if item.kind == "role":
            mention = mentions[item.text]
            if mention.form == "zero":
                continue
            if mention.adverbial is not None:
                waiting.append(line.phrase(mention.adverbial, "en", (number, item.text)))
                continue
            place = write_noun(line, mention, (number, item.text), subject=item.text == frame.subject)
            heads[item.text] = place
            if item.parent:
                parents.append((place, item.parent))
            else:
                waiting.append(place)
        elif item.kind == "verb":
            root = _predicate(line, clause, subject, waiting, adjust)
            line.places[number, "V", ""] = root
        elif item.kind == "be":
            be = line.add(be_form(clause, subject), "AUX")
            waiting.append(be)
            if clause.negated:
                waiting.append(line.add("not", "PART"))
        else:
            word = item.text
            if word == "in" and item.owner and mentions[item.owner].lexeme is not None:
                word = mentions[item.owner].lexeme.preposition
            place = line.add(word, item.upos)
            if item.owner:
                owned.append((place, item.owner))
                line.places[number, item.owner, "case"] = place
            else:
                waiting.append(place)
    if clause.time is not None and not clause.time_first:
        waiting.append(line.phrase(clause.time, "en", (number, "TIME")))
    for place in waiting:
        line.heads[place] = root
    for place, parent in parents:
        line.heads[place] = heads.get(parent, root)
    for place, owner in owned:
        line.heads[place] = heads.get(owner, root)
    return root


def be_form(clause: Clause, subject: Mention) -> str:
    if clause.tense == "past":
        return "were" if subject.number > 1 else "was"
    return "are" if subject.number > 1 else "is"


def _predicate(line: Line, clause: Clause, subject: Mention, waiting: list[int], adjust: str) -> int:
    if clause.adjective is not None:
        return line.add(clause.adjective.en, "ADJ")
    verb = clause.verb
    if adjust == "infinitive":
        return line.add(verb.base, "VERB")
    singular = subject.number <= 1
    if clause.negated:
        waiting.append(line.add("did" if clause.tense == "past" else "does" if singular else "do", "AUX"))
        waiting.append(line.add("not", "PART"))
        return line.add(verb.base, "VERB")
    if clause.tense == "past":
        return line.add(verb.past, "VERB")
    if clause.tense == "progressive":
        waiting.append(line.add("was" if singular else "were", "AUX"))
        return line.add(verb.ing, "VERB")
    return line.add(verb.third if singular else verb.base, "VERB")


def write_noun(line: Line, mention: Mention, key: tuple, *, subject: bool = False) -> int:
    """Appends a noun phrase and returns the place of its head."""
    number, role = key
    lexeme = mention.lexeme
    start = len(line.words)
    if mention.form == "pronoun":
        forms = _PRONOUNS.get(mention.gender) or (
            ("they", "them", "their") if mention.number > 1 else ("it", "it", "its")
        )
        place = line.add(forms[0] if subject else forms[1], "PRON", entity=mention.entity)
        line.places[number, role, "noun"] = place
        line.roles[role] = (place, place + 1)
        return place
    if mention.form != "full":
        word, upos = _QUESTIONS[mention.form]
        return line.add(word, upos)
    if lexeme.named:
        return line.name(lexeme.en, lexeme.kind, mention.entity, key)
    words = lexeme.en_plural if mention.number > 1 else lexeme.en
    pending: list[int] = []
    following = mention.adjective.en if mention.adjective is not None else words[0]
    determiner = "" if line.words[-1:] == ["'s"] else mention.determiner  # Lena's apology
    if determiner == "a":
        pending.append(line.add(english.article(following), "DET"))
    elif determiner == "number":
        pending.append(line.add(_NUMBERS[mention.number], "NUM"))
        line.places[number, role, "number"] = pending[0]
    elif determiner == "owner":
        pending.append(line.add(_PRONOUNS[mention.owner.gender][2], "PRON", entity=mention.owner.entity))
        line.places[number, role, "owner"] = pending[0]
    elif determiner:
        pending.append(line.add(determiner, "DET"))
    if mention.adjective is not None:
        pending.append(line.add(mention.adjective.en, "ADJ"))
        line.places[number, role, "adjective"] = pending[-1]
    for word in words[:-1]:
        pending.append(line.add(word, "NOUN"))
    sense = lexeme.senses.get("en", "_")
    place = line.add(words[-1], "NOUN", sense=sense, entity=mention.entity)
    for dependent in pending:
        line.heads[dependent] = place
    line.places[number, role, "noun"] = place
    line.roles[role] = (start, place + 1)
    return place
