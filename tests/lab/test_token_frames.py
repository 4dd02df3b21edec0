"""Frames for the token strip: merges and longest matches by hand, masks by their counts."""

import pytest

from course.lab.token_frames import longest_match_frames, mask_frames, merge_frames
from course_lib.data.masking import Masking
from course_lib.text.byte_pairs import learn

NAMES = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "the", "bank", "was", "slippery"]


def test_each_merge_is_one_frame_and_marks_its_piece():
    merges = learn({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 2)
    start, first, second = merge_frames(["newest"], merges)
    assert [token.text for token in start.tokens] == ["n", "e", "w", "e", "s", "t</w>"]
    assert [token.text for token in first.tokens if token.state == "new"] == ["es"]
    assert "Merge 1: e + s were neighbours 9 times" in first.says
    assert [token.text for token in second.tokens] == ["n", "e", "w", "est</w>"]


def test_the_longest_piece_is_taken_from_the_left():
    frames = longest_match_frames("unhappily", ["un", "##happ", "##ily", "##i", "u"])
    assert [token.text for token in frames[-1].tokens] == ["un", "##happ", "##ily"]
    assert [frame.tokens[-1].state for frame in frames] == ["new"] * 3
    assert "'happily' is left" in frames[0].says


def test_a_word_that_does_not_fit_is_unknown_as_a_whole():
    frames = longest_match_frames("배가", ["배"])
    assert [token.text for token in frames[-1].tokens] == ["[UNK]"]


def test_draws_show_what_is_read_and_counts_are_near_the_expected():
    masking = Masking(len(NAMES), 3, [0, 1, 2, 3], corrupt=0.3)
    ids = [1, 4, 5, 6, 7, 2]
    frames = mask_frames([NAMES[i] for i in ids], ids, NAMES, masking, draws=7, counted=2_000, seed=1)
    assert len(frames) == 7
    states = {token.state for frame in frames for token in frame.tokens}
    assert {"special", "hidden"} <= states
    for frame in frames:
        assert [frame.tokens[0].state, frame.tokens[-1].state] == ["special", "special"]
        for token in frame.tokens:
            assert (token.state == "hidden") == (token.text == "[MASK]")
    for _, seen, expected in frames[0].counts:
        assert seen == pytest.approx(expected, abs=1.5)
