"""A clause as words in either language: parts of speech, heads, names, senses, referents.

English has articles and auxiliaries; Korean splits particles off, sets modifiers before nouns and the predicate last.
"""

from __future__ import annotations

from course.world.draw import Clause, Mention
from course.world.english import article
from course.world.grammar import Item
from course.world.korean import particle
from course.world.sentence import Line

_NUMBERS = {"en": {2: "two", 3: "three", 4: "four", 5: "five"}, "ko": {2: "두", 3: "세", 4: "네", 5: "다섯"}}
_PRONOUNS = {"f": ("she", "her", "her"), "m": ("he", "him", "his")}  # subject, object, possessive
_PRONOUNS_KO = {"f": "그녀", "m": "그"}
_QUESTIONS = {"en": {"who": "who", "what": "what"}, "ko": {"who": "누구", "what": "무엇"}}


class _Written:
    """The words of a clause that wait for their heads: until the predicate, or the noun of their role, is written."""

    def __init__(self, line: Line, clause: Clause, language: str, number: int):
        self.line, self.clause, self.language, self.number = line, clause, language, number
        self.nouns: dict[str, int] = {}  # role -> place of its head word
        self.below_predicate: list[int] = []
        self.below_role: list[tuple[int, str]] = []  # a noun, and the role or word it depends on
        self.case: list[tuple[int, str]] = []  # a preposition or particle, and the role it belongs to

    def items(self) -> list[tuple[int, Item]]:
        """The places of the pattern that this clause fills, numbered as in the pattern."""
        items = enumerate(self.clause.frame.patterns[self.language])
        return [(i, item) for i, item in items if not item.optional or item.optional in self.clause.mentions]

    def role(self, item: Item) -> None:
        mention, key = self.clause.mentions[item.text], (self.number, item.text)
        if mention.adverbial is not None:
            self.below_predicate.append(self.line.phrase(mention.adverbial, self.language, key))
            return
        subject = item.text == self.clause.frame.subject
        self.nouns[item.text] = place = write_noun(self.line, mention, key, self.language, subject=subject)
        if item.parent:
            self.below_role.append((place, item.parent))
        else:
            self.below_predicate.append(place)

    def time(self) -> None:
        self.below_predicate.append(self.line.phrase(self.clause.time, self.language, (self.number, "TIME")))

    def finish(self, root: int, words: dict[str, int] | None = None) -> int:
        """Sets the heads; `words` are the places of words that a role may depend on. Returns the predicate's place."""
        heads = self.line.heads
        for place in self.below_predicate:
            heads[place] = root
        for place, parent in self.below_role:
            heads[place] = self.nouns.get(parent, (words or {}).get(parent, root))
        for place, owner in self.case:
            heads[place] = self.nouns.get(owner, root if self.language == "en" else place - 1)
        return root


def english_clause(line: Line, clause: Clause, number: int = 0, *, infinitive: bool = False) -> int:
    """Appends the clause and returns the place of its predicate; `infinitive`: as after did."""
    written = _Written(line, clause, "en", number)
    mentions = clause.mentions
    plural = mentions[clause.frame.subject].number > 1
    root = -1
    if clause.time is not None and clause.time_first:
        written.time()
        written.below_predicate.append(line.add(",", "PUNCT"))
    for _, item in written.items():
        if item.kind == "role":
            if mentions[item.text].form != "zero":
                written.role(item)
        elif item.kind == "verb":
            if clause.adjective is not None:
                root = line.add(clause.adjective.en, "ADJ")
            else:
                *auxiliaries, verb = [clause.verb.base] if infinitive else _english_verb(clause, plural)
                for word in auxiliaries:
                    written.below_predicate.append(line.add(word, "PART" if word == "not" else "AUX"))
                root = line.add(verb, "VERB")
            line.places[number, "V", ""] = root
        elif item.kind == "be":
            be = ("was", "were") if clause.tense == "past" else ("is", "are")
            written.below_predicate.append(line.add(be[plural], "AUX"))
            if clause.negated:
                written.below_predicate.append(line.add("not", "PART"))
        else:
            word = item.text
            if word == "in" and item.owner and mentions[item.owner].lexeme is not None:
                word = mentions[item.owner].lexeme.preposition
            place = line.add(word, item.upos)
            if item.owner:
                written.case.append((place, item.owner))
                line.places[number, item.owner, "case"] = place
            else:
                written.below_predicate.append(place)
    if clause.time is not None and not clause.time_first:
        written.time()
    return written.finish(root)


def _english_verb(clause: Clause, plural: bool) -> list[str]:
    """bought; did not buy; was buying; buys."""
    verb = clause.verb
    if clause.negated:
        return ["did" if clause.tense == "past" else "do" if plural else "does", "not", verb.base]
    if clause.tense == "past":
        return [verb.past]
    if clause.tense == "progressive":
        return ["were" if plural else "was", verb.ing]
    return [verb.base if plural else verb.third]


