"""What stands on a label curve, on tiny networks: starts, steps, labels, and parts that share nothing."""

import pytest
import torch

from course_lib.data.records import LabelledText
from course_lib.errors import CourseError
from course_lib.experiments import curve_tasks
from course_lib.experiments.curve_bench import AWD_SYSTEMS, BASELINE, BERT, BERT_SYSTEMS, Bench, Effort
from course_lib.experiments.curve_record import ALL
from course_lib.experiments.four_tasks import FourTask
from course_lib.experiments.target_texts import bag_of_words
from course_lib.models.awd_lstm import AWDLSTM, AWDLSTMConfig
from course_lib.text.vocabulary import Vocabulary
from tests.experiments import four_samples


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
        first, again = bench.score(system, 7, 0), bench.score(system, 7, 0)
        assert first == again
        assert 0 <= first <= 100
        assert bench.steps(system, 7) == 4  # two epochs of two batches
    assert (bench.steps(BERT, 2), bench.steps(BERT, 23), bench.steps(BASELINE, 7)) == (3, 5, 0)


def test_starts_are_what_their_names_say(bench, monkeypatch):
    started = {}

    def learner(name):
        def learn(start, *_, **settings):
            started[name] = start, settings
            raise KeyboardInterrupt

        return learn

    monkeypatch.setattr("course_lib.experiments.curve_bench.classifier", learner("awd"))
    tables = {}
    for system in AWD_SYSTEMS:
        with pytest.raises(KeyboardInterrupt):
            bench.score(system, 7, 0)
        tables[system] = started["awd"][0].embedding.weight
        assert started["awd"][1]["steps"] == 4
    assert torch.equal(tables["awd-general"], bench.general.embedding.weight)
    assert torch.equal(tables["awd-target"], bench.target.embedding.weight)
    assert not torch.equal(tables["awd-target"], tables["awd-general"])
    assert not torch.equal(tables["awd-scratch"], tables["awd-general"])


def test_the_baseline_has_the_same_labels(bench):
    task = bench.task
    assert bench.score(BASELINE, 11, 1) == bag_of_words(task.draw(11, 1), task.test)
    assert bench.n_labels(ALL) == len(task.train)
    with pytest.raises(CourseError, match=r"has 23 labelled records here, 24 were asked for\. Give fewer, or 'all'"):
        bench.n_labels(24)


def test_korean_names_have_a_larger_test_part_and_share_no_sentence(monkeypatch):
    made = FourTask(
        "n", "tokens", [LabelledText(str(i), "x") for i in range(700)], [], [LabelledText("t", "x")] * 400, "ko"
    )
    monkeypatch.setattr(curve_tasks, "names", lambda source, language: made)
    task = curve_tasks.korean_names()
    assert (len(task.train), len(task.test)) == (100, 1_000)
    assert not {record.text for record in task.train} & {record.text for record in task.test}
