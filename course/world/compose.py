"""From a frame to a sentence: one clause, or two joined by because, after, before, and then; and turned about."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, replace

from course.world.draw import BUCKETS, Clause, Draw, Mention
from course.world.grammar import Frame
from course.world.korean import particle
from course.world.sentence import Line, WorldPair, WorldSentence
from course.world.writing import english_clause, korean_clause

# of free-standing sentences, with their cumulative shares; a shape that does not fit its frame becomes a single clause
_SHAPES = ("because", "after", "before", "and", "not", "habit", "progressive", "one")
_SHARES = (0.18, 0.27, 0.33, 0.42, 0.46, 0.52, 0.58, 1.0)


@dataclass(slots=True)
class Plan:
    """What a sentence says. English order: clauses[0] is the main clause (after: the earlier event)."""

    shape: str
    clauses: list[Clause]

    def fits(self, split: str) -> bool:
        """No other split can have this text."""
        if self.clauses[0].has_name:
            return True
        return BUCKETS[sum(clause.key() for clause in self.clauses) % len(BUCKETS)] == split

    def pair(self) -> WorldPair:
        return WorldPair(self.write("en"), self.write("ko"))

    def write(self, language: str) -> WorldSentence:
        line, english = Line(), language == "en"
        if len(self.clauses) == 1:
            (english_clause if english else korean_clause)(line, self.clauses[0])
        else:
            (_write_english if english else _write_korean)(line, self)
        return line.finish(language, self.clauses[0].frame.topic)


def _write_english(line: Line, plan: Plan) -> None:
    """Two clauses."""
    first, second = plan.clauses
    if plan.shape == "after":
        mark = line.add("after", "SCONJ")
        line.places[0, "MARK", ""] = mark
        root = english_clause(line, first)
        comma = line.add(",", "PUNCT")
        line.heads[mark] = line.heads[comma] = root
        line.heads[root] = english_clause(line, second, 1)
        return
    root = english_clause(line, first)
    if plan.shape == "and":
        marks = [line.add("and", "CCONJ"), line.add("then", "ADV")]
    else:
        marks = [line.add(plan.shape, "SCONJ")]
        line.places[0, "MARK", ""] = marks[0]
    inner = english_clause(line, second, 1)
    line.heads[inner] = root
    for mark in marks:
        line.heads[mark] = inner


def _write_korean(line: Line, plan: Plan) -> None:
    """The subordinate clause comes first and holds the subject; the main clause leaves it unsaid."""
    turned = plan.shape in ("because", "before")
    inner, outer = plan.clauses[::-1] if turned else plan.clauses
    numbers = (1, 0) if turned else (0, 1)
    named = plan.clauses[0].mentions[plan.clauses[0].frame.subject]
    named, unsaid = replace(named, form="full", ko_form="full"), named.again(ko_form="zero")
    inner = replace(inner, mentions=inner.mentions | {inner.frame.subject: named})
    outer = replace(outer, mentions=outer.mentions | {outer.frame.subject: unsaid})
    place = korean_clause(line, inner, numbers[0], form=plan.shape)
    if plan.shape in ("after", "before"):
        noun = line.add("뒤" if plan.shape == "after" else "전", "NOUN")
        line.add("에", "ADP", head=noun)
        line.heads[place] = noun
        line.places[0, "MARK", ""] = place = noun
    elif plan.shape == "and":
        line.add("나서", "AUX", head=place)
    line.heads[place] = korean_clause(line, outer, numbers[1])


class Composer:
    """Draws free-standing sentences."""

    def __init__(self, frames: list[Frame], draw: Draw):
        self.draw = draw
        self.reasons = {frame.name: frame for frame in frames if frame.name}
        self.frames = [frame for frame in frames if not frame.name]
        self.by_topic = {frame.topic: [f for f in self.frames if f.topic == frame.topic] for frame in self.frames}
        self.later = {
            id(frame): [f for f in self.by_topic[frame.topic] if f.stage > frame.stage > 0 and takes_names(f)]
            for frame in self.frames
        }

    def plan(self) -> Plan:
        """A sentence of this split (drawn again until it is one)."""
        while True:
            plan = self._plan(self.draw.one(self.frames))
            if plan is not None and plan.fits(self.draw.split):
                return plan

    def _plan(self, frame: Frame) -> Plan | None:
        draw = self.draw
        shape = _SHAPES[bisect(_SHARES, draw.chance())]
        clause = draw.clause(frame, optional=0.5 if shape in ("one", "not", "habit", "progressive") else 0.25)
        if clause is None:
            return None
        subject = clause.mentions[frame.subject]
        second = None
        if clause.verb is not None and subject.gender:
            if shape == "because" and frame.reasons:
                second = draw.clause(self.reasons[draw.one(frame.reasons)], {"AGENT": subject.again("pronoun", "zero")})
            elif shape in ("after", "before", "and") and self.later[id(frame)]:
                form = "zero" if shape == "and" else "pronoun"
                other = draw.one(self.later[id(frame)])
                if other.verbs[0] is not clause.verb:
                    second = draw.clause(other, {other.subject: subject.again(form, "zero")}, optional=0.3)
                if second is not None and second.verb is clause.verb:
                    second = None
        if second is not None:
            plan = Plan(shape, [clause, second])
            if shape in ("because", "and") and "MANNER" not in clause.mentions and draw.chance() < 0.25:
                clause.time, clause.time_first = draw.one(draw.lexicon.adverbials[clause.frame.time]), True
            return plan
        manner = "MANNER" in clause.mentions
        if clause.verb is None:
            clause.negated = draw.chance() < 0.12
        elif shape == "not" and subject.lexeme.person:
            clause.negated = True
        elif shape == "habit" and frame.habit and not manner:
            clause.tense, clause.time = "present", draw.one(draw.lexicon.adverbials["habit"])
        elif shape == "progressive" and frame.habit and not manner:
            clause.tense = "progressive"
        elif draw.chance() < 0.35 and not manner:
            clause.time, clause.time_first = draw.one(draw.lexicon.adverbials[clause.frame.time]), draw.chance() < 0.3
        return Plan("one", [clause])


def takes_names(frame: Frame) -> bool:
    """A person with a name can be its subject."""
    return "PER.f" in frame.roles[frame.subject].name_types and frame.subject == "AGENT"


def reversal(composer: Composer) -> tuple[WorldPair, WorldPair]:
    """A sees B, B sees A: the same words with the names in each other's place, in both languages."""
    draw = composer.draw
    frames = [frame for frame in composer.frames if "PATIENT" in frame.roles]
    while True:
        people = [Mention(draw.person(), entity=number) for number in (1, 2)]
        # both names take the same forms of the particles: the two Korean sentences hold the same words too
        alike = particle("은", people[0].lexeme.ko[-1]) == particle("은", people[1].lexeme.ko[-1])
        if people[0].lexeme is people[1].lexeme or not alike:
            continue
        clause = draw.clause(draw.one(frames), {"AGENT": people[0], "PATIENT": people[1]}, optional=0.4)
        if clause is not None and all(mention.owner is None for mention in clause.mentions.values()):
            break
    first = Plan("one", [clause]).pair()
    clause.mentions = {**clause.mentions, "AGENT": people[1], "PATIENT": people[0]}
    return first, Plan("one", [clause]).pair()
