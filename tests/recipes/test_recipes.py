"""Every recipe in small: the loss falls, the card is whole, and what ships can be loaded."""

import json
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from course.recipes import card, engine, reviews
from course.recipes.__main__ import RECIPES
from course.records.label_curves import Cell, Curves
from course_lib.config import data_dir
from course_lib.data.records import LabelledText
from course_lib.errors import CourseError
from course_lib.models.heads_on_body import load_heads
from course_lib.models.review_words import ReviewWords
from course_lib.models.shipped import load, shipped_names
from tests.recipes.small import STEPS, make_starts, small


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_gives_a_checkpoint_with_its_card(name, out):
    recipe = small(RECIPES[name])
    make_starts(recipe, out)
    folder = engine.run(recipe, out)

    assert folder == out / name
    title, rows = card.parse((folder / "card.md").read_text(encoding="utf-8"), folder)
    assert title == recipe.title
    assert rows["command"] == f"`python -m course.recipes {name}`"
    if name == "bert-en-wiki":
        assert f"{STEPS * 79:,} pieces seen, 30% of them masked" in (folder / "card.md").read_text(encoding="utf-8")
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
    # on matrices that were never trained a head learns little more than which pieces are frequent
    assert fmean(losses[-5:]) < (0.97 if name == "minilm-mlm-en" else 0.9) * fmean(first[:5])


def test_all_profiles_and_names_are_what_the_command_offers():
    for name, recipe in RECIPES.items():
        assert name == recipe.name
        assert set(recipe.profiles) <= set(engine.PROFILES)
        assert "cpu" in recipe.profiles


# -- Cards, and the table over all of them
ROWS = {
    "model": "net",
    "corpus": "text",
    "tokens": "7",
    "settings": "width 3",
    "device": "cpu",
    "minutes": "0.1",
    "score of a test": "0.5",
    "licence": "CC BY 4.0",
    "command": "`run`",
}


def test_what_is_rendered_can_be_parsed_and_nothing_else():
    whole = card.render("A title", ROWS)
    assert card.parse(whole, "here") == ("A title", ROWS)
    for text in ("", "# Title\n\nText\n", whole + "more\n"):
        with pytest.raises(CourseError, match="here is not a card"):
            card.parse(text, "here")
    for name in (*card.FACTS, "corpus"):
        with pytest.raises(CourseError, match="not a card"):
            card.parse(card.render("A title", {key: value for key, value in ROWS.items() if key != name}), "here")


