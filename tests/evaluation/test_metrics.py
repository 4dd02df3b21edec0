"""Metrics against seqeval, SQuAD's scripts, scipy, sacrebleu; values by hand."""

import collections
import random
import re
import string

import numpy as np
import pytest
import sacrebleu
from scipy.stats import spearmanr

from course_lib.evaluation.bleu import bleu
from course_lib.evaluation.metrics import accuracy, bio_spans, span_f1, spearman, squad_scores
from tests.mistakes import mistakes


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("", set()),
        ("O O", set()),
        ("B-PER I-PER O B-LOC", {("PER", 0, 2), ("LOC", 3, 4)}),
        ("B-PER B-PER", {("PER", 0, 1), ("PER", 1, 2)}),
        ("B-PER I-LOC I-LOC", {("PER", 0, 1), ("LOC", 1, 3)}),
        ("O I-PER I-PER", {("PER", 1, 3)}),
        ("B-A-B I-A-B", {("A-B", 0, 2)}),
    ],
)
def test_bio_spans(tags, spans):
    assert bio_spans(tags.split()) == spans
    for guess, gold in [("O O", "B-X O"), ("B-X O", "O O"), ("O O", "O O"), ("B-X I-X", "B-X O")]:  # half is none
        assert span_f1([guess.split()], [gold.split()]) == 0


TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def random_tags(rng: random.Random, n_sentences: int) -> list[list[str]]:
    return [rng.choices(TAGS, k=rng.randint(1, 7)) for _ in range(n_sentences)]


# Printed by seqeval 1.2.2 (f1_score) for random_tags(Random(seed), 53), the prediction
# being the same tags with every fourth word's tag drawn anew. seqeval is no dependency of the course.
SEQEVAL = {2: 0.7846153846153846, 3: 0.7183098591549295, 5: 0.7058823529411765}


@pytest.mark.parametrize("seed", SEQEVAL)
def test_equals_seqeval(seed):
    rng = random.Random(seed)
    gold = random_tags(rng, 53)
    drawn = [rng.choices(TAGS, k=len(tags)) for tags in gold]
    predicted = [
        [new if rng.random() < 0.25 else old for old, new in zip(*pair, strict=True)]
        for pair in zip(gold, drawn, strict=True)
    ]
    assert span_f1(predicted, gold) == pytest.approx(SEQEVAL[seed], abs=1e-12)


# Values of the official scripts: evaluate-v2.0.py (SQuAD) and evaluate-korquad_v1.0.py.
@pytest.mark.parametrize(
    ("language", "guess", "truth", "exact_match", "f1"),
    [
        ("en", "The Broncos!", "denver broncos", 0, 200 / 3),
        ("en", "“Paris”", "Paris", 0, 0),
        ("ko", "서울", "서울시", 0, 80),
        ("ko", "《태백산맥》", "태백산맥", 100, 100),
        ("ko", "‘서울 시’", "서울시", 0, 100),
        ("ko", "「서울」", "서울", 0, 200 / 3),  # the script keeps corner brackets
        ("ko", "1,989년(12월)", "1989년 12월", 100, 100),
        ("ko", "부산", "서울", 0, 0),
        ("ko", "the BTS", "bts", 0, 200 * 3 / 9),
    ],
)
def test_squad_by_hand(language, guess, truth, exact_match, f1):
    expected = pytest.approx({"exact_match": exact_match, "f1": f1})
    assert squad_scores([guess], [[truth]], language) == expected
    assert squad_scores({"q1": guess}, {"q1": [truth]}, language=language) == expected


def test_squad_takes_the_best_reference_and_the_mean_over_questions():
    predictions = {"b": "Paris", "a": "red car", "c": ""}
    references = {"a": ["blue car", "red car now"], "b": ["London", "paris"], "c": []}
    expected = pytest.approx({"exact_match": 200 / 3, "f1": (80 + 100 + 100) / 3})
    assert squad_scores(predictions, references) == expected
    assert squad_scores(["red car", "Paris", ""], list(references.values())) == expected
    assert squad_scores(["Paris"], [[]]) == {"exact_match": 0, "f1": 0}


def script_2_0(answers, guess):
    """(exact, f1) of one question, written after evaluate-v2.0.py: normalize_answer, get_raw_scores, compute_f1."""

    def normal(text):
        kept = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
        return " ".join(re.compile(r"\b(a|an|the)\b", re.UNICODE).sub(" ", kept).split())

    def f1(gold, guess):
        gold, guess = normal(gold).split(), normal(guess).split()
        same = sum((collections.Counter(gold) & collections.Counter(guess)).values())
        if not gold or not guess:
            return float(gold == guess)
        precision, recall = same / len(guess), same / len(gold)
        return 2 * precision * recall / (precision + recall) if same else 0.0

    gold_answers = [answer for answer in answers if normal(answer)] or [""]
    return max(normal(gold) == normal(guess) for gold in gold_answers), max(f1(gold, guess) for gold in gold_answers)


ANSWER_PARTS = ["", " ", "the", "A", "an", "...", "—", "“a”"]
ANSWER_PARTS += ["İ", "ß", "the-cat", "a.", "배", "x\u00a0y", "1,0", "An\n"]


