"""reveal.js, which turns a page into slides: fetched once from the npm registry, kept in the cache as one file."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.files import atomic_file, lock

VERSION = "6.0.2"
PACKAGE = f"reveal.js@{VERSION}"
SECONDS = 120
MOST_BYTES = 2_000_000  # of one file in the archive
_IMPATIENT = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
_NOT_IN_JS = ("</script", "<!--")  # would end, or confuse, the page's script element


@dataclass(frozen=True)
class Reveal:
    """The parts that a deck holds, ready to stand inside its page."""

    script: str
    notes: str  # the plugin with the speaker's window
    style: str
    licence: str


def reveal() -> Reveal:
    """From the cache; the first time by `npm pack`, which asks the registry that npm is set to.

    Raises CourseError: npm is missing or fails, and nothing is cached; the cached file is damaged.
    """
    archive = settings().cache_dir / "slides" / f"reveal.js-{VERSION}.tgz"
    with lock(archive.with_suffix(".lock")):
        if not archive.exists():
            _fetch(archive)
    try:
        with tarfile.open(archive, "r:gz") as files:
            script, notes, style, licence = (
                _read(files, f"package/{name}")
                for name in ("dist/reveal.js", "dist/plugin/notes.js", "dist/reveal.css", "LICENSE")
            )
    except (tarfile.TarError, zlib.error, EOFError, KeyError, OSError, ValueError) as error:
        raise CourseError(f"{archive} is not the archive of {PACKAGE} ({error}). Delete it and try again.") from error
    return Reveal(_inline(script), _inline(notes), style, licence)


def _fetch(archive: Path) -> None:
    npm = shutil.which("npm")
    by_hand = f"or make the file elsewhere (`npm pack {PACKAGE}`) and copy it to {archive}"
    if npm is None:
        raise CourseError(
            f"Slides need {PACKAGE}. It is not in the cache, and npm, which fetches it, is not installed. "
            f"Install Node.js, which brings npm, {by_hand}."
        )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        command = [npm, "pack", PACKAGE, "--ignore-scripts", "--loglevel=error", *_IMPATIENT]
        command += ["--pack-destination", scratch]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=scratch)
            fault = ended.stderr.strip().splitlines()[:1] or [f"code {ended.returncode}"]
        except subprocess.TimeoutExpired:
            ended, fault = None, [f"no answer in {SECONDS} seconds"]
        found = list(Path(scratch).glob("*.tgz"))
        if ended is None or ended.returncode or len(found) != 1:
            raise CourseError(
                f"Slides need {PACKAGE}. It is not in the cache, and npm did not fetch it ({fault[0]}). "
                f"Check the network and npm's settings, {by_hand}."
            )
        with atomic_file(archive) as target:
            target.write(found[0].read_bytes())


def _read(files: tarfile.TarFile, name: str) -> str:
    """One file's text, read without unpacking anything."""
    member = files.getmember(name)
    if not member.isfile() or member.size > MOST_BYTES:
        raise ValueError(f"{name} is no file of a likely size")
    return files.extractfile(member).read().decode("utf-8")


def _inline(script: str) -> str:
    for word in _NOT_IN_JS:
        script = script.replace(word, f"<\\{word[1:]}")
    return script
