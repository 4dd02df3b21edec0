"""What chapter 5's claims are measured with, on models small enough to know the answer."""

import math

import numpy as np
import pytest
import torch

from course.chapters.ch05 import claims as chapter5
from course.chapters.ch05.claims import Forgetting
from course.lab import ulmfit_stages
from course.lab.baselines import bag_of_words
from course.lab.controls import untrained
from course.lab.tasks import Task, cut
from course.lab.ulmfit_stages import Tricks, classifier, for_target, language_loss, tuned
from course.ledger.rules import get_claim
from course_lib.data.records import LabelledText
from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.models.ulmfit import ULMFiTClassifier
from course_lib.text.vocabulary import Vocabulary

GOOD, BAD = ("good warm kind", "kind good day", "warm day"), ("bad cold rude", "rude bad night", "cold night")
WORDS = sorted({word for text in GOOD + BAD for word in text.split()})


def records(n, seed=0):
    generator = torch.Generator().manual_seed(seed)
    places = torch.randint(3, (n,), generator=generator).tolist()
    return [LabelledText((GOOD, BAD)[i % 2][p], ("pos", "neg")[i % 2]) for i, p in enumerate(places)]


@pytest.fixture
def lm():
    torch.manual_seed(0)
    vocabulary = Vocabulary(["<unk>", *WORDS, "unread"], unknown="<unk>")
    return AWDLSTM(AWDLSTMConfig(len(vocabulary), emb_dim=5, hidden=7, n_layers=2), vocabulary).eval()


@pytest.fixture
def texts(monkeypatch):
    train, dev, test = records(40), records(11, 1), records(13, 2)
    made = Task("made up", "sentence", train, dev, test, unlabelled=[record.text.split() for record in train])
    monkeypatch.setattr(chapter5, "target_texts", lambda source, **sizes: made)
    documents = [f"{a} {b}".split() for a in GOOD for b in BAD] * 3
    monkeypatch.setattr(chapter5, "general_documents", lambda source, n_words: documents)
    return made


def test_the_last_words_are_kept():
    assert cut(LabelledText("One two, THREE!", "pos"), 3) == LabelledText(", three !", "pos")


def test_the_bag_of_words_learns_words(texts):
    assert bag_of_words(texts.train, texts.test) == 100
    turned = [LabelledText(r.text, {"pos": "neg", "neg": "pos"}[r.label]) for r in texts.test]
    assert bag_of_words(texts.train, turned) == 0


def test_general_text_is_documents_of_sixteen_sentences(monkeypatch):
    monkeypatch.setattr(ulmfit_stages, "world_text", lambda n_words: [["A", "b"], *[["c"]] * 15, ["d", "e"]])
    assert ulmfit_stages.general_documents("world", 19) == [["a", "b", *"c" * 15], ["d", "e"]]


@pytest.mark.parametrize(
    ("tricks", "opened", "factor"),
    [
        (Tricks(), [1, 2, 3, 4], 2.6**-3),
        (Tricks(opens="at once"), [4], 2.6**-3),
        (Tricks.none(), [4], 1.0),
        (Tricks(opens="last layer"), [1], 0.0),
    ],
)
def test_plans(lm, tricks, opened, factor):
    model = ULMFiTClassifier(lm, ["neg", "pos"], seed=0)
    plan = tricks.plan(model, 8)
    assert [len(stage.open) for stage in plan.stages] == opened
    assert sum(stage.epochs for stage in plan.stages) == 8
    assert plan.rates(plan.stages[-1])["word"] == pytest.approx(factor)


@pytest.mark.parametrize("tricks", [Tricks(), Tricks.none(), Tricks(opens="last layer")])
def test_every_way_takes_the_same_steps(lm, texts, tricks):
    seen = []
    classifier(lm, texts.train, texts.labels, steps=19, tricks=tricks, watch=lambda step, model: seen.append(step))
    assert seen == list(range(1, 20))


def test_a_classifier_learns_what_can_be_learned(lm, texts):
    model = classifier(lm, texts.train, texts.labels, steps=60, tricks=Tricks.none(1e-2))
    assert ulmfit_stages.percent_right(model, texts.test) == 100


