"""Label curves: each cell is measured once, a stopped run goes on, and what is drawn is what was recorded."""

import json
from dataclasses import dataclass, field, replace

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from course.figures import use_course_style
from course.lab.tasks import reviews
from course.records import curve_tasks, label_curves
from course.records.curve_tasks import BASELINE, BERT, MINILM, TASKS, Bench, CurveTask, Effort
from course.records.label_curves import ALL, STORE, Cell, Curves, Plan, downstream, measure, recorded_curves
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import seed_interval
from tests.lab import four_samples

RUN = {"command": "a command", "date": "2026-01-02"}


@pytest.fixture(autouse=True)
def _own_record(own_records, cache):
    """Figures are in the course's style."""
    with matplotlib.rc_context():
        use_course_style()
        yield


@dataclass
class Counting:
    """A task whose scores are a formula, and that counts what is asked of it; it stops after `patience` trainings."""

    name: str
    asked: list = field(default_factory=list)
    patience: int = 1_000
    n_test: int = 17
    systems: tuple = ("slow", "fast")
    on_request: tuple = ()
    exact: bool = False

    def open(self):
        self.asked.append(f"{self.name} opened")
        return self

    def description(self):
        return {"metric": "accuracy in %", "baseline": "bag of words", "n_test": self.n_test}

    def n_labels(self, labels):
        return 313 if labels == ALL else labels

    def steps(self, system, n_labels):
        return n_labels + len(system)

    def scores(self, system, n_labels, seed):
        if self.patience == 0:
            raise KeyboardInterrupt
        self.patience -= 1
        self.asked.append((self.name, system, n_labels, seed))
        f1 = n_labels / 7 + 10 * seed + (system == "fast")
        return {"score": f1, "exact": f1 / 3} if self.exact else {"score": f1}


def plan(first=None, second=None, **settings):
    return Plan({"a": first or Counting("a"), "b": second or Counting("b")}, **({"labels": (11, ALL)} | settings))


def run(wanted):
    return measure(wanted, report=lambda line: None)


def trainings(task):
    return [key for key in task.asked if isinstance(key, tuple)]


def without_times(curves):
    return {cell.key: replace(cell, seconds=0.0, run=0) for cell in curves.cells}


def test_a_run_that_was_stopped_goes_on_and_gives_the_same_record():
    whole = run(plan(seeds=2))
    STORE.path.unlink()
    first, second = Counting("a", patience=3), Counting("b")
    with pytest.raises(KeyboardInterrupt):
        run(plan(first, second, seeds=2))
    kept = recorded_curves()
    assert 0 < len(kept.cells) < len(whole.cells)
    again = Counting("a"), Counting("b")
    continued = run(plan(*again, seeds=2))
    assert without_times(continued) == without_times(whole)
    assert continued.tasks == whole.tasks
    measured = [*trainings(first), *trainings(second), *trainings(again[0]), *trainings(again[1])]
    assert len(measured) == len(set(measured)) == len(whole.cells) == 16


def test_what_is_recorded_is_not_measured_again_and_data_are_not_read():
    run(plan())
    first, second = Counting("a"), Counting("b")
    run(plan(first, second))
    assert first.asked == second.asked == []
    run(plan(first, second, labels=(5, 11), seeds=4))  # 5 labels are new, and the fourth seed of 11
    new = [("a", system, *key) for key in [(5, 0), (5, 1), (5, 2), (5, 3), (11, 3)] for system in ("slow", "fast")]
    assert trainings(first) == new


def test_few_labels_of_all_tasks_come_first_and_unknown_names_are_refused():
    keys = plan(labels=(ALL, 500, 100), seeds=2).wanted()
    assert [labels for _, _, labels, _ in keys] == [100] * 8 + [500] * 8 + [ALL] * 8
    with pytest.raises(CourseError, match=r"no system 'quick' .* There are: slow, fast"):
        plan(systems=["quick"])
    assert keys[:4] == [("a", "slow", 100, 0), ("a", "fast", 100, 0), ("b", "slow", 100, 0), ("b", "fast", 100, 0)]


def test_other_settings_do_not_join_an_older_line_and_cost_nothing():
    run(plan(seeds=1))
    changed = Counting("a", n_test=19)
    with pytest.raises(CourseError, match=r"n_test was 17, is 19.*lines of its cells out of that file.*--task a"):
        run(plan(changed, seeds=2))
    assert trainings(changed) == []
    curves = recorded_curves()
    STORE.write(replace(curves, cells=tuple(cell for cell in curves.cells if cell.task == "b")))
    assert run(plan(changed, seeds=2)).tasks["a"]["n_test"] == 19


