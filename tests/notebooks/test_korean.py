"""The Korean edition notices what the English changed, keeps the code, and says what is missing."""

import re
import subprocess

import nbformat
import pytest

from tests.notebooks import build, korean
from tests.notebooks.build import with_ids
from tests.notebooks.faithful import faults_of, style_faults
from tests.notebooks.korean import KoreanError, korean_notebook, problems, read
from tests.notebooks.literals import literals, put, same_code

HEAD = "---\nkernelspec:\n  display_name: Python 3\n  language: python\n  name: python3\n---\n\n"
ENGLISH = (
    HEAD
    + """+++ {"slideshow": {"slide_type": "slide"}}

# 1 · A chapter

It has **7** words, $x^2$ of them in `code`.

```{code-cell} ipython3
import course_lib

session = course_lib.start(1)
```

+++ {"slideshow": {"slide_type": "fragment"}}

**Notice.** The second one.

```{code-cell} ipython3
:tags: [live]

n = 3                       # how many
axes.set(title=f"window 2: {n:>4} pairs", xlabel="context word")
print("the pairs ", n)
words = "a cat chases dog".split()
```
"""
)
EMPTY = "---\nedition: draft\n---\n\n"
KOREAN = """---
edition: complete
---

+++ {"of": "ID0"}

# 1 · 첫 장

단어가 **7**개 있고, 그중 $x^2$개가 `code`입니다.

+++ {"of": "ID1"}

**살펴보기.** 두 번째입니다.

```{strings}
# how many
# 몇 개

window 2: {n:>4} pairs
{n:>4}쌍, 윈도우 2

context word
주변 단어

the pairs
쌍

a cat chases dog
=
```
"""


@pytest.fixture
def pair(tmp_path):
    """Write both texts (with changes) and give the English notebook and the Korean edition."""

    def write(english=ENGLISH, korean_text=KOREAN):
        for place, cell in enumerate(korean.prose_of(with_ids(ENGLISH))):
            korean_text = korean_text.replace(f"ID{place}", cell.id)
        for folder, text in ((tmp_path / "text", english), (tmp_path / "ko" / "text", korean_text)):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "01_x.md").write_text(text, encoding="utf-8")
        return korean.edition_of("01_x", tmp_path / "ko" / "text")

    return write


def test_the_korean_notebook_is_the_english_one_in_other_words(pair):
    english, edition = pair()
    assert problems(english, edition) == []
    made = korean_notebook(english, edition)
    for one, other in zip(made.cells, english.cells, strict=True):
        assert (one.id, one.cell_type, one.metadata) == (other.id, other.cell_type, other.metadata)
    assert made.cells[1].source.endswith('session = course_lib.start(1, language="ko")')
    assert made.cells[3].source == (
        "n = 3                       # 몇 개\n"
        'axes.set(title=f"{n:>4}쌍, 윈도우 2", xlabel="주변 단어")\n'
        'print("쌍 ", n)\n'
        'words = "a cat chases dog".split()'
    )


