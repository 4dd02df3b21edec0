"""BERT's recipe, its twin GPT, and both curves of the plateau: starts, batches, scores, what is kept."""

import math
from itertools import islice
from statistics import fmean

import pytest
import torch
from torch.nn import functional as F

from course.recipes import bert, gpt, plateau
from course.recipes.job import Job
from course.recipes.texts import OneWayRows, Rows
from course.records import store
from course.records.plateau import STORE
from course_lib.training.state import read_state
from tests.recipes.small import small


def job(out, family=bert) -> Job:
    recipe = small(family.RECIPES[0])
    return Job(recipe, recipe.settings(), out, seed=0)


def test_the_start_is_the_one_the_card_tells_of(out):
    own = job(out)
    pieces, text, held_out = bert.read(own)
    model = bert.build(own, pieces, text)
    shares = torch.bincount(text.ids.long(), minlength=len(pieces)).clamp(min=1).float()
    torch.testing.assert_close(model.mlm.bias.softmax(0), shares / shares.sum())
    # Matrices are drawn with std 0.02, so an identity shows on the diagonal.
    first, attention = torch.eye(16), model.stack.layers[0].attention
    for matrix, factor in [(attention.query, 1), (attention.output, 0.8), (model.mlm.dense, 1)]:
        torch.testing.assert_close(matrix.weight.detach(), factor * first, atol=0.12, rtol=0)
    assert model.embedding.positions.weight.abs().max() <= 0.06
    # specials and held-out articles stay out of the table
    learned = bert.table_of(own, pieces, None)["learned"]  # the kept file
    assert learned.any()
    specials = list(pieces.special_ids)
    assert not learned[specials].any()
    assert (model.embedding.tokens.weight[specials].detach().std() > 0.01).all()  # their rows stay as drawn
    assert len(held_out.documents) == own.settings.held_out + 1


def test_scores_are_taken_on_the_same_masks_each_time(out):
    own = job(out)
    pieces, text, held_out = bert.read(own)
    model = bert.build(own, pieces, text).eval()
    rows = bert.rows_of(own.settings, held_out, pieces, own.seed, bert.SCORED)
    found = bert.scores(rows, model, 3)
    torch.rand(5)
    assert bert.scores(rows, model, 3) == found
    with torch.no_grad():  # a model that always says "follows"
        model.nsp.bias.copy_(torch.tensor([99.0, 0.0]))
    assert 0 < bert.scores(rows, model, 3)["nsp_accuracy"] < 1


# -- GPT
def test_the_twins_share_pieces_text_and_table(out):
    own, other = job(out, gpt), job(out, bert)
    (pieces, text, _), (others, same, _) = gpt.read(own), bert.read(other)
    model, twin = gpt.build(own, pieces, text), bert.build(other, others, same)
    assert pieces.vocabulary == others.vocabulary
    assert torch.equal(text.ids, same.ids)
    learned = torch.zeros(len(pieces), dtype=torch.bool)
    learned[text.ids.long().unique()] = True
    assert torch.equal(model.embedding.tokens.weight[learned], twin.embedding.tokens.weight[learned])
    # Seen from the first layer norm, positions are as loud beside pieces as BERT's.
    scaled = model.embedding.positions.weight / model.embedding.scale
    torch.testing.assert_close(scaled, twin.embedding.positions.weight)
    layers = [sum(p.numel() for p in m.stack.parameters()) for m in (model, twin)]
    assert layers[0] == layers[1]


def test_gpts_scores_are_means_over_held_out_pieces(out):
    own = job(out, gpt)
    pieces, text, held_out = gpt.read(own)
    model = gpt.build(own, pieces, text).eval()
    rows = Rows.of(held_out, own.settings.length, OneWayRows(pieces), own.settings.pieces_per_batch)
    found, batch = gpt.scores(rows, model, 1), next(rows(0))
    with torch.no_grad():
        logits = model(batch.ids)
    expected = F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten()).item()
    assert abs(found["loss"] - expected) < 1e-5
    assert found["accuracy"] == (logits.argmax(-1) == batch.targets).float().mean().item()


# -- Both curves in small: their starts, equal batches, going on after a stop, and what is kept
STEPS = 43


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "data_dir", lambda *parts: tmp_path / parts[-1])
    return small(bert.RECIPES[0])


def test_the_plain_start_gives_nothing_away_and_both_are_trained_on_the_same_batches(out, recipe):
    own, rows = Job(recipe, recipe.settings(), out, seed=0), []
    pieces, text, _ = bert.read(own)
    for start in ("warm", "plain"):
        model = plateau.STARTS[start](own, pieces, text)
        torch.rand(len(start))  # what one start draws more than the other must not matter
        made = bert.rows_of(own.settings, text, pieces, own.seed, own.settings.masked)
        rows.append([batch.input_ids for batch in islice(made(0), 9)])
    assert all(torch.equal(a, b) for a, b in zip(*rows, strict=True))
    assert not model.mlm.bias.any()
    for name, weight in model.named_parameters():
        if weight.ndim == 2 and len(weight) > 2:
            assert weight.detach().std() == pytest.approx(0.02, rel=0.3), name


def test_both_curves_are_kept_beside_the_entropy_of_the_frequencies(out, recipe):
    curves = {start: plateau.measure(start, out, recipe=recipe, steps=STEPS) for start in plateau.STARTS}
    found, losses = STORE.read(), read_state(out / "plateau-warm.training")["history"].parts["mlm"]
    assert found.curves["warm"].losses == [round(fmean(losses[at : at + 20]), 4) for at in (0, 20)]
    assert dict(found.curves) == curves
    assert found.curves["warm"].steps == [20, 40]  # the last 3 steps make no point
    assert found.setting["steps"] == STEPS
    assert found.curves["plain"].run["command"] == "python -m course.recipes.plateau --start plain"
    job = Job(recipe, recipe.settings(), out, seed=0)
    _, counts = bert.read(job)[1].ids.unique(return_counts=True)
    shares = [count / int(counts.sum()) for count in counts.tolist()]
    by_hand = -sum(share * math.log(share) for share in shares)
    assert found.unigram == pytest.approx(by_hand, abs=1e-4)
