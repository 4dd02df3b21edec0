"""Reviews as the Large Movie Review Dataset keeps them: a file each, in {train,test}/{pos,neg}/, folder or tar."""

from __future__ import annotations

from pathlib import Path

from course_lib.data.readers.archives import text_files
from course_lib.data.records import LabelledText
from course_lib.errors import CourseError

LABELS = ("pos", "neg")


def read_review_folders(path: str | Path, split: str | None = None) -> list[LabelledText]:
    """Reviews labelled by the folder they lie in; `split` keeps those below a folder of that name.

    `<br />` becomes a line end. Other folders (`unsup`) are passed over. Raises CourseError if no review is there.
    """
    found = []
    for name, text in text_files(path):
        if name.parent.name in LABELS and split in (None, name.parent.parent.name):
            found.append(LabelledText(text.replace("<br />", "\n"), name.parent.name))
    if not found:
        where = "" if split is None else f" below a folder {split!r}"
        raise CourseError(f"{path} holds no review{where}. They must lie in folders called pos and neg, as .txt files.")
    return found
