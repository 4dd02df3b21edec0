"""Every recipe in small: the loss falls, the card is whole, and what ships can be loaded."""

from statistics import fmean

import numpy as np
import pytest

from course.lab.heads_on_body import load_heads
from course.lab.review_words import ReviewWords
from course.recipes import card, job, reviews
from course.recipes.__main__ import RECIPES
from course.records.label_curves import Cell, Curves
from course_lib.config import data_dir
from course_lib.data.records import LabelledText
from course_lib.errors import CourseError
from course_lib.models.shipped import load, shipped_names
from course_lib.training.state import read_state
from tests.recipes.small import make_starts, small


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_gives_a_checkpoint_with_its_card(name, out):
    recipe = small(RECIPES[name], steps=47)
    make_starts(recipe, out)
    folder = job.run(recipe, out)

    assert folder == out / name
    title, rows = card.parse((folder / "README.md").read_text(encoding="utf-8"), folder)
    assert title == recipe.title
    assert rows["command"] == f"`python -m course.recipes {name}`"
    if hasattr(recipe.settings(), "training"):
        chain = [name]
        while start := getattr(RECIPES[chain[-1]].settings(), "start", None):
            chain.append(start)
        losses, *before = (losses_of(out, trained) for trained in chain)
        assert len(losses) == 47
        first = next(filter(None, reversed(before)), losses)  # who goes on from a start begins low
        # on matrices that were never trained a head learns little more than which pieces are frequent
        assert fmean(losses[-5:]) < (0.97 if name == "minilm-mlm-en" else 0.9) * fmean(first[:5])
    if name == "bert-en-wiki":
        assert f"{47 * 79:,} pieces seen, 30% of them masked" in rows["tokens"]
    if name == "reviews-en":
        assert ReviewWords.load(folder).predict(["A king!", "no king?"]) == ["pos", "neg"]
        assert "89; for development learned from 75, 14 held out" in rows["data"]
        assert rows["accuracy on the 14 held out, the 31 strongest"] == "100 (95 % interval 100 to 100)"
        assert rows["labels that float16 changes"] == "0 of 15"  # every sixth of 89
        assert len(ReviewWords.load(folder).terms) == 31
    elif name == "heads-en":
        assert [len(tags) for tags in load_heads(folder)["tokens"].predict([["Ada", "is", "in", "Rome"]])] == [4]
    else:
        vectors = load(folder).encode([["the", "king", "sees"]])[0]
        assert vectors.shape[1] == 3
        assert np.isfinite(vectors).all()
        assert np.ptp(vectors, axis=1).max() > 0


def losses_of(out, name):
    state = read_state(out / f"{name}.training")
    return state["history"].losses if state else []


def test_all_profiles_and_names_are_what_the_command_offers():
    for name, recipe in RECIPES.items():
        assert name == recipe.name
        assert set(recipe.profiles) <= set(job.PROFILES)
        assert "cpu" in recipe.profiles


# -- Cards, and the table over all of them
ROWS = {"model": "net", "corpus": "text", "tokens": "7", "settings": "width 3", "device": "cpu", "minutes": "0.1"}
ROWS |= {"score of a test": "0.5", "licence": "CC BY 4.0", "command": "`run`"}


def test_what_is_rendered_can_be_parsed_and_nothing_else():
    whole = card.render("A title", ROWS)
    assert card.parse(whole, "here") == ("A title", ROWS)
    for text in ("", "# Title\n\nText\n", whole + "more\n"):
        with pytest.raises(CourseError, match="here is not a card"):
            card.parse(text, "here")
    for name in (*card.FACTS, "corpus"):
        with pytest.raises(CourseError, match="not a card"):
            card.parse(card.render("A title", {key: value for key, value in ROWS.items() if key != name}), "here")


def test_the_table_has_a_line_for_each_checkpoint_with_what_is_recorded_of_public_tasks(tmp_path):
    for name in ("bert-en", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").write_text("")
        (tmp_path / name / "README.md").write_text(card.render(f"Title {name}", ROWS))
    cells = [Cell("rte", system, 7, 0, 7, 3, score, 1.0) for system, score in (("bert", 61.0), ("bert-scratch", 53.0))]
    curves = Curves({"rte": {"metric": "accuracy in %"}}, (), tuple(cells))
    *_, head, rule, bert, other = card.overview(tmp_path, curves).splitlines()
    assert len({line.count("|") for line in (head, rule, bert, other)}) == 1
    assert "RTE, entailment: 61.0 / 53.0 accuracy in % (7 labels, 1 seed)" in bert
    score = "score of a test: 0.5"
    assert other == f"| [two](two/README.md) | Title two | text | 7 | cpu, 0.1 | {score} | — | 0.0 | CC BY 4.0 |"
    (tmp_path / "two" / "README.md").unlink()
    with pytest.raises(CourseError, match=r"README\.md is missing"):
        card.overview(tmp_path, Curves())


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


def test_neighbours_are_held_out_together():
    assert np.flatnonzero(reviews.held_out(np.array([False] * 11 + [True] * 7), 6)).tolist() == [8, 9, 10, 15, 16, 17]


def test_what_is_learned_is_scikit_learns_regression_over_log_count_ratios():
    from sklearn.linear_model import LogisticRegression

    rows, terms = reviews.presence(record.text for record in TRAIN)
    assert [terms[column] for column in reviews.frequent(rows, 3)] == ["bad", "film", "good"]  # "good film": two texts
    rows = rows[:, [terms.index(term) for term in ("film", "good", "bad", "plot")]]
    assert rows.toarray()[:, [0, 1, 3]].tolist() == [
        *([1, 1, 0], [0, 1, 1], [1, 1, 0], [1, 0, 0]),
        *([1, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 0]),
    ]
    weights = np.array([0.1, 1.0, -1.5, 3.0])  # times the root of 5, 4, 3 and 2 texts: 0.22, 2, 2.6, 4.2
    for size, strongest in ((3, [1, 2, 3]), (1, [3]), (7, [0, 1, 2, 3])):
        assert reviews.strongest(rows, weights, size).tolist() == strongest

    positive = np.array([record.label == "pos" for record in TRAIN])
    weights, bias = reviews.learn(rows[:, :3], positive, 3.0)
    ratios = np.log(np.array([4, 4, 1]) / 9) - np.log(np.array([3, 2, 4]) / 9)
    peer = LogisticRegression(C=3.0, solver="liblinear", tol=1e-3, random_state=0)
    peer.fit(rows[:, :3].toarray() * ratios, positive)
    expected = peer.decision_function(rows[:, :3].toarray() * ratios)
    model = ReviewWords(["film", "good", "bad"], weights, bias, reviews.LABELS)
    np.testing.assert_allclose(model.scores([record.text for record in TRAIN]), expected, rtol=1e-6)
    assert model.weights["good"] > 0 > model.weights["bad"]
