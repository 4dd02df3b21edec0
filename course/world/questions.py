"""Passages with questions whose answers are spans of the passage, and reviews with a judgement."""

from __future__ import annotations

from course.world.compose import Composer, Plan, takes_names
from course.world.draw import Clause, Mention
from course.world.grammar import Frame
from course.world.sentence import Line, WorldSentence
from course.world.writing import english_clause, korean_clause
from course_lib.data.records import LabelledText, Passage, Question

_JUDGED = {1: "positive", -1: "negative"}
TRIES = 200
PEOPLE = 4  # of a passage with a question


class Examiner:
    def __init__(self, composer: Composer):
        self.composer, self.draw = composer, composer.draw
        self.askable = [frame for frame in composer.frames if _askable(frame)]
        self.services = [f for f in composer.frames if f.adjective_of == "THING" and "PLACE" in f.roles and f.stage]
        self.visits = [f for f in composer.frames if any(verb.concept in ("stay", "eat") for verb in f.verbs)]

    def passage(self, language: str, *, made_up: bool = False) -> Passage:
        """Some persons do the same kind of thing with different things; one question.

        Who did it? (who), what did the named person ...? (what): the name in the question picks the sentence.
        made_up: names of persons from syllables, new in nearly every passage.
        """
        draw = self.draw
        clauses = None
        while clauses is None:
            clauses = self._same_kind(draw.one(self.askable), made_up)
        sentences = [Plan("one", [clause]).write(language) for clause in clauses]
        asked = int(draw.chance() * PEOPLE)
        kind = draw.one(("who", "what"))
        role = "AGENT" if kind == "who" else "THING"
        text, starts = join(sentences)
        start, answer = _span(sentences[asked], role)
        name = f"{clauses[asked].frame.topic}-{clauses[asked].verb.concept}-{kind}-{int(draw.chance() * 10**9)}"
        question = Question(name, ask(clauses[asked], role, kind, language), ((answer, starts[asked] + start),))
        return Passage(text, (question,), title=clauses[asked].frame.topic)

    def _same_kind(self, frame: Frame, made_up: bool) -> list[Clause] | None:
        """Clauses of one frame and verb; no person and no thing comes twice, so each question has one answer."""
        draw = self.draw
        verb = draw.one(frame.verbs)
        clauses: list[Clause] = []
        seen: set = set()
        for _ in range(TRIES):
            name = draw.person(made_up=made_up)
            given = {"AGENT": Mention(name, entity=draw.entity())}
            clause = draw.clause(frame, given, optional=0.0)
            if clause is None or {name.en, clause.mentions["THING"].lexeme.ko} & seen:
                continue
            seen |= {name.en, clause.mentions["THING"].lexeme.ko}
            clause.verb = verb
            clauses.append(clause)
            if len(clauses) == PEOPLE:
                return clauses
        return None

    def review(self, language: str) -> LabelledText:
        """A visit and two to four judgements; the label is what most of them say."""
        draw = self.draw
        label = draw.one((1, -1))
        wanted = [label] * draw.one((2, 3, 4))
        if len(wanted) > 2 and draw.chance() < 0.4:
            wanted[int(draw.chance() * len(wanted))] = -label  # one word against the rest
        visit = self._visit()
        plans, said = [Plan("one", [visit])], set()
        place = visit.mentions["PLACE"]
        while len(plans) <= len(wanted):
            clause = draw.clause(draw.one(self.services), {"PLACE": place.again()})
            if clause is None or clause.mentions["THING"].lexeme.concept in said:
                continue
            clause.negated = draw.chance() < 0.2
            if wanted[len(plans) - 1] != clause.adjective.judgement * (-1 if clause.negated else 1):
                continue
            said.add(clause.mentions["THING"].lexeme.concept)
            if len(plans) > 1:
                del clause.mentions["PLACE"]
            plans.append(Plan("one", [clause]))
        return LabelledText(join([plan.write(language) for plan in plans])[0], _JUDGED[label])

    def _visit(self) -> Clause:
        """Anna stayed in an inn last week."""
        places = {id(noun) for frame in self.services for group in frame.roles["PLACE"].groups for noun in group}
        while True:
            name = Mention(self.draw.person(), entity=self.draw.entity())
            clause = self.draw.clause(self.draw.one(self.visits), {"AGENT": name}, optional=0.6)
            if clause is not None and "PLACE" in clause.mentions and id(clause.mentions["PLACE"].lexeme) in places:
                clause.time, clause.time_first = self.draw.one(self.draw.lexicon.adverbials[clause.frame.time]), True
                return clause


def _askable(frame: Frame) -> bool:
    """Verb frames about a person and a thing, where `what` asks for the thing: one of six or more."""
    thing = frame.roles.get("THING")
    if not frame.verbs or not takes_names(frame) or thing is None or thing.person or thing.determiner == "own":
        return False
    apart = not any(item.kind == "role" and item.parent for item in frame.patterns["en"])
    return apart and sum(map(len, thing.groups)) >= 6


def ask(clause: Clause, role: str, kind: str, language: str) -> str:
    """The question whose answer fills `role`: Who bought ...? What did Anna buy ...?"""
    asked = Mention(None, form=kind, ko_form=kind)
    mentions = {name: asked if name == role else mention for name, mention in clause.mentions.items()}
    turned = Clause(clause.frame, clause.verb, clause.adjective, mentions)
    line = Line()
    if language == "ko":
        korean_clause(line, turned, form="ask_past")
    elif kind == "who":
        english_clause(line, turned)
    else:
        mentions[role] = Mention(None, form="zero", ko_form="zero")
        what, did = line.add("what", "PRON"), line.add("did", "AUX")
        line.heads[what] = line.heads[did] = english_clause(line, turned, infinitive=True)
    return line.finish(language, clause.frame.topic, stop="?").text()


def join(sentences: list[WorldSentence]) -> tuple[str, list[int]]:
    """The text of a passage and where each sentence starts in it."""
    starts, text = [], ""
    for sentence in sentences:
        text += " " if text else ""
        starts.append(len(text))
        text += sentence.text()
    return text, starts


def _span(sentence: WorldSentence, role: str) -> tuple[int, str]:
    """Start and text of a role's words, without the article."""
    first, end = sentence.roles[role]
    written = sentence.sentence(attached=True)
    while sentence.upos[first] == "DET" and first + 1 < end:
        first += 1
    start, stop = written.spans[first][0], written.spans[end - 1][1]
    return start, written.text[start:stop]
