"""The board's systems: each answers for every word, what is pre-trained starts from it."""

import pytest
import torch

from course.by_hand import language_model
from course.lab.roles import Thread
from course.records import board


@pytest.fixture(scope="module")
def thread():
    return Thread("en")


@pytest.fixture(scope="module")
def systems(thread):
    """All of them, their networks as they are before training."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("train_vectors", "train_forward", "train_backward"):
            patch.setattr(Thread, name, lambda *_: None)
        patch.setattr(board, "train_lm", lambda *_: None)
        patch.setattr(board, "pretrain", lambda *_, **__: None)
        torch.manual_seed(0)
        yield board.systems(thread)


@pytest.mark.parametrize("name", board.CHAPTERS)
def test_a_system_gives_every_word_a_logit_for_each_role_and_moves_what_it_says(name, thread, systems):
    read, make, rates = systems[name]
    sentences = sorted(thread.test, key=lambda sentence: len(sentence.words))[:: len(thread.test) // 3]
    ids, labels = thread.batch(sentences)
    model = make()
    x = ids if read is None else read(sentences)
    logits = model(x)
    assert logits.shape == (*labels.shape, len(thread.roles))
    logits.sum().backward()
    groups = rates(model) if rates else [{"params": model.parameters()}]
    moving = {id(p) for group in groups for p in group["params"]}
    assert all(id(p) in moving for p in model.parameters() if p.grad is not None)


STARTS = {
    "two language models, everything moves": "the same, from scratch",
    "BERT, everything moves": "BERT, from scratch",
}


@pytest.mark.parametrize("moved", STARTS)
def test_what_is_pre_trained_starts_from_one_network_and_the_other_from_new_numbers(moved, systems):
    first, second, other = (systems[name][1]().bodies.state_dict() for name in (moved, moved, STARTS[moved]))
    torch.testing.assert_close(first, second)
    assert not all(torch.equal(first[name], other[name]) for name in first.keys() & other.keys())


def test_two_readers_that_move_say_what_the_frozen_ones_say(thread, systems):
    (read, _, _), (_, make, _) = systems["two language models"], systems["two language models, everything moves"]
    sentences = thread.test[:3]
    model, width = make(), len(thread.batch(sentences)[0][0])
    states = model.read(thread.batch(sentences)[0], *model.bodies)
    for row, sentence in enumerate(sentences):
        if len(sentence.words) == width:  # shorter rows meet more than one boundary on the right
            torch.testing.assert_close(states[row], read(sentences)[row])
    alone = language_model.both_ways(*model.bodies, thread.ids(sentences[0].words))[-1]
    torch.testing.assert_close(read(sentences)[0, : len(alone)], alone)


def test_bert_reads_the_words_between_its_own_tokens(thread):
    words = thread.text[0]
    rows = board.bert_rows(thread, [words, ["neverheard"]])
    tokens = [*board.SPECIALS, *thread.words[2:]]
    assert [tokens[i] for i in rows[0]] == ["[CLS]", *words, "[SEP]"]
    assert [tokens[i] for i in rows[1][:4]] == ["[CLS]", "[UNK]", "[SEP]", "[PAD]"]
