"""The corpus of the reader's own disk: its order, its cache, many processes at once."""

import hashlib
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.sources import docstrings, on_disk
from course.sources.docstrings import paragraphs, read_prose, sentences
from course.sources.on_disk import on_disk_sentences
from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.language import speaking


@pytest.fixture
def small_disk(tmp_path, monkeypatch, cache):
    """Two packages of a few files instead of the reader's environment. Returns their folders."""
    folders = {"python": tmp_path / "lib", "sklearn": tmp_path / "site" / "sklearn"}
    texts = {
        "python/json/decoder.py": "The decoder is in this file.",
        "python/ast.py": "The tree is in this file. The same sentence is in both.",
        "python/test/test_ast.py": "The test is not for a reader.",
        "sklearn/__init__.py": "The package is for a test.\n\nThe same sentence is in both.",
        "sklearn/cluster/_kmeans.py": "The cluster is in this file.",
        "sklearn/cluster/_birch.py": "The birch is in this file.",
    }
    for path, text in texts.items():
        name, _, rest = path.partition("/")
        (folders[name] / rest).parent.mkdir(parents=True, exist_ok=True)
        (folders[name] / rest).write_text(f'"""{text}"""')
    (folders["sklearn"] / "broken.py").write_text('"""The file is broken."""\ndef')
    (folders["sklearn"] / "data.txt").write_text('"""The file is not Python."""')
    monkeypatch.setattr(on_disk, "_installed", lambda: (folders, {"python": "3.x", "sklearn": "1.y"}, ["numpy"]))
    monkeypatch.setattr(on_disk, "MIN_WORDS", 10)
    return folders


def test_content_order_and_sources(small_disk, cache):
    corpus = on_disk_sentences()
    found = zip(corpus.sources, corpus, strict=True)
    assert [(corpus.modules[source], " ".join(words)) for source, words in found] == [
        ("python.ast", "the tree is in this file"),
        ("python.ast", "the same sentence is in both"),
        ("python.json", "the decoder is in this file"),
        ("sklearn", "the package is for a test"),
        ("sklearn.cluster", "the birch is in this file"),
        ("sklearn.cluster", "the cluster is in this file"),
    ]
    assert corpus.n_words == 36
    assert corpus.packages == {"python": "3.x", "sklearn": "1.y"}
    assert str(corpus) == (
        f"36 words in 6 sentences from 2 packages (fingerprint {corpus.fingerprint[:8]}); "
        "not installed here, so left out: numpy"
    )
    with speaking("ko"):
        assert str(corpus).startswith("패키지 2개에서 나온 문장 6개, 단어 36개")
    body = "".join(f"{source}\t{' '.join(words)}\n" for source, words in zip(corpus.sources, corpus, strict=True))
    assert corpus.fingerprint == hashlib.sha256(body.encode()).hexdigest()


def test_the_cache_is_used_unless_it_is_damaged(small_disk, cache):
    first = on_disk_sentences()
    (path,) = cache.glob("on-disk-*.txt")
    content = path.read_bytes()
    for damaged in (content[:-9], content.replace(b"tree", b"free"), b"", b"[]\n"):
        path.write_bytes(damaged)
        assert on_disk_sentences() == first
        assert path.read_bytes() == content
    (small_disk["python"] / "new.py").write_text('"""The new file is here."""')
    assert on_disk_sentences() == first


def test_a_new_version_or_a_new_rule_is_read_anew(small_disk, tmp_path, monkeypatch):
    key = on_disk._key({"python": "3.11"})
    assert key == on_disk._key({"python": "3.11"})
    assert key != on_disk._key({"python": "3.12"})
    other = tmp_path / "docstrings.py"
    other.write_bytes(Path(docstrings.__file__).read_bytes() + b"#")
    monkeypatch.setattr(docstrings, "__file__", str(other))
    assert key != on_disk._key({"python": "3.11"})