def test_a_damaged_record_is_named_with_what_to_do():
    assert recorded_curves() == Curves()
    run(plan(seeds=1))
    good = STORE.path.read_text(encoding="utf-8")
    document = json.loads(good)
    cell = document["cells"][0]
    wrong = [cell | change for change in ({"run": 1}, {"score": float("nan")}, {"exact": float("inf")}, {"task": "c"})]
    for cells in ([cell, cell], *([one] for one in wrong)):
        text = json.dumps(document | {"cells": cells})
        STORE.path.write_text(text, encoding="utf-8")
        with pytest.raises(CourseError, match=r"curves\.json is damaged .* delete it and record it again"):
            run(plan())
        assert STORE.path.read_text(encoding="utf-8") == text  # a run does not write over it
    STORE.path.write_text(json.dumps(document | {"format": 2}), encoding="utf-8")
    with pytest.raises(CourseError, match="format 2"):
        recorded_curves()


def test_gains_are_paired_by_seed():
    values = {"slow": {0: 50.0, 1: 60.0, 2: 61.0, 3: 90.0}, "fast": {0: 55.0, 1: 63.0, 2: 69.0}}
    cells = [Cell("a", system, 7, seed, 7, 1, v, 1.0) for system, row in values.items() for seed, v in row.items()]
    curves = Curves(
        {"a": {}}, (RUN,), (*cells, Cell("a", "fast", 9, 0, 9, 1, 3.0, 1.0), Cell("a", "slow", 9, 0, 9, 1, 1.0, 1.0))
    )
    assert curves.gains("a", "fast", "slow") == {7: seed_interval([5.0, 3.0, 8.0]), 9: 2.0}
    assert curves.rows("a", "fast")[0] == (7, pytest.approx(187 / 3), 55.0, 69.0)


def test_exact_match_stands_beside_f1_where_there_are_answers():
    curves = run(plan(Counting("a", exact=True), seeds=2))
    assert curves == recorded_curves()
    f1, exact = curves.scores("a", "fast"), curves.scores("a", "fast", exact=True)
    assert f1[11] == {0: round(11 / 7 + 1, 3), 1: round(11 / 7 + 11, 3)}
    assert exact[11] == {0: round((11 / 7 + 1) / 3, 3), 1: round((11 / 7 + 11) / 3, 3)}
    assert curves.gains("a", "fast", "slow", exact=True)[11].estimate == pytest.approx(1 / 3, abs=1e-3)
    assert curves.scores("b", "fast", exact=True) == {}
    assert {cell.steps - cell.n_labels for cell in curves.cells if cell.system == "fast"} == {4}


# What the chapters show


def chapter_curves(missing=()):
    """A value for every cell of chapter 8 that is not of a task in `missing`."""
    tasks = {name: {"metric": "accuracy in %", "n_test": 17, "baseline": "bag of words"} for name in curve_tasks.TASKS}
    rng = np.random.default_rng(0)
    cells = [
        Cell(*key, 4_321 if key[2] == ALL else key[2], 3, round(float(rng.uniform(40, 90)), 3), 1.0)
        for key in Plan({name: task for name, task in curve_tasks.TASKS.items() if name not in missing}).wanted()
    ]
    return Curves(tasks, (RUN,), tuple(cells))


@pytest.mark.parametrize("chapter", [5, 8])
def test_the_drawn_lines_are_the_record(chapter):
    curves = chapter_curves()
    figure = label_curves.curve_figure(chapter, curves)
    shown = [(name, task) for name, task in curve_tasks.TASKS.items() if chapter in task.chapters]
    assert [axes.get_title(loc="left") for axes in figure.axes] == [task.title for _, task in shown]
    for axes, (name, _) in zip(figure.axes, shown, strict=True):
        named = {system: label for system, label in label_curves.SHOWN[chapter].items() if system != MINILM}
        systems = [*named, BASELINE]
        assert [line.get_label() for line in axes.lines] == [*named.values(), "bag of words"]
        for line, band, system in zip(axes.lines, axes.collections, systems, strict=True):
            cells = [cell for cell in curves.cells if (cell.task, cell.system) == (name, system)]
            by_size = {n: [cell.score for cell in cells if cell.n_labels == n] for n in (100, 500, 2_000, 4_321)}
            np.testing.assert_allclose(line.get_xydata(), [(n, np.mean(values)) for n, values in by_size.items()])
            ends = {tuple(point) for point in band.get_paths()[0].vertices.tolist()}
            assert {(n, end) for n, values in by_size.items() for end in (min(values), max(values))} <= ends
        assert [line.get_linestyle() for line in axes.lines][-1] == "--"
    assert label_curves.missing_cells(chapter, curves).startswith(f"All {len(shown) * len(systems) * 12} trainings")


def test_what_is_missing_is_said():
    curves = chapter_curves(missing=["nsmc", "klue-ner", "korquad-spans"])
    units = [axes.get_ylabel() for axes in label_curves.curve_figure(8, curves).axes]
    assert [unit == "not recorded yet" for unit in units] == [False] * 7 + [True] * 3
    assert label_curves.missing_cells(8, curves).startswith("252 of 360 trainings are recorded.")
    assert label_curves.missing_cells(5, Curves()).startswith("0 of 144 trainings")
    assert len(label_curves.curves_markdown(5, Curves()).splitlines()) == 2


