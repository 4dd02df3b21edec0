"""Public sets: where files are looked for, what is refused, and that a download leaves the right file or none."""

import lzma
import os
import subprocess
import sys

import pytest

from course import cli
from course.sources import of_set, public, registry
from course.sources.public import get, load_public, locate, verify, whereabouts
from course.sources.registry import find
from course_lib.data.readers.texts import read_labelled
from course_lib.errors import CourseError
from tests.sources.public_server import BLOCK, TABLE, Server, registry_text, zipped

pytestmark = pytest.mark.usefixtures("small_sets")


@pytest.fixture
def server():
    running = Server()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def small_sets(server, cache, tmp_path, monkeypatch):
    """The registry holds the invented sets only; no mirror, an empty cache. Gives the folder of the cache's sets."""
    (tmp_path / "public.toml").write_text(registry_text(server.address), encoding="utf-8")
    monkeypatch.setattr(registry, "data_dir", lambda name: tmp_path / name)
    monkeypatch.delenv("COURSE_DATA_DIR", raising=False)
    registry.registry.cache_clear()
    public._checked.clear()
    yield cache / "public"
    registry.registry.cache_clear()
    public._checked.clear()


def left_behind(folder) -> list[str]:
    """Files under the cache, but for the locks."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock")


def put(folder, path, content) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(content)


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    folder = tmp_path / "mirror"
    put(folder, "small_table/table.tsv.xz", lzma.compress(TABLE))
    monkeypatch.setenv("COURSE_DATA_DIR", str(folder))
    return folder


def test_the_mirror_comes_before_the_cache_and_the_network_last(mirror, small_sets, server):
    put(small_sets, "small_table/table.tsv", TABLE)
    assert get("small_table") == [mirror / "small_table" / "table.tsv.xz"]
    assert whereabouts(find("small_table")) == "mirror"
    put(mirror, "small_table/table.tsv", TABLE)
    (mirror / "small_table" / "table.tsv.xz").unlink()
    assert locate("small_table", "train") == [mirror / "small_table" / "table.tsv"]  # an unpacked mirror works, too
    (mirror / "small_table" / "table.tsv").unlink()
    assert locate("small_table") == [small_sets / "small_table" / "table.tsv"]
    assert whereabouts(find("small_table")) == "cache"
    (small_sets / "small_table" / "table.tsv").unlink()
    assert whereabouts(find("small_table")) == ""
    assert server.asked == []
    assert get("small_table") == [small_sets / "small_table" / "table.tsv"]
    assert server.asked == ["/table.tsv"]


def test_nothing_is_downloaded_unless_asked(server):
    with pytest.raises(CourseError, match="Run `course data get small_table`, or set COURSE_DATA_DIR"):
        load_public("small_table")
    with pytest.raises(CourseError, match="Set COURSE_DATA_DIR to a mirror of the data, for this set is not offered"):
        locate("small_text")
    assert server.asked == []


def test_built_files_come_from_one_archive_fetched_once(small_sets, server):
    get("small_tags")
    assert left_behind(small_sets) == ["small_tags/l.label", "small_tags/one.txt", "small_tags/two.txt"]
    assert (small_sets / "small_tags" / "two.txt").read_bytes() == BLOCK * 2
    assert (small_sets / "small_tags" / "l.label").read_bytes() == b"DESC:def What is a sister city ?\n"
    assert sorted(server.asked) == ["/lines.label", "/tags.zip"]
    get("small_tags")
    assert len(server.asked) == 2


def test_a_damaged_mirror_is_an_error_and_never_passed_over(mirror, server):
    put(mirror, "small_table/table.tsv.xz", lzma.compress(TABLE)[:-1])
    with pytest.raises(CourseError, match=r"table\.tsv\.xz is not the registered file: .* bytes instead of .*mirror"):
        get("small_table")
    put(mirror, "small_table/table.tsv.xz", lzma.compress(TABLE)[:-1] + b"?")
    with pytest.raises(CourseError, match="another SHA-256"):
        locate("small_table")
    assert server.asked == []


def test_a_damaged_cache_is_fetched_anew(small_sets, server):
    put(small_sets, "small_table/table.tsv", TABLE[:-1] + b"?")
    with pytest.raises(CourseError, match="`course data get` fetches it anew"):
        locate("small_table")
    assert get("small_table")[0].read_bytes() == TABLE


def test_a_file_is_checked_on_first_use_when_it_changed_and_whenever_it_is_verified(mirror, monkeypatch):
    read = []
    monkeypatch.setattr(public, "sha256", lambda path, real=public.sha256: read.append(path) or real(path))
    locate("small_table")
    locate("small_table")
    assert len(read) == 1
    path = mirror / "small_table" / "table.tsv.xz"
    stat, content = path.stat(), path.read_bytes()
    path.write_bytes(content[:-1] + b"?")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same size, same time
    locate("small_table")
    assert [f.state for f in verify()] == ["damaged", "missing", "missing", "missing", "missing"]
    assert [f.name for f in verify(["small_text"])] == ["small_text"]
    os.utime(path, ns=(1, 1))
    with pytest.raises(CourseError, match="another SHA-256"):
        locate("small_table")


ANOTHER, FETCHED = "what came from .* is not the registered file", "could not be fetched .*; or set COURSE_DATA_DIR"
CUT_ZIPS = (b"no zip", b"PK\x05\x06" + b"\0" * 18)


@pytest.mark.parametrize(
    ("fault", "pages", "message"),
    [
        (None, {}, "404 Client Error.*; or set COURSE_DATA_DIR"),
        (503, {}, "503 Server Error"),
        (None, {"/table.tsv": TABLE[:-1] + b"?"}, ANOTHER),
        ("cut", {"/table.tsv": TABLE}, "broken|IncompleteRead"),
        ("gone", {}, FETCHED),
        *((None, {"/tags.zip": page, "/lines.label": b""}, FETCHED) for page in CUT_ZIPS),
        *((None, {"/tags.zip": zipped(one), "/lines.label": b""}, ANOTHER) for one in (BLOCK + b"more", BLOCK[:-1])),
    ],
)
def test_a_failed_download_leaves_nothing(small_sets, server, fault, pages, message):
    name = "small_tags" if "/tags.zip" in pages else "small_table"
    whole, server.fault, server.pages = server.pages, fault, pages
    if fault == "gone":
        server.shutdown()
        server.server_close()
    with pytest.raises(CourseError, match=message):
        get(name)
    assert left_behind(small_sets) == []
    server.fault, server.pages = None, whole
    if fault != "gone":
        assert get(name)[0].read_bytes() in (TABLE, BLOCK)


@pytest.mark.parametrize(
    ("variable", "value"),
    [("REQUESTS_CA_BUNDLE", "/no/such.pem"), ("HTTP_PROXY", "http://127.0.0.1:9"), ("HTTP_PROXY", "socks5://x:nine")],
)
def test_settings_of_the_network_are_not_taken_for_a_full_disk(small_sets, tmp_path, monkeypatch, variable, value):
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY", "http_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    file = tmp_path / "public.toml"
    protocol = "https" if variable.startswith("REQUESTS") else "http"
    file.write_text(file.read_text(encoding="utf-8").replace("http://", f"{protocol}://"), encoding="utf-8")
    with pytest.raises(CourseError, match=r"small_table: .*its settings \(HTTPS_PROXY, REQUESTS_CA_BUNDLE\)"):
        get("small_table")
    assert left_behind(small_sets) == []


def test_a_cache_that_cannot_be_written(small_sets, mirror, monkeypatch):
    small_sets.parent.mkdir(parents=True)
    small_sets.write_text("a file where the folder should be")  # chmod would not stop a test that runs as root
    assert get("small_table") == [mirror / "small_table" / "table.tsv.xz"]
    monkeypatch.delenv("COURSE_DATA_DIR")
    with pytest.raises(CourseError, match=r"Could not write .*COURSE_CACHE_DIR moves the cache"):
        get("small_table")


CHILD = """
import sys
from pathlib import Path
from course.sources import registry
registry.data_dir = lambda name: Path(sys.argv[1]) / name
from course.sources.public import get
print(len(get("small_tags")[1].read_bytes()))
"""


@pytest.mark.parametrize("n", [5, pytest.param(30, marks=pytest.mark.slow)])
def test_many_processes_at_once_download_once(tmp_path, server, n):
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(n)]
    said = [child.communicate(timeout=300) for child in children]
    assert [out.split() for out, _ in said] == [[str(2 * len(BLOCK)).encode()]] * n, said[0][1].decode()
    assert sorted(server.asked) == ["/lines.label", "/tags.zip"]


def test_unknown_names():
    with pytest.raises(
        CourseError, match=r"no data set 'small_ta'. Choose one of: small_table, small_tags, small_text"
    ):
        find("small_ta")
    with pytest.raises(CourseError, match=r"small_tags has no split 'dev'. It has: train, test, lines\."):
        locate("small_tags", "dev")


# -- `course data list | get | verify`
@pytest.fixture
def course(monkeypatch, capsys, small_sets):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setitem(of_set._BY_FILE, "small_table", lambda path, _: read_labelled(path))

    def run(*arguments):
        """Exit code, standard output, standard error."""
        monkeypatch.setattr(sys, "argv", ["course", "data", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code or 0, *capsys.readouterr()

    return run


@pytest.mark.parametrize(("columns", "wide"), [("200", True), ("80", False)])
def test_list_says_what_is_here_and_where_there_is_room_what_it_is(course, monkeypatch, columns, wide):
    monkeypatch.setenv("COLUMNS", columns)
    for place in ("no", "cache"):
        code, out, _ = course("list")
        assert code == 0
        assert [line.split()[-1] for line in out.splitlines() if "small_" in line] == [place, "no", "no"]
        assert ("what it is" in out, "A terminal of 120 columns" in out) == (wide, not wide)
        course("get", "small_table")


def test_get_shows_licence_files_and_the_first_record_and_goes_on_after_a_set_that_cannot_be_had(course, small_sets):
    code, out, err = course("get", "small_text", "small_table")
    assert (code, "small_text has no address to download from" in err) == (1, True)
    said = ("train 2 (the unit)", "the licence; the conditions", "the citation", "LabelledText(text='사과 맛있다'")
    assert [part for part in said if part not in out] == []
    assert str(small_sets / "small_table" / "table.tsv") in out
    assert (course("get", "small_table")[0], course("get", "nowhere")[0]) == (0, 1)


def test_verify_fails_for_damage_only(course, small_sets, tmp_path, monkeypatch):
    assert course("verify")[0] == 0
    course("get", "small_table")
    assert "5 files: 1 good, 4 missing, 0 damaged" in course("verify")[1]
    (small_sets / "small_table" / "table.tsv").write_bytes(TABLE + b"more")
    code, out, _ = course("verify", "small_table")
    assert code == 1
    assert "1 damaged" in out
    assert "not the registered file" in out
    put(tmp_path / "mirror", "small_table/table.tsv.xz", lzma.compress(TABLE))
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "mirror"))
    assert course("verify", "small_table")[0] == 0
