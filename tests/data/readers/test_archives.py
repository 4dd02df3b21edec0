"""Texts in folders and archives: nothing is unpacked, nothing leads outside, sizes have bounds; IMDb's layout."""

import io
import tarfile

import pytest

from course_lib.data.readers import archives
from course_lib.data.readers.archives import text_files
from course_lib.data.readers.reviews import read_review_folders
from course_lib.errors import CourseError

REVIEWS = {
    "aclImdb/train/pos/0_9.txt": "Good.<br /><br />좋다",
    "aclImdb/train/neg/0_1.txt": "Bad.",
    "aclImdb/train/unsup/0_0.txt": "Unlabelled.",
    "aclImdb/test/neg/0_2.txt": "Worse.",
    "aclImdb/train/pos/urls.md": "no text file",
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
        (path / name).write_text(text, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize(
    "make", [folder, tar, lambda path, files: tar(path, files, "w"), lambda p, f: tar(p, f, "w:gz")]
)
def test_reviews_from_a_folder_and_from_archives(tmp_path, make):
    path = make(tmp_path / "reviews", REVIEWS)
    train = {(r.text, r.label) for r in read_review_folders(path, "train")}
    assert train == {("Good.\n\n좋다", "pos"), ("Bad.", "neg")}
    assert len(read_review_folders(path)) == 3
    with pytest.raises(CourseError, match="no review below a folder 'dev'"):
        read_review_folders(path, "dev")
    assert [p.name for p in tmp_path.iterdir()] == ["reviews"]


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt"])
def test_paths_that_lead_outside_are_refused(tmp_path, name):
    with pytest.raises(CourseError, match="leads outside"):
        list(text_files(tar(tmp_path / "a.tar.xz", {name: "text"})))


def test_links_are_passed_over(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE):
            member = tarfile.TarInfo("pos/link.txt")
            member.type, member.linkname = kind, "/etc/hostname"
            archive.addfile(member)
    assert list(text_files(tmp_path / "a.tar")) == []


@pytest.mark.parametrize(("limit", "value"), [("MAX_FILE_BYTES", 11), ("MAX_TOTAL_BYTES", 23), ("MAX_FILES", 1)])
def test_too_much_text_is_refused(tmp_path, monkeypatch, limit, value):
    path = tar(tmp_path / "a.tar.xz", {"pos/a.txt": "x" * 12, "pos/b.txt": "y" * 12})
    assert len(list(text_files(path))) == 2
    monkeypatch.setattr(archives, limit, value)
    with pytest.raises(CourseError, match="more text than expected"):
        list(text_files(path))


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_archives_that_are_cut_short_anywhere(tmp_path, mode):
    path = tar(tmp_path / "a.tar", REVIEWS, mode)
    whole = path.read_bytes().rstrip(b"\0") + b"\0" * 1023 * (mode == "w")
    assert len(list(text_files(tar(path, REVIEWS, mode)))) == 4
    for length in [*range(0, len(whole), 1 + len(whole) // 97), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(CourseError, match=r"damaged"):
            list(text_files(path))


def test_what_is_no_archive(tmp_path):
    (tmp_path / "a.tar.xz").write_bytes(b"no archive" * 1000)
    with pytest.raises(CourseError, match="damaged or no tar"):
        list(text_files(tmp_path / "a.tar.xz"))


def test_text_that_is_not_utf8_and_no_archive_at_all(tmp_path):
    with pytest.raises(CourseError, match=r"pos/a\.txt: not UTF-8"):
        list(text_files(tar(tmp_path / "a.tar.xz", {"pos/a.txt": b"caf\xe9"})))
    with pytest.raises(CourseError, match="no file or folder"):
        list(text_files(tmp_path / "gone.tar"))
