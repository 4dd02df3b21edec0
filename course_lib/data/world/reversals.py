"""A sees B, B sees A: the same words, another meaning."""

from __future__ import annotations

from course_lib.data.world.compose import Composer, Plan
from course_lib.data.world.draw import Mention
from course_lib.data.world.korean import particle
from course_lib.data.world.sentence import WorldPair

KINDS = ("PER.f", "PER.m")


def reversal(composer: Composer) -> tuple[WorldPair, WorldPair]:
    """Two sentences of a frame with AGENT and PATIENT; the names change places, in both languages."""
    draw = composer.draw
    frames = [frame for frame in composer.frames if "PATIENT" in frame.roles]
    while True:
        people = [Mention(draw.name(draw.one(KINDS)), entity=number) for number in (1, 2)]
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
