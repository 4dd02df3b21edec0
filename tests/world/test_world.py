"""Laws that hold for every sentence of the world: 10,007 sentences of each language."""

import re
from collections import Counter
from itertools import islice, pairwise
from zlib import crc32

import pytest

from course.world import World
from course.world.korean import final
from tests.mistakes import mistakes

COUNT = 10_007


@pytest.fixture(scope="module")
def pairs():
    return list(islice(World(5).pairs(), COUNT))


@pytest.fixture(scope="module", params=["en", "ko"])
def sentences(request, pairs):
    alone = islice(World(5).sentences(request.param), 211)  # one language alone is the same as in pairs
    assert [sentence.words for sentence in alone] == [pair[request.param].words for pair in pairs[:211]]
    return [pair[request.param] for pair in pairs]


@pytest.mark.parametrize(("split", "sum_of_it"), [("train", 3849040201), ("dev", 2265968778), ("test", 3621328747)])
def test_the_text_is_the_one_that_was_measured(split, sum_of_it):
    """A new word, draw or rule that changes any sentence is a decision, not a side effect."""
    world = World(0, split=split)
    free = [sentence for language in ("en", "ko") for sentence in islice(world.sentences(language), 307)]
    told = [s for d in islice(world.documents(), 53) for s in (*d.sentences("en"), *d.sentences("ko"))]
    assert crc32("\n".join(" ".join(s.words) for s in free + told).encode()) == sum_of_it, (
        "The world's text changed: every record and notebook measured on it must be made again. "
        "Meant? Then enter the new sum here, and make them."
    )
    assert next(World(1, split=split).sentences()) != free[0]


def test_every_layer_has_one_label_a_word_and_heads_form_one_tree(sentences):
    for sentence in sentences:
        layers = (sentence.upos, sentence.heads, sentence.ner, sentence.senses, sentence.entities)
        assert {len(layer) for layer in layers} == {len(sentence.words)}
        assert all(sentence.words)
        assert sentence.heads.count(0) == 1
        for place in range(len(sentence)):
            steps = 0
            while sentence.heads[place]:
                place, steps = sentence.heads[place] - 1, steps + 1
                assert steps < len(sentence), sentence
        for before, tag in pairwise(("O", *sentence.ner)):
            assert not tag.startswith("I-") or before[2:] == tag[2:]
        assert [tag != "O" for tag in sentence.ner] == [upos == "PROPN" for upos in sentence.upos]


def test_spans_equal_their_text_which_is_as_one_writes(sentences):
    for sentence in sentences:
        for attached in (True, False):
            record = sentence.sentence(attached=attached)
            assert tuple(record.text[start:end] for start, end in record.spans) == sentence.words
        assert all(0 <= start < end <= len(sentence) for start, end in sentence.roles.values())
        assert re.fullmatch(r"[A-Z가-힣](?!.*(  | \.)).*\.", sentence.text())


def test_particles_fit_the_sound_before(pairs):
    after = {"closed": {"은", "이", "을", "과"}, "open": {"는", "가", "를", "와"}}
    for pair in pairs:
        sentence = pair.ko
        for before, word, upos in zip(sentence.words, sentence.words[1:], sentence.upos[1:], strict=False):
            if upos == "ADP":
                end = final(before)
                assert word not in after["open" if end != " " else "closed"], sentence.text()
                if word in ("로", "으로"):
                    assert (word == "로") == (end in " ㄹ"), sentence.text()


def test_english_articles_and_agreement(pairs):
    nouns = World().lexicon.nouns.values()
    plurals = {noun.en_plural[-1] for noun in nouns if noun.number != "mass"}
    either = plurals & {noun.en[-1] for noun in nouns if noun.number != "plural"}  # sheep
    checked = Counter()
    for pair in pairs:
        words = pair.en.words
        for place, word in enumerate(words[:-1]):
            if word.lower() in ("a", "an"):
                vowel = words[place + 1][0] in "aeiou" and not words[place + 1].startswith("uni")
                assert (word.lower() == "an") == vowel, pair.en.text()
            if word in ("was", "were") and "because" not in words:
                first, end = next(iter(pair.en.roles.values()))
                head = next(p for p in range(first, end) if pair.en.heads[p] - 1 not in range(first, end))
                if words[head] not in either:
                    assert (word == "were") == (words[head].lower() in plurals), pair.en.text()
                    checked[word] += 1
            if word == "because":
                assert words[place + 1 : place + 3] in (("he", "was"), ("she", "was"))
    assert min(checked["was"], checked["were"]) > 20


def test_alignment_is_within_bounds_and_joins_like_words(pairs):
    aligned = Counter()
    for pair in pairs:
        for english, korean in pair.alignment:
            aligned[pair.en.upos[english] == pair.ko.upos[korean]] += 1
            if pair.en.upos[english] == "PROPN":
                assert pair.ko.upos[korean] == "PROPN"
            if pair.en.upos[english] == "PRON":  # a name beside it is aligned with the name, in whichever clause
                assert pair.ko.upos[korean] == "PRON"
        record = pair.parallel("ko")
        assert all(k < len(record.source) and e < len(record.target) for k, e in record.alignment)
        assert len(set(pair.alignment)) == len(pair.alignment)
    assert aligned[True] > 0.9 * aligned.total()


def test_many_words_with_frequencies_like_zipf(sentences):
    counts = Counter(word for sentence in sentences for word in sentence.words)
    assert len(counts) >= 1000
    ranked = [count for _, count in counts.most_common()]
    assert ranked[0] > 3 * ranked[9] > 9 * ranked[99] > 9 * ranked[499]


def test_no_leak_between_splits():
    worlds = {split: World(5, split=split) for split in ("train", "dev", "test")}
    for language in ("en", "ko"):
        texts, names = {}, {}
        for split, world in worlds.items():
            free = list(islice(world.sentences(language), 4001))
            told = [s for d in islice(world.documents(), 401) for s in d.sentences(language)]
            texts[split] = {sentence.text() for sentence in free + told}
            names[split] = {w for s in free + told for w, tag in zip(s.words, s.ner, strict=True) if tag == "B-PER"}
        for one, other in (("train", "dev"), ("train", "test"), ("dev", "test")):
            assert not texts[one] & texts[other]
            assert not names[one] & names[other]


def test_held_out_words_stay_out_of_train():
    train, test = World(5), World(5, split="test")
    held = {noun for noun in train.lexicon.nouns.values() if noun.split != "train"}
    forms = {noun.en[-1] for noun in held} | {noun.ko[-1] for noun in held}
    assert min(Counter(noun.split for noun in held).values()) > 40
    for language in ("en", "ko"):
        seen = {word for sentence in islice(train.sentences(language), 5003) for word in sentence.words}
        assert not seen & forms
        assert {word for sentence in islice(test.sentences(language), 5003) for word in sentence.words} & forms


test_a_wrong_argument_says_what_to_use = mistakes(
    (lambda: World(split="valid"), "train, dev, test"),
    (lambda: World().sentences("fr"), "'en' or 'ko'"),
    (lambda: World().senses(side="up"), "left, right, both"),
    (lambda: World().senses(side="left", distance=2), "stands 5 words away or more"),
    (lambda: World().agreement(21), "from 0 to 20"),
)
