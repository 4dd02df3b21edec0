import torch

from tests.models.bilms import small_bilm

WORDS = ["the", "bank", "paid"]


def test_a_table_has_one_row_for_all_unknown_words():
    token = small_bilm(WORDS).token
    the, unseen, other = token.read(token.inputs([["the", "unseen", "other"]]))[0]
    assert the.tolist() == token.embedding.weight[2].tolist()
    assert unseen.tolist() == other.tolist() == token.embedding.weight[0].tolist()


def test_characters_read_words_outside_the_vocabulary():
    token = small_bilm(WORDS, characters=True).token
    banks, again, tank, bank = token.read(token.inputs([["banks", "banks"], ["tank", "bank"]])).flatten(0, 1)
    assert banks.tolist() == again.tolist()
    assert len({tuple(vector.tolist()) for vector in (banks, tank, bank)}) == 3


def test_in_training_ids_give_the_same_vectors_as_words_at_use():
    for characters in (False, True):
        token = small_bilm(WORDS, characters=characters).token
        ids = torch.tensor([[2, 3, 2], [4, 4, 1]])
        words = [["the", "bank", "the"], ["paid", "paid", "</s>"]]
        torch.testing.assert_close(token(ids), token.read(token.inputs(words)), rtol=0, atol=1e-6)


def test_each_different_word_goes_through_the_network_once(monkeypatch):
    token = small_bilm(WORDS, characters=True).token
    rows = []
    monkeypatch.setattr(
        type(token.cnn), "_features", lambda self, ids: rows.append(ids.shape) or torch.zeros(len(ids), 9)
    )
    token(torch.tensor([[2, 3, 2], [3, 3, 3]]))
    assert rows == [(2, len("bank") + 2)]  # two words, as wide as the longer with its two marks
