import hashlib
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from course_lib.config import project_dir
from course_lib.data import docstrings, on_disk
from course_lib.data.on_disk import on_disk_sentences
from course_lib.errors import CourseError


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
    assert [
        (corpus.modules[source], " ".join(words)) for source, words in zip(corpus.sources, corpus, strict=True)
    ] == [
        ("python.ast", "the tree is in this file"),
        ("python.ast", "the same sentence is in both"),
        ("python.json", "the decoder is in this file"),
        ("sklearn", "the package is for a test"),
        ("sklearn.cluster", "the birch is in this file"),
        ("sklearn.cluster", "the cluster is in this file"),
    ]
    assert (corpus.skipped_files, corpus.repeated, corpus.n_words) == (1, 1, 36)
    assert corpus.packages == {"python": "3.x", "sklearn": "1.y"}
    assert str(corpus) == (
        f"36 words in 6 sentences from 2 packages (fingerprint {corpus.fingerprint[:8]}); "
        "not installed here, so left out: numpy"
    )
    body = b"".join(
        f"{source}\t{' '.join(words)}\n".encode() for source, words in zip(corpus.sources, corpus, strict=True)
    )
    assert corpus.fingerprint == hashlib.sha256(body).hexdigest()


def test_the_cache_is_used_until_refresh(small_disk, cache):
    first = on_disk_sentences()
    (small_disk["python"] / "new.py").write_text('"""The new file is here."""')
    assert on_disk_sentences() == first
    assert len(list(cache.glob("on-disk-*.txt"))) == 1
    second = on_disk_sentences(refresh=True)
    assert len(second) == len(first) + 1
    assert second.fingerprint != first.fingerprint
    assert on_disk_sentences() == second


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-9], lambda b: b.replace(b"tree", b"free"), lambda b: b"", lambda b: b"[]\n"]
)
def test_a_damaged_cache_is_read_anew(small_disk, cache, damage):
    first = on_disk_sentences()
    (path,) = cache.glob("on-disk-*.txt")
    content = path.read_bytes()
    path.write_bytes(damage(content))
    assert on_disk_sentences() == first
    assert path.read_bytes() == content


def test_a_new_version_or_a_new_rule_is_read_anew(small_disk, tmp_path, monkeypatch):
    key = on_disk._key({"python": "3.11"})
    assert key == on_disk._key({"python": "3.11"})
    assert key != on_disk._key({"python": "3.12"})
    other = tmp_path / "docstrings.py"
    other.write_bytes(Path(docstrings.__file__).read_bytes() + b"#")
    monkeypatch.setattr(docstrings, "__file__", str(other))
    assert key != on_disk._key({"python": "3.11"})


def test_a_cache_that_cannot_be_written(small_disk, tmp_path, monkeypatch):
    """A file where the folder should be: nobody can write there, not even root."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("COURSE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert len(on_disk_sentences()) == 6


def test_a_link_to_a_parent_folder_is_no_trap(small_disk):
    (small_disk["python"] / "json" / "loop").symlink_to(small_disk["python"], target_is_directory=True)
    assert len(on_disk_sentences()) == 6


def test_max_words_samples_all_parts(small_disk):
    corpus = on_disk_sentences(max_words=18)
    assert (len(corpus), corpus.n_words) == (3, 18)
    assert {corpus.modules[source].partition(".")[0] for source in corpus.sources} == {"python", "sklearn"}
    assert on_disk_sentences(max_words=10**9) == on_disk_sentences()
    with pytest.raises(CourseError, match="max_words=0"):
        on_disk_sentences(max_words=0)


def test_too_little_text(small_disk, monkeypatch):
    monkeypatch.setattr(on_disk, "MIN_WORDS", 200_000)
    with pytest.raises(CourseError, match=r"Found 36 words .* at least 200,000 .*Not installed: numpy.*make lab"):
        on_disk_sentences()


def test_helper_processes_give_the_same_also_when_they_fail(tmp_path, monkeypatch):
    paths = []
    for number in range(211):
        paths.append(str(tmp_path / f"file{number}.py"))
        Path(paths[-1]).write_text(
            f'"""The file {"abcdefg"[number % 7] * 3} is here and there."""' if number % 11 else "("
        )
    monkeypatch.setattr(on_disk, "_cores", lambda: 3)
    expected = [docstrings.read_prose(path) for path in paths]
    assert expected.count(None) == 0  # "(" holds no docstring, so it is not parsed
    assert list(on_disk._read_files(paths)) == expected
    start, started = on_disk._start_helper, []

    def start_and_die():
        started.append(start())
        if len(started) == 2:
            started[-1].kill()
            started[-1].wait()
        return started[-1]

    monkeypatch.setattr(on_disk, "_start_helper", start_and_die)
    assert list(on_disk._read_files(paths)) == expected
    assert len(started) == 3
    assert all(helper.poll() is not None for helper in started)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere"))
    monkeypatch.setattr(on_disk, "_start_helper", start)
    assert list(on_disk._read_files(paths)) == expected


def test_stopping_early_ends_the_helpers(tmp_path, monkeypatch):
    monkeypatch.setattr(on_disk, "_cores", lambda: 2)
    start, started = on_disk._start_helper, []
    monkeypatch.setattr(on_disk, "_start_helper", lambda: started.append(start()) or started[-1])
    (tmp_path / "a.py").write_text('"""The file is here and there."""')
    results = on_disk._read_files([str(tmp_path / "a.py")] * 503)
    next(results)
    results.close()
    assert len(started) == 2
    assert all(helper.poll() is not None for helper in started)


def test_the_list_holds_no_test_tools_and_imports_nothing():
    """Reading what is installed imports no package of the list."""
    assert not {"transformers", "gensim", "sacrebleu", "pytest", "hypothesis", "playwright"} & on_disk.PACKAGES.keys()
    code = (
        "import sys, json; from course_lib.data import on_disk; "
        "folders, packages, missing = on_disk._installed(); "
        "print(json.dumps([sorted(packages), sorted(missing), 'sympy' in sys.modules, 'sklearn' in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, cwd=project_dir(), env=os.environ
    )
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
