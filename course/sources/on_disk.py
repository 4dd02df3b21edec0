"""On your disk: real English text without a download, the docstrings of the packages that this course brings along.

About two million words. They differ a little between machines (versions), so no stored output may depend on their exact
content: each corpus says by its fingerprint which one it is. Reading takes some fifteen seconds, once; the result is
kept in the cache folder. Licence: that of each package; the text never leaves the reader's disk.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib.metadata
import json
import os
import platform
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from course.sources import docstrings
from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.files import atomic_file, lock
from course_lib.language import t
from course_lib.progress import Progress
from course_lib.text import words

# Distribution -> its folder. All come with the course's own dependencies, none with the test extra.
_DISTRIBUTIONS = (
    *("torch", "numpy", "scipy", "sympy", "networkx", "matplotlib", "accelerate", "mpmath", "fsspec", "joblib"),
    *("tornado", "ipykernel", "ipywidgets", "nbconvert", "nbformat", "nbclient", "traitlets", "psygnal", "parso"),
    *("anyio", "requests", "urllib3", "mistune", "jsonschema", "babel", "rich", "typer", "tqdm", "pooch"),
    *("packaging", "setuptools", "scikit-learn", "huggingface-hub", "jinja2", "ipython", "jupyter-client"),
    *("jupyter-core", "jupyter-server", "jupyterlab", "jupyterlab-server", "prompt-toolkit", "fonttools", "pillow"),
    *("pyparsing", "python-dateutil", "pyzmq", "pygments", "beautifulsoup4"),
)
_FOLDERS = {"scikit-learn": "sklearn", "ipython": "IPython", "fonttools": "fontTools", "pillow": "PIL"}
_FOLDERS |= {"python-dateutil": "dateutil", "pyzmq": "zmq", "beautifulsoup4": "bs4"}
PACKAGES = {name: _FOLDERS.get(name, name.replace("-", "_")) for name in _DISTRIBUTIONS}
MIN_WORDS = 200_000
_NOT_ENTERED = {
    *("__pycache__", "site-packages", "dist-packages", "node_modules", "test", "tests", "_vendor"),
    *("idlelib", "lib2to3", "encodings", "pydoc_data"),  # of the standard library: tables, and other people's code
}


@dataclass(frozen=True)
class OnDiskCorpus(Sequence):
    """Sentences of lower-case words, each different, in a fixed order. Is itself the sequence of its sentences."""

    sentences: list[list[str]]
    sources: list[int]  # per sentence: place in `modules`
    modules: list[str]  # such as "scipy.stats": package and first part below it; "python" is the standard library
    packages: dict[str, str]  # name -> version
    missing: list[str]  # packages of the list that are not installed
    fingerprint: str  # SHA-256 of the whole content

    @property
    def n_words(self) -> int:
        return sum(map(len, self.sentences))

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, place):
        return self.sentences[place]

    def __str__(self) -> str:
        text = t(
            "{words} words in {sentences} sentences from {packages} packages (fingerprint {fingerprint})",
            words=f"{self.n_words:,}",
            sentences=f"{len(self):,}",
            packages=len(self.packages),
            fingerprint=self.fingerprint[:8],
        )
        left_out = t("; not installed here, so left out: {names}", names=", ".join(self.missing))
        return text + left_out * bool(self.missing)

    __repr__ = __str__


def on_disk_sentences(*, max_words: int | None = None) -> OnDiskCorpus:
    """Read the docstrings, or what was read before on this disk.

    max_words  an even sample over all packages of about so many words, never more; None is all
    Raises CourseError if fewer than MIN_WORDS words are found: the environment is not the course's.
    """
    if max_words is not None and max_words < 1:
        raise CourseError(f"on_disk_sentences got max_words={max_words}. Use a number of at least 1, or None for all.")
    folders, packages, missing = _installed()
    cache = settings().cache_dir / f"on-disk-{_key(packages)}.txt"
    corpus = _load(cache)
    if corpus is None:
        with lock(cache.with_suffix(".lock")):
            corpus = _load(cache)  # another process may just have made it
            if corpus is None:
                content = _read(folders, packages, missing)
                with contextlib.suppress(CourseError), atomic_file(cache) as file:  # a read-only cache: go on without
                    file.write(content)
                corpus = _parse(content)
    if corpus.n_words < MIN_WORDS:
        raise CourseError(
            f"Found {corpus.n_words:,} words of docstrings on this disk, at least {MIN_WORDS:,} are needed. "
            f"Not installed: {', '.join(missing) or 'none'}. Install the course's dependencies (`make lab`)."
        )
    return corpus if max_words is None else _sample(corpus, max_words)


def _installed() -> tuple[dict[str, Path], dict[str, str], list[str]]:
    """name -> folder, name -> version, and the names that are missing. Nothing is imported."""
    folders = {"python": Path(sysconfig.get_path("stdlib"))}
    packages, missing = {"python": platform.python_version()}, []
    for distribution, name in PACKAGES.items():
        try:
            found = importlib.metadata.distribution(distribution)
        except importlib.metadata.PackageNotFoundError:
            missing.append(distribution)
            continue
        folders[name], packages[name] = Path(str(found.locate_file(name))), found.version
    return folders, packages, missing


def _key(packages: dict[str, str]) -> str:
    """Changes with any version and with the rules of cleaning, that is, with the code of these modules."""
    rules = [Path(module).read_bytes().decode() for module in (__file__, docstrings.__file__, words.__file__)]
    return hashlib.sha256(json.dumps([packages, rules]).encode()).hexdigest()[:16]


def _read(folders: dict[str, Path], packages: dict[str, str], missing: list[str]) -> bytes:
    """The corpus as it lies in the cache: a JSON line, then `module number<TAB>words` for each sentence."""
    modules: dict[str, int] = {}
    lines: dict[str, int] = {}  # sentence -> module; keeps order, and only the first of equal sentences
    files = [(name, folder, path) for name, folder in folders.items() for path in _python_files(folder)]
    gc.disable()  # syntax trees have no cycles; looking for some takes half of the time
    try:
        with Progress("docstrings", total=len(files), unit="files") as bar:
            for done, (name, folder, path) in enumerate(files, start=1):
                bar.update(done)
                if not (found := docstrings.read_prose(path)):
                    continue
                part = path.relative_to(folder).with_suffix("").parts[0]
                module = modules.setdefault(name if part == "__init__" else f"{name}.{part}", len(modules))
                for sentence in found:
                    lines.setdefault(sentence, module)
    finally:
        gc.enable()
    body = "".join(f"{module}\t{sentence}\n" for sentence, module in lines.items()).encode()
    header = {"modules": list(modules), "packages": packages, "missing": missing}
    header["fingerprint"] = hashlib.sha256(body).hexdigest()
    return json.dumps(header).encode() + b"\n" + body


def _python_files(folder: Path) -> list[Path]:
    """The same order on every machine. Links to folders are not followed, so they cannot lead in circles."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _NOT_ENTERED]
        found += [Path(parent, name) for name in files if name.endswith(".py") and name[0] != "."]
    return sorted(found, key=lambda path: path.relative_to(folder).parts)


