"""Streams, buckets, next-sentence pairs and batches: nothing lost, nothing leaked, the same for the same seed."""

from collections import Counter
from typing import NamedTuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from course_lib.data.batch import Batch
from course_lib.data.bucketing import Buckets
from course_lib.data.next_sentence import NextSentencePairs
from course_lib.data.streams import StreamBatch, TextStreams, TwoWayBatch, TwoWayStreams
from course_lib.errors import CourseError


def numbered(lengths):
    """Documents of ids that are all different: document * 1000 + place."""
    return [[1_000 * d + i for i in range(n)] for d, n in enumerate(lengths)]


@given(st.lists(st.integers(1, 13), min_size=2, max_size=11), st.integers(1, 3), st.integers(1, 7), st.booleans())
def test_a_stream_goes_on_where_it_ended_and_targets_are_the_next_ids(lengths, batch_size, length, reverse):
    documents = numbered(lengths)
    if sum(lengths) < 2 * batch_size:
        with pytest.raises(CourseError, match="streams of at least 2"):
            TextStreams(documents, batch_size, length)
        return
    streams = TextStreams(documents, batch_size, length, reverse=reverse)
    steps = list(streams(epoch=3))
    assert len(steps) == len(streams)
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


def test_streams_are_the_same_for_a_seed_and_differ_by_epoch():
    documents = numbered([5, 7, 11, 13, 17])
    one, two = ([s.ids.tolist() for s in TextStreams(documents, 2, 3, seed=s)(e)] for s, e in ((1, 0), (1, 0)))
    assert one == two
    assert one != [s.ids.tolist() for s in TextStreams(documents, 2, 3, seed=1)(1)]
    assert one != [s.ids.tolist() for s in TextStreams(documents, 2, 3, seed=2)(0)]


def rows(streams, direction, epoch=0):
    steps = [getattr(step, direction) for step in streams(epoch)]
    return torch.cat([torch.cat([step.ids for step in steps], 1), steps[-1].targets[:, -1:]], 1)


def test_the_backward_streams_hold_the_same_documents_in_the_same_order_each_from_its_end():
    documents = [[10, 11, 12], [20, 21, 22, 23, 24], [30, 31, 32, 33, 34, 35, 36]]  # 15 words: 3 streams of 5
    streams = TwoWayStreams(documents, 3, 2, seed=1)
    assert len(streams) == len(list(streams())) == 2
    for epoch in range(4):
        forward, backward = (rows(streams, name, epoch).flatten() for name in ("forward", "backward"))
        order = list(dict.fromkeys((forward // 10).tolist()))
        by_number = {document[0] // 10: document for document in documents}
        assert forward.tolist() == [id for number in order for id in by_number[number]]
        assert backward.tolist() == [id for number in order for id in by_number[number][::-1]]


@given(st.lists(st.integers(1, 29), min_size=1, max_size=97), st.integers(1, 7), st.booleans())
def test_buckets_hold_every_item_once_within_the_limit(lengths, limit, by_tokens):
    buckets = Buckets(lengths, tokens=29 * limit) if by_tokens else Buckets(lengths, size=limit, pool=3)
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


def test_shards_of_an_epoch_are_disjoint_and_complete():
    buckets = Buckets([3] * 101, size=7)
    for n in (1, 2, 3):
        shards = [[i for place, batch in enumerate(buckets(0)) if place % n == k for i in batch] for k in range(n)]
        assert sorted(i for shard in shards for i in shard) == list(range(101))


@pytest.mark.parametrize(("negatives", "topics"), [("other document", None), ("same topic", list("ab" * 50))])
def test_half_are_true_and_no_negative_is_a_neighbour(negatives, topics):
    documents = [[f"{d}-{s}" for s in range(3 + d % 7)] for d in range(100)]
    topics = topics or list(range(100))
    pairs = list(NextSentencePairs(documents, negatives=negatives, topics=topics)(epoch=1))
    assert len(pairs) == sum(len(d) - 1 for d in documents)
    assert Counter(pair.first for pair in pairs).most_common(1)[0][1] == 1
    assert sum(pair.is_next for pair in pairs) == pytest.approx(len(pairs) / 2, abs=1)
    for (d, s), (e, t), is_next in pairs:
        assert is_next == (d == e and t == s + 1)
        if not is_next:
            assert not (d == e and abs(s - t) <= 1)
            assert (topics[d] == topics[e]) == (negatives == "same topic")


def test_a_repeated_sentence_is_no_negative_for_itself():
    documents = [["a", "b"]] * 30 + [["a", "c"]]
    for pair in NextSentencePairs(documents)(0):
        if not pair.is_next:
            true = documents[pair.first[0]][pair.first[1] + 1]
            assert documents[pair.second[0]][pair.second[1]] != true


def test_pairs_are_the_same_for_a_seed():
    documents = [[f"{d}-{s}" for s in range(5)] for d in range(7)]
    assert list(NextSentencePairs(documents, seed=3)(2)) == list(NextSentencePairs(documents, seed=3)(2))
    assert list(NextSentencePairs(documents, seed=3)(2)) != list(NextSentencePairs(documents, seed=3)(3))


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: TextStreams([[1, 2]], 0, 1), "batch_size=0"),
        (lambda: TwoWayStreams([[1, 2, 3]], 2, 2), "streams of at least 2"),
        (lambda: Buckets([], size=2), "0 items"),
        (lambda: Buckets([1], size=2, tokens=3), "either size or tokens"),
        (lambda: Buckets([9], tokens=3), "length 9 does not fit"),
        (lambda: NextSentencePairs([["a", "b"]], negatives="easy"), "other document, same topic"),
        (lambda: NextSentencePairs([["a"], ["b"]]), "no document has two"),
        (lambda: NextSentencePairs([["a", "b"]]), "none is from elsewhere"),
        (lambda: NextSentencePairs([["a", "b"]], topics=[1, 2]), "2 topics for 1"),
    ],
)
def test_what_cannot_work_is_named(build, says):
    with pytest.raises(CourseError, match=says):
        build()


class State(NamedTuple):
    hidden: Tensor
    cell: Tensor


def tensors_in(value):
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    elif hasattr(value, "__dataclass_fields__"):
        value = list(vars(value).values())
    return [t for part in value for t in tensors_in(part)] if isinstance(value, (list, tuple)) else []


def test_every_tensor_of_a_batch_moves_whatever_form_the_carry_has():
    one, mask = torch.ones(2, 3, dtype=torch.long), torch.ones(2, 3, dtype=torch.bool)
    carry = {"forward": [(one, one)], "backward": State(one, one), "step": 7}
    side = Batch({"words": one}, mask, one, [[(0, 1)], [(0, 1)]])
    stream = StreamBatch(one, one, carry)
    for batch in (
        Batch({"words": one}, mask, one, [[(0, 1)]], carry, (side, side), {"tags": one}),
        stream,
        TwoWayBatch(stream, stream, carry),
    ):
        moved = batch.to("meta")
        assert len(tensors_in(moved)) == len(tensors_in(batch)) > 5
        assert {tensor.device.type for tensor in tensors_in(moved)} == {"meta"}
        assert type(moved.carry["backward"]) is State
        assert moved.carry["step"] == 7
        assert {tensor.device.type for tensor in tensors_in(batch)} == {"cpu"}
