"""Starts: skip-gram's tables; characters come near them, also of words held out; softmax, first layer and bias."""

import pytest
import torch
from torch import nn

from course.recipes.starts import (
    OUTPUT,
    PREDICTED_STD,
    READ_STD,
    STD,
    Imitation,
    Reading,
    TableConfig,
    imitate,
    skip_gram_table,
    start_copying,
    start_softmax,
    word_vectors,
)
from course.recipes.texts import cut_corpus
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import CharacterWords
from course_lib.models.word_softmax import AdaptiveSoftmax
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary

CONFIG = TableConfig(pieces=1_009, dim=11)
ENDS = {"ing": (1.0, -1.0, 0.5), "ed": (-1.0, 0.5, 1.0), "s": (0.5, 1.0, -1.0)}
STEMS = ("walk", "talk", "jump", "look", "ask", "call", "play", "show", "turn", "help", "open", "pull")


def by_their_ends():
    """A word's vector tells its ending: what characters can learn."""
    words = ["<unk>", "</s>", *(stem + end for stem in STEMS for end in ENDS)]
    vocabulary = Vocabulary(words, counts=[0, 0, *range(len(words) - 2, 0, -1)], unknown="<unk>")
    table = torch.zeros(len(words), 3)
    for row, word in enumerate(words[2:], start=2):
        table[row] = torch.tensor(next(vector for end, vector in ENDS.items() if word.endswith(end))) * READ_STD
    return vocabulary, table


def test_characters_imitate_and_carry_over_to_words_they_did_not_meet(tmp_path):
    vocabulary, table = by_their_ends()
    characters = Characters.from_words(dict.fromkeys(vocabulary.words, 9))
    torch.manual_seed(0)
    token = CharacterWords(
        vocabulary, characters, CharCNNConfig(len(characters), 5, ((1, 7), (2, 11), (3, 13)), out_dim=3)
    )
    learned = torch.ones(len(vocabulary), dtype=torch.bool)
    learned[:2] = False
    learned[-3:] = False  # pulling, pulled, pulls
    start = {"table": table, "learned": learned}

    def distance(rows):
        with torch.no_grad():
            return float((token(rows) - table[rows]).square().mean())

    met, not_met = learned.nonzero().squeeze(1), torch.arange(len(vocabulary) - 3, len(vocabulary))
    before = distance(met)
    imitate(token, start, vocabulary.counts, Imitation(steps=150, batch_size=17), tmp_path / "state", seed=0)
    assert distance(met) < 0.05 * before
    assert distance(not_met) < 0.3 * before

    again = CharacterWords(vocabulary, characters, token.cnn.config)
    imitate(again, start, vocabulary.counts, Imitation(steps=150, batch_size=17), tmp_path / "state", seed=0)
    for name, value in token.state_dict().items():
        assert again.state_dict()[name].equal(value)  # the kept state, not a second training


def test_the_softmax_begins_with_the_vectors():
    table, learned = READ_STD * torch.randn(23, 6), torch.ones(23, dtype=torch.bool)
    learned[:2] = False
    softmax = AdaptiveSoftmax(6, 23, (7,))
    drawn = softmax.groups.head.weight.detach().clone()
    start_softmax(softmax, {"table": table, "learned": learned})
    scaled, head = table * PREDICTED_STD / READ_STD, softmax.groups.head.weight
    assert head[:2].equal(drawn[:2])  # no vector was learned for them
    assert head[7:].equal(drawn[7:])  # the sign of the group of rarer words
    torch.testing.assert_close(head[2:7], scaled[2:7])
    narrow, rows = softmax.groups.tail[0]
    left, strengths, right = torch.linalg.svd(scaled[7:], full_matrices=False)
    nearest = left[:, :1] * strengths[:1] @ right[:1]  # 6 / 4 dimensions: one, so the best product of rank 1
    torch.testing.assert_close(rows.weight @ narrow.weight, nearest)


def test_skip_gram_reads_the_first_sentences_and_is_kept(tmp_path):
    names, sentences = ["", "a", "b", "c", "d"], [["a", "b"], ["c"]] * 30 + [["d"]] * 30
    found = word_vectors(tmp_path / "table", iter(sentences), names, 5, 0.1, Reading(words=90, epochs=3), seed=0)
    assert found["table"].shape == (5, 5)
    assert found["learned"].tolist() == [False, True, True, True, False]
    assert float(found["table"][found["learned"]].std()) == pytest.approx(0.1)
    again = word_vectors(tmp_path / "table", [], names, 5, 0.1, Reading(), seed=9)
    assert again["table"].equal(found["table"])


def test_the_table_is_centred_and_kept(out):
    pieces, text = cut_corpus("enwiki2015", out, 97, True, 31, 3)
    start = skip_gram_table(out / "table.safetensors", text, pieces, CONFIG, seed=0)
    rows = start["table"][start["learned"]]
    assert rows.std().item() == pytest.approx(STD, rel=1e-4)
    torch.testing.assert_close(rows.mean(0), torch.zeros(11), atol=1e-6, rtol=0)
    seen = text.ids[:1_000].long().unique()
    assert start["learned"].nonzero().squeeze(1).tolist() == seen.tolist()
    kept = skip_gram_table(out / "table.safetensors", text, pieces, CONFIG, seed=1)  # another seed, the same file
    assert torch.equal(kept["table"], start["table"])


def test_a_copying_layer_hands_on_what_is_alike():
    attention = MultiHeadAttention(16, 2)
    for parameter in attention.parameters():
        nn.init.zeros_(parameter)
    start_copying(attention)
    states = 5 * torch.eye(16)[torch.tensor([[0, 3, 0]])]  # the first and the last are alike, one head sees all of them
    output, weights = attention(states), attention.weights(states)
    head = weights[0, 0, 0]
    assert head[0] == head[2] > 100 * head[1]
    torch.testing.assert_close(output[0, 0, 0], 5 * OUTPUT * (head[0] + head[2]))
