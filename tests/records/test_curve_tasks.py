"""What stands on a label curve, on tiny networks: starts, steps, labels, and parts that share nothing."""

from unittest.mock import Mock

import pytest
import torch

from course.lab.baselines import bag_of_words, overlap_window
from course.lab.tasks import Task
from course.records import curve_tasks
from course.records.curve_tasks import AWD_SYSTEMS, BASELINE, BERT, BERT_SYSTEMS, MINILM, MINILM_RATE, Bench, Effort
from course.records.label_curves import ALL
from course_lib.data.records import LabelledText, Passage, Question
from course_lib.evaluation import squad_scores
from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.text.vocabulary import Vocabulary
from tests.lab import four_samples


@pytest.fixture
def bench():
    records = four_samples.sentence_task()
    words = sorted({word for record in records.train for word in record.text.split()})

    def lm():
        torch.manual_seed(0)
        vocabulary = Vocabulary(["<unk>", *words], unknown="<unk>")
        return AWDLSTM(AWDLSTMConfig(len(vocabulary), emb_dim=5, hidden=7, n_layers=2), vocabulary).eval()

    return Bench(records, Effort(2, 3, 5, batch_size=4, lm_steps=3), lm=lm, bert=four_samples.bert)


def test_every_system_learns_by_the_seed_and_repeats(bench):
    for system in (*AWD_SYSTEMS, *BERT_SYSTEMS):
        first, again = bench.scores(system, 7, 0), bench.scores(system, 7, 0)
        assert first == again
        assert list(first) == ["score"]
        assert 0 <= first["score"] <= 100
        assert bench.steps(system, 7) == 4  # two epochs of two batches
    assert (bench.steps(BERT, 2), bench.steps(BERT, 23), bench.steps(BASELINE, 7)) == (3, 5, 0)


def test_starts_are_what_their_names_say(bench, monkeypatch):
    learn, tables = Mock(side_effect=KeyboardInterrupt), {}
    monkeypatch.setattr(curve_tasks, "classifier", learn)
    for system in AWD_SYSTEMS:
        with pytest.raises(KeyboardInterrupt):
            bench.scores(system, 7, 0)
        tables[system] = learn.call_args.args[0].embedding.weight
        assert learn.call_args.kwargs["steps"] == 4
    assert torch.equal(tables["awd-general"], bench.general.embedding.weight)
    assert torch.equal(tables["awd-target"], bench.target.embedding.weight)
    assert not torch.equal(tables["awd-target"], tables["awd-general"])
    assert not torch.equal(tables["awd-scratch"], tables["awd-general"])


def test_the_published_network_starts_from_its_own_weights_at_its_own_rate(monkeypatch):
    learn = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr(curve_tasks, "fine_tune", learn)
    task, published, effort = four_samples.sentence_task(), four_samples.bert(), Effort(2, 3, 5, 4)
    bench = Bench(task, effort, bert=four_samples.bert, minilm=lambda: published)
    with pytest.raises(KeyboardInterrupt):
        bench.scores(MINILM, 7, 1)
    assert learn.call_args.args[1:] == (published, 7, 1, effort.recipe.at(MINILM_RATE))


def test_the_baseline_has_the_same_labels(bench):
    task = bench.task
    assert bench.scores(BASELINE, 11, 1) == {"score": bag_of_words(task.draw(11, 1), task.test)}
    assert bench.n_labels(ALL) == len(task.train)


def test_korean_names_have_a_larger_test_part_and_share_no_sentence(monkeypatch):
    made = Task(
        "n", "tokens", [LabelledText(str(i), "x") for i in range(700)], [], [LabelledText("t", "x")] * 400, "ko"
    )
    monkeypatch.setattr(curve_tasks, "names", lambda source, language: made)
    task = curve_tasks.korean_names()
    assert (len(task.train), len(task.test)) == (100, 1_000)
    assert not {record.text for record in task.train} & {record.text for record in task.test}


def test_answers_have_two_metrics():
    task = four_samples.span_task()
    bench = Bench(task, Effort(1, 2, 2, 8), bert=four_samples.bert)
    references = [[text for text, _ in record.questions[0].answers] for record in task.test]
    expected = squad_scores(overlap_window(task.draw(5, 2), task.test), references)
    assert bench.scores(BASELINE, 5, 2) == {"score": expected["f1"], "exact": expected["exact_match"]}
    learned = bench.scores(BERT, 5, 2)
    assert 0 <= learned["exact"] <= learned["score"] <= 100  # an exact answer has F1 100


def test_long_passages_are_read_in_windows_and_long_questions_are_left_out():
    def asked(question, answer, n_words):
        text = " ".join([*["was"] * n_words, answer])
        return Passage(text, (Question(question, question, ((answer, text.index(answer)),)),))

    kept = asked("who is in Rome", "Mina", 30)  # 31 pieces; a row has 20, the question takes 4, and one [SEP]
    torn = asked("who is in Oslo", " ".join(["Mina"] * 16), 3)  # 15 fit beside the question
    crowded = asked("who " * 20, "Mina", 3)
    task = Task("t", "span", [kept, torn, crowded], [], [crowded, kept])
    bench = Bench(task, Effort(1, 2, 2, 8), bert=lambda: four_samples.bert(max_units=20))
    assert (bench.task.train, bench.task.test) == ([kept], [kept])
    assert task.fitting(four_samples.bert(max_units=20)).train == []  # in one row, as chapter 8's claims have them
    assert bench.scores(BERT, 1, 0)["score"] >= 0
