"""reveal.js: taken from the cache or from npm, and a plain sentence where neither helps. No test asks a registry."""

import io
import subprocess
import tarfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from course_lib.errors import CourseError
from course_lib.site import reveal as module
from course_lib.site.reveal import VERSION, reveal

FILES = {
    "dist/reveal.js": "let a = '</script>';",
    "dist/plugin/notes.js": "let b = '<!-- n -->';",
    "dist/reveal.css": ".reveal{}",
    "LICENSE": "MIT",
}


def archive(files: dict[str, str] = FILES) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as target:
        for name, text in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text.encode())
            target.addfile(member, io.BytesIO(text.encode()))
    return written.getvalue()


@pytest.fixture
def npm(monkeypatch):
    """A stand-in for npm; `asked` holds its commands, `answer` what it does."""

    npm = SimpleNamespace(asked=[], code=0, stderr="", packed=archive())

    def run(command, **_):
        npm.asked.append(command)
        if npm.code == 0:
            folder = Path(command[command.index("--pack-destination") + 1])
            (folder / f"reveal.js-{VERSION}.tgz").write_bytes(npm.packed)
        return subprocess.CompletedProcess(command, npm.code, "", npm.stderr)

    monkeypatch.setattr(module.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(module.subprocess, "run", run)
    return npm


def test_npm_is_asked_once(cache, npm):
    first = reveal()
    assert reveal() == first
    assert [command[:3] for command in npm.asked] == [["/bin/npm", "pack", f"reveal.js@{VERSION}"]]
    assert "--ignore-scripts" in npm.asked[0]
    assert (first.style, first.licence) == (".reveal{}", "MIT")


def test_a_script_cannot_end_the_page(cache, npm):
    assert reveal().script == r"let a = '<\/script>';"
    assert reveal().notes == r"let b = '<\!-- n -->';"


def test_without_npm_and_cache(cache, npm, monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    with pytest.raises(CourseError, match=rf"npm, which fetches it, is not installed.*npm pack reveal.js@{VERSION}"):
        reveal()
    (cache / "slides").mkdir(exist_ok=True)
    (cache / "slides" / f"reveal.js-{VERSION}.tgz").write_bytes(archive())  # what the sentence says to do
    assert reveal().licence == "MIT"
    assert npm.asked == []


def test_npm_that_fails(cache, npm, monkeypatch):
    npm.code, npm.stderr = 1, "npm error code ECONNREFUSED\nnpm error more\n"
    with pytest.raises(CourseError, match=r"did not fetch it \(npm error code ECONNREFUSED\)\. Check the network"):
        reveal()

    def hangs(command, timeout, **_):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(module.subprocess, "run", hangs)
    with pytest.raises(CourseError, match=r"no answer in 120 seconds"):
        reveal()
    assert not (cache / "slides" / f"reveal.js-{VERSION}.tgz").exists()


@pytest.mark.parametrize(
    "packed",
    [b"", b"no archive", archive()[:60], archive({"LICENSE": "MIT"}), archive(FILES | {"LICENSE": "x" * 2_000_001})],
    ids=["empty", "text", "cut", "incomplete", "too long"],
)
def test_a_damaged_archive(cache, npm, packed):
    npm.packed = packed
    with pytest.raises(CourseError, match=r"is not the archive of reveal.js.*Delete it"):
        reveal()