def _load(cache: Path) -> OnDiskCorpus | None:
    """None if there is no such file or it is damaged: then the text is read anew."""
    try:
        content = cache.read_bytes()
        header, _, body = content.partition(b"\n")
        if json.loads(header)["fingerprint"] == hashlib.sha256(body).hexdigest():
            return _parse(content)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


def _parse(content: bytes) -> OnDiskCorpus:
    header, *lines = content.decode().splitlines()
    sources, sentences = [], []
    for line in lines:
        module, _, sentence = line.partition("\t")
        sources.append(int(module))
        sentences.append(list(map(sys.intern, sentence.split(" "))))  # one string per word, not per occurrence
    return OnDiskCorpus(sentences, sources, **json.loads(header))


def _sample(corpus: OnDiskCorpus, max_words: int) -> OnDiskCorpus:
    """Every sentence that begins a new share of the budget, so that all packages are there in proportion."""
    share = min(1.0, max_words / corpus.n_words)
    chosen, total, taken = [], 0, 0
    for place, sentence in enumerate(corpus.sentences):
        total += len(sentence)
        if taken + len(sentence) <= total * share:
            chosen.append(place)
            taken += len(sentence)
    return replace(corpus, sentences=[corpus.sentences[i] for i in chosen], sources=[corpus.sources[i] for i in chosen])
