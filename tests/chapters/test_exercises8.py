"""Chapter 8's reference solutions against the library and by hand."""

import random

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from course.check import registry
from course_lib.evaluation import span_f1, squad_scores
from course_lib.models.heads import SpanExtractor
from course_lib.models.spans import best_span
from tests.evaluation.test_metrics import script_2_0
from tests.models.small_berts import small_bert
from tests.models.span_samples import LONG, WORDS

PASSAGE = "Juno is in 서울에서 . Mina   is  in 서울은 now ."


def solution(number):
    return registry.find(f"8.{number}").solution


@pytest.mark.parametrize("question", ["who", "where is 서울에서"])
def test_answers_are_the_library_s_pieces(question):
    """Every span of a passage that has words in pieces and more than one space."""
    bert = small_bert(WORDS)
    batch, n_question = bert.batch([question], [PASSAGE], unit="piece"), len(bert.pieces.ids(question.split()))
    ids = batch.ids["pieces"][0].tolist()
    spans, tokens = batch.spans[0][n_question:], bert.pieces.tokens(ids)[n_question + 2 : -1]
    pieces = [(token, *span) for token, span in zip(tokens, spans, strict=True)]
    for i in range(len(pieces)):
        for j in range(i, len(pieces)):
            answer, start = solution(3)(PASSAGE, pieces, n_question, n_question + 2 + i, n_question + 2 + j)
            assert (start, answer) == (spans[i][0], PASSAGE[spans[i][0] : spans[j][1]])
    assert tokens[3:5] == ["서울", "##에서"]
    assert solution(3)(PASSAGE, pieces, n_question, n_question + 5, n_question + 5) == ("서울", 11)


def test_the_best_span_is_the_library_s():
    generator = random.Random(3)
    for _ in range(100):
        n_question, n, max_pieces = generator.randint(1, 3), generator.randint(1, 11), generator.randint(1, 13)
        size, begins = n_question + 3 + n, n_question + 2
        start, end = ([generator.uniform(-5, 5) for _ in range(size)] for _ in range(2))
        inside = [begins <= place < begins + n for place in range(size)]
        passage = [np.array(logits[begins : begins + n]) for logits in (start, end)]
        _, i, j = best_span(*passage, max_pieces)
        assert solution(4)(start, end, inside, max_pieces) == (i + begins, j + begins)


def test_no_probe_has_a_tie():
    """A tie would be decided by the order in which an answer looks."""
    for probe in registry.find("8.4").probes:
        start, end, inside, max_pieces = probe.inputs
        places = [place for place, here in enumerate(inside) if here]
        scores = sorted(start[i] + end[j] for i in places for j in places if i <= j < i + max_pieces)
        assert len(scores) == 1 or scores[-1] > scores[-2] + 1e-3, probe.shows
    for probe in registry.find("8.6").probes:
        best = {}
        for begins, spans in probe.inputs[0]:
            for score, start, end in spans:
                best.setdefault((begins + start, begins + end), []).append(score)
        assert len({max(scores) for scores in best.values()}) == len(best), probe.shows
    for probe in registry.find("8.7").probes:
        scores = [span[0] for _, spans in probe.inputs[0] for span in spans]
        assert len(set(scores)) == len(scores), probe.shows


def test_the_score_is_the_library_s_and_that_of_squad_s_own_script():
    generator = random.Random(7)
    words = ["the", "The", "a", "cat", "cat,", "Cat", "(then)", "n", "U.S.A.", "usa", "an", "—", "''", "another", "“a”"]
    texts = [" ".join(generator.choices(words, k=generator.randint(0, 4))) for _ in range(1_000)]
    texts += ["the", "A", "?", "the", "", "an", "cat", "..."]
    for guess, truth in zip(texts[::2], texts[1::2], strict=True):
        assert solution(5)(guess, truth) == pytest.approx(script_2_0([truth], guess)[1]), (guess, truth)
        assert 100 * solution(5)(guess, truth) == pytest.approx(squad_scores([guess], [[truth]])["f1"])


def test_a_place_in_several_windows_has_its_best_score():
    generator = random.Random(11)
    for _ in range(50):
        scores = iter(generator.sample(range(1_000), 21))
        windows = [
            (begins, [(float(next(scores)), a, a + generator.randint(1, 2)) for a in generator.choices(range(4), k=5)])
            for begins in (0, 2, 3)
        ]
        found = sorted(((s, at + a, at + b) for at, spans in windows for s, a, b in spans), key=lambda span: -span[0])
        n = generator.randint(1, 15)
        assert solution(6)(windows, n) == list(dict.fromkeys((start, end) for _, start, end in found))[:n]


def test_the_answer_or_none_is_the_head_s():
    """Of several windows, on both sides of each threshold at which some window's null score would change it."""
    head = SpanExtractor(small_bert(WORDS, max_units=17), no_answer=True, seed=1).eval()
    with torch.no_grad():
        for weight in head.parameters():
            if weight.ndim == 2:
                weight.mul_(10)  # as drawn, all windows are about as sure
    asked = [(LONG.questions[0].question, LONG.text)]
    batch = head.batch(asked)
    windows = []
    for logits, spans, segment in zip(head(batch).detach(), batch.spans, batch.segment, strict=True):
        n_question = int((segment[: len(spans)] == 0).sum())
        start, end = logits[:, n_question + 1 : len(spans) + 1].numpy()
        places = spans[n_question:]
        pairs = [(i, j) for i in range(len(places)) for j in range(i, min(i + 5, len(places)))]
        spans = [(float(start[i] + end[j]), places[i][0], places[j][1]) for i, j in pairs]
        windows.append((float(logits[:, 0].sum()), sorted(spans, key=lambda span: -span[0])))
    assert len(windows) > 2
    edges = [max(spans[0][0] for _, spans in windows) - null for null, _ in windows]
    assert len({round(edge, 2) for edge in edges}) == len(edges)  # the steps below tell them apart
    found = []
    for threshold in [edge + step for edge in edges for step in (-0.004, 0.004)]:
        (answer,) = head.predict(asked, max_answer=5, threshold=threshold)
        found.append(solution(7)(windows, threshold))
        assert found[-1] == (answer.start, answer.end)
    assert 0 < found.count((0, 0)) < len(found)


def test_a_step_by_hand_is_autograd_s():
    for probe in registry.find("8.9").probes:
        states, logits, spans, weight, bias, rate = probe.inputs
        hidden = logits.isinf()
        weight, bias = weight.clone().requires_grad_(), bias.clone().requires_grad_()
        scores = torch.einsum("rpd,kd->krp", states, weight) + bias[:, None, None]
        scores = scores.masked_fill(hidden, -torch.inf)
        F.cross_entropy(scores.flatten(0, 1), spans.T.flatten()).backward()
        expected = [number - rate * number.grad for number in (weight, bias)]
        for got, right in zip(
            solution(9)(states, scores.detach(), spans, weight.detach(), bias.detach(), rate), expected, strict=True
        ):
            torch.testing.assert_close(got, right)


def test_the_f1_of_names_is_the_library_s():
    for probe in registry.find("8.10").probes:
        assert solution(10)(*probe.inputs) == pytest.approx(span_f1(*probe.inputs))
    generator = random.Random(5)
    tags = ["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    for _ in range(200):
        sizes = [generator.randint(1, 7) for _ in range(generator.randint(1, 4))]
        sides = [[generator.choices(tags, k=size) for size in sizes] for _ in range(2)]
        assert solution(10)(*sides) == pytest.approx(span_f1(*sides))
