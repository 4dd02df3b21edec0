"""A BERT behind the widget `fill_mask`: the same guesses as `Bert.fill`, and gaps inside words too."""

import pytest
import torch

from course.lab import mask_models
from course.lab.mask_models import (
    KOREAN_SENTENCES,
    example_sentences,
    fill_model,
    language_note,
    piece_guesses,
    shipped_model,
    text_pieces,
)
from course_lib.widgets import fill_mask
from tests.models.small_berts import small_bert

WORDS = ["the", "dog", "barked", "un", "##happy"]


@pytest.fixture
def bert():
    torch.manual_seed(5)
    return small_bert(WORDS)


def test_guesses_are_berts_own_for_whole_words(bert):
    fills = fill_model(bert, "small").fill(["the", "dog", "barked"], [1], 7)
    expected = bert.fill(["the", "[MASK]", "barked"], 7)
    assert [piece for piece, _ in fills[0]] == [piece for piece, _ in expected[0]]
    assert [p for _, p in fills[0]] == pytest.approx([p for _, p in expected[0]], rel=1e-5)


def test_a_gap_can_be_a_part_of_a_word_and_gaps_keep_their_order(bert):
    pieces = bert.pieces
    assert text_pieces(pieces, "the unhappy dog ☃") == ["the", "un", "##happy", "dog", "[UNK]"]
    bert.eval()
    ids = [pieces.cls, *(pieces.vocabulary.index(p) for p in ("the", "un")), pieces.mask, pieces.mask, pieces.sep]
    with torch.no_grad():
        hidden = bert(torch.tensor([ids])).hidden_states[-1][0, 3:5]
        logits = bert.mlm(hidden, bert.embedding.tokens.weight)[:, : len(pieces)]
    first, second = piece_guesses(bert, ["the", "un", "##happy", "dog"], [2, 3], 3)
    for row, fills in zip(logits, (first, second), strict=True):
        assert [piece for piece, _ in fills] == pieces.tokens(row.topk(3).indices.tolist())


def test_the_hidden_piece_and_a_strange_one_do_not_reach_the_model(bert):
    bert.train()
    assert piece_guesses(bert, ["the", "dog"], [1], 5) == piece_guesses(bert, ["the", "barked"], [1], 5)
    assert bert.training
    assert piece_guesses(bert, ["배추", "dog"], [1], 5) == piece_guesses(bert, ["[UNK]", "dog"], [1], 5)
    assert piece_guesses(bert, ["the", "dog"], [1], 5) != piece_guesses(bert, ["un", "dog"], [1], 5)


def test_korean_is_offered_where_its_checkpoint_ships_and_only_there(bert, monkeypatch):
    korean = small_bert(sorted({word for text in KOREAN_SENTENCES for word in text.split()}))
    monkeypatch.setattr(mask_models, "load", {"bert-ko": korean}.__getitem__)  # bert-en is handed in
    monkeypatch.setattr(mask_models, "shipped_names", lambda: ["bert-en"])
    assert shipped_model(bert).name == "bert-en"
    assert example_sentences(["the dog barked"]) == ["the dog barked"]
    assert "There is no bert-ko" in language_note()
    monkeypatch.setattr(mask_models, "shipped_names", lambda: ["bert-en", "bert-ko"])
    switch, sentences = shipped_model(bert), example_sentences(["the dog barked"])
    assert "bert-ko reads texts with Hangul" in language_note()
    assert sentences == ["the dog barked", *KOREAN_SENTENCES]
    assert switch.of("the dog").name == "bert-en"
    assert switch.of("the 배").name == "bert-ko"
    widget = fill_mask(switch, sentences)
    widget.request = {"id": "1", "text": sentences[2]}
    tokens = text_pieces(korean.pieces, sentences[2])
    assert widget.answer["sides"][0]["tokens"] == tokens == sentences[2].split()
    assert widget.answer["sides"][0]["guesses"][0][0][0] == piece_guesses(korean, tokens, [3], 1)[0][0][0]
