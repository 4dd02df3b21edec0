import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data import docstrings
from course_lib.data.docstrings import paragraphs, read_prose, sentences

NUMPY_STYLE = """Compute the largest value of an array.

    Ignores missing values.  See :func:`~numpy.amax` for the ``axis`` argument [1]_.

    .. versionadded:: 1.7
       Some words on versions that nobody reads.

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

GOOGLE_STYLE = """Sets the learning rate of a layer.

    Args:
        rate (float, optional): The size of a step.
            It is a number. Default: 0.1
        *layers: the layers to change
    Raises:
        ValueError: if the rate is negative

    :param model: the model that is trained
    :type model: a type that is not prose
    :returns: a list of the steps

    ```python
    this is code in a fence
    ```
    """


def prose(docstring: str) -> list[str]:
    return [" ".join(words) for paragraph in paragraphs(docstring) for words in sentences(paragraph)]


def test_numpy_style():
    assert prose(NUMPY_STYLE) == [
        "compute the largest value of an array",
        "see for the axis argument",
        "input data as in this page and others",
        "the number of the rows",
        "a new array with the result",
        "it is an error if a is empty is n't it",
        "the cost is and the value is in the range",
        "the first item is well known and goes on here",
        "the second item calls if it must",
        "the next example is about the rows",
    ]


def test_google_and_sphinx_style():
    assert prose(GOOGLE_STYLE) == [
        "sets the learning rate of a layer",
        "the size of a step",
        "it is a number",
        "the layers to change",
        "if the rate is negative",
        "the model that is trained",
        "a list of the steps",
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


@pytest.mark.parametrize(
    "source",
    [
        b'"""the words of it"""\ndef f(:',
        b'"""the words of it"""\nx = "\xff"',
        b'# coding: nonsense\n"""the a of an in"""',
        b'"""the words\x00"""',
        b'"""the words of it"""' + b"(" * 9,
        b'"""%s"""' % (b"the words " * 9999) + b"x" + b"[" * 9999 + b"]" * 9999,
    ],
)
def test_what_cannot_be_read_gives_none(tmp_path, source):
    (tmp_path / "bad.py").write_bytes(source)
    assert read_prose(tmp_path / "bad.py") is None
    assert read_prose(tmp_path / "missing.py") is None
    assert read_prose(tmp_path) is None


def test_large_files_and_files_of_code(tmp_path, monkeypatch):
    path = tmp_path / "module.py"
    path.write_bytes(b'"""The words of a file."""\n' + b"x = 1\n" * 7)
    assert read_prose(path) == ["the words of a file"]
    path.write_bytes(b'"""The words of a file."""\n' + b"x = 1\n" * 200)
    assert read_prose(path) == []
    monkeypatch.setattr(docstrings, "MAX_BYTES", 1000)
    assert read_prose(path) is None


def test_helper_process(tmp_path):
    (tmp_path / "가.py").write_bytes('"""The café is a word of it."""'.encode())
    paths = [str(tmp_path / "가.py"), str(tmp_path / "missing.py")]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "course_lib.data.docstrings"],
        input=json.dumps(paths).encode(),
        capture_output=True,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [["the is a word of it"], None]
    assert done.stderr == b""