def test_the_language_loss_is_exact_and_can_use_an_old_head(lm, texts):
    loss = language_loss(lm, texts.unlabelled, batch_size=2, length=3)
    with torch.no_grad():
        parts = [lm.loss(batch) for batch in lm.streams(texts.unlabelled, 2, 10_000)()]
    assert loss == pytest.approx(float(parts[0]["loss"]), rel=1e-5)
    other = untrained(lm, 5)
    assert language_loss(other, texts.unlabelled, head=lm) != pytest.approx(language_loss(other, texts.unlabelled))
    with torch.no_grad():
        other.softmax.bias += 3 * torch.arange(len(other.softmax.bias))
    states = dict(lm.named_parameters())
    other.load_state_dict({**states, "softmax.bias": other.softmax.bias})
    assert language_loss(other, texts.unlabelled, head=lm) == pytest.approx(language_loss(lm, texts.unlabelled))


def test_tuning_lowers_the_loss_of_the_target_and_leaves_the_start_alone(lm, texts):
    before = {name: row.clone() for name, row in lm.state_dict().items()}
    after = tuned(lm, texts.unlabelled, steps=60, rate=3e-2, batch_size=3, length=7)
    assert language_loss(after, texts.unlabelled) < language_loss(lm, texts.unlabelled) - 0.1
    assert all(torch.equal(row, before[name]) for name, row in lm.state_dict().items())


def test_the_target_s_words_keep_their_rows(lm):
    adapted = for_target(lm, [["good", "new"], ["good", "new"], ["once"]])
    assert set(adapted.vocabulary.words) == {"<unk>", "good", "new"}
    weight, old = adapted.embedding.weight, lm.embedding.weight
    torch.testing.assert_close(weight[adapted.row("good")], old[lm.row("good")])
    torch.testing.assert_close(weight[adapted.row("new")], old.mean(0))


def test_the_loss_at_equal_accuracy_by_hand():
    run = Forgetting(np.arange(4), np.array([50.0, 60, 80, 70]), np.array([5.0, 5.5, 7.5, 9.0]))
    assert [run.loss_at(level) for level in (50, 55, 60, 70, 80)] == pytest.approx([5.0, 5.25, 5.5, 6.5, 7.5])


def test_forgetting_starts_at_the_old_loss_and_the_last_layer_forgets_nothing(lm, texts):
    documents = texts.unlabelled
    runs = [
        chapter5.forgetting(texts, lm, documents, Tricks(3e-2, opens=opens), 23, steps=6, every=2)
        for opens in ("last layer", "at once")
    ]
    assert [run.steps.tolist() for run in runs] == [[0, 2, 4, 6]] * 2
    assert runs[0].loss == pytest.approx([language_loss(lm, documents)] * 4)
    assert runs[1].loss[0] == runs[0].loss[0]
    assert runs[1].loss[-1] != pytest.approx(runs[1].loss[0], abs=1e-5)


def test_small_runs_return_what_the_rules_ask_for(lm, texts):
    small = {"lm": lm, "n_seeds": 1}
    measured = {
        "C5.1": chapter5.few_labels_do_the_work_of_many(sizes=(7, 17), few=7, min_steps=1, max_steps=2, **small),
        "C5.2": chapter5.fine_tuning_the_lm_adds(n_labels=11, lm_steps=2, steps=2, **small),
        "C5.3": chapter5.tricks_beat_plain_fine_tuning(n_labels=11, steps=2, rates=(1e-2,), leave_out=1, **small),
        "C5.4": chapter5.all_at_once_forgets(n_labels=11, steps=2, every=2, **small),
    }
    for name, found in measured.items():
        assert (found.seeds, len(found.values), found.unit) == (True, 1, get_claim(name).rules[0].unit)
        assert any(baseline.startswith("bag of words") for baseline in found.baselines)
    assert measured["C5.2"].control is not None
    assert sum(name.startswith("without") for name in measured["C5.3"].parts) == 3
    assert np.abs(measured["C5.1"].values).max() <= math.log2(17 / 7)


def test_a_note_says_that_the_factor_is_at_least_so_large(lm, texts, monkeypatch):
    monkeypatch.setattr(chapter5, "percent_right", lambda model, test: 0.0 if scratch(model) else 90.0)
    monkeypatch.setattr(chapter5, "untrained", lambda lm, seed: None)
    monkeypatch.setattr(chapter5, "classifier", lambda lm, *arguments, **settings: lm)
    scratch = lambda model: model is None  # noqa: E731
    found = chapter5.few_labels_do_the_work_of_many(lm=lm, sizes=(7, 14), few=7, n_seeds=2)
    assert found.values.tolist() == [1, 1]
    assert "In 2 of 2 draws the factor is at least" in found.note