def test_a_link_to_a_parent_folder_is_no_trap_and_a_cache_may_be_out_of_reach(small_disk, tmp_path, monkeypatch):
    (small_disk["python"] / "json" / "loop").symlink_to(small_disk["python"], target_is_directory=True)
    (tmp_path / "file").write_text("")  # where the folder should be: nobody can write there, not even root
    monkeypatch.setenv("COURSE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert len(on_disk_sentences()) == 6


def test_max_words_samples_all_parts_and_too_little_text_is_an_error(small_disk, monkeypatch):
    corpus = on_disk_sentences(max_words=18)
    assert (len(corpus), corpus.n_words) == (3, 18)
    assert {corpus.modules[source].partition(".")[0] for source in corpus.sources} == {"python", "sklearn"}
    assert on_disk_sentences(max_words=10**9) == on_disk_sentences()
    with pytest.raises(CourseError, match="max_words=0"):
        on_disk_sentences(max_words=0)
    monkeypatch.setattr(on_disk, "MIN_WORDS", 200_000)
    with pytest.raises(CourseError, match=r"Found 36 words .* at least 200,000 .*Not installed: numpy.*make lab"):
        on_disk_sentences()


CHILD = """
import sys, time
from pathlib import Path
from course.sources import on_disk

log, n = Path(sys.argv[1]) / "log", int(sys.argv[2])

def noting(word, real):
    def call(*given):
        found = real(*given)
        with open(log, "a") as file:  # shorter than a page and appended: whole
            file.write(word)
        while log.read_text().count("l") < n:  # nobody writes before all have looked
            time.sleep(0.02)
        return found
    return call

on_disk._installed = lambda: ({"python": log.parent / "lib"}, {"python": "3.x"}, [])
on_disk.MIN_WORDS = 1
on_disk._load, on_disk._read = noting("l", on_disk._load), noting("r", on_disk._read)
print(on_disk.on_disk_sentences())
"""


@pytest.mark.parametrize("n", [5, pytest.param(30, marks=pytest.mark.slow)])
def test_one_of_many_processes_reads_and_the_others_wait(tmp_path, cache, n):
    """A class that shares one cache."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "part.py").write_text('"""The words of the file."""')
    command = [sys.executable, "-c", CHILD, str(tmp_path), str(n)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(n)]
    (said,) = {child.communicate(timeout=240)[0] for child in children}
    assert said.startswith("5 words in 1 sentences")
    assert (tmp_path / "log").read_text().count("r") == 1
    assert sorted(path.suffix for path in cache.iterdir()) == [".lock", ".txt"]


def test_the_list_holds_no_test_tools_and_imports_nothing():
    """Reading what is installed imports no package of the list."""
    assert not {"transformers", "gensim", "sacrebleu", "pytest", "hypothesis", "playwright"} & on_disk.PACKAGES.keys()
    code = (
        "import sys, json; from course.sources import on_disk; "
        "folders, packages, missing = on_disk._installed(); "
        "print(json.dumps([sorted(packages), sorted(missing), 'sympy' in sys.modules, 'sklearn' in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=project_dir())
    packages, missing, *imported = json.loads(done.stdout)
    assert len(packages) + len(missing) == len(on_disk.PACKAGES) + 1
    assert {"python", "torch", "numpy", "sklearn", "sympy", "matplotlib"} <= set(packages)
    assert imported == [False, False]


@pytest.mark.slow
def test_the_real_disk(cache):
    corpus = on_disk_sentences()
    assert corpus.n_words >= 1_500_000
    assert on_disk_sentences().fingerprint == corpus.fingerprint
    words = Counter(word for sentence in corpus for word in sentence)
    assert words.most_common(1)[0][0] == "the"
    assert all(words[word] > 200 for word in ("kernel", "key", "string", "matrix", "error", "minimum", "maximum"))
    assert max(Counter(map(tuple, corpus)).values()) == 1


# -- Sentences from docstrings: what is prose, what is read, and never a crash
IN_THREE_STYLES = """Compute the largest value of an array.

    Ignores missing values.  See :func:`~numpy.amax` for the ``axis`` argument [1]_.

    .. versionadded:: 1.7
       Some words on versions that nobody reads.

    Args:
        rate (float, optional): The size of a step.
            It is a number. Default: 0.1
    Raises:
        ValueError: if the rate is negative

    :param model: the model that is trained
    :type model: a type that is not prose

    ```python
    this is code in a fence
    ```

    Parameters
    ----------
    a, b : array_like, optional
        Input data, as in `this page <https://x.org/y>`_ and **others**.
    *args : int
        The number of the rows.

    Returns
    -------
    ndarray
        A new array with the result.

    See Also
    --------
    nanmax : The maximum along an axis.

    Notes
    -----
    .. note:: It is an error if `a` is empty, isn't it?

    The cost is $O(n)$ and the value :math:`x_i` is in the range. For example::

        this is code and not a sentence

    - The first item is well-known
      and goes on here.
    - The second item calls np.max(a) if it must.

    ====  =========
    name  the value
    ====  =========

    References
    ----------
    .. [1] A. Author, "The title of a paper", 1999.

    Examples
    --------
    >>> print("this is a doctest of the function")
    this is its output in the end

    The next example is about the rows.
    """


def prose(docstring: str) -> list[str]:
    return [" ".join(words) for paragraph in paragraphs(docstring) for words in sentences(paragraph)]


def test_prose_of_docstrings_in_the_styles_of_numpy_google_and_sphinx():
    assert prose(IN_THREE_STYLES) == [
        "compute the largest value of an array",
        "see for the axis argument",
        "the size of a step",
        "it is a number",
        "if the rate is negative",
        "the model that is trained",
        "input data as in this page and others",
        "the number of the rows",
        "a new array with the result",
        "it is an error if a is empty is n't it",
        "the cost is and the value is in the range",
        "the first item is well known and goes on here",
        "the second item calls if it must",
        "the next example is about the rows",
    ]


@pytest.mark.parametrize(
    ("paragraph", "words"),
    [
        ("It isn't the input/output of a_function or NumPy's x.", "it is n't the input output of or"),
        ("A GPU and a Cpu are in the Box, I say.", "a gpu and a cpu are in the box i say"),
        ("alpha beta gamma delta epsilon", None),  # no function word
        ("the end of", None),  # too short
        ("the of 1 2 3 4 5 6 7 in a", None),  # less than 60 % words
        ("Use ``x + 1`` or ``True`` or :class:`~a.B` in <b>the</b> *bold* way.", "use or true or in the bold way"),
    ],
)
def test_sentences(paragraph, words):
    assert [" ".join(found) for found in sentences(paragraph)] == ([] if words is None else [words])


@given(st.text(st.sampled_from("ab: .\n-=>|`*'\t1(é가")))
def test_any_docstring_gives_plain_lower_case_words(docstring):
    for paragraph in paragraphs(docstring):
        assert "\n" not in paragraph
        for words in sentences(paragraph):
            assert all(word == word.lower() and (word.isalpha() or word == "n't") for word in words)


SOURCE = b'''"""The module is for a test."""
import nothing_that_exists
class A:
    """The class is for a test."""
    def method(self):
        """The method is for a test."""
        def inner(): "The inner function is for a test."
    async def other(self): r"""The other method \\d is for a test."""
    text = """The value is not a docstring."""
def function(): return """Nor is this in any way."""
add_newdoc("module", "name", """
The added text is for a test.
""")
add_docstr(thing.f, r"""
The second added text {is_not} is for a test.
""".format(**common))
print("""
But this is only printed on a page.
""")
'''


def test_finds_what_documents_in_order_and_runs_nothing(tmp_path):
    (tmp_path / "module.py").write_bytes(SOURCE)
    assert [line.removesuffix(" is for a test") for line in read_prose(tmp_path / "module.py")] == [
        *("the module", "the class", "the method", "the inner function", "the other method", "the added text"),
        "the second added text",
    ]


def test_what_cannot_be_read_gives_none_and_files_of_code_nothing(tmp_path, monkeypatch):
    path = tmp_path / "module.py"
    for source in (
        b'"""the words of it"""\ndef f(:',
        b'"""the words of it"""\nx = "\xff"',
        b'# coding: nonsense\n"""the a of an in"""',
        b'"""the words\x00"""',
        b'"""the words of it"""' + b"(" * 9,
        b'"""%s"""' % (b"the words " * 9999) + b"x" + b"[" * 9999 + b"]" * 9999,
    ):
        path.write_bytes(source)
        assert read_prose(path) is None
    assert read_prose(tmp_path / "missing.py") is read_prose(tmp_path) is None
    path.write_bytes(b'"""The words of a file."""\n' + b"x = 1\n" * 7)
    assert read_prose(path) == ["the words of a file"]
    path.write_bytes(b'"""The words of a file."""\n' + b"x = 1\n" * 200)
    assert read_prose(path) == []
    monkeypatch.setattr(docstrings, "MAX_BYTES", 1000)
    assert read_prose(path) is None
