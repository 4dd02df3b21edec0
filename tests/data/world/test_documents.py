from collections import Counter
from itertools import islice

import pytest

from course_lib.data.world import World


@pytest.fixture(scope="module")
def documents():
    return list(islice(World(7).documents(), 1009))


def test_pronouns_point_back_to_the_same_referent(documents):
    kinds = Counter()
    for document in documents:
        for language in ("en", "ko"):
            sentences = document.sentences(language)
            antecedents = document.antecedents(language)
            for (s, w), (t, v) in antecedents.items():
                assert (t, v) < (s, w)
                assert sentences[s].entities[w] == sentences[t].entities[v] != 0
                kinds[sentences[s].words[w].lower()] += 1
            pronouns = sum(u == "PRON" and e > 0 for x in sentences for u, e in zip(x.upos, x.entities, strict=True))
            assert language == "ko" or len(antecedents) == pronouns
    assert {"he", "she", "it", "his", "her", "그", "그녀", "자기"} <= set(kinds)


def test_an_antecedent_agrees_in_gender(documents):
    names = {name.en[0]: name.gender for kind in ("PER.f", "PER.m") for name in World().lexicon.names[kind]}
    for document in documents:
        first = {}
        for sentence in document.sentences("en"):
            for word, entity in zip(sentence.words, sentence.entities, strict=True):
                first.setdefault(entity, word)
                gender = {"he": "m", "his": "m", "him": "m", "she": "f"}.get(word.lower())
                assert gender is None or names[first[entity]] == gender


def test_documents_stay_with_one_topic_and_one_person(documents):
    assert len({document.topic for document in documents}) >= 12
    for document in documents:
        assert {pair.en.topic for pair in document.pairs} == {document.topic}
        assert 2 <= len(document.pairs) <= 5
        counted = Counter(e for s in document.sentences("en") for e in set(s.entities) - {0})
        assert counted.most_common(1)[0][1] >= 2


def test_length_and_topic_can_be_chosen():
    found = list(islice(World(7).documents(topic="market", sentences=3), 31))
    assert {document.topic for document in found} == {"market"}
    assert max(len(document.pairs) for document in found) == 3


@pytest.mark.parametrize("negatives", ["same_topic", "any_topic"])
def test_next_sentences_are_balanced(negatives):
    pairs = list(islice(World(7).next_sentences(negatives=negatives), 1009))
    share = sum(pair.label == "next" for pair in pairs) / len(pairs)
    assert 0.44 < share < 0.56
    assert {pair.label for pair in pairs} == {"next", "other"}


def test_next_sentences_are_neighbours_and_negatives_are_not():
    texts = [[s.text() for s in d.sentences("en")] for d in islice(World(7).documents(topic="farm"), 3)]
    assert all(len(set(text)) == len(text) for text in texts)
    for pair in islice(World(7).next_sentences("ko"), 101):
        assert pair.first != pair.second
