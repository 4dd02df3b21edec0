from collections import Counter
from itertools import islice

import pytest

from course_lib.data.world import World


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("distractors", [0, 3])
def test_answers_are_spans_and_only_the_name_tells_them(language, distractors):
    kinds = Counter()
    for passage in islice(World(2).questions(language, distractors=distractors), 307):
        (question,) = passage.questions
        ((answer, start),) = question.answers
        assert passage.text[start : start + len(answer)] == answer
        sentences = passage.text.split(". ")
        assert len(sentences) == distractors + 1
        kind = question.id.split("-")[-2]
        kinds[kind] += 1
        assert question.question.endswith("?")
        assert answer not in question.question.split()
        inside = sum(answer in sentence for sentence in sentences)
        assert inside >= 1
        if kind == "what":
            place = passage.text[:start].count(". ")
            name = sentences[place].split()[0]
            assert (name if language == "en" else name[:-1]) in question.question
    assert min(kinds.values()) > 100


def test_korean_questions_use_question_words():
    words = Counter()
    for passage in islice(World(2).questions("ko"), 101):
        question = passage.questions[0].question
        words["누가" if "누가" in question else "무엇" if "무엇" in question else "none"] += 1
        assert question.endswith(("나요?", "가요?"))
    assert words["누가"] > 20
    assert words["무엇"] > 20
    assert not words["none"]


def test_made_up_names_are_unseen():
    known = {name.en[0] for names in World().lexicon.names.values() for name in names}
    for passage in islice(World(2).questions(made_up_names=True), 53):
        names = [sentence.split()[0] for sentence in passage.text.split(". ")]
        assert len(set(names)) == 4
        assert not known & set(names)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_reviews_are_labelled_by_most_of_their_judgements(language):
    world = World(2)
    sides = Counter()
    for review in islice(world.reviews(language), 307):
        sides[review.label] += 1
    assert min(sides.values()) > 100
    judged = {"friendly": "positive", "rude": "negative", "terrible": "negative", "great": "positive"}
    agree = Counter()
    for review in islice(world.reviews("en"), 307):
        for word, label in judged.items():
            if f" {word}." in review.text:
                agree[(label == review.label) != (f"not {word}" in review.text)] += 1
    assert agree[True] > 4 * agree[False]


def test_sentiment_of_a_sentence_turns_with_not():
    said = {}
    for sentence in islice(World(2).sentences(), 20_011):
        if sentence.sentiment != "neutral":
            said.setdefault((sentence.words[-2], "not" in sentence.words), set()).add(sentence.sentiment)
    both = [word for word, negated in said if negated and (word, False) in said and word != "cold"]
    assert len(both) > 10
    for word in both:
        assert len(said[word, True]) == len(said[word, False]) == 1
        assert said[word, True] != said[word, False]
