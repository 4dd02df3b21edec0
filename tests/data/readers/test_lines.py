"""Lines of files in every packing, folders and archives (IMDb's layout): damage is named."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest

from course_lib.data.readers import lines
from course_lib.data.readers.lines import MAX_FILE_BYTES, numbered_lines, text_files
from course_lib.data.readers.texts import read_review_folders
from course_lib.errors import CourseError

TEXT = "사과 \tone\r\nline\u2028still two\rand two\n\nlast"
LINES = [(1, "사과 \tone"), (2, "line\u2028still two\rand two"), (3, ""), (4, "last")]


@pytest.mark.parametrize(
    ("name", "pack"), [("a.conll", bytes), ("a.XZ", lzma.compress), ("a.gz", gzip.compress), ("a.bz2", bz2.compress)]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_are_as_they_stand(tmp_path, name, pack, mark):
    (tmp_path / name).write_bytes(pack((mark + TEXT).encode()))
    assert list(numbered_lines(tmp_path / name)) == LINES


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("latin.txt", b"one\ntwo\ncaf\xe9\n"),
        ("utf16.txt", "one\n".encode("utf-16")),
        ("cut.xz", lzma.compress(b"one\n" * 99)[:-9]),
        ("cut.gz", gzip.compress(b"one\n" * 99, mtime=0)[:-9]),
        ("cut.bz2", bz2.compress(b"one\n" * 99)[:-9]),
        ("flipped.gz", gzip.compress(b"one\n" * 99, mtime=0)[:-9] + b"123456789"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # the bytes of an archive are no name
)
def test_damage_is_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CourseError, match=rf"{name}, (line \d, is not UTF-8|near line \d+, is damaged: )"):
        list(numbered_lines(tmp_path / name))
    for path in (tmp_path, tmp_path / "gone.txt"):
        with pytest.raises(CourseError, match="There is no file"):
            list(numbered_lines(path))


REVIEWS = {
    "aclImdb/train/pos/0_9.txt": "Good.<br /><br />좋다",
    "aclImdb/train/neg/0_1.txt": "Bad.",
    "aclImdb/train/unsup/0_0.txt": "Unlabelled.",
    "aclImdb/test/neg/0_2.TXT": "Worse.",
    "aclImdb/train/pos/urls.md": "no text file",
    "aclImdb/train/pos/._0_9.txt": b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \xb0",
    "__MACOSX/aclImdb/train/neg/0_1.txt": "\0\5\x16\7",
    "aclImdb/.Trash/train/pos/0_1.txt": "Thrown away.",
}


def tar(path, files, mode="w:xz"):
    with tarfile.open(path, mode) as archive:
        for name, text in files.items():
            content = text if isinstance(text, bytes) else text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def folder(path, files):
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    "make", [folder, tar, lambda path, files: tar(path, files, "w"), lambda p, f: tar(p, f, "w:gz"), zipped]
)
def test_reviews_from_a_folder_and_from_archives(tmp_path, make):
    path = make(tmp_path / "reviews", REVIEWS)
    train = {(r.text, r.label) for r in read_review_folders(path, "train")}
    assert train == {("Good.\n\n좋다", "pos"), ("Bad.", "neg")}
    assert len(read_review_folders(path)) == 3
    with pytest.raises(CourseError, match="no review below a folder 'dev'"):
        read_review_folders(path, "dev")
    assert [p.name for p in tmp_path.iterdir()] == ["reviews"]


def test_what_cannot_be_read_is_named(tmp_path):
    with pytest.raises(CourseError, match=r"pos/a\.txt: .* not UTF-8.*byte 0xe9"):
        list(text_files(tar(tmp_path / "a.tar.xz", {"pos/a.txt": b"caf\xe9"})))
    with pytest.raises(CourseError, match="There is no file"):
        list(text_files(tmp_path / "gone.tar"))
    for name in ("Pos/a.txt", "pos /a.txt", "pos/0/a.txt", "긍정/a.txt"):
        with pytest.raises(CourseError, match="no review in a folder 'pos'"):
            read_review_folders(tar(tmp_path / "a.tar.xz", {name: "Good.", "neg/a.txt": "Bad."}))


def test_links_are_passed_over(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            member = tarfile.TarInfo("pos/link.txt")
            member.type, member.linkname = kind, "/etc/hostname"
            archive.addfile(member)
    assert list(text_files(tmp_path / "a.tar")) == []


@pytest.mark.parametrize(("limit", "value"), [("MAX_FILE_BYTES", 11), ("MAX_TOTAL_BYTES", 23), ("MAX_FILES", 1)])
def test_too_much_text_is_refused(tmp_path, monkeypatch, limit, value):
    files = {"pos/a.txt": "x" * 12, "pos/b.txt": "y" * 12, "counts.feat": "z" * (MAX_FILE_BYTES + 1)}  # IMDb has such
    path = tar(tmp_path / "a.tar.xz", files)
    assert len(list(text_files(path))) == 2
    monkeypatch.setattr(lines, limit, value)
    with pytest.raises(CourseError, match="more text than expected"):
        list(text_files(path))


def test_a_zip_archive_that_is_damaged_locked_or_another_kind_is_named(tmp_path):
    whole = zipped(tmp_path / "a.zip", REVIEWS).read_bytes()
    locked = whole.replace(b"\x14\0\0\0\x08\0", b"\x14\0\1\0\x08\0")  # the flag of a password
    for content in (whole[:-30], whole[:40] + b"\xff" * 5 + whole[45:], locked, b"7z\xbc\xaf\x27\x1c" + whole):
        (tmp_path / "a.zip").write_bytes(content)
        with pytest.raises(CourseError, match=r"a\.zip.*damaged.*Fetch it again"):
            list(text_files(tmp_path / "a.zip"))


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_archives_that_are_cut_short_anywhere(tmp_path, mode):
    path = tar(tmp_path / "a.tar", REVIEWS, mode)
    whole = path.read_bytes().rstrip(b"\0") + b"\0" * 1023 * (mode == "w")
    assert len(list(text_files(tar(path, REVIEWS, mode)))) == 4
    for length in [*range(0, len(whole), 1 + len(whole) // 97), len(whole) - 1, 0]:
        path.write_bytes(whole[:length] or b"no archive" * 1000)
        with pytest.raises(CourseError, match=r"damaged"):
            list(text_files(path))
