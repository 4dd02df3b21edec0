"""Label curves: each cell is measured once, a stopped run goes on, and what is drawn is what was recorded."""

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


def test_other_settings_do_not_join_an_older_line_and_cost_nothing():
    run(plan(seeds=1))
    changed = Counting("a", n_test=19)
    with pytest.raises(CourseError, match=r"n_test was 17, is 19.*lines of its cells out of that file.*--task a"):
        run(plan(changed, seeds=2))
    assert trainings(changed) == []
    curves = recorded_curves()
    STORE.write(replace(curves, cells=tuple(cell for cell in curves.cells if cell.task == "b")))
    assert run(plan(changed, seeds=2)).tasks["a"]["n_test"] == 19


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
