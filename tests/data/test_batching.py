"""Streams, buckets and batches: nothing lost, nothing leaked, the same for the same seed."""

from typing import NamedTuple

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from torch import Tensor

from course_lib.data.batch import Batch
from course_lib.data.bucketing import Buckets
from course_lib.data.masking import Masking
from course_lib.data.records import Passage, Question, Sentence, TaggedSentence
from course_lib.data.streams import StreamBatch, TextStreams, TwoWayBatch, TwoWayStreams
from course_lib.data.windows import windows
from tests.mistakes import mistakes


def numbered(lengths):
    """Documents of ids that are all different: document * 1000 + place."""
    return [[1_000 * d + i for i in range(n)] for d, n in enumerate(lengths)]


@given(st.lists(st.integers(1, 13), min_size=2, max_size=11), st.integers(1, 3), st.integers(1, 7), st.booleans())
def test_a_stream_goes_on_where_it_ended_and_targets_are_the_next_ids(lengths, batch_size, length, reverse):
    documents = numbered(lengths)
    assume(sum(lengths) >= 2 * batch_size)
    streams = TextStreams(documents, batch_size, length, reverse=reverse)
    steps = list(streams(epoch=3))
    assert len(steps) == len(streams)
    assert [s.ids.tolist() for s in steps] == [s.ids.tolist() for s in streams(epoch=3)]
    ids = torch.cat([step.ids for step in steps], 1)
    targets = torch.cat([step.targets for step in steps], 1)
    assert ids[:, 1:].equal(targets[:, :-1])
    step = -1 if reverse else 1
    first = {document[-1 if reverse else 0] for document in documents}
    for row in ids:
        for a, b in zip(row[:-1].tolist(), row[1:].tolist(), strict=True):
            assert (b in first) == (b - a != step)  # inside a document each id follows the one before
    assert targets.shape == (batch_size, streams.width - 1)
    assert len(set(ids.flatten().tolist())) == ids.numel()


def rows(streams, direction, epoch=0):
    steps = [getattr(step, direction) for step in streams(epoch)]
    return torch.cat([torch.cat([step.ids for step in steps], 1), steps[-1].targets[:, -1:]], 1)


