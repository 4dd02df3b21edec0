"""The English handmade sets: formats, balance, fixed splits, no duplicates, no giveaway words, and simple baselines.

`pytest -s tests/data/test_handmade_en.py` prints the baselines that data/handmade/README.md states.
"""

import re
from collections import Counter, defaultdict

import pytest

from course_lib.config import data_dir
from course_lib.data.handmade import handmade_gaps
from course_lib.models.shipped import load
from course_lib.text.words import split_words
from tests.data import handmade_baselines as baselines
from tests.data import handmade_checks as checks

FOLDER = data_dir("handmade", "en")
SENSES = checks.read_table(FOLDER / "senses.tsv")
REVIEWS = checks.read_table(FOLDER / "reviews.tsv")
NAMES = checks.read_conll(FOLDER / "names.conll")
ARTICLES = checks.read_articles(FOLDER / "questions.json")
PARAGRAPHS = [paragraph for article in ARTICLES for paragraph in article["paragraphs"]]
QUESTIONS = checks.questions_of(ARTICLES)


def test_files_are_plain():
    checks.check_files(FOLDER)


def test_gaps_can_be_filled():
    """Each with one gap, and with at least one answer that our BERT can give: its answers are single pieces."""
    gaps = handmade_gaps("en")
    pieces = set(load("bert-en").pieces.vocabulary)
    assert len(gaps) == 40
    for sentence, answers in gaps:
        assert sentence.split().count("[MASK]") == 1
        assert sentence == sentence.lower().replace("[mask]", "[MASK]")
        assert answers & pieces, sentence


def test_every_sense_has_the_same_fixed_split_and_the_same_cue_sides():
    checks.check_sense_plan(SENSES, n_words=14, n_senses=31)


def test_target_stands_at_its_index_once_and_in_one_form():
    checks.check_targets(SENSES)


def test_target_position_and_length_do_not_tell_the_sense():
    checks.check_place_and_length_tell_nothing(SENSES)


def test_no_content_word_gives_a_sense_away():
    found = [
        {word.removesuffix("s") for word in re.findall(r"\w{3,}", " ".join(checks.words_round(row)))} for row in SENSES
    ]
    spread = defaultdict(set)
    for row, words in zip(SENSES, found, strict=True):
        for word in words:
            spread[word].add(row["word"])
    # A word that stands beside more than half of the 14 ambiguous words is a function word.
    checks.check_no_giveaway(SENSES, [{word for word in words if len(spread[word]) <= 7} for words in found])


def test_reviews_are_balanced_and_a_quarter_is_hard():
    checks.check_reviews(REVIEWS)


def test_names_parse_and_bio_is_valid():
    checks.check_names(NAMES, {"train": 235, "dev": 55, "test": 99})


def test_a_fifth_has_no_name_and_test_names_are_mostly_new():
    checks.check_a_fifth_is_empty_and_test_names_are_new(NAMES)


def test_many_words_carry_more_than_one_tag():
    assert len(checks.words_with_more_than_one_kind(NAMES)) >= 80


def test_answers_stand_at_their_offsets_on_word_boundaries():
    assert Counter(article["split"] for article in ARTICLES) == {"train": 12, "dev": 3, "test": 5}
    assert len(PARAGRAPHS) == 60
    assert len(QUESTIONS) == len({qa["id"] for _, _, qa in QUESTIONS}) >= 240
    for paragraph in PARAGRAPHS:
        assert 60 <= len(paragraph["context"].split()) <= 120
        assert 4 <= len(paragraph["qas"]) <= 6
    for _, context, qa in QUESTIONS:
        for answer in qa["answers"]:
            start, end = answer["answer_start"], answer["answer_start"] + len(answer["text"])
            assert context[start:end] == answer["text"]
            assert not re.match(r"\w\w", context[max(0, start - 1) : start + 1]), qa
            assert not re.match(r"\w\w", context[end - 1 : end + 1]), qa
            assert answer["text"].lower() not in qa["question"].lower(), qa


def test_questions_do_not_copy_the_passage():
    for _, context, qa in QUESTIONS:
        words, passage = split_words(qa["question"].lower()), " ".join(split_words(context.lower()))
        for i in range(len(words) - 5):
            assert " ".join(words[i : i + 6]) not in passage, qa


@pytest.mark.parametrize(
    "texts",
    [
        [row["sentence"] for row in SENSES],
        [row["text"] for row in REVIEWS],
        [" ".join(word for word, _, _ in rows) for _, rows in NAMES],
        [paragraph["context"] for paragraph in PARAGRAPHS],
        [qa["question"] for _, _, qa in QUESTIONS],
    ],
    ids=["senses", "reviews", "names", "paragraphs", "questions"],
)
def test_nothing_is_said_twice(texts):
    checks.check_nothing_is_said_twice(texts)


def test_review_baseline():
    hits, hard = baselines.review_hits(REVIEWS, lambda row: " ".join(split_words(row["text"].lower())))
    print(f"\nreviews: bag of words {hits.mean():.3f} on test, on its {len(hard)} hard ones {hard.mean():.2f}")
    assert 0.65 <= hits.mean() <= 0.92


def test_sense_baseline():
    hits, chance = baselines.sense_hits(SENSES)
    print(f"\nsenses: bag of words {hits.mean():.3f} on test ({len(hits)} sentences), chance {chance.mean():.3f}")
    assert chance.mean() < hits.mean() < 0.8


def test_tagging_baseline():
    accuracy, f1, n_names = baselines.tagging_scores(NAMES)
    print(f"\nnames: dictionary UPOS accuracy {accuracy:.3f}, span F1 {f1:.3f} ({n_names} names)")
    assert 0.6 < accuracy < 0.9
    assert 0.1 < f1 < 0.6


def test_question_baseline():
    hits = baselines.overlap_hits(QUESTIONS, lambda text: set(split_words(text.lower())))
    share = hits.mean()
    print(f"\nquestions: the sentence sharing most words holds the answer to {share:.3f} of {len(hits)} questions")
    assert 0.3 < share < 0.8
