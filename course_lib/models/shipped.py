"""Finding checkpoints: the ones that ship with the course by name, a reader's own by folder."""

from __future__ import annotations

import os
from pathlib import Path
from pkgutil import resolve_name

from course_lib.checkpoints import CARD, TENSORS, load_checkpoint
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.files import given_path, sha256
from course_lib.language import key, t
from course_lib.models.bert_files import is_published
from course_lib.models.encoder import ContextEncoder

# kind, as a checkpoint names it -> where its class stands; imported only when such a file is opened
KINDS = {
    "static-vectors": "course_lib.models.encoder:StaticVectors",
    "word-vectors": "course_lib.models.encoder:StaticVectors",
    "random-encoder": "course_lib.models.encoder:RandomEncoder",
    "bilm": "course_lib.models.lstm_lm:BiLM",
    "awd-lstm": "course_lib.models.awd_lstm:AWDLSTM",
    "left-to-right-lm": "course_lib.models.transformer:LeftToRightLM",
    "cove": "course_lib.models.cove:CoVe",
    "bert": "course_lib.models.bert:Bert",
}

# kinds that ship too -> what they are for
NOT_ENCODERS = {
    "review-words": "labels reviews. Use `course predict imdb FILE`, or course.lab.review_words",
    "heads-on-a-body": "answers on top of one. Use course.lab.heads_on_body.load_heads",
}


SUMS = "SHA256SUMS"


def shipped_names() -> list[str]:
    """The checkpoints that ship with the course."""
    folder = data_dir("checkpoints")
    return sorted(path.parent.name for path in folder.glob(f"*/{TENSORS}")) if folder.is_dir() else []


def sums(folder: Path) -> str:
    """The hashes of the checkpoints in `folder`, as `sha256sum` lists them; `SUMS` in it holds what they should be."""
    paths = sorted(path for name in (TENSORS, CARD) for path in folder.glob(f"*/{name}"))
    return "".join(f"{sha256(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)


def load(name_or_folder: str | Path) -> ContextEncoder:
    """A pre-trained encoder, ready to use, on the CPU: `load("bert-en")`, or `load("my/folder")` for one you saved.

    A folder may be a checkpoint of this course, or a BERT in the Hugging Face layout.
    `load("hub:klue/bert-base")` is a published BERT, fetched from the Hugging Face hub the first time (models/hub.py).
    `load("elmo:FOLDER")` reads ELMo's published pair of files (..._options.json and ..._weights.hdf5) in that folder.
    """
    if str(name_or_folder).startswith("hub:"):
        return resolve_name("course_lib.models.hub:hub_bert")(str(name_or_folder))
    if str(name_or_folder).startswith("elmo:"):
        folder = given_path(str(name_or_folder).removeprefix("elmo:"))
        pair = [next(folder.glob(f"*{end}"), folder / end) for end in ("options.json", "weights.hdf5")]
        return resolve_name("course_lib.models.elmo_files:load_elmo")(*pair)
    folder = given_path(name_or_folder)
    if not os.path.isdir(folder):
        folder = data_dir("checkpoints") / str(name_or_folder)
        if str(name_or_folder) not in shipped_names():
            names = ", ".join(shipped_names()) or t("none yet")
            says = key(
                "There is no checkpoint {name}, neither as a folder nor among the shipped: {names}. "
                'A BERT published on the Hugging Face hub has hub: before its name: load("hub:OWNER/NAME").'
            )
            raise CourseError(t(says, name=repr(str(name_or_folder)), names=names))
    if is_published(folder):
        return resolve_name(KINDS["bert"]).from_pretrained(folder)
    checkpoint = load_checkpoint(folder)
    if checkpoint.kind not in KINDS:
        unknown = f"is of kind {checkpoint.kind!r}. Update the course, or load it with the class that saved it"
        raise CourseError(f"{folder} holds no encoder: it {NOT_ENCODERS.get(checkpoint.kind, unknown)}.")
    return resolve_name(KINDS[checkpoint.kind]).from_checkpoint(checkpoint)
