"""The tree of a beam: by hand on a model whose probabilities are written down, and against beam_search."""

import math

import pytest
import torch

from course.lab.beam_tree import beam_tree
from course_lib.errors import CourseError
from course_lib.models.decoding import greedy, length_penalty
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces


@pytest.fixture
def model():
    torch.manual_seed(3)
    pieces = Pieces.words([["a", "b", "c", "d"]])
    config = TransformerConfig(d_model=8, n_heads=2, n_layers=1, d_ff=11, max_units=32, dropout=0.0, norm="pre")
    return Translator(config, pieces).eval()


def test_a_beam_of_one_is_greedy(model):
    [found] = greedy(model, [["a", "b"]], max_steps=6)
    levels = beam_tree(model, ["a", "b"], beam=1, steps=6)
    words = [level[0].piece for level in levels if not level[0].ended]
    assert words == model.pieces.tokens(list(found.ids))
    assert levels[-1][0].log_p == pytest.approx(found.score, abs=1e-5)


def test_scores_are_those_of_the_whole_sentence(model):
    levels = beam_tree(model, ["a", "c"], beam=3, steps=3)
    for place in range(3):
        path, row = [], place
        for level in reversed(levels):
            path.append(level[row])
            row = level[row].parent
        ids = [model.pieces.begin, *(i for b in reversed(path) for i in _ids(model, b.piece))]
        source, mask = model.source([["a", "c"]])
        logits = model(source, mask, torch.tensor([ids[:-1]]))[0]
        logits[:, [model.pieces.padding, model.pieces.begin]] = -torch.inf  # never next
        log_p = logits.log_softmax(-1)
        total = sum(log_p[t, i].item() for t, i in enumerate(ids[1:]))
        assert path[0].log_p == pytest.approx(total, abs=1e-4)
        assert path[0].score == pytest.approx(total / length_penalty(3, 0.6), abs=1e-4)
    assert [b.log_p for b in levels[-1]] == sorted((b.log_p for b in levels[-1]), reverse=True)
    assert all(math.isfinite(b.log_p) for b in levels[0])


def test_sizes_below_one_are_refused(model):
    with pytest.raises(CourseError, match="beam=0"):
        beam_tree(model, ["a"], beam=0)


def _ids(model, piece):
    return [i for i in range(len(model.pieces)) if model.pieces.tokens([i]) == [piece]]