def test_a_changed_english_sentence_is_noticed_and_shown_and_may_be_marked_as_behind(pair, monkeypatch):
    english, edition = pair(ENGLISH.replace("It has **7** words", "It has **8** words"))
    monkeypatch.setattr(
        korean, "_from_history", lambda name, old: "# 1 · A chapter\n\nIt has **7** words, $x^2$ of them in `code`."
    )
    (fault,) = problems(english, edition)
    assert "01_x.md, line 5 (# 1 · 첫 장): the English has changed" in fault
    assert "[-**7**-] {+**8**+}" in fault
    assert korean.mark(english, edition) == 1
    edition.path.write_text(korean.written(edition), encoding="utf-8")
    edition = read(edition.path)
    assert problems(english, edition) == []
    assert korean_notebook(english, edition).cells[0].source.endswith(korean.BEHIND)
    again = read(edition.path)
    assert [(c.of, c.source, c.pairs) for c in again.cells] == [(c.of, c.source, c.pairs) for c in edition.cells]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('+++ {"of": "ID1"}\n\n**살펴보기.** 두 번째입니다.\n', "", "no Korean for the English cell"),
        ("단어가 **7**개", "단어가 **여러** 개", "the number 7 is missing"),
        ("$x^2$", "$x^3$", "the formula '$x^2$' is missing"),
        ("**살펴보기.** 두", "두", "0 times **살펴보기, in English 1 times **Notice"),
        ("두 번째입니다.", "두 번째다.", "plain ending"),
        ("context word\n주변 단어\n\n", "", "no Korean for 'context word'"),
        ("context word\n", "context words\n", "is it now 'context word'?"),
        ("{n:>4}쌍", "{n}쌍", "other {values}"),
        ("{n:>4}쌍", "{n:>4쌍", "other {values}"),
        ("{n:>4}쌍", "{n:>4}쀍", "쀍 is not in the font"),
        ("두 번째입니다.", "당신의 두 번째입니다.", "여러분"),
    ],
)
def test_what_is_missing_or_not_faithful_is_named(pair, old, new, says):
    assert old in KOREAN
    english, edition = pair(korean_text=KOREAN.replace(old, new))
    assert any(says in fault for fault in problems(english, edition)), problems(english, edition)


def test_an_english_cell_that_is_gone(pair):
    english, edition = pair(
        re.sub(r"\+\+\+ \{\"slideshow\": \{\"slide_type\": \"fragment\".*?\n\n.*?\n\n", "", ENGLISH)
    )
    assert any("is gone. Delete it." in fault for fault in problems(english, edition))


FIRST, SECOND = (EMPTY * (n == 0) + f'+++ {{"of": "ID{n}"}}\n\n```{{strings}}\n' for n in (0, 1))


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("---\nedition: done\n---\n\n글", "its head says edition: done"),
        (EMPTY + "+++ {}\n\n글", "line 5: a cell without its English"),
        (FIRST + "one line\n```", "below line 5: not a pair of two lines"),
        (FIRST + "one line\n줄", "a strings block has no end"),
        (EMPTY + '+++ {"of": "ID0"}\n\n글\n\n+++ {"of": "ID0"}\n\n글', "two cells of the English cell"),
        (FIRST + "a b\n가\n```\n\n" + SECOND + "a b\n나\n```", "two Korean texts for 'a b'"),
    ],
)
def test_a_text_that_cannot_be_read_says_where(pair, bad, says):
    with pytest.raises(KoreanError, match=rf"01_x.md.*{re.escape(says)}"):
        pair(korean_text=bad)


def test_todo_puts_what_is_missing_in_its_place_and_keeps_what_is_there(pair):
    english, edition = pair(korean_text=EMPTY + '+++ {"of": "ID1"}\n\n**살펴보기.** 두 번째입니다.\n')
    assert korean.todo(english, edition) == 1 + 5  # one cell; comment, title, label, print, words
    edition.path.write_text(korean.written(edition), encoding="utf-8")
    edition = read(edition.path)
    assert [cell.todo for cell in edition.cells] == [True, False]
    assert edition.cells[0].source.startswith("# 1 · A chapter")
    assert edition.cells[1].pairs["context word"] == "?"
    assert edition.pairs == {}
    assert problems(english, edition) == []  # a draft may lack cells and words
    assert korean.todo(english, edition) == 0
    assert korean_notebook(english, edition).cells[0].source == english.cells[0].source
    edition.draft = False
    assert len(problems(english, edition)) == 1 + 5


def test_the_earlier_english_is_found_in_the_history(tmp_path, monkeypatch):
    monkeypatch.setattr(korean, "ROOT", tmp_path)
    text = tmp_path / "notebooks" / "text" / "01_x.md"
    text.parent.mkdir(parents=True)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    for words in ("It has seven words.", "It has eight words.", "Nothing."):
        text.write_text(f"{HEAD}{words}\n", encoding="utf-8")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", words], check=True)
    old = with_ids(f"{HEAD}It has seven words.\n").cells[0].id
    assert korean.changes("01_x", old, "It has eight words.").strip() == "It has [-seven-] {+eight+} words."
    assert "not in this clone" in korean.changes("01_x", "0123456789", "Other words.")


