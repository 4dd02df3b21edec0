import torch
from torch.nn import functional as F

from course.recipes import bert, engine, gpt
from tests.recipes.small import small


def job(out, family) -> engine.Job:
    recipe = small(family.RECIPES[0])
    return engine.Job(recipe, recipe.settings(), out, seed=0)


def test_the_twins_share_pieces_text_and_table(out):
    own, other = job(out, gpt), job(out, bert)
    material, theirs = gpt.read(own), bert.read(other)
    model, twin = gpt.build(own, material), bert.build(other, theirs)
    assert material.pieces.vocabulary == theirs.pieces.vocabulary
    assert torch.equal(material.train.ids, theirs.train.ids)
    learned = torch.zeros(len(material.pieces), dtype=torch.bool)
    learned[material.train.ids.long().unique()] = True
    assert torch.equal(model.embedding.tokens.weight[learned], twin.embedding.tokens.weight[learned])
    # Seen from the first layer norm, positions are as loud beside pieces as BERT's.
    scaled = model.embedding.positions.weight / model.embedding.scale
    torch.testing.assert_close(scaled, twin.embedding.positions.weight)
    layers = [sum(p.numel() for p in m.stack.parameters()) for m in (model, twin)]
    assert layers[0] == layers[1]


def test_scores_are_means_over_held_out_pieces(out):
    own = job(out, gpt)
    material = gpt.read(own)
    model = gpt.build(own, material).eval()
    found = gpt.scores(own, material, model, 1)
    batch = next(gpt._rows(own, material.held_out, material.pieces)(0))
    with torch.no_grad():
        logits = model(batch.ids)
    expected = F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten()).item()
    assert abs(found["loss"] - expected) < 1e-5
    assert found["accuracy"] == (logits.argmax(-1) == batch.targets).float().mean().item()
