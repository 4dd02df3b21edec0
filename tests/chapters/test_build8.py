"""Build 8.B with parts that are written in another way."""

import pytest

from course import kept
from course.chapters.ch08 import build as chapter
from course.check import check, play
from course_lib.language import speaking
from tests.check.test_build import keep, solved

OTHERS = {
    "8.4": """
def best_span(start, end, in_passage, max_pieces):
    best, found = None, None
    for i in range(len(start)):
        for j in range(i, min(i + max_pieces, len(end))):
            if in_passage[i] and in_passage[j] and (best is None or start[i] + end[j] > best):
                best, found = start[i] + end[j], [i, j]
    return found
""",
    "8.8": """
def span_logits(states, ids, sep, weight, bias):
    hidden = np.full((2, *ids.shape), -np.inf, dtype=np.float32)
    for row, own in enumerate(ids.tolist()):
        first = own.index(sep)
        for place in [0, *range(first + 1, own.index(sep, first + 1))]:
            hidden[:, row, place] = (weight @ states[row, place] + bias).numpy()
    return hidden
""",
    "8.9": """
def span_step(states, logits, spans, weight, bias, rate):
    rows, new = np.arange(len(states)), weight.numpy().copy()
    for k in (0, 1):
        error = logits[k].softmax(-1).numpy()
        error[rows, spans[:, k].numpy()] -= 1
        new[k] -= rate * np.einsum("rp,rpd->d", error, states.numpy()) / (2 * len(rows))
    return new, bias.tolist()
""",
}


def small(monkeypatch):
    """A few passages and two steps, which prove nothing of the head."""
    few = chapter.answers(n_words=1_000).limited(n_train=4, n_dev=2, n_test=3)
    monkeypatch.setattr(chapter, "answers", lambda **_: few)
    monkeypatch.setattr(chapter, "STEPS", 2)


@pytest.mark.parametrize("reader", ["en", "ko"])
def test_chapter_8_s_machine_runs(reader, monkeypatch):
    small(monkeypatch)
    for part in ("8.3", "8.6", "8.7"):
        solved(part)
    for part, source in OTHERS.items():
        keep(part, source)
    with speaking(reader):
        result = check("8.B")
        widget = play("8.B", "Who built it?", "The bridge was built by Ada Lovelace in 1833.")
    assert result.state in ("right", "wrong"), result
    assert result.paragraphs[0].count("✓") == 6  # 8.5 is the course's
    score, _, shipped = result.paragraphs[1].splitlines()
    assert (score[0], shipped[0]) == ("✓", "✓")
    assert widget.tokens[:3] == ["the", "bridge", "was"]
    assert result.state == "right" or not (kept.folder() / "own-span-head.safetensors").exists()
