"""CoNLL columns and KLUE's characters."""

import pytest

from course_lib.data.readers.columns import read_characters, read_columns
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
