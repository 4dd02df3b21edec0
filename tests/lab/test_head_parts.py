"""Queries and keys: their products are the model's own attention weights, and no hook stays behind."""

import pytest
import torch

from course.lab.head_parts import queries_and_keys
from course_lib.models.bert import Bert
from tests.models.small_berts import small_bert

WORDS = ["the", "dog", "barked"]


@pytest.fixture
def bert() -> Bert:
    return small_bert(WORDS).eval()


def test_products_are_the_attention_weights(bert):
    batch = bert.batch([["the", "dog"]])
    queries, keys = queries_and_keys(bert, batch)
    weights, _ = bert.attentions(batch)
    assert len(queries) == len(keys) == len(weights) == bert.config.n_layers
    dim = bert.config.d_model // bert.config.n_heads
    for query, key, expected in zip(queries, keys, weights, strict=True):
        assert query.shape == (1, bert.config.n_heads, 4, dim)  # [CLS] the dog [SEP]
        own = (query @ key.transpose(-1, -2) / dim**0.5).softmax(-1)
        torch.testing.assert_close(own, expected, rtol=0, atol=1e-6)


def test_a_later_reading_is_not_noted(bert):
    queries, _ = queries_and_keys(bert, bert.batch([WORDS]))
    bert.attentions(bert.batch([WORDS]))
    assert len(queries) == bert.config.n_layers