def test_minilm_is_measured_by_name_and_shown_where_it_was():
    tasks = {name: curve_tasks.TASKS[name] for name in ("rte", "nsmc")}
    asked = Plan(tasks, [MINILM], labels=(500,)).wanted()
    assert asked == [("rte", MINILM, 500, seed) for seed in range(3)]  # it reads English
    before = chapter_curves()
    assert "MiniLM" not in label_curves.curves_markdown(8, before)
    added = [Cell(*key, 500, 3, 70.0 + key[3], 1.0) for key in asked]
    curves = replace(before, cells=(*before.cells, *added))
    lines = label_curves.curves_markdown(8, curves).splitlines()
    gain = curves.gains("rte", MINILM, BERT)[500]
    [row] = [line for line in lines if line.startswith("| RTE, entailment | 500 ")]
    assert row.endswith(f"| {gain.estimate:+.1f} [{gain.low:.1f}, {gain.high:.1f}] |")
    panels = label_curves.curve_figure(8, curves).axes
    drawn = [axes for axes in panels if "MiniLM" in [line.get_label() for line in axes.lines]]
    assert [axes.get_title(loc="left") for axes in drawn] == ["RTE, entailment"]
    assert label_curves.missing_cells(8, curves) == label_curves.missing_cells(8, before)


# The command line


def test_handmade_reviews_go_through_the_whole_run(capsys, monkeypatch):
    def opened():
        return Bench(reviews("handmade").limited(40, 7, 19), Effort(1, 2, 2, 8), bert=four_samples.bert)

    tasks = {"sst2": CurveTask("handmade", (8,), (BASELINE, BERT), (), opened)}
    monkeypatch.setattr(curve_tasks, "TASKS", tasks)
    label_curves.main(["--task", "sst2", "--labels", "5", "all", "--seeds", "2"])
    assert "4/8 sst2, bert, 5 labels, seed 1" in capsys.readouterr().out
    curves = recorded_curves()
    assert {cell.n_labels for cell in curves.cells} == {5, 40}
    assert curves.runs[0]["command"] == "python -m course.records.label_curves --task sst2 --labels 5 all --seeds 2"
    assert {"date", "device", "commit"} <= curves.runs[0].keys()
    label_curves.main(["--task", "sst2", "--system", BERT, "--labels", "7", "--seeds", "1"])
    assert [cell.key for cell in recorded_curves().cells[8:]] == [("sst2", BERT, 7, 0)]
    with pytest.raises(SystemExit, match="no system 'gpt'"):
        label_curves.main(["--task", "sst2", "--system", "gpt"])


# The cell of the checkpoints' table, against means by hand.


def cells(task, system, n_labels, *scores, labels=None):
    return [Cell(task, system, labels or n_labels, seed, n_labels, 3, s, 1.0) for seed, s in enumerate(scores)]


def curves(*groups):
    every = tuple(cell for group in groups for cell in group)
    return Curves({cell.task: {"metric": "accuracy in %"} for cell in every}, (RUN,), every)


def test_the_largest_count_that_both_starts_have():
    found = curves(
        cells("rte", "bert", 100, 51.0),
        cells("rte", "bert", 500, 60.0, 62.0, 67.0),
        cells("rte", "bert", 2_039, 90.0, labels=ALL),  # its other half is not measured yet
        cells("rte", "bert-scratch", 100, 49.0),
        cells("rte", "bert-scratch", 500, 50.0, 53.0),  # the third seed neither
        cells("sst2", "bert", 20_000, 80.0, labels=ALL),
        cells("sst2", "bert-scratch", 20_000, 70.5, labels=ALL),
        cells("sst2", "baseline", 20_000, 99.0, labels=ALL),
    )
    assert downstream("bert-en", found) == (
        f"{TASKS['sst2'].title}: 80.0 / 70.5 accuracy in % (20,000 labels, 1 seed); "
        "RTE, entailment: 61.0 / 51.5 accuracy in % (500 labels, 2 seeds)"
    )


def test_each_checkpoint_has_its_own_systems():
    scores = {"bert": 11.0, "bert-scratch": 13.0, "awd-target": 17.0, "awd-scratch": 19.0, "awd-general": 23.0}
    found = curves(*(cells("sst2", system, 100, score) for system, score in scores.items()))
    assert ": 17.0 / 19.0 accuracy" in downstream("awd-lstm-en", found)
    assert ": 11.0 / 13.0 accuracy" in downstream("bert-en", found)
    seeds_apart = curves(cells("rte", "bert", 100, 50.0), cells("rte", "bert-scratch", 100, 50.0, 51.0)[1:])
    for checkpoint, other in (("bert-ko", found), ("bert-en", Curves()), ("bert-en", seeds_apart)):
        assert downstream(checkpoint, other) == label_curves.NOT_RECORDED
    assert downstream("skipgram-en", Curves()) == label_curves.NO_CURVE