@pytest.mark.parametrize("seed", range(11))
def test_squad_equals_the_script_question_by_question(seed):
    rng = random.Random(seed)

    def draw():
        return rng.choice(["", " ", "\t"]).join(rng.choices(ANSWER_PARTS, k=rng.randint(0, 3)))

    guesses, references = zip(*[(draw(), [draw() for _ in range(rng.randint(0, 3))]) for _ in range(199)], strict=True)
    expected = [script_2_0(answers, guess) for guess, answers in zip(guesses, references, strict=True)]
    for guess, answers, (exact, f1) in zip(guesses, references, expected, strict=True):
        assert squad_scores([guess], [answers]) == pytest.approx({"exact_match": 100 * exact, "f1": 100 * f1})
    exact, f1 = np.mean(expected, axis=0)
    assert squad_scores(guesses, references) == pytest.approx({"exact_match": 100 * exact, "f1": 100 * f1})


def test_silence_is_no_answer_where_another_reference_holds_one():
    for language, empty in (("en", "The"), ("ko", "《》")):
        assert squad_scores([""], [[empty, "배"]], language) == {"exact_match": 0, "f1": 0}
        assert squad_scores([""], [[empty]], language) == {"exact_match": 100, "f1": 100}


@pytest.mark.parametrize("seed", range(7))
def test_spearman_equals_scipy_with_ties(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 7, 53), rng.normal(size=53)
    assert spearman(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    assert spearman(b, np.exp(b)) == pytest.approx(1)
    assert spearman(b, -(b**3)) == pytest.approx(-1)


test_errors = mistakes(
    (lambda: accuracy([1, 2], [1, 2, 3]), "accuracy got 2 predictions for 3 gold"),
    (lambda: accuracy([], []), "0 predictions for 0"),
    (lambda: accuracy("ab", ["a", "b"]), "Give two lists"),
    (lambda: span_f1([["O"]], [["O", "O"]]), "sentence 0 has 1 predicted and 2 gold tags"),
    (lambda: span_f1(["O"], ["O"]), "Give one list of tags per sentence"),
    (lambda: span_f1([["O", "PER"]], [["O", "O"]]), "Word 1 has the tag 'PER'.*BIO"),
    (lambda: squad_scores({"a": ""}, {"b": ["x"]}), "2 question ids are on one side only, such as 'a'"),
    (lambda: squad_scores(["x"], ["x"]), "reference 'x' is a str"),
    (lambda: squad_scores(["x"], [{"text": ["x"], "answer_start": [0]}]), "is a dict. Give a list"),
    (lambda: squad_scores(["x"], [None]), "reference None is a NoneType"),
    (lambda: squad_scores({"a": None}, {"a": ["x"]}), r"an answer is None \(NoneType\), not text"),
    (lambda: bleu([float("nan")], ["a"]), r"a translation is nan \(float\), not text"),
    (lambda: bleu(["a"], ["a", "b"]), "bleu got . predictions for . gold entries.*Give two lists"),
    (lambda: bleu("a b", ["a b"]), "bleu got . predictions for . gold entries.*Give two lists"),
    (lambda: spearman([1, 2], [1, 2, 3]), r"shapes \(2,\) and \(3,\)"),
    (lambda: spearman([1, 2, 3], [5, 5, 5]), "all 3 values of the second list are 5"),
    (lambda: spearman([1, float("nan"), 3], [5, 6, 7]), "1 of 3 values of the first list are NaN"),
)


# -- BLEU against sacrebleu
def reference_bleu(hypotheses, references):
    return sacrebleu.corpus_bleu(
        hypotheses, [references], tokenize="none", smooth_method="none", use_effective_order=False, force=True
    ).score


@pytest.mark.parametrize("seed", range(13))
def test_equals_sacrebleu(seed):
    rng = random.Random(seed)
    words = ["the", "snow", "폭설이", ".", "makes", "a", "trip"]
    references = [" ".join(rng.choices(words, k=rng.randint(1, 13))) for _ in range(17)]
    hypotheses = [
        " ".join(word for word in reference.split() if rng.random() < 0.8) + " trip" * rng.randint(0, 2)
        for reference in references
    ]
    assert bleu(hypotheses, references) == pytest.approx(reference_bleu(hypotheses, references), abs=1e-9)


def test_bleu_of_odd_sentences():
    """Equal, too short, too long, clipped, without a 4-gram, with a gap, empty, without a reference, odd spaces."""
    hypotheses = ["a b c d", "a b c d", "a b c d e", "the the the the the", "a b c", "a b c x d", "", "a b c d"]
    references = ["a b c d", "a b c d e f g", "a b c d", "the cat the mat", "a b c", "a b c y d", "a b c d", ""]
    pairs = zip([*hypotheses, "  a  b\tc d "], [*references, "a b c d"], strict=True)
    for one, other in [*(([a], [b]) for a, b in pairs), (hypotheses, references)]:
        assert bleu(one, other) == pytest.approx(reference_bleu(one, other), abs=1e-9)