def korean_clause(line: Line, clause: Clause, number: int = 0, *, form: str = "") -> int:
    """Appends the clause and returns the place of its predicate; `form` as in korean.conjugate, "" = the tense."""
    written = _Written(line, clause, "ko", number)
    frame, mentions = clause.frame, clause.mentions
    words: dict[str, int] = {}
    root = -1
    subject_first = frame.patterns["ko"][0].text == frame.subject and mentions[frame.subject].ko_form != "zero"
    time_after = frame.subject if clause.time is not None and not clause.time_first and subject_first else ""
    if clause.time is not None and not time_after:
        written.time()
    for position, item in written.items():
        if item.kind == "role":
            if mentions[item.text].ko_form != "zero":
                written.role(item)
        elif item.kind == "verb":
            root = line.places[number, "V", ""] = _korean_predicate(line, clause, form or clause.tense)
        elif item.owner and mentions[item.owner].ko_form == "zero":
            continue
        elif item.upos == "ADP" and item.attaches == "prev":
            place = line.add(_particle(line, item.text, mentions.get(item.owner)), "ADP")
            written.case.append((place, item.owner))
            if item.owner:
                line.places[number, item.owner, "case"] = place
        else:
            words[f"word:{position}"] = place = line.add(item.text, item.upos)
            if item.owner:
                written.case.append((place, item.owner))
            else:
                written.below_predicate.append(place)
        if time_after and item.owner == time_after:
            written.time()
            time_after = ""
    return written.finish(root, words)


def _particle(line: Line, name: str, mention: Mention | None) -> str:
    """The form of the particle behind the last word; `mention` is what it belongs to."""
    if mention is not None and mention.ko_form == "who" and name in ("은", "이"):
        line.words[-1] = "누"  # 누구 + 가 -> 누가
        name = "이"
    elif name == "은" and mention is not None:
        new = mention.ko_form == "what" or mention.determiner in ("a", "some", "number")
        name = "이" if new else name  # a question word, and what the listener does not know, is never a topic
    return particle(name, line.words[-1])


def _korean_predicate(line: Line, clause: Clause, tense: str) -> int:
    forms = (clause.verb or clause.adjective).ko
    upos = "VERB" if clause.verb is not None else "ADJ"
    if clause.negated:
        place = line.add(forms["not"], upos)
        present = "않는다" if upos == "VERB" else "않다"
        line.add({"past": "않았다", "present": present, "ask_past": "않았나요"}[tense], "AUX", head=place)
        return place
    if tense == "progressive":
        place = line.add(forms["and"], upos)
        line.add("있었다", "AUX", head=place)
        return place
    return line.add(forms[tense], upos)


def write_noun(line: Line, mention: Mention, key: tuple, language: str, *, subject: bool = False) -> int:
    """Appends a noun phrase (without its particle) and returns the place of its head. key: (clause, role)."""
    english = language == "en"
    form, lexeme, start = mention.form if english else mention.ko_form, mention.lexeme, len(line.words)
    if form in _QUESTIONS[language]:
        return line.add(_QUESTIONS[language][form], "PRON")
    if form == "pronoun" and (english or mention.gender):
        place = line.add(_pronoun(mention, language, subject), "PRON", entity=mention.entity)
        line.places[*key, "noun"] = place
        line.roles[key[1]] = (place, place + 1)
        return place
    if lexeme.named:
        return line.name(lexeme.en if english else lexeme.ko, lexeme.kind, mention.entity, key)
    if english:
        words = lexeme.en_plural if mention.number > 1 else lexeme.en
        _determiner(line, mention, key, words[0])
    else:
        people = mention.number > 1 and lexeme.person and mention.determiner != "number"
        words = (*lexeme.ko[:-1], lexeme.ko[-1] + ("들" if people else ""))
        if mention.determiner == "owner" and lexeme.kind in ("friend", "kin") and mention.entity % 3 == 0:
            # mostly left unsaid
            line.places[*key, "owner"] = line.add("자기", "PRON", entity=mention.owner.entity)
    if mention.adjective is not None:
        adjective = mention.adjective.en if english else mention.adjective.ko["after"]
        line.places[*key, "adjective"] = line.add(adjective, "ADJ")
    for word in words[:-1]:
        line.add(word, "NOUN")
    place = line.add(words[-1], "NOUN", sense=lexeme.senses.get(language, "_"), entity=mention.entity)
    line.heads[start:place] = [place] * (place - start)
    if not english and mention.determiner == "number":
        line.places[*key, "number"] = line.add(_NUMBERS["ko"][mention.number], "NUM", head=place + 2)
        line.add(lexeme.counter, "NOUN", head=place)
    line.places[*key, "noun"] = place
    line.roles[key[1]] = (start, len(line.words))
    return place


def _pronoun(mention: Mention, language: str, subject: bool) -> str:
    if language == "ko":
        return _PRONOUNS_KO[mention.gender]
    forms = _PRONOUNS.get(mention.gender) or (("they", "them") if mention.number > 1 else ("it", "it"))
    return forms[0 if subject else 1]


def _determiner(line: Line, mention: Mention, key: tuple, noun: str) -> None:
    if line.words[-1:] == ["'s"]:  # Lena's apology
        return
    if mention.determiner == "a":
        line.add(article(mention.adjective.en if mention.adjective is not None else noun), "DET")
    elif mention.determiner == "number":
        line.places[*key, "number"] = line.add(_NUMBERS["en"][mention.number], "NUM")
    elif mention.determiner == "owner":
        word = _PRONOUNS[mention.owner.gender][2]
        line.places[*key, "owner"] = line.add(word, "PRON", entity=mention.owner.entity)
    elif mention.determiner:
        line.add(mention.determiner, "DET")
