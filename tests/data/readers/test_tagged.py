"""CoNLL columns, KLUE's characters, and CoNLL-U with joined tokens, empty nodes, spans in the printed text."""

import pytest

from course_lib.data.readers.tagged import align, read_characters, read_columns, read_conllu
from course_lib.errors import CourseError


@pytest.fixture
def write(tmp_path):
    def write(text):
        (tmp_path / "tags.conll").write_text(text, encoding="utf-8")
        return tmp_path / "tags.conll"

    return write


def test_columns_layers_and_sentence_ends(write):
    one, two = read_columns(
        write("0 Corp. NNP I-NP\n1 's POS B-NP\n\n \n\n0 a DT O"), ("pos", "chunk"), skip=1, separator=" "
    )
    assert one.sentence.words == ("Corp.", "'s")
    assert one.tags == {"pos": ("NNP", "POS"), "chunk": ("I-NP", "B-NP")}
    assert two.sentence.text == "a"


def test_splits_are_marked_in_the_file_and_a_hash_is_a_word(write):
    path = write("# split = train\na\tO\n\n#\tO\n\n# split = test\n#tag\tB-X\n")
    assert [s.sentence.text for s in read_columns(path, ("ner",))] == ["a", "#", "#tag"]
    assert [s.sentence.text for s in read_columns(path, ("ner",), "train")] == ["a", "#"]
    assert [s.tags["ner"] for s in read_columns(path, ("ner",), "test")] == [("B-X",)]


@pytest.mark.parametrize("line", ["word", "word\tO\tO", "\tO", "word\t", "word O"])
def test_a_wrong_line_is_named(write, line):
    with pytest.raises(CourseError, match=r"line 3: \d columns instead of 2.*\(ner\), with single tabs"):
        read_columns(write(f"a\tO\n\n{line}\n"), ("ner",))


def test_characters_keep_the_text_and_their_places(write):
    path = write("## 주석\n## id\t<김 솔:PS>은 #\n김\tB-PS\n \tI-PS\n솔\tI-PS\n은\tO\n \tO\n#\tO\n\n## end\n")
    (found,) = read_characters(path)
    assert found.sentence.text == "김 솔은 #"
    assert found.sentence.words == ("김", "솔", "은", "#")
    assert found.tags["ner"] == ("B-PS", "I-PS", "O", "O")
    assert [found.sentence.text[a:b] for a, b in found.sentence.spans] == list(found.sentence.words)


@pytest.mark.parametrize("line", ["김", "김\t", "\tO", "김\tO\tO"])
def test_a_wrong_character_line_is_named(write, line):
    with pytest.raises(CourseError, match=r"line 2: .* is not one character, a tab and its tag"):
        read_characters(write(f"솔\tO\n{line}\n"))


def row(number, form, head, upos="X"):
    return f"{number}\t{form}\t{form.lower()}\t{upos}\tY\t_\t{head}\tdep\t_\t_\n"


SENTENCE = (
    "# sent_id = 1\n# text = Don't go.\n"
    + row("1-2", "Don't", "_")
    + row(1, "Do", 3)
    + row(2, "n't", 3)
    + row(3, "go", 0, "VERB")
    + row("3.1", "ghost", "_")
    + row(4, ".", 3)
)


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_sentence_with_its_heads_and_places(write, end):
    path = write(SENTENCE + "\n\n# a note\n\n" + row(1, "Yes", 0) + end)
    first, second = read_conllu(path)
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
        (row(2, "word", 0), "line 1: number '2', .*Expected number 1"),
        (row(1, "word", "x"), "head 'x'"),
        (row(1, "", 0), "word ''"),
        (row(1, "word", 7), "head 7, but there are 1 words"),
    ],
)
def test_faults_in_conllu_are_named(write, wrong, message):
    with pytest.raises(CourseError, match=message):
        read_conllu(write(wrong + "\n"))