def test_the_backward_streams_hold_the_same_documents_in_the_same_order_each_from_its_end():
    documents = [[10, 11, 12], [20, 21, 22, 23, 24], [30, 31, 32, 33, 34, 35, 36]]  # 15 words: 3 streams of 5
    streams = TwoWayStreams(documents, 3, 2, seed=1)
    assert len({str(rows(s, "forward", epoch)) for s, epoch in [(streams, 0), (streams, 3)]}) == 2
    assert len(streams) == len(list(streams())) == 2
    for epoch in range(4):
        forward, backward = (rows(streams, name, epoch).flatten() for name in ("forward", "backward"))
        order = list(dict.fromkeys((forward // 10).tolist()))
        by_number = {document[0] // 10: document for document in documents}
        assert forward.tolist() == [id for number in order for id in by_number[number]]
        assert backward.tolist() == [id for number in order for id in by_number[number][::-1]]


@given(st.lists(st.integers(1, 29), min_size=1, max_size=97), st.integers(1, 7), st.booleans())
def test_buckets_hold_every_item_once_within_the_limit(lengths, limit, by_tokens):
    buckets = Buckets(lengths, tokens=29 * limit) if by_tokens else Buckets(lengths, size=limit)
    batches = list(buckets(epoch=2))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        size = len(batch) * max(lengths[i] for i in batch) if by_tokens else len(batch)
        assert size <= (29 * limit if by_tokens else limit)
    assert batches == list(buckets(epoch=2))


def test_buckets_waste_far_less_than_random_batches():
    lengths = torch.randint(8, 129, (4_096,)).tolist()

    def waste(batches):
        """Share of places that padding fills."""
        return 1 - sum(lengths) / sum(len(batch) * max(lengths[i] for i in batch) for batch in batches)

    in_order = [range(start, start + 32) for start in range(0, 4_096, 32)]
    assert waste(Buckets(lengths, size=32)(epoch=0)) < waste(in_order) / 4


def answered(text, start):
    return Passage("Mina is in Paris .", (Question("q7", "where", ((text, start),)),))


test_what_cannot_work_is_named = mistakes(
    (lambda: Sentence.of(["a", ""]), "item 1"),
    (lambda: Sentence.of(["a", 3]), "item 1"),
    (lambda: Sentence.of([None]), "item 0"),
    (lambda: TaggedSentence(Sentence.of(["a", "b"]), {"ner": ("O",)}), "1 ner tags for 2 words"),
    (lambda: answered("Paris", 10), "'q7': the answer 'Paris' does not stand at character 10.*from 0"),
    (lambda: answered("Mina", -18), "does not stand at character -18"),
    (lambda: windows(["a", "long"], 3, [1, 4]), "'long' alone has 4 pieces; at most 3 fit"),
)


def test_shares_that_would_mask_something_else_are_refused():
    for shares in ({"corrupt": 0.0}, {"corrupt": 0.1, "predict": 0.2}, {"to_mask": 0.9, "to_random": 0.2}):
        with pytest.raises(AssertionError, match="Masking"):
            Masking(9, 3, (3,), **shares)


class State(NamedTuple):
    hidden: Tensor
    cell: Tensor


def tensors_in(value):
    if isinstance(value, Tensor):
        return [value]
    value = getattr(value, "__dict__", value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for part in parts for tensor in tensors_in(part)]


def test_every_tensor_of_a_batch_moves_whatever_form_the_carry_has():
    one, mask = torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)
    carry = {"forward": [(one, one)], "backward": State(one, one), "step": 7}
    side = Batch({"words": one}, mask, one, [[(0, 1)], [(0, 1)]])
    stream = StreamBatch(one, one, carry)
    pairs = Batch({"words": one}, mask, one, [[(0, 1)]], (side, side), {"tags": one})
    for batch in (pairs, stream, TwoWayBatch(stream, stream, carry)):
        moved = batch.to("meta")
        assert len(tensors_in(moved)) == len(tensors_in(batch)) > 5
        assert {tensor.device.type for tensor in tensors_in(moved)} == {"meta"}
        assert {tensor.device.type for tensor in tensors_in(batch)} == {"cpu"}
        if batch is not pairs:
            assert type(moved.carry["backward"]) is State
            assert moved.carry["step"] == 7


# -- 15 % and 80/10/10 over a million pieces; specials and padding never chosen, never drawn; one seed, one mask
PAD, CLS, SEP, MASK = 0, 1, 2, 3
SPECIAL = (PAD, CLS, SEP, MASK)
V = 97


def pieces(rows=8_192, width=131, seed=0):
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(4, V, (rows, width), generator=generator)
    lengths = torch.randint(3, width + 1, (rows, 1), generator=generator)
    mask = torch.arange(width) < lengths
    ids[:, 0] = CLS
    ids[torch.arange(rows), lengths.squeeze(1) - 1] = SEP
    return torch.where(mask, ids, PAD), mask


def run(masking, ids, mask, seed=1):
    return masking(ids, mask, torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("to_mask", "to_random"), [(0.8, 0.1), (1.0, 0.0), (0.8, 0.2), (0.0, 1.0)])
def test_shares_over_more_than_half_a_million_pieces(to_mask, to_random):
    ids, mask = pieces(16_384)
    masked = run(Masking(V, MASK, SPECIAL, to_mask=to_mask, to_random=to_random), ids, mask)
    n = (mask & ~torch.isin(ids, torch.tensor(SPECIAL))).sum().item()
    assert n > 1_000_000
    chosen = masked.corrupted
    assert chosen.sum().item() / n == pytest.approx(0.15, abs=0.003)
    hidden = (masked.ids == MASK).sum().item() / chosen.sum().item()
    assert hidden == pytest.approx(to_mask, abs=0.003)
    changed = (chosen & (masked.ids != MASK) & (masked.ids != ids)).sum().item() / chosen.sum().item()
    assert changed == pytest.approx(to_random * (1 - 1 / (V - 4)), abs=0.003)  # a random piece may be the old one


def test_specials_and_padding_are_never_chosen_or_drawn():
    ids, mask = pieces()
    masked = run(Masking(V, MASK, SPECIAL, corrupt=0.9, to_mask=0.1, to_random=0.9), ids, mask)
    untouched = ~mask | torch.isin(ids, torch.tensor(SPECIAL))
    assert masked.ids[untouched].equal(ids[untouched])
    assert not (masked.corrupted & untouched).any()
    replaced = masked.ids[masked.corrupted & (masked.ids != MASK)]
    assert not torch.isin(replaced, torch.tensor(SPECIAL)).any()
    assert set(replaced.tolist()) == set(range(4, V))  # every other piece is drawn


def test_answers_are_what_stood_there_and_nothing_else_is_asked():
    ids, mask = pieces(257)
    masked, again, other = (run(Masking(V, MASK, SPECIAL), ids, mask, seed=seed) for seed in (1, 1, 2))
    assert masked.ids.equal(again.ids)
    assert not masked.ids.equal(other.ids)
    assert masked.answers.equal(ids[masked.rows, masked.columns])
    asked = torch.zeros_like(mask)
    asked[masked.rows, masked.columns] = True
    assert asked.equal(masked.corrupted)
    assert masked.ids[~asked].equal(ids[~asked])


def test_corruption_and_prediction_are_two_knobs():
    ids, mask = pieces(4_096)
    masked = run(Masking(V, MASK, SPECIAL, corrupt=0.15, predict=0.05), ids, mask)
    may = (mask & ~torch.isin(ids, torch.tensor(SPECIAL))).sum().item()
    assert masked.corrupted.sum().item() / may == pytest.approx(0.15, abs=0.003)
    assert len(masked.rows) / may == pytest.approx(0.05, abs=0.003)
    assert masked.corrupted[masked.rows, masked.columns].all()


def test_at_least_one_piece_is_asked_for():
    ids, mask = torch.tensor([[CLS, 7, SEP]]), torch.ones(1, 3, dtype=torch.bool)
    for seed in range(50):
        masked = run(Masking(V, MASK, SPECIAL), ids, mask, seed=seed)
        assert masked.columns.tolist() == [1]
        assert masked.answers.tolist() == [7]


# -- Sentence, the records and windows: offsets are exact, wrong input is named
WORD_LISTS = st.lists(st.text(min_size=1, max_size=11), min_size=1, max_size=13)


@given(st.text(max_size=60))
def test_spans_of_raw_text_point_at_the_words(text):
    sentence = Sentence.of(text)
    assert [sentence.text[a:b] for a, b in sentence.spans] == list(sentence.words)
    assert Sentence.of(sentence) is sentence


@given(WORD_LISTS, st.integers(1, 7))
def test_a_list_of_words_is_kept_as_it_is_whole_and_in_windows(items, size):
    cut = windows(items, size)
    assert all(0 < len(part) <= size for part in cut)
    for parts in ([Sentence.of(items)], cut):
        assert [word for part in parts for word in part.words] == items
        assert [part.text[a:b] for part in parts for a, b in part.spans] == items