SOURCE = '''def f(x):
    """Two words.

    And more."""
    return {"key": x["a b"], r"raw \\d": f"{x!r:>{n}} and {', '.join(x)}"}  # why not
'''


def test_literals_are_found_and_replaced_in_any_form():
    keys = {item.key: item.kind for item in literals(SOURCE)}
    assert keys["Two words.\\n\\n    And more."] == "text"
    assert keys["{x!r:>{n}} and {', '.join(x)}"] == "f"
    assert keys["# why not"] == "comment"
    words = {
        "{x!r:>{n}} and {', '.join(x)}": "{', '.join(x)} 그리고 {x!r:>{n}}",
        "# why not": "# 왜 안 되나",
        "a b": "가 나",
        "raw \\\\d": "\\\\d 그대로",
        "Two words.\\n\\n    And more.": "두 단어.\\n\\n    더.",
    }
    made = put(SOURCE, words)
    compile(made, "cell", "exec")
    assert same_code(SOURCE, made)
    assert 'r"\\d 그대로"' in made
    assert '"""두 단어.\n\n    더."""' in made
    assert put(SOURCE, {}) == SOURCE


@pytest.mark.parametrize(
    "other", [SOURCE.replace("return", "yield"), SOURCE.replace("x!r", "x"), SOURCE.replace(">{n}", "<{n}")]
)
def test_other_code_is_other_code(other):
    assert not same_code(SOURCE, other)


def test_bold_that_korean_markdown_leaves_open():
    """The renderer of the site and of nbconvert agrees with the rule."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    for text in ("**중심 단어(centre)**는", "**“왜”**라고", "**왜?**라고"):
        assert style_faults(text)
        assert "<strong>" not in markdown2html_mistune(text)
    for text in ("**중심 단어**(centre)는", "**왜?** 라고", "*tilvor*는 **쌍**으로"):
        assert not style_faults(text)
        assert "<strong>" in markdown2html_mistune(text)
    assert style_faults("3~5개")
    assert style_faults("*한글*")


@pytest.mark.parametrize(
    ("english", "korean_text"),
    [
        ("100,000 words", "단어 10만 개입니다."),
        ("30.6 million words", "단어 3,060만 개입니다."),
        ("30.6 million words", "단어 30,600,000개입니다."),
        ("110 million parameters", "파라미터 1억 1천만 개입니다."),
        ("110 million parameters", "파라미터 1억 1,000만 개입니다."),
        ("300 billion tokens", "토큰 3,000억 개입니다."),
        ("64 thousand words", "단어 6만 4천 개입니다."),
    ],
)
def test_round_numbers_as_korean_writes_them(english, korean_text):
    assert faults_of(english, korean_text) == []
    assert faults_of(english, korean_text.replace("0", "1", 1).replace("4천", "5천").replace("1천", "2천")) != []


def test_the_builder_makes_and_checks_the_korean_notebook(pair, tmp_path, capsys):
    english = HEAD + '# 1 · A chapter\n\n```{code-cell} ipython3\nprint("one two")\n```\n'
    name = with_ids(english).cells[0].id
    text = EMPTY + f'+++ {{"of": "{name}"}}\n\n# 1 · 첫 장\n\n```{{strings}}\none two\n하나 둘\n```\n'
    pair(english, text)
    assert build.main(["check"], tmp_path) == 1  # both editions
    assert re.findall("NAME=.*`", capsys.readouterr().out) == ["NAME=01_x`", "NAME=01_x EDITION=ko`"]
    assert build.main(["build", "01_x", "--edition", "ko"], tmp_path) == 0
    stored = nbformat.read(tmp_path / "ko" / "01_x.ipynb", as_version=4)
    assert [cell.source for cell in stored.cells] == ["# 1 · 첫 장", 'print("하나 둘")']
    assert stored.cells[1].outputs[0].text == "하나 둘\n"
    assert build.main(["check", "--edition", "ko"], tmp_path) == 0
    pair(english, text.replace("# 1", "1"))
    assert build.main(["check"], tmp_path) == 1
    assert "01_x.md, line 5: headings" in capsys.readouterr().out
