"""Articles as a stream: boundaries kept, extractor's leftovers gone, damaged files named."""

import gzip
import lzma

import pytest

from course_lib.data.running_text import clean, corpus_files, read_articles, read_raw_articles
from course_lib.errors import CourseError

TEXT = """<doc id="1" url="x" title="Seals &amp; ships">
Seals &amp; ships

A seal slept on the ice while ships passed.
History.
The formula_12 of its breath () was cold (, 1924) and grey.
</doc>
<doc id="2" title="Stub">
Stub

Too short.
</doc>
<doc id="3" title="배">
배

바다 멀리 배가 한 척 떠 있다.
</doc>
"""


@pytest.mark.parametrize(("ending", "opener"), [(".txt", open), (".xz", lzma.open), (".gz", gzip.open)])
def test_articles_with_their_paragraphs(tmp_path, ending, opener):
    path = tmp_path / f"text{ending}"
    with opener(path, "wt", encoding="utf-8") as file:
        file.write(TEXT)
    seals, ship = read_articles([path])
    assert seals.title == "Seals & ships"
    assert seals.paragraphs == (
        "A seal slept on the ice while ships passed.",
        "The of its breath was cold (1924) and grey.",
    )
    assert ship.paragraphs == ("바다 멀리 배가 한 척 떠 있다.",)


def test_raw_articles_keep_every_line(tmp_path):
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    seals, stub, _ = read_raw_articles([tmp_path / "text.txt"])
    assert seals.paragraphs[:2] == ("Seals &amp; ships", "A seal slept on the ice while ships passed.")
    assert (stub.title, stub.paragraphs) == ("Stub", ("Stub", "Too short."))
    assert sum(len(line.split()) for line in seals.paragraphs) == 3 + 9 + 1 + 12


def test_a_corpus_that_is_not_one():
    with pytest.raises(CourseError, match="no corpus 'sst2'"):
        corpus_files("sst2")


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("a &lt; b &amp;amp; c", "a < b & c"),
        ("제임스 카터(, 1924년 10월 1일 ~ )는", "제임스 카터(1924년 10월 1일 ~ )는"),
        ("the value formula_3, where formula_4 is", "the value , where is"),
        ("{{cite}} text [[ ]]", "text"),
        ("  spaces \t and\u00a0more ", "spaces and more"),
    ],
)
def test_clean(dirty, cleaned):
    assert clean(dirty) == cleaned


def test_faults_are_named(tmp_path):
    (tmp_path / "cut.txt").write_text(TEXT[:120], encoding="utf-8")
    (tmp_path / "plain.txt").write_text("no markup at all\n", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes("<doc>\ncafé\n</doc>".encode("latin-1"))
    (tmp_path / "half.xz").write_bytes(lzma.compress(TEXT.encode())[:-40])
    for name, words in [
        ("cut.txt", "not closed"),
        ("plain.txt", "no <doc"),
        ("latin.txt", "not UTF-8"),
        ("half.xz", "damaged"),
        ("gone.txt", "no file"),
    ]:
        with pytest.raises(CourseError, match=words) as caught:
            list(read_articles([tmp_path / name]))
        assert name in str(caught.value)
