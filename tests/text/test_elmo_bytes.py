import pytest

from course_lib.errors import CourseError
from course_lib.text.elmo_bytes import ElmoBytes


def test_ids_worked_out_by_hand():
    # U+AC00 is EA B0 80 in UTF-8; every id is one higher than the byte
    assert ElmoBytes().ids("a가") == [259, 98, 235, 177, 129, 260, *[261] * 44]
    assert ElmoBytes().ids("<S>")[:4] == [259, 257, 260, 261]
    assert ElmoBytes().ids("</S>")[:4] == [259, 258, 260, 261]
    assert ElmoBytes().ids("<s>")[:6] == [259, 61, 116, 63, 260, 261]
    assert ElmoBytes().ids("\ud800")[:3] == [259, 260, 261]  # a lone surrogate has no bytes


@pytest.mark.parametrize("length", [1, 47, 48, 49, 997])
def test_every_word_has_50_ids_and_an_end(length):
    ids = ElmoBytes().ids("x" * length)
    assert len(ids) == 50
    assert ids.index(260) == 1 + min(length, 48)
    assert max(ids) < len(ElmoBytes()) == 262


def test_a_table_has_a_row_per_word():
    words = ["a", "배", "b"]
    assert ElmoBytes().table(words) == [ElmoBytes().ids(word) for word in words]


@pytest.mark.parametrize(
    ("use", "says"),
    [
        (lambda: ElmoBytes().ids(""), "empty word"),
        (lambda: ElmoBytes().table([]), "at least one word"),
        (lambda: ElmoBytes().table("word"), "got 'word'. Give a list"),
        (lambda: ElmoBytes().table(["a", ""]), "empty word"),
    ],
)
def test_bad_input_is_named(use, says):
    with pytest.raises(CourseError, match=says):
        use()
