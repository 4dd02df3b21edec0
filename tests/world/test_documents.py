"""Documents: pronouns, topics, next sentences; questions on passages; reviews."""

from collections import Counter
from itertools import islice

import pytest

from course.world import World


def test_pronouns_point_back_to_the_same_referent():
    kinds = set()
    for pair in islice(World(7).pairs(), 5003):
        for sentence in (pair.en, pair.ko):
            for place, old in enumerate(sentence.antecedents):
                if old is not None:
                    assert old < place
                    assert sentence.entities[place] == sentence.entities[old] != 0
                    kinds.add(sentence.words[place].lower())
    assert {"he", "she", "his", "her", "자기"} <= kinds


def test_documents_stay_with_one_topic_and_one_person_and_pronouns_agree_in_gender():
    documents = list(islice(World(7).documents(), 1009))
    names = {name.en[0]: name.gender for kind in ("PER.f", "PER.m") for name in World().lexicon.names[kind]}
    assert len({document.topic for document in documents}) >= 12
    for document in documents:
        assert {pair.en.topic for pair in document.pairs} == {document.topic}
        assert 2 <= len(document.pairs) <= 5
        counted = Counter(e for s in document.sentences("en") for e in set(s.entities) - {0})
        assert counted.most_common(1)[0][1] >= 2
        first = {}
        for sentence in document.sentences("en"):
            for word, entity in zip(sentence.words, sentence.entities, strict=True):
                first.setdefault(entity, word)
                gender = {"he": "m", "his": "m", "him": "m", "she": "f"}.get(word.lower())
                assert gender is None or names[first[entity]] == gender


@pytest.mark.parametrize("negatives", ["same_topic", "any_topic"])
def test_next_sentences_are_balanced_and_differ(negatives):
    pairs = list(islice(World(7).next_sentences(negatives=negatives), 1009))
    assert {pair.label for pair in pairs} == {"next", "other"}
    assert 0.44 < sum(pair.label == "next" for pair in pairs) / len(pairs) < 0.56
    for pair in islice(World(7).next_sentences("ko"), 101):
        assert pair.first != pair.second


# -- Questions and reviews
@pytest.mark.parametrize("language", ["en", "ko"])
def test_answers_are_spans_and_only_the_name_tells_them(language):
    kinds, ends = Counter(), {"en": "?", "ko": ("나요?", "가요?")}[language]
    for passage in islice(World(2).questions(language), 307):
        (question,) = passage.questions
        ((answer, start),) = question.answers
        assert passage.text[start : start + len(answer)] == answer
        sentences = passage.text.split(". ")
        assert len(sentences) == 4
        kind = question.id.split("-")[-2]
        kinds[kind] += 1
        assert question.question.endswith(ends)
        assert language == "en" or ("누가" if kind == "who" else "무엇") in question.question
        assert answer not in question.question.split()
        if kind == "what":
            place = passage.text[:start].count(". ")
            name = sentences[place].split()[0]
            assert (name if language == "en" else name[:-1]) in question.question
    assert min(kinds.values()) > 100


def test_made_up_names_are_unseen_and_new_in_each_split():
    known = {name.en[0] for names in World().lexicon.names.values() for name in names}
    for split in ("train", "dev", "test"):
        found = set()
        for passage in islice(World(2, split=split).questions(made_up_names=True), 53):
            names = {sentence.split()[0] for sentence in passage.text.split(". ")}
            assert len(names) == 4
            found |= names
        assert not known & found
        known |= found


@pytest.mark.parametrize("language", ["en", "ko"])
def test_reviews_are_labelled_by_most_of_their_judgements(language):
    world = World(2)
    sides = Counter(review.label for review in islice(world.reviews(language), 307))
    assert min(sides.values()) > 100
    judged = {"friendly": "positive", "rude": "negative", "terrible": "negative", "great": "positive"}
    agree = Counter()
    for review in islice(world.reviews("en"), 307):
        for word, label in judged.items():
            if f" {word}." in review.text:
                agree[(label == review.label) != (f"not {word}" in review.text)] += 1
    assert agree[True] > 4 * agree[False]
