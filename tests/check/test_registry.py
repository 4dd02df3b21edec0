"""Every exercise there is: complete, its solution accepted, its starter open, its mistakes told apart."""

import inspect
import re
import tomllib

import pytest
import torch

from course.chapters import FOLDER
from course.check import check, registry
from course.check.build import of_chapter as builds_of_chapter
from course.check.compare import same
from course.check.exercise import Seen
from course.check.judge import judge
from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.language import columns, speaking
from tests.chapters.cells import wrong_cells

EXERCISES = [exercise for chapter in registry.chapters() for exercise in registry.of_chapter(chapter)]
every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)


def test_a_chapter_s_exercises_come_by_their_numbers_10_after_9():
    numbers = [int(exercise.id.removeprefix("1.")) for exercise in registry.of_chapter(1)]
    assert numbers == sorted(numbers)
    assert {2, 9, 10} <= set(numbers)


@every_exercise
def test_head_and_words_are_complete_and_stand_in_the_notebook(exercise):
    assert exercise.difficulty in range(1, 6)
    assert exercise.importance in range(1, 6)
    assert 1 <= exercise.minutes <= 90
    texts, (chapter, number) = exercise.texts, exercise.id.split(".")
    assert f".ch{int(chapter):02}.ex_{chapter}_{number}_" in exercise.solution.__module__
    assert len(texts.hints) == 3
    assert texts.title
    assert all(len(text.split()) >= 5 for text in (*texts.hints, texts.why, texts.question))
    assert exercise.head in exercise.markdown
    assert exercise.solution.__doc__
    (path,) = (project_dir() / "notebooks" / "text").glob(f"{int(chapter):02}_*.md")
    assert [part for part in (exercise.markdown, exercise.starter) if part not in path.read_text("utf-8")] == []


@every_exercise
def test_each_mistake_has_one_row_and_a_sentence_for_all_its_models_or_for_each(exercise):
    says = exercise.texts.mistakes
    assert sorted(says) == sorted(name for name, *_ in exercise.mistakes)
    for name, *models in exercise.mistakes:
        assert says[name]
        assert isinstance(says[name], str) or len(says[name]) == len(models), name


@pytest.mark.parametrize("chapter", registry.chapters())
def test_no_words_without_an_exercise(chapter):
    exercises = registry.of_chapter(chapter)
    known = {one.id for one in (*exercises, *builds_of_chapter(chapter))}
    assert set(tomllib.loads((FOLDER / f"ch{chapter:02}" / "texts.toml").read_text("utf-8"))) == known


@every_exercise
def test_solution_is_right_and_leaves_its_inputs_alone(exercise):
    assert judge(exercise, exercise.solution).right


@every_exercise
@pytest.mark.parametrize("reader", ["en", "ko"])
def test_the_worked_line_of_the_docstring_is_true(exercise, reader):
    """Its last line or two, perhaps below a line that binds a name: a call -> what it gives."""
    with speaking(reader):
        says = exercise.worded(exercise.solution.__doc__)
    name = exercise.solution.__name__
    worked = re.search(rf"^ *((?:[\w, ]+ = .+\n *)?{name}\((?s:.+))$", says, re.MULTILINE)
    *lines, call = re.split(rf"\n *(?={name}\()", worked[1])
    space = {**exercise.solution.__globals__, "tensor": torch.tensor}
    exec("\n".join(lines), space)
    got, given = (eval(" ".join(part.split()), space) for part in call.split("->"))
    assert same(got, given)


@every_exercise
def test_starter_is_open_and_leaves_nothing_behind(exercise, answers_folder):
    (path,) = (project_dir() / "notebooks" / "text").glob(f"{int(exercise.id.split('.')[0]):02}_*.md")
    (cell,) = re.findall(r"ipython3\n(?:---\n[^`]*---\n)?([^`]*import check, [^`]*)```", path.read_text("utf-8"))
    exec(cell, space := {"__name__": "__main__"})  # a learner comes back another day: this cell, and the exercise's
    assert {"failing", "hint", "recall", "restore", "solution"} <= space.keys()
    head, call = exercise.starter.rsplit("\n", 1)
    exec(head, space)
    assert call == f'check("{exercise.id}", {exercise.solution.__name__})'
    first, second = (repr(check(exercise.id, space[exercise.solution.__name__])) for _ in range(2))
    assert first == second
    assert "not attempted yet" in first
    assert not answers_folder.exists()


@every_exercise
def test_hints_and_messages_do_not_hold_the_solution(exercise):
    body = inspect.getsource(exercise.solution).rpartition('"""')[2].strip().splitlines()
    source = [" ".join(line.split()) for line in body]
    texts = exercise.texts
    says = [texts.says(name, n) for name, n, _ in exercise.models]
    shown = " ".join([*texts.hints, texts.question, *says])
    assert source
    assert [line for line in source if len(line) > 12 and line in " ".join(shown.split())] == []


@every_exercise
def test_each_mistake_gets_its_own_name(exercise):
    """A model is judged as itself: it differs from the solution and from every model before it."""
    rows = [(name, model) for name, _, model in exercise.models if not isinstance(model, Seen)]
    assert [judge(exercise, model).mistake for _, model in rows] == [name for name, _ in rows]


@every_exercise
def test_wrong_answers_are_rejected_each_by_its_name(exercise):
    """Every named mistake, five at least. The answers are written apart from the models, each alone in its cell."""
    cells, named = wrong_cells(exercise), []
    for cell, _ in cells:
        exec(cell, space := {})
        result = judge(exercise, space[exercise.solution.__name__])
        named.append(result.mistake or result.state)
    assert named == [mistake for _, mistake in cells]
    assert {name for name, *_ in exercise.mistakes} - set(named) == set()
    assert len(set(named)) >= 5


@pytest.mark.parametrize(
    ("wrong", "says"),
    [("1.99", "1.2, 1.3"), ("77.1", "exercises: 1, 2"), (1.2, "as text"), ("7" * 5_003 + ".1", "text")],
)
def test_an_unknown_exercise_says_which_there_are(wrong, says):
    with pytest.raises(CourseError) as error:
        registry.find(wrong)
    assert says in str(error.value)
    with speaking("ko"), pytest.raises(CourseError, match="연습 문제는 없습니다"):
        registry.find(wrong)


def test_the_cell_of_an_exercise_is_no_wider_in_korean_than_a_page():
    """A syllable takes two columns, so the docstring of the English solution may need more lines."""
    with speaking("ko"):
        starters = {exercise.id: exercise.starter for n in registry.chapters() for exercise in registry.of_chapter(n)}
    assert [id for id, cell in starters.items() if max(map(columns, cell.splitlines())) > 122] == []
