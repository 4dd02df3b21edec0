"""Streams, buckets and next-sentence pairs: nothing lost, nothing leaked, the same for the same seed."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.bucketing import Buckets
from course_lib.data.next_sentence import NextSentencePairs
from course_lib.data.streams import TextStreams
from course_lib.errors import CourseError

texts = st.lists(st.lists(st.integers(1, 96), min_size=1, max_size=13), min_size=2, max_size=11)


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
