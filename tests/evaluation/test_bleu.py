import random

import pytest
import sacrebleu

from course_lib.errors import CourseError
from course_lib.evaluation.bleu import bleu


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


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("a b c d", "a b c d"),
        ("a b c d", "a b c d e f g"),  # brevity
        ("a b c d e", "a b c d"),
        ("the the the the the", "the cat the mat"),  # clipping
        ("a b c", "a b c"),  # no 4-gram at all
        ("a b c x d", "a b c y d"),
        ("", "a b c d"),
        ("a b c d", ""),
        ("  a  b\tc d ", "a b c d"),
    ],
)
def test_single_sentences(hypothesis, reference):
    assert bleu([hypothesis], [reference]) == pytest.approx(reference_bleu([hypothesis], [reference]), abs=1e-9)


def test_by_hand():
    """Precisions 5/6, 3/5, 2/4, 1/3, lengths 6 and 6: (1/12) ** (1/4)."""
    assert bleu(["the cat sat on the mat"], ["the cat sat on a mat"]) == pytest.approx(100 * (1 / 12) ** 0.25)


def test_counts_are_added_up_before_dividing():
    hypotheses, references = ["a b c d", "x y"], ["a b c d", "x z"]
    assert bleu(hypotheses[1:], references[1:]) == 0
    assert 50 < bleu(hypotheses, references) < 100


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a"], ["a", "b"], "1 translations and 2 references"),
        ([], [], "0 translations and 0 references"),
        ("a b", ["a b"], "Give two lists"),
    ],
)
def test_errors(hypotheses, references, message):
    with pytest.raises(CourseError, match=message):
        bleu(hypotheses, references)
