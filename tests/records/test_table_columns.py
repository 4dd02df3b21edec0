import pytest

from course.records.table_columns import COLUMNS, MOST_WORDS, column, sides
from course_lib.data.handmade import handmade_questions
from course_lib.errors import CourseError
from course_lib.models.spans import Answer
from course_lib.text.words import split_words


@pytest.mark.parametrize("name", ["pair", "span"])
def test_no_passage_is_learned_from_and_scored_on(name):
    task = column(name)
    learned, scored = (" ".join(p.text for p in handmade_questions("en", split)) for split in ("train", "test"))
    for records, own, other in ((task.train, learned, scored), (task.test, scored, learned)):
        for text in sides(records)[1]:
            assert text in own
            assert text not in other


def test_a_perfect_and_an_empty_head_score_100_and_0():
    class Oracle:
        def __init__(self, answers):
            self.answers = answers

        def predict(self, records):
            return self.answers

    span, pair, tagging = column("span"), column("pair"), column("tagging")
    first = [record.questions[0].answers[0] for record in span.test]
    assert span.score(Oracle([Answer(text, start, start + len(text), 0.0) for text, start in first])) == 100
    assert span.score(Oracle([Answer("", 0, 0, 0.0)] * len(first))) == 0
    assert pair.score(Oracle([record.label for record in pair.test])) == 100
    assert pair.score(Oracle(["neither"] * len(pair.test))) == 0
    assert tagging.score(Oracle([list(record.tags["upos"]) for record in tagging.test])) == 100


@pytest.mark.parametrize("name", COLUMNS)
def test_all_records_are_short_and_the_draw_follows_the_seed(name):
    task = column(name, n_train=31, n_test=7)
    assert (len(task.train), len(task.test)) == (31, 7)
    firsts, seconds = sides([*column(name).train, *column(name).test])
    for pair in zip(firsts, seconds or [""] * len(firsts), strict=True):
        assert sum(len(split_words(side) if isinstance(side, str) else side) for side in pair) <= MOST_WORDS
    assert task.drawn(5, 1) == task.drawn(5, 1) != task.drawn(5, 2)
    assert len(task.drawn(99, 0)) == 31


def test_unknown_columns_are_named():
    with pytest.raises(CourseError, match=r"no column 'parsing' on 'handmade' data\. Columns: sentence, pair"):
        column("parsing")
    with pytest.raises(CourseError, match="data: handmade, public"):
        column("span", "home")
