"""The reader's language: values, particles, labels, lines, and a catalogue that is as it must be."""

import pytest

import course.catalogue
from course.catalogue import catalogue_files, entries, particle, texts, wrapped
from course.widgets.base import sentences
from course_lib import language
from course_lib.errors import CourseError
from course_lib.language import columns, key, t, t_label, use
from tests.notebooks import catalogue


@pytest.fixture
def korean(monkeypatch):
    """A Korean session with a small catalogue of its own."""
    said = {
        "verdict|open": "미결",
        "{n} of {all}": "{all}개 가운데 {n}개",
        "“{word}” is new": "“{word}”{word:은/는} 새것",
        "size # of set-#": "집합 #의 크기 #",
        "exact 2": "정확히 2",
    }
    monkeypatch.setattr(course.catalogue, "catalogue", lambda: said)
    use("ko")
    yield
    use(None)


def test_t_says_korean_and_english_where_there_is_none(korean):
    assert t("{n} of {all}", n=3, all=10) == "10개 가운데 3개"
    assert t("“{word}” is new", word="배") == "“배”는 새것"
    assert t("nobody has translated {n}", n=3) == "nobody has translated 3"
    assert t("card|nobody has translated this") == "nobody has translated this"
    assert t(key("verdict|open")) == "미결"
    assert t_label("size 1,000 of set-4.5") == "집합 1,000의 크기 4.5"  # a label keeps its numbers
    assert [t_label("exact 2"), t_label("other 2")] == ["정확히 2", "other 2"]
    assert t("{n} of {all}", n="{all}") == "{all}개 가운데 {all}개"  # values are text, not templates
    use("en")
    assert t("verdict|open") == "open"
    assert t("{n} of {all}", n=3, all=10) == "3 of 10"


PARTICLES = [
    ("배", "는", "로"), ("눈", "은", "으로"), ("말", "은", "로"), ("6", "은", "으로"), ("1", "은", "로"),
    ("20", "은", "으로"),
    ("4.5", "는", "로"), ("95 %", "는", "로"), ("LSTM", "은", "으로"), ("BERT", "는", "로"), ("“눈”", "은", "으로"),
    ("URL", "은", "로"), ("key", "은(는)", "(으)로"), ("", "은(는)", "(으)로"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "topic", "way"), PARTICLES)
def test_particles(word, topic, way):
    assert (particle(word, "은", "는"), particle(word, "으로", "로")) == (topic, way)


def test_lines_of_hangul_are_as_wide_as_lines_of_latin(korean):
    lines = wrapped("가나다라 " * 20, 30, initial_indent="  ", subsequent_indent="  ")
    assert max(map(columns, lines)) <= 30
    assert all(line.startswith("  가나다라") for line in lines)
    assert "".join(lines).replace(" ", "") == "가나다라" * 20
    use("en")
    assert wrapped("one two three", 7) == ["one two", "three"]


def test_an_unknown_language_says_which_there_are(monkeypatch):
    with pytest.raises(CourseError, match="Languages: en, ko"):
        use("jp")
    monkeypatch.setenv("COURSE_LANGUAGE", "xx")
    with pytest.raises(CourseError, match="COURSE_LANGUAGE is 'xx'"):
        t("dark")
    monkeypatch.setenv("COURSE_LANGUAGE", "")
    assert language.language() == "en"


def test_a_catalogue_that_cannot_be_read_says_where(tmp_path):
    (tmp_path / "x.toml").write_text("[[text]]\nen = 'it's'")
    with pytest.raises(CourseError, match=r"x\.toml is not valid TOML"):
        entries(tmp_path / "x.toml")


def test_a_widget_gets_the_words_of_its_own_module(korean):
    module = 'h(t("{n} of {all}", { n }), t(\n  "“{word}” " +\n  "is new"), set("verdict|open"), t("un\\"told"))'
    assert sentences(module) == ["{n} of {all}", "“{word}” is new", 'un"told']
    assert texts(sentences(module)) == {s: course.catalogue.catalogue()[s] for s in ("{n} of {all}", "“{word}” is new")}
    use("en")
    assert texts(sentences(module)) == {}


# ---- the shipped catalogue


def test_every_entry_keeps_its_values_and_stands_once():
    rows = [(path, en, ko) for path in catalogue_files() for en, ko in entries(path)]
    assert rows
    assert [(path.name, fault) for path, en, ko in rows for fault in catalogue.entry_faults(en, ko)] == []
    seen: dict[str, str] = {}
    twice = [f"{path.name}: {en}" for path, en, ko in rows if ko and seen.setdefault(en, ko) != ko]
    assert twice == [], "two Korean texts for one English sentence"


def test_what_the_code_says_has_its_korean_and_no_korean_is_left_over():
    known = course.catalogue.catalogue()
    missing = [f"{file}: {en}" for file, keys in catalogue.of_code().items() for en in keys if en not in known]
    assert missing + catalogue.stale() == []


def test_a_chapter_says_the_labels_of_its_records_and_of_its_live_cards_and_no_others(monkeypatch):
    assert catalogue.faults("04_elmo", complete=True) == []
    monkeypatch.setattr(catalogue, "entries", lambda path: [*entries(path), ("said by nobody, in %", "아무도, %")])
    assert [fault.partition(": ")[2] for fault in catalogue.faults("04_elmo", complete=True)] == [
        "the chapter does not say 'said by nobody, in %' any more"
    ]


@pytest.mark.parametrize(
    ("english", "korean_text", "fault"),
    [
        ("{n} words", "단어 {m}개", "other {values}"),
        ("{n} words", "단어 {n}개", None),
        ("“{w}” is", "“{w}”{w:은/는}", None),
        ("set #", "집합", "another number of #"),
        ("use `range`", "range", "`range` is missing"),
        ("an {n} <b>", "<b> {n}<script>", "other markup"),
        ("a whole English sentence", "a whole English sentence", "is not in Korean"),
        ("a whole English sentence", "", None),
    ],
)
def test_the_faults_of_an_entry(english, korean_text, fault):
    found = list(catalogue.entry_faults(english, korean_text))
    assert (fault is None and not found) or (len(found) == 1 and fault in found[0])
