"""Documents: a person does several things of one topic, in order; people, places and things come back."""

from __future__ import annotations

from course.world.compose import Composer, Plan, takes_names
from course.world.draw import Clause, Mention
from course.world.grammar import Frame
from course.world.sentence import WorldDocument

PRONOUN_SHARE = 0.6  # of the later mentions of the protagonist as a subject; in Korean unsaid, a pronoun, or the name
COMPANION_SHARE = 0.5  # a role for a person goes to the companion
AGAIN_SHARE = 0.8  # a role that an earlier thing or place fits takes it up again
TRIES = 30
SENTENCES = 5  # of a document, at most


class Narrator:
    """Draws documents; sentences of a document are told in the order of the stages of their frames."""

    def __init__(self, composer: Composer):
        self.composer, self.draw = composer, composer.draw
        self.scripts = {
            topic: [frame for frame in frames if frame.stage and takes_names(frame)]
            for topic, frames in composer.by_topic.items()
        }
        self.topics = [topic for topic, frames in self.scripts.items() if len({f.stage for f in frames}) >= 4]
        self.remarks = {
            topic: [frame for frame in frames if frame.adjective_of == frame.subject and not frame.stage]
            for topic, frames in composer.by_topic.items()
        }
        self._members: dict[int, frozenset[int]] = {}

    def document(self, topic: str | None = None) -> WorldDocument:
        """A document about one topic."""
        topic = topic or self.draw.one(self.topics)
        return WorldDocument(topic, tuple(plan.pair() for plan in self._plans(topic)))

    def _plans(self, topic: str) -> list[Plan]:
        draw = self.draw
        gender = draw.one("fm")
        hero = Mention(draw.name(f"PER.{gender}"), entity=draw.entity())
        other = gender if draw.chance() < 0.3 else {"f": "m", "m": "f"}[gender]
        companion = Mention(draw.name(f"PER.{other}"), entity=draw.entity())
        if companion.lexeme is hero.lexeme:
            companion = Mention(draw.name("PER.m" if gender == "f" else "PER.f"), entity=draw.entity())
        cast = _Cast(hero, companion)
        plans: list[Plan] = []
        for frame in self._order(topic):
            plan = self._told(frame, cast, first=not plans)
            if plan is None:
                continue
            plans.append(plan)
            cast.remember(plan.clauses[0], len(plans))
            remark = self._remark(topic, cast, len(plans)) if len(plans) < SENTENCES and draw.chance() < 0.4 else None
            if remark is not None:
                plans.append(remark)
                cast.remember(remark.clauses[0], len(plans))
            if len(plans) >= SENTENCES:
                break
        return plans

    def _order(self, topic: str) -> list[Frame]:
        """One frame of each stage, stages going up, until there are enough."""
        frames = self.scripts[topic]
        stages = sorted({frame.stage for frame in frames})
        while len(stages) > SENTENCES:
            del stages[int(self.draw.chance() * len(stages))]
        return [self.draw.one([frame for frame in frames if frame.stage == stage]) for stage in stages]

    def _told(self, frame: Frame, cast: _Cast, *, first: bool) -> Plan | None:
        draw = self.draw
        for _ in range(TRIES):
            given = {"AGENT": self._hero(cast, first)}
            for name, role in frame.roles.items():
                if name != "AGENT" and not role.adverbials and (not role.optional or draw.chance() < 0.6):
                    known = self._known(role, cast)
                    if known is not None and all(known.entity != mention.entity for mention in given.values()):
                        given[name] = known
            clause = draw.clause(frame, given, optional=0.3)
            if clause is None:
                continue
            for mention in clause.mentions.values() if not clause.has_name else ():
                if mention.form == "pronoun" and not mention.lexeme.person:
                    mention.form = "full"  # "She bought it" could stand in any split
            plan = Plan("one", [clause])
            if first and "MANNER" not in clause.mentions:
                clause.time = draw.one(draw.lexicon.adverbials[clause.frame.time])
                clause.time_first = draw.chance() < 0.5
            elif not first and draw.chance() < 0.25:
                clause.time, clause.time_first = draw.one(draw.lexicon.adverbials["then"]), True
            elif frame.reasons and draw.chance() < 0.3:
                reason = self.composer.reasons[draw.one(frame.reasons)]
                plan.shape = "because"
                plan.clauses.append(draw.clause(reason, {"AGENT": cast.hero.again("pronoun", "zero")}))
            if plan.fits(draw.split):
                return plan
        return None

    def _hero(self, cast: _Cast, first: bool) -> Mention:
        if first:
            return cast.hero
        chance = self.draw.chance()
        clear = cast.companion_since != cast.sentence or cast.companion.gender != cast.hero.gender
        form = "pronoun" if clear and chance < PRONOUN_SHARE else "full"
        korean = self.draw.chance()
        return cast.hero.again(form, "zero" if korean < 0.3 else "pronoun" if clear and korean < 0.5 else "full")

    def _known(self, role, cast: _Cast) -> Mention | None:
        """Someone or something told of before that can fill the role."""
        if "PER.f" in role.name_types:
            if self.draw.chance() < COMPANION_SHARE:
                return cast.companion if not cast.companion_since else cast.companion.again()
            return None
        if id(role) not in self._members:
            self._members[id(role)] = frozenset(id(noun) for group in role.groups for noun in group)
        for sentence, mention in reversed(cast.things):
            named = mention.lexeme.named and mention.lexeme.kind in role.name_types
            if (named or id(mention.lexeme) in self._members[id(role)]) and self.draw.chance() < AGAIN_SHARE:
                near = sentence == cast.sentence and role.name == "THING" and mention.number <= 1 and not named
                it = near and not mention.lexeme.person and mention.determiner != "owner" and self.draw.chance() < 0.4
                return mention.again("pronoun" if it else "full")
        return None

    def _remark(self, topic: str, cast: _Cast, sentence: int) -> Plan | None:
        """The apples were fresh: a sentence about the newest thing."""
        fresh = [mention for number, mention in cast.things if number == sentence and not mention.lexeme.person]
        for mention in fresh:
            for frame in self.remarks[topic]:
                role = frame.roles[frame.subject]
                fits = any(mention.lexeme in group for group in role.groups)
                if fits and mention.lexeme.adjectives and mention.determiner != "owner":
                    clause = self.draw.clause(frame, {frame.subject: mention.again()}, optional=0.0)
                    if clause is None or clause.adjective is mention.adjective:
                        continue  # not: she sang a moving song; the song was moving
                    plan = Plan("one", [clause])
                    if plan.fits(self.draw.split):
                        return plan
        return None


class _Cast:
    """Who and what a document has told of so far."""

    def __init__(self, hero: Mention, companion: Mention):
        self.hero, self.companion = hero, companion
        self.companion_since = 0  # last sentence that names the companion
        self.things: list[tuple[int, Mention]] = []
        self.sentence = 0

    def remember(self, clause: Clause, sentence: int) -> None:
        self.sentence = sentence
        for mention in clause.mentions.values():
            if mention.lexeme is None or mention.entity == self.hero.entity:
                continue
            if mention.entity == self.companion.entity:
                self.companion_since = sentence
            else:
                others = [(n, old) for n, old in self.things if old.entity != mention.entity]
                self.things = [*others, (sentence, mention)]
