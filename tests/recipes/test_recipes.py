"""Every recipe in small: the loss falls, the card is whole, and what ships can be loaded."""

import json
from statistics import fmean

import numpy as np
import pytest

from course.recipes import card, engine
from course.recipes.__main__ import RECIPES
from course_lib.models.heads_on_body import load_heads
from course_lib.models.review_words import ReviewWords
from course_lib.models.shipped import load
from tests.recipes.small import make_starts, small


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_gives_a_checkpoint_with_its_card(name, out):
    recipe = small(RECIPES[name])
    make_starts(recipe, out)
    folder = engine.run(recipe, out)

    assert folder == out / name
    title, rows = card.parse((folder / "card.md").read_text(encoding="utf-8"), folder)
    assert title == recipe.title
    assert rows["command"] == f"`python -m course.recipes {name}`"
    if name == "reviews-en":
        assert ReviewWords.load(folder).predict(["A king!", "no king?"]) == ["pos", "neg"]
        return
    if name == "heads-en":
        assert [len(tags) for tags in load_heads(folder)["tokens"].predict([["Ada", "is", "in", "Rome"]])] == [4]
        return
    vectors = load(folder).encode([["the", "king", "sees"]])[0]
    assert vectors.shape[1] == 3
    assert np.isfinite(vectors).all()
    assert np.ptp(vectors, axis=1).max() > 0


@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if recipe.train is None])
def test_the_loss_falls(name, out):
    def losses_of(trained):
        path = out / f"{trained}.training" / "history.json"
        return json.loads(path.read_text())["losses"] if path.exists() else []

    recipe = small(RECIPES[name], steps=47)
    make_starts(recipe, out)
    engine.run(recipe, out)
    losses = losses_of(name)
    assert len(losses) == 47
    first = losses_of(getattr(recipe.settings(), "start", None)) or losses  # who goes on from a start begins low
    # a head alone, on a body that was never trained, learns which piece follows no other
    assert fmean(losses[-5:]) < (0.97 if name == "minilm-mlm-en" else 0.9) * fmean(first[:5])


def test_all_profiles_and_names_are_what_the_command_offers():
    for name, recipe in RECIPES.items():
        assert name == recipe.name
        assert set(recipe.profiles) <= set(engine.PROFILES)
        assert "cpu" in recipe.profiles
