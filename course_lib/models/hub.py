"""Published BERTs by name, from the Hugging Face hub: `course_lib.load("hub:klue/bert-base")`.

Numbers and text only: config.json, vocab.txt, tokenizer.json, tokenizer_config.json, model.safetensors; never pickles,
never code. The revision of the first download is kept, so the same name stays the same model and needs no network any
more; "hub:NAME@REVISION" asks for one. Files are kept in hub/ of the cache folder; HF_ENDPOINT may name a mirror of the
hub.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from course_lib.checkpoints import CONFIG, TENSORS
from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.files import atomic_file, is_of_disk, lock, sha256, write_error
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.bert_files import read_config, read_pieces
from course_lib.text.word_pieces import TOKENIZER_FILE, TOKENIZER_FILES, VOCABULARY_FILE

PREFIX = "hub:"
FETCHED, PIN = "fetched.json", "revision.txt"  # of a revision: what its files should be; of a name: its revision
_NAME = re.compile(r"hub:(?!.*(?:--|\.\.))((?:\w[\w.-]*/)?\w[\w.-]*)(?:@([0-9a-f]{40}))?", re.ASCII)
_REVISION = re.compile("[0-9a-f]{40}")
_SECONDS, _LARGEST = 10, 4_000_000_000  # to wait for an answer; bytes of a file
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".ot", ".pkl")


def hub_bert(name: str) -> Bert:
    """The BERT that `name` ("hub:OWNER/NAME", "hub:NAME@REVISION") means; downloaded the first time, with a bar.

    Prints the revision.
    """
    folder = hub_folder(name)
    print(f"{name.partition('@')[0]}@{folder.name}")
    return Bert.from_pretrained(folder)


def hub_folder(name: str) -> Path:
    """Where the checked files of `name` lie. Downloads what is not there; a download that broke off goes on."""
    if not (match := _NAME.fullmatch(name)):
        raise CourseError(
            f"{name!r} is no name of a model on the hub. Write hub:OWNER/NAME, such as hub:klue/bert-base; "
            "@ and the 40 digits of a revision may follow."
        )
    repository, revision = match[1], match[2]
    place = _cache() / repository.replace("/", "--")
    if (kept := _kept(place, revision)) is None:
        with lock(_cache() / f"{place.name}.lock"):  # of many processes one downloads, the others wait
            kept = _kept(place, revision) or _fetch(repository, revision, place)
    return kept


def fetched_names() -> list[str]:
    """What is here already and needs no network."""
    return sorted(PREFIX + pin.parent.name.replace("--", "/") for pin in _cache().glob(f"*/{PIN}"))


def _cache() -> Path:
    return settings().cache_dir / "hub"


def _kept(place: Path, revision: str | None) -> Path | None:
    """The folder of a finished download, its files compared with what was published; None if there is none."""
    try:
        revision = revision or (place / PIN).read_text(encoding="utf-8").strip()
        expected = json.loads((place / revision / FETCHED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise CourseError(f"{place} cannot be read: {error}. Delete the folder; it is fetched again.") from error
    for file, (n_bytes, digest) in expected.items():
        path = place / revision / file
        if fault := _fault(path, n_bytes, digest):
            raise CourseError(f"{path} {fault}. Delete the folder {path.parent}; it is fetched again.")
    return place / revision


def _fault(path: Path, n_bytes: int, digest: str) -> str:
    """What is wrong with a file; empty if nothing is. digest: a SHA-256, or for small files Git's SHA-1."""
    try:
        if (size := path.stat().st_size) != n_bytes:
            return f"has {size} bytes, should have {n_bytes}"
        if len(digest) == 64:
            found = sha256(path)
        else:
            found = hashlib.sha1(b"blob %d\0" % n_bytes + path.read_bytes(), usedforsecurity=False).hexdigest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "" if found == digest else "is not what was published: its hash differs"


