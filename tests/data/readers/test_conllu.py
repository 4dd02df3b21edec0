"""CoNLL-U: joined tokens, empty nodes, spans in the printed text, and faults."""

import pytest

from course_lib.data.readers.conllu import align, read_conllu
from course_lib.errors import CourseError


def line(number, form, head, upos="X"):
    return f"{number}\t{form}\t{form.lower()}\t{upos}\tY\t_\t{head}\tdep\t_\t_\n"


SENTENCE = (
    "# sent_id = 1\n# text = Don't go.\n"
    + line("1-2", "Don't", "_")
    + line(1, "Do", 3)
    + line(2, "n't", 3)
    + line(3, "go", 0, "VERB")
    + line("3.1", "ghost", "_")
    + line(4, ".", 3)
)


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_sentence_with_its_heads_and_places(tmp_path, end):
    (tmp_path / "a.conllu").write_text(SENTENCE + "\n\n# a note\n\n" + line(1, "Yes", 0) + end, encoding="utf-8")
    first, second = read_conllu(tmp_path / "a.conllu")
    assert first.sentence.words == ("Do", "n't", "go", ".")
    assert first.sentence.spans == ((0, 2), (2, 5), (6, 8), (8, 9))
    assert first.heads == (3, 3, 0, 3)
    assert first.tags["upos"] == ("X", "X", "VERB", "X")
    assert first.tags["lemma"][0] == "do"
    assert (second.sentence.text, second.heads) == ("Yes", (0,))


def test_words_that_are_not_in_the_text_are_joined():
    assert align("del mar", ("de", "el", "mar")).text == "de el mar"
    assert align("a b c", ("a", "c")).text == "a c"
    assert align("a b c", ("a", "b")).text == "a b"
    assert align(None, ("a", "b")).text == "a b"
    assert align("a  a", ("a", "a")).spans == ((0, 1), (3, 4))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("1\tword\n", "line 1: 2 columns"),
        (line(2, "word", 0), "line 1: number '2', .*Expected number 1"),
        (line(1, "word", "x"), "head 'x'"),
        (line(1, "", 0), "word ''"),
        (line(1, "word", 7), "head 7, but there are 1 words"),
    ],
)
def test_faults_are_named(tmp_path, wrong, message):
    (tmp_path / "a.conllu").write_text(wrong + "\n", encoding="utf-8")
    with pytest.raises(CourseError, match=message):
        read_conllu(tmp_path / "a.conllu")
