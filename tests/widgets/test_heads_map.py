"""The attention heatmap: summaries by hand, what the finding says, what travels, errors."""

import math

import numpy as np
import pytest

from course.widgets import attention_heatmap
from course.widgets.heads_map import head_summary, offset_name
from tests.mistakes import mistakes
from tests.widgets.gallery import weights

TOKENS = ["[CLS]", "The", "<b>", "its", "[SEP]"]


def test_entropy_and_distance_by_hand():
    table = np.zeros((1, 2, 3, 3))
    table[0, 0] = np.eye(3)[[1, 2, 0]]  # each query looks at one word: 1, 1 and 2 away
    table[0, 1] = 1 / 3
    found = head_summary(table)
    assert found.entropy[0] == pytest.approx([0, math.log(3)])
    assert found.distance[0] == pytest.approx([4 / 3, (3 + 2 + 3) / 9])
    assert found.agreement is None


def test_a_query_that_sees_nothing_has_no_say():
    table = np.zeros((1, 1, 2, 2))
    table[0, 0, 1] = 0.5
    assert head_summary(table).entropy[0, 0] == pytest.approx(math.log(2))


def test_agreement_is_measured_against_the_best_fixed_offset():
    table = np.zeros((1, 2, 4, 4))
    table[0, 0] = np.eye(4)[[0, 0, 1, 2]]  # the previous word
    table[0, 1] = np.eye(4)[[3, 3, 3, 0]]
    found = head_summary(table, [(1, 0), (2, 1), (3, 0)])
    assert found.agreement[0] == pytest.approx([2 / 3, 1 / 3])
    assert found.best_offset == (-1, pytest.approx(2 / 3))
    several = head_summary(table, [(3, 0), (3, 2)])  # any of a query's answers is right
    assert several.agreement[0] == pytest.approx([1, 1])
    names = {-1: "the previous word", 0: "the same place", 3: "3 words to the right", -2: "2 words to the left"}
    assert {offset: offset_name(offset) for offset in names} == names


def test_the_finding_names_word_gold_offset_and_test_set():
    table = np.zeros((1, 2, 5, 5))
    table[0, :, :, 1] = 0.75
    table[0, :, :, 0] = 0.25
    shown = attention_heatmap(
        table,
        TOKENS,
        gold={"antecedent": [(3, 1), (2, 0)]},
        tested={"antecedent": {"agreement": [[0.125, 0.78]], "baselines": {"nearest noun": 0.55}}},
        head=1,
        query=3,
    )
    for says in (
        *("“its” looks most at “The” (75 %). It looks at 1.8 words", "Right: the antecedent is “The”."),
        *("finds 50 % of these links; 2 words to the left alone would find 100 %", "78 % (nearest noun 55 %)."),
    ):
        assert says in shown.finding()
    shown.hide, shown.relation = True, ""
    assert "(75 %), after 25 % for the hidden special tokens" in shown.finding()
    assert "antecedent" not in shown.finding()
    alone = attention_heatmap(table, TOKENS, gold={"antecedent": [(3, 1)]}, query=3)
    assert "alone would find" not in alone.finding()  # one link: its own distance finds it, whatever the head does


def test_few_weights_travel_exactly_many_as_bytes():
    small, large = weights(), weights(12, 12, 20, 20)
    assert attention_heatmap(small, TOKENS).table() == pytest.approx(small, abs=1e-7)
    shown = attention_heatmap(large, [f"word{i}" for i in range(20)])
    assert shown.table() == pytest.approx(large, abs=0.5 / 255 + 1e-9)
    assert len(shown.weights) == large.size


def test_cross_attention_has_its_own_keys():
    shown = attention_heatmap(weights(1, 2, 5, 3), TOKENS, ["배", "가", "<i>"], kind="cross", gold=[(2, 0)])
    assert shown.relation == "gold"
    assert "#d55e00" in shown.still()


test_input_that_cannot_be_shown_is_named = mistakes(
    ((weights(queries=4), {}), "5 queries and 5 keys"),
    ((weights()[0], {}), r"\[layer, head, query, key\]"),
    ((weights() * np.nan, {}), "not between 0 and 1"),
    ((weights() - 0.5, {}), "after the softmax"),
    ((weights(), {"kind": "both"}), "Use one of: encoder, decoder, cross"),
    ((weights(), {"gold": {"head": [(1, 5)]}}), r"head link \(1, 5\) lies outside"),
    ((weights(1, 1, 41, 41), {"tokens": ["word"] * 41}), "41 tokens do not fit. Show a window of at most 40"),
    of=lambda row: attention_heatmap(row[0], **{"tokens": TOKENS, **row[1]}),
)