def test_the_table_has_a_line_for_each_checkpoint(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        (tmp_path / name / "card.md").write_text(card.render(f"Title {name}", ROWS))
    lines = card.overview(tmp_path, Curves()).splitlines()[-2:]
    score = "score of a test: 0.5"
    assert lines[1] == f"| [two](two/card.md) | Title two | text | 7 | cpu, 0.1 | {score} | — | 0.0 | CC BY 4.0 |"
    (tmp_path / "two" / "card.md").unlink()
    with pytest.raises(CourseError, match=r"card\.md is missing"):
        card.overview(tmp_path, Curves())


def test_the_table_shows_what_is_recorded_of_public_tasks(tmp_path):
    (tmp_path / "bert-en").mkdir()
    (tmp_path / "bert-en" / "config.json").write_text("{}")
    (tmp_path / "bert-en" / "card.md").write_text(card.render("BERT", ROWS))
    cells = [Cell("rte", system, 7, 0, 7, 3, score, 1.0) for system, score in (("bert", 61.0), ("bert-scratch", 53.0))]
    curves = Curves({"rte": {"metric": "accuracy in %"}}, (), tuple(cells))
    column = "public tasks: fine-tuned / from scratch"
    for found, expected in (
        (Curves(), "not recorded yet"),
        (curves, "RTE, entailment: 61.0 / 53.0 accuracy in % (7 labels, 1 seed)"),
    ):
        *_, head, rule, row = card.overview(tmp_path, found).splitlines()
        assert len({line.count("|") for line in (head, rule, row)}) == 1
        assert row.split(" | ")[head.split(" | ").index(column)] == expected


def test_the_table_in_the_project_is_up_to_date():
    folder = data_dir("checkpoints")
    assert len(shipped_names()) >= 5
    same = (folder / "README.md").read_text(encoding="utf-8") == card.overview(folder)
    assert same, "run: python -m course.recipes table"


# -- The recipe of the classifier of reviews: what is held out, what is learned, which terms stay, what goes wrong
TRAIN = [
    *[LabelledText(text, "pos") for text in ("good film", "good good plot", "good film", "film")],
    *[LabelledText(text, "neg") for text in ("bad film", "bad", "bad plot", "film good")],
]


def changed(**settings):
    recipe = small(reviews.RECIPES[0])
    return replace(recipe, profiles={"cpu": replace(recipe.profiles["cpu"], **settings)})


POSITIVE = np.array([record.label == "pos" for record in TRAIN])


def test_neighbours_are_held_out_together():
    assert np.flatnonzero(reviews.held_out(np.array([False] * 11 + [True] * 7), 6)).tolist() == [8, 9, 10, 15, 16, 17]


def test_terms_and_their_presence():
    rows, terms = reviews.presence(record.text for record in TRAIN)
    assert [terms[column] for column in reviews.frequent(rows, 3)] == ["bad", "film", "good"]  # "good film": two texts
    chosen = rows[:, [terms.index(term) for term in ("film", "good", "plot")]].toarray().tolist()
    assert chosen == [[1, 1, 0], [0, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 0]]


def test_what_is_learned_is_scikit_learns_regression_over_log_count_ratios():
    from sklearn.linear_model import LogisticRegression

    rows, terms = reviews.presence(record.text for record in TRAIN)
    columns = [terms.index(term) for term in ("film", "good", "bad")]
    weights, bias = reviews.learn(rows[:, columns], POSITIVE, 3.0)
    ratios = np.log(np.array([4, 4, 1]) / 9) - np.log(np.array([3, 2, 4]) / 9)
    peer = LogisticRegression(C=3.0, solver="liblinear", tol=1e-3, random_state=0)
    peer.fit(rows[:, columns].toarray() * ratios, POSITIVE)
    expected = peer.decision_function(rows[:, columns].toarray() * ratios)
    model = ReviewWords(["film", "good", "bad"], weights, bias, reviews.LABELS)
    np.testing.assert_allclose(model.scores([record.text for record in TRAIN]), expected, rtol=1e-6)
    assert model.weights["good"] > 0 > model.weights["bad"]


def test_the_strongest_terms_weigh_most_in_the_texts():
    rows, terms = reviews.presence(record.text for record in TRAIN)
    rows = rows[:, [terms.index(term) for term in ("film", "good", "bad", "plot")]]
    weights = np.array([0.1, 1.0, -1.5, 3.0])  # times the root of 5, 4, 3 and 2 texts: 0.22, 2, 2.6, 4.2
    assert reviews.strongest(rows, weights, 3).tolist() == [1, 2, 3]
    assert reviews.strongest(rows, weights, 1).tolist() == [3]
    assert reviews.strongest(rows, weights, 7).tolist() == [0, 1, 2, 3]


def test_the_card_says_how_it_was_chosen(out):
    folder = engine.run(small(reviews.RECIPES[0]), out)
    _, rows = card.parse((folder / "card.md").read_text(encoding="utf-8"), folder)
    assert "89; for development learned from 75, 14 held out" in rows["data"]
    assert rows["accuracy on the 14 held out, the 31 strongest"] == "100 (95 % interval 100 to 100)"
    assert rows["labels that float16 changes"] == "0 of 15"  # every sixth of 89
    assert len(ReviewWords.load(folder).terms) == 31


def test_no_table_that_costs_accuracy(out):
    with pytest.raises(CourseError, match=r"reviews-en: 1 terms are right in 0\.\d+ of .* Keep more terms"):
        engine.run(changed(terms=1), out)
    assert not (out / "reviews-en").exists()
