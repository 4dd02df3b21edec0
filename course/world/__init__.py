"""The invented world: one meaning, an English and a Korean sentence, exact labels. See `World`."""

from course.world.sentence import WorldDocument, WorldPair, WorldSentence
from course.world.world import World

__all__ = ["World", "WorldDocument", "WorldPair", "WorldSentence"]
