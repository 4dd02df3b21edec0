"""Rows over a text in which every piece tells its own place."""

import pytest
import torch

from course.recipes.piece_rows import LONG_EVERY, MaskedPairRows, MixedRows, OneWayRows, Places, Rows
from course.recipes.piece_text import PieceText
from course_lib.data.masking import Masking
from course_lib.errors import CourseError
from course_lib.text.word_pieces import SPECIALS, WordPieces

LENGTH, N_DOCUMENTS, N_SENTENCES = 23, 5, 61  # sentences of 1, 2, ... 13, 1, 2 ... pieces, 61 in an article


def text() -> PieceText:
    lengths = torch.arange(N_DOCUMENTS * N_SENTENCES) % 13 + 1
    sentences = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
    ids = torch.arange(int(sentences[-1]), dtype=torch.int16) + len(SPECIALS)
    return PieceText(ids, sentences, torch.arange(N_DOCUMENTS + 1) * N_SENTENCES)


@pytest.fixture
def pieces() -> WordPieces:
    return WordPieces([*SPECIALS, *(f"p{place}" for place in range(len(text().ids)))])


def masked_rows(pieces: WordPieces, **shares: float) -> MaskedPairRows:
    return MaskedPairRows(pieces, Masking(len(pieces), pieces.mask, pieces.special_ids, **shares))


def test_pairs_fill_their_rows_and_follow_as_the_label_says(pieces):
    whole, make = text(), masked_rows(pieces, corrupt=0.15, to_mask=0, to_random=0)  # asked for, but nothing changed
    places = Places(whole, LENGTH)
    document = torch.repeat_interleave(torch.arange(N_DOCUMENTS), whole.sentences[whole.documents].diff())
    begins = set(whole.sentences.tolist())
    follows = []
    for batch in Rows(places, places, make, 7 * LENGTH)(0):
        assert batch.attention_mask is None
        for ids, segments, is_next in zip(batch.input_ids, batch.token_type_ids, batch.next, strict=True):
            first, second = ids[1 : (ids == pieces.sep).nonzero()[0]], ids[segments == 1][:-1]
            assert ids[0] == pieces.cls
            assert ids[-1] == pieces.sep
            assert len(first) + len(second) + 3 == LENGTH
            assert (ids == pieces.sep).sum() == 2
            assert pieces.unknown not in ids
            first, second = first - len(SPECIALS), second - len(SPECIALS)  # places in the text
            for span in (first, second):
                assert (span.diff() == 1).all()
                assert span[0].item() in begins
                assert document[span].unique().numel() == 1
            same = bool(document[first[0]] == document[second[0]])
            assert same == bool(is_next)
            if is_next:  # whole sentences come between: only the end of a first sentence that is too long
                between = set(range(int(first[-1]) + 1, int(second[0])))
                assert not between & begins
                assert second[0] > first[-1]
            follows.append(bool(is_next))
    assert len(follows) > 97
    assert 0.35 < sum(follows) / len(follows) < 0.65


def test_first_spans_are_whole_sentences_unless_one_is_too_long():
    places, generator = Places(text(), LENGTH), torch.Generator().manual_seed(3)
    first = places.allowed.repeat(7)
    length, begin = places.seconds(first, generator)
    start = places.text.sentences[first]
    own = places.text.sentences[first + 1] - start
    cut = start + length != begin
    assert ((length >= places.shortest) | ~cut).all()
    assert (length <= places.longest).all()
    assert (own[cut] > length[cut]).all()  # only a first sentence is ever cut
    assert cut.any()
    assert (begin[~cut] > places.text.sentences[first + 1][~cut]).any()  # some spans hold several sentences


def test_an_epoch_takes_each_allowed_sentence_once(pieces):
    places, taken = Places(text(), LENGTH), []
    list(Rows(places, Places(text(), 2 * LENGTH), lambda p, first, g: taken.append((p.length, first)), 7 * LENGTH)(0))
    usual = torch.cat([first for length, first in taken if length == LENGTH])
    assert torch.equal(usual.sort().values, places.allowed)
    assert [length for length, _ in taken[:LONG_EVERY]] == [LENGTH] * (LONG_EVERY - 1) + [2 * LENGTH]
    assert len(taken[0][1]) == 7
    assert len(taken[LONG_EVERY - 1][1]) == 3


def test_epochs_differ_and_repeat(pieces):
    places = Places(text(), LENGTH)
    rows = Rows(places, places, masked_rows(pieces), 7 * LENGTH, seed=2)
    one, again, other = (next(rows(epoch)).input_ids for epoch in (0, 0, 1))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def test_one_way_rows_read_on_and_are_asked_for_the_next_piece(pieces):
    places = Places(text(), LENGTH)
    batch = next(Rows(places, places, OneWayRows(pieces), 7 * LENGTH)(0))
    assert batch.ids.shape == (7, LENGTH)
    assert (batch.ids[:, 0] == pieces.cls).all()
    assert torch.equal(batch.ids[:, 1:], batch.targets[:, :-1])
    assert (batch.targets.diff(dim=1) == 1).all()
    assert set((batch.targets[:, 0] - len(SPECIALS)).tolist()) <= set(text().sentences.tolist())


def test_short_articles_are_an_error():
    with pytest.raises(CourseError, match="Rows of 997 pieces need two articles of 1994 pieces or more"):
        Places(text(), 997)


def test_mixed_rows_are_drawn_by_weight_and_a_short_text_begins_anew():
    class Counted:
        def __init__(self, name, n):
            self.name, self.n = name, n

        def __call__(self, epoch):
            return iter([(self.name, epoch, place) for place in range(self.n)])

    mixed = MixedRows((Counted("long", 5_000), Counted("short", 70)), (0.75, 0.25), batches=1_000, seed=3)
    batches = list(mixed(0))
    assert len(batches) == 1_000
    assert batches == list(mixed(0)) != list(mixed(1))
    short = [batch for batch in batches if batch[0] == "short"]
    assert 200 < len(short) < 300
    assert short[:141] == [("short", epoch, place) for epoch in (0, 1) for place in range(70)] + [("short", 2, 0)]
    assert {batch[1] for batch in mixed(1) if batch[0] == "long"} == {1}


def test_the_next_sentence_is_not_asked_where_sentences_do_not_run_on(pieces):
    masking, places = Masking(len(pieces), pieces.mask, pieces.special_ids), Places(text(), LENGTH)
    for asks in (True, False):
        batch = MaskedPairRows(pieces, masking, asks)(places, torch.arange(3), torch.Generator().manual_seed(0))
        assert (batch.next is not None) == asks