def _fetch(repository: str, revision: str | None, place: Path) -> Path:
    endpoint = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    info = _asked(repository, revision, endpoint)
    files = {file.rfilename: file for file in info.siblings or ()}
    if not _REVISION.fullmatch(info.sha or ""):
        raise CourseError(f"{endpoint} names no revision of {repository}. Is HF_ENDPOINT a mirror of the hub?")
    if TENSORS not in files:
        pickles = [file for file in files if file.endswith(_PICKLES)]
        there = f"only {', '.join(pickles[:3])}, which may hold code and are not read" if pickles else "no weights"
        raise CourseError(f"hub:{repository} has no {TENSORS}: {there}. Choose a model that has one.")
    if CONFIG not in files:
        raise CourseError(f"hub:{repository} has no {CONFIG}, which every BERT has. Choose another model.")
    if VOCABULARY_FILE not in files and TOKENIZER_FILE not in files:
        raise CourseError(
            f"hub:{repository} has no {VOCABULARY_FILE} and no {TOKENIZER_FILE}; every BERT has one of them. "
            "Choose another model."
        )
    folder = place / info.sha
    wanted = [file for file in (CONFIG, *TOKENIZER_FILES, TENSORS) if file in files]
    expected = {file: _expected(repository, files[file]) for file in wanted}
    megabytes = sum(n_bytes for n_bytes, _ in expected.values()) / 1e6
    print(f"Fetching hub:{repository}, {megabytes:.0f} MB, into {place.parent}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in wanted:  # what is no BERT is found before its weights are fetched
            if file == TENSORS:
                read_pieces(folder)
            _download(f"{endpoint}/{repository}/resolve/{info.sha}/{file}", folder / file, *expected[file])
            if file == CONFIG:
                read_config(folder / CONFIG, BertConfig)
        with atomic_file(folder / FETCHED, "w") as written:
            written.write(json.dumps(expected))
        if revision is None:
            with atomic_file(place / PIN, "w") as written:
                written.write(info.sha)
    except OSError as error:
        raise write_error(folder, error) from error
    return folder


def _expected(repository: str, file: Any) -> tuple[int, str]:
    """Bytes and hash, as the hub says them."""
    digest = file.lfs.sha256 if file.lfs else file.blob_id
    if not isinstance(file.size, int) or not 0 < file.size < _LARGEST or len(digest or "") not in (40, 64):
        raise CourseError(f"hub:{repository}: the hub gives no usable size and hash of {file.rfilename}.")
    return file.size, digest


def _asked(repository: str, revision: str | None, endpoint: str) -> Any:
    """What the hub says about a model: revision, files, sizes, hashes. No token is sent."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    api = HfApi(endpoint=endpoint, token=False)
    try:
        return api.model_info(repository, revision=revision, files_metadata=True, timeout=_SECONDS)
    except GatedRepoError as error:
        raise CourseError(f"hub:{repository} is given out on request only. Choose an open model.") from error
    except RevisionNotFoundError as error:
        raise CourseError(f"hub:{repository} has no revision {revision}. Leave @... away for today's.") from error
    except RepositoryNotFoundError as error:
        raise CourseError(f"There is no open model {repository} on {endpoint}. Check the spelling there.") from error
    except Exception as error:  # requests, httpx or httpx2, by the library's version
        raise _no_network(f"hub:{repository}", endpoint, error) from error


def _download(url: str, path: Path, n_bytes: int, digest: str) -> None:
    """One file; it grows under another name, which a later call goes on with."""
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers

    if not _fault(path, n_bytes, digest):
        return
    part = path.with_name(f"{path.name}.part")
    headers = {**build_hf_headers(token=False), "Accept-Encoding": "identity"}
    if part.exists() and part.stat().st_size > n_bytes:
        part.unlink()
    try:
        with open(part, "ab") as file:
            http_get(url, file, resume_size=file.tell(), headers=headers, expected_size=n_bytes)
    except Exception as error:
        if is_of_disk(error):
            raise
        if part.stat().st_size < n_bytes:
            raise _no_network(f"{path.name} ({part.stat().st_size} of {n_bytes} bytes are here)", url, error) from error
    if fault := _fault(part, n_bytes, digest):
        part.unlink()
        raise CourseError(f"{path.name} from {url} {fault}. It was deleted. Try again, or choose another model.")
    os.replace(part, path)


def _no_network(what: str, address: str, error: Exception) -> CourseError:
    from course_lib.models.shipped import shipped_names

    reason = str(error).strip().split("\n")[0][:200] or type(error).__name__
    here = ", ".join([*fetched_names(), *(name for name in shipped_names() if name.startswith(("bert", "minilm")))])
    return CourseError(
        f"{what} could not be fetched from {address}: {reason}. Try again when there is a network; a download goes on "
        f"where it stopped. Without a network course_lib.load has: {here}."
    )
