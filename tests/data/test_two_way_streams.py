import pytest
import torch

from course_lib.data.streams import TwoWayStreams
from course_lib.errors import CourseError

DOCUMENTS = [[10, 11, 12], [20, 21, 22, 23, 24], [30, 31, 32, 33, 34, 35, 36]]  # 15 words: 3 streams of 5


def rows(streams, direction, epoch=0):
    steps = [getattr(step, direction) for step in streams(epoch)]
    return torch.cat([torch.cat([step.ids for step in steps], 1), steps[-1].targets[:, -1:]], 1)


def test_the_backward_streams_hold_the_same_documents_in_the_same_order_each_from_its_end():
    streams = TwoWayStreams(DOCUMENTS, 3, 2, seed=1)
    for epoch in range(4):
        forward, backward = (rows(streams, name, epoch).flatten() for name in ("forward", "backward"))
        order = list(dict.fromkeys((forward // 10).tolist()))
        by_number = {document[0] // 10: document for document in DOCUMENTS}
        assert forward.tolist() == [id for number in order for id in by_number[number]]
        assert backward.tolist() == [id for number in order for id in by_number[number][::-1]]


def test_the_length_is_known_and_the_device_is_passed_on():
    streams = TwoWayStreams(DOCUMENTS, 3, 2)
    steps = list(streams())
    assert len(streams) == len(steps) == 2
    moved = steps[0].to("meta")
    assert moved.forward.ids.device.type == moved.backward.targets.device.type == "meta"


def test_too_little_text_is_named():
    with pytest.raises(CourseError, match="streams of at least 2"):
        TwoWayStreams([[1, 2, 3]], 2, 2)
