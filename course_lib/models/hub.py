"""Published BERTs by name, from the Hugging Face hub: `course_lib.load("hub:klue/bert-base")`.

Numbers and text only: config.json, vocab.txt, tokenizer.json, tokenizer_config.json, model.safetensors; never pickles,
never code. The revision of the first download is kept, so the same name stays the same model and needs no network any
more; "hub:NAME@REVISION" asks for one. Files are kept in hub/ of the cache folder, each under its hash, which is
compared at every load; HF_ENDPOINT may name a mirror of the hub.
"""

from __future__ import annotations

import hashlib
import os
import re
from functools import partial
from pathlib import Path

from course_lib.checkpoints import CONFIG, TENSORS
from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.files import is_of_disk, sha256, write_error
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.bert_files import read_config, read_pieces
from course_lib.text.word_pieces import TOKENIZER_FILES

PREFIX = "hub:"
_SMALL = [CONFIG, *TOKENIZER_FILES]
_NAME = re.compile(r"hub:(?!.*(?:--|\.\.))((?:\w[\w.-]*/)?\w[\w.-]*)(?:@([0-9a-f]{40}))?", re.ASCII)


def hub_bert(name: str) -> Bert:
    """The BERT that `name` ("hub:OWNER/NAME", "hub:NAME@REVISION") means; downloaded the first time, with a bar.

    Prints the revision.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    if not (match := _NAME.fullmatch(name)):
        raise CourseError(
            f"{name!r} is no name of a model on the hub. Write hub:OWNER/NAME, such as hub:klue/bert-base; "
            "@ and the 40 digits of a revision may follow."
        )
    repository, revision = match[1], match[2]
    snapshot = partial(snapshot_download, repository, cache_dir=_cache(), token=False)
    try:
        folder = Path(snapshot(revision=revision, allow_patterns=[*_SMALL, TENSORS], local_files_only=True))
    except LocalEntryNotFoundError:
        folder = None
    if folder is None or not (folder / TENSORS).is_file():  # the weights come last: with them all is here
        folder = _fetch(repository, revision, snapshot)
    for path in folder.iterdir():
        _compare(path)
    print(f"{name.partition('@')[0]}@{folder.name}")
    return Bert.from_pretrained(folder)


def fetched_names() -> list[str]:
    """What is here already and needs no network."""
    folders = {path.parents[2].name for path in _cache().glob(f"models--*/snapshots/*/{TENSORS}")}
    return sorted(PREFIX + folder.removeprefix("models--").replace("--", "/") for folder in folders)


def _cache() -> Path:
    return settings().cache_dir / "hub"


def _compare(path: Path) -> None:
    """CourseError, and the file is gone, if it is not what was published: the hub's library names it by its hash."""
    stored = path.resolve()
    if len(stored.name) == 64:
        found = sha256(stored)
    else:  # Git's, for small files
        content = stored.read_bytes()
        found = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    if re.fullmatch("[0-9a-f]{40}(?:[0-9a-f]{24})?", stored.name) and found != stored.name:
        stored.unlink()
        raise CourseError(f"{path} is not what was published: its hash differs. It was deleted. Load it again.")


def _fetch(repository: str, revision: str | None, snapshot: partial) -> Path:
    """First the small files: what is no BERT is found before its weights are fetched."""
    from course_lib.models.shipped import shipped_names

    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    print(f"Fetching hub:{repository} into {_cache()}")
    try:
        folder = Path(snapshot(revision=revision, endpoint=endpoint, allow_patterns=_SMALL))
        read_config(folder / CONFIG, BertConfig)
        read_pieces(folder)
        snapshot(revision=folder.name, endpoint=endpoint, allow_patterns=[TENSORS])
    except CourseError:
        raise
    except Exception as error:  # of the hub's library, or of requests, httpx or httpx2, by its version
        if is_of_disk(error):
            raise write_error(_cache(), error) from error
        reason = re.sub(r"\s+", " ", str(error.__cause__ or error)).strip()[:200] or type(error).__name__
        here = [*fetched_names(), *(name for name in shipped_names() if name.startswith(("bert", "minilm")))]
        raise CourseError(
            f"hub:{repository} could not be fetched from {endpoint}: {type(error).__name__}, {reason}. Look there "
            "whether it is spelt so and open to all, or try again when there is a network. Without a network "
            f"course_lib.load has: {', '.join(here)}."
        ) from error
    if not (folder / TENSORS).is_file():
        raise CourseError(f"hub:{repository} has no {TENSORS}, and pickles, which may hold code, are not read.")
    return folder
