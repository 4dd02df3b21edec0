"""Build 9.B with parts that are written in another way. With the course's own: tests/check/test_build.py."""

import pytest

from course.check import check, play
from course.ledger import read_record
from course_lib.errors import CourseError
from course_lib.language import speaking
from tests.check.test_build import keep, solved

NUMPY = """
def paired_interval(system, baseline, quantile):
    seeds = sorted(set(system) & set(baseline))
    d = np.array([system[s] - baseline[s] for s in seeds])
    return d.mean() + quantile * d.std(ddof=1) / np.sqrt(len(d)) * np.array([-1, 1])
"""


@pytest.mark.parametrize("reader", ["en", "ko"])
def test_chapter_9_s_judge_agrees_with_the_ledger(reader):
    keep("9.1", NUMPY)
    solved("9.2")
    with speaking(reader):
        result = check("9.B")
        card = play("9.B", "C8.3")
    assert result.state == "right", result
    assert result.paragraphs[0].count("✓") == 2
    assert [line[0] for line in result.paragraphs[1].splitlines()] == ["✓"] * 4
    assert card.live.word == read_record("C8.3").verdict.word
    assert "data:image/svg+xml" in card._repr_mimebundle_()["text/html"]
    with pytest.raises(CourseError, match="choose one of"):
        play("9.B", "C8.1")  # exact: it has no interval


def test_a_judge_that_knows_no_control_does_not_agree():
    """Wrong by its own probes it would not be taken; here the proof itself is shown to be able to fail."""
    from course.chapters.ch09 import build as chapter
    from course.check import registry

    interval, word = (registry.find(part).solution for part in chapter.BUILD.parts)
    ran = chapter.run(True, interval, lambda rule, effect, excess, positive: word(rule, effect, None, None))
    assert [holds for _, holds, _ in ran.proofs] == [True, False, False, True]
    ran = chapter.run(True, lambda a, b, q: interval(a, b, 0.7 * q), word)
    assert not any(holds for name, holds, _ in ran.proofs if name in ("intervals", "truth"))
