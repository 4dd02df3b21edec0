"""Each knob does what it says: the cue's side and distance, agreement, copying, role reversal, labels of words."""

from collections import Counter, defaultdict
from itertools import islice

import pytest

from course.world import World


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("distance", [None, 7, 13])
def test_the_cue_stands_on_its_side_at_its_distance(language, side, distance):
    world = World(3)
    cues = world.lexicon.cues[language]
    for example in islice(world.senses(language, side=side, distance=distance), 97):
        words = example.sentence.words
        assert words[example.position].lower() == example.word
        other = words[example.position + 1 :] if side == "left" else words[: example.position]
        near = words[: example.position] if side == "left" else words[example.position + 1 :]
        content = {
            word for cue in cues[example.sense] for word in cue.lower().split() if len(word) > 3 and ":" not in word
        }
        assert not {word.lower() for word in other} & content
        if language == "en":
            cue = next(c for c in cues[example.sense] if c.lower() in " ".join(near).lower())
            gap = " ".join(words).lower().split(cue.lower())
            between = gap[1].split() if side == "left" else gap[0].split()
            place = between.index(example.word) if side == "left" else len(between) - 1 - between.index(example.word)
            assert place == (distance or {"left": 5, "right": 1}[side])


@pytest.mark.parametrize(("language", "word", "marks"), [("en", "bank", "former latter"), ("ko", "사과", "앞 뒤")])
def test_joint_cues_tell_nothing_one_at_a_time(language, word, marks):
    both, left, right = defaultdict(Counter), defaultdict(Counter), defaultdict(Counter)
    for example in islice(World(3).senses(language, word=word, side="both"), 2003):
        words, place = example.sentence.words, example.position
        (mark,) = set(marks.split()) & set(words[place:])
        both[words[:place], mark][example.sense] += 1
        left[words[:place]][example.sense] += 1
        right[mark][example.sense] += 1
    assert all(len(senses) == 1 for senses in both.values())  # both sides together decide
    for side, least in ((left, 0.3), (right, 0.8)):  # neither alone does
        assert all(len(n) > 1 and min(n.values()) > least * max(n.values()) for n in side.values())


@pytest.mark.parametrize(
    "texts_of",
    [
        lambda w: {e.sentence.text.split(" after ")[1] for e in islice(w.senses(word="bank", side="right"), 307)},
        lambda w: {item.sentence.text() for item in islice(w.agreement(0), 499)},
    ],
)
def test_cues_and_sentences_of_train_are_not_in_the_other_splits(texts_of):
    train, dev, test = (texts_of(World(3, split=split)) for split in ("train", "dev", "test"))
    assert all((train, dev, test))
    assert not train & (dev | test)


@pytest.mark.parametrize("distance", range(21))
def test_agreement_at_each_distance(distance):
    world = World(3)
    plurals = {noun.en_plural[-1] for noun in world.lexicon.nouns.values() if noun.number == "count"}
    for item in islice(world.agreement(distance), 47):
        words = item.sentence.words
        assert item.verb - item.subject - 1 == distance
        assert words[item.verb] == item.right != item.wrong
        assert (words[item.subject] in plurals) == (item.right == "are")
        assert item.sentence.heads.count(0) == 1


def test_reversed_roles_keep_the_words():
    for one, other in islice(World(3).role_reversals(), 203):
        for language in ("en", "ko"):
            first, second = one[language], other[language]
            assert first.words != second.words
            assert Counter(first.words) == Counter(second.words)
            agent, patient = (first.words[first.roles[role][0]] for role in ("AGENT", "PATIENT"))
            assert second.words[second.roles["AGENT"][0]] == patient
            assert second.words[second.roles["PATIENT"][0]] == agent
