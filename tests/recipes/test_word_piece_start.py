import pytest
import torch
from torch import nn

from course.recipes.piece_text import Cut, PieceText, cut_corpus
from course.recipes.word_piece_start import (
    OUTPUT,
    STD,
    TableConfig,
    log_frequencies,
    skip_gram_table,
    start_copying,
    start_table,
)
from course_lib.models.attention import MultiHeadAttention

CONFIG = TableConfig(pieces=1_009, dim=11)


def test_the_table_is_centred_and_kept(out):
    pieces, text = cut_corpus("enwiki2015", out, Cut(97, True, 31, 3))
    start = skip_gram_table(out / "table.safetensors", text, pieces, CONFIG, seed=0)
    rows = start["table"][start["learned"]]
    assert rows.std().item() == pytest.approx(STD, rel=1e-4)
    torch.testing.assert_close(rows.mean(0), torch.zeros(11), atol=1e-6, rtol=0)
    seen = text.ids[:1_000].long().unique()
    assert start["learned"].nonzero().squeeze(1).tolist() == seen.tolist()
    kept = skip_gram_table(out / "table.safetensors", text, pieces, CONFIG, seed=1)  # another seed, the same file
    assert torch.equal(kept["table"], start["table"])


def test_learned_rows_replace_others_stay():
    embedding = nn.Embedding(3, 2)
    before = embedding.weight.detach().clone()
    start_table(embedding, {"table": torch.full((3, 2), 7.0), "learned": torch.tensor([False, True, False])})
    assert embedding.weight[1].tolist() == [7, 7]
    assert torch.equal(embedding.weight[::2], before[::2])


def test_log_frequencies_by_hand():
    text = PieceText(torch.tensor([2, 0, 2, 2], dtype=torch.int16), torch.tensor([0, 4]), torch.tensor([0, 1]))
    torch.testing.assert_close(log_frequencies(text, 3).exp(), torch.tensor([1 / 5, 1 / 5, 3 / 5]))


def test_a_copying_layer_hands_on_what_is_alike():
    attention = MultiHeadAttention(16, 2)
    for parameter in attention.parameters():
        nn.init.zeros_(parameter)
    start_copying(attention)
    states = 5 * torch.eye(16)[torch.tensor([[0, 3, 0]])]  # the first and the last are alike, one head sees all of them
    output, weights = attention(states, need_weights=True)
    head = weights[0, 0, 0]
    assert head[0] == head[2] > 100 * head[1]
    torch.testing.assert_close(output[0, 0, 0], 5 * OUTPUT * (head[0] + head[2]))
