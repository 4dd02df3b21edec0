"""The causal language model beyond the battery: what it may see, what its loss is, sub-words."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from course_lib.data.streams import StreamBatch, TextStreams
from course_lib.errors import CourseError
from course_lib.models.transformer import LeftToRightLM
from course_lib.training import fit
from tests.models.battery import BANK, KOREAN, RIVER
from tests.models.small_transformers import small_lm


@pytest.mark.parametrize("k", [0, 3, 7])
def test_a_word_moves_its_own_state_and_later_ones_only(k):
    changed = [*BANK]
    changed[k] = "slippery"
    before, after = small_lm(BANK + RIVER).encode([BANK, changed], layer=-1)
    moved = (before != after).any(1).tolist()
    assert moved == [False] * k + [True] * (len(BANK) - k)


def test_sentence_loss_counts_the_first_word_and_the_end():
    model = small_lm(BANK + RIVER).eval()
    batch = model.batch([BANK, RIVER[:3]])
    found = model.loss(batch)
    nats = []
    for words in (BANK, RIVER[:3]):
        ids = [model.pieces.begin, *model.pieces.ids(words), model.pieces.end]
        log_p = model(torch.tensor([ids]))[0].log_softmax(-1)
        nats += [-log_p[place, ids[place + 1]] for place in range(len(ids) - 1)]
    assert found["count"] == len(BANK) + 1 + 3 + 1
    torch.testing.assert_close(found["loss"], torch.stack(nats).mean())


def test_stream_loss_is_the_mean_over_all_targets():
    model, ids = small_lm(BANK).eval(), torch.randint(4, 11, (3, 8))
    batch = StreamBatch(ids[:, :-1], ids[:, 1:])
    expected = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    found = model.loss(batch)
    torch.testing.assert_close(found["loss"], expected)
    assert found["count"] == 21


def test_it_learns_a_cycle_from_running_text():
    model = small_lm(BANK, norm="pre")
    cycle = [model.pieces.ids(BANK) * 9 for _ in range(5)]
    history = fit(model, TextStreams(cycle, 4, 11), steps=40, learning_rate=1e-2, seed=0, show=False)
    assert history.losses[-1] < 0.5  # a guess costs ln 12 = 2.5 nats


def test_sub_words_a_word_has_the_vector_of_its_first_piece():
    model = small_lm(BANK + KOREAN, bpe=True).eval()
    text = "her wagesbank"
    words, pieces = model.batch([text]), model.batch([text], unit="piece")
    assert [text[a:b] for a, b in words.spans[0]] == ["her", "wagesbank"]
    cut = [text[a:b] for a, b in pieces.spans[0]]
    assert "".join(cut) == "herwagesbank"
    assert len(cut) > 2
    first = [number for number, (a, _) in enumerate(pieces.spans[0]) if a in (0, 4)]
    by_word, by_piece = model.encode([text])[0], model.encode([text], unit="piece")[0]
    np.testing.assert_allclose(by_word, by_piece[:, first], rtol=1e-5, atol=1e-5)


def test_the_sentence_vector_is_that_of_the_last_piece():
    model = small_lm(BANK + KOREAN, bpe=True).eval()
    encoding = model.states(model.batch([BANK, ["wagesbank"]], unit="piece"))
    last = encoding.mask.sum(1) - 1
    torch.testing.assert_close(encoding.sentence, encoding.layers[-1, torch.arange(2), last])


def test_attentions_are_causal_and_name_their_pieces():
    model = small_lm(BANK).eval()
    weights, tokens = model.attentions(model.batch([BANK, BANK[:3]]))
    assert [tuple(weight.shape) for weight in weights] == [(2, 3, 9, 9)] * 2
    assert tokens == [["[BOS]", *BANK], ["[BOS]", *BANK[:3]]]
    for weight in weights:
        torch.testing.assert_close(weight.sum(-1), torch.ones(2, 3, 9))
        assert not weight.triu(1).any()
    with pytest.raises(CourseError, match="apart"):
        model.attentions(model.batch([BANK], [RIVER]))


def test_too_many_pieces_are_named():
    model = small_lm(BANK + KOREAN, bpe=True, positions="learned", max_units=11)
    with pytest.raises(CourseError, match=r"sentence 1 has 1\d pieces; at most 10 fit.*windows"):
        model.batch([BANK[:2], ["wages" * 5]])


def test_it_is_found_by_its_stable_name():
    assert isinstance(small_lm(BANK), LeftToRightLM)
