"""A hub on 127.0.0.1: huggingface.co's protocol as far as a download uses it.

`with hub({"owner/name": folder}) as server:` serves each folder as a repository of one revision; errors carry the
hub's codes.
"""

import contextlib
import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LARGE = ("model.safetensors", "pytorch_model.bin")


class Hub:
    """revision: of all repositories; asked: the files that were sent."""

    revision = "0123456789abcdef0123456789abcdef01234567"

    def __init__(self, folders: Mapping[str, Path]):
        self.folders, self.asked, self.url = dict(folders), [], ""

    def digest(self, path: Path) -> str:
        """What the hub says of a file: Git's hash, of a large one SHA-256."""
        content = path.read_bytes()
        git = hashlib.sha1(b"blob %d\0" % len(content) + content)
        return (hashlib.sha256(content) if path.name in LARGE else git).hexdigest()

    def tree(self, repository: str) -> list[dict]:
        files = []
        for path in sorted(self.folders[repository].iterdir()):
            size, digest = path.stat().st_size, self.digest(path)
            file = {"type": "file", "path": path.name, "size": size, "oid": digest}
            if path.name in LARGE:
                file["lfs"] = {"oid": digest, "size": size, "pointerSize": 134}
            files.append(file)
        return files

    def description(self, repository: str) -> dict:
        siblings = [{"rfilename": file["path"]} for file in self.tree(repository)]
        return {"id": repository, "modelId": repository, "sha": self.revision, "tags": [], "siblings": siblings}


def handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def answer(self, status: int, content: bytes = b"", **headers: str) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def do_GET(self):
            path = self.path.partition("?")[0]
            if path.startswith("/api/models/"):
                repository, what, revision = re.split(r"/(revision|tree)/|$", path.removeprefix("/api/models/"))[:3]
                if repository not in hub.folders:
                    self.answer(401, b"{}", X_Error_Code="RepoNotFound", X_Error_Message="Repository not found")
                elif revision not in (None, "", "main", hub.revision):
                    self.answer(404, b"{}", X_Error_Code="RevisionNotFound")
                else:
                    said = hub.tree(repository) if what == "tree" else hub.description(repository)
                    content = json.dumps(said).encode()
                    self.answer(200, content, Content_Type="application/json")
                return
            repository, _, rest = path.lstrip("/").partition("/resolve/")
            file = hub.folders.get(repository, Path("none")) / rest.removeprefix(f"{hub.revision}/")
            if not file.is_file():
                self.answer(404, b"Entry not found", X_Error_Code="EntryNotFound")
                return
            if self.command == "GET":
                hub.asked.append(file.name)
            self.answer(200, file.read_bytes(), ETag=f'"{hub.digest(file)}"', X_Repo_Commit=hub.revision)

        do_HEAD = do_GET

    return Handler


@contextlib.contextmanager
def hub(folders: Mapping[str, Path]) -> Iterator[Hub]:
    served = Hub(folders)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(served))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
