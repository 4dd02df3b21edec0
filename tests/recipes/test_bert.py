import torch

from course.recipes import bert, engine
from tests.recipes.small import STEPS, small


def job(out, **training) -> engine.Job:
    recipe = small(bert.RECIPES[0], **training)
    return engine.Job(recipe, recipe.settings(), out, seed=0)


def test_the_start_is_the_one_the_card_tells_of(out):
    own = job(out)
    material = bert.read(own)
    model = bert.build(own, material)
    shares = torch.bincount(material.train.ids.long(), minlength=len(material.pieces)).clamp(min=1).float()
    torch.testing.assert_close(model.mlm.bias.softmax(0), shares / shares.sum())
    # Matrices are drawn with std 0.02, so an identity shows on the diagonal.
    first, attention = torch.eye(16), model.stack.layers[0].attention
    for matrix, factor in [(attention.query, 1), (attention.output, 0.8), (model.mlm.dense, 1)]:
        torch.testing.assert_close(matrix.weight.detach(), factor * first, atol=0.12, rtol=0)
    assert model.embedding.positions.weight.abs().max() <= 0.06


def test_specials_and_held_out_articles_stay_out_of_the_skip_gram_table(out):
    own = job(out)
    material = bert.read(own)
    bert.build(own, material)
    learned = bert.skip_gram_table(material.table, None, material.pieces, None, seed=0)["learned"]  # the kept file
    assert learned.any()
    assert not learned[list(material.pieces.special_ids)].any()
    assert len(material.held_out.documents) == own.settings.held_out + 1


def test_scores_are_taken_on_the_same_masks_each_time(out):
    own = job(out)
    material = bert.read(own)
    model = bert.build(own, material).eval()
    found = bert.scores(own, material.held_out, material.pieces, model, 3)
    torch.rand(5)
    assert bert.scores(own, material.held_out, material.pieces, model, 3) == found
    with torch.no_grad():  # a model that always says "follows"
        model.nsp.bias.copy_(torch.tensor([99.0, 0.0]))
    always = bert.scores(own, material.held_out, material.pieces, model, 3)["nsp_accuracy"]
    assert 0 < always < 1


def test_the_card_counts_pieces(out):
    folder = engine.run(job(out).recipe, out)
    card = (folder / "card.md").read_text(encoding="utf-8")
    assert f"{STEPS * 79:,} pieces seen, 30% of them masked" in card
    assert "next sentence: accuracy" in card
