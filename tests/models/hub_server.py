"""A hub on 127.0.0.1: huggingface.co's protocol as far as a download uses it, with faults to order.

`with hub({"owner/name": folder}) as server:` serves each folder as a repository of one revision. Large files are
redirected to another address (as on the hub, where they lie on a CDN), errors carry its codes.
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
    """revision  of all repositories; asked: the files that were sent; lies: file -> the hash that the hub says
    missing  files that are listed and not there; cut: files at whose first byte the connection breaks
    """

    revision = "0123456789abcdef0123456789abcdef01234567"

    def __init__(self, folders: Mapping[str, Path]):
        self.folders, self.asked, self.cut, self.lies, self.missing = dict(folders), [], set(), {}, set()
        self.url = ""

    def digest(self, path: Path) -> str:
        """What the hub says of a file: Git's hash, of a large one SHA-256."""
        content = path.read_bytes()
        git = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        return self.lies.get(path.name, hashlib.sha256(content).hexdigest() if path.name in LARGE else git)

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
            cdn = path.startswith("/cdn/")
            repository, _, rest = path.removeprefix("/cdn").lstrip("/").partition("/resolve/")
            file = hub.folders.get(repository, Path("none")) / rest.removeprefix(f"{hub.revision}/")
            if file.name in hub.missing or not file.is_file():
                self.answer(404, b"Entry not found", X_Error_Code="EntryNotFound")
                return
            content = file.read_bytes()
            said = {"ETag": f'"{hub.digest(file)}"', "X_Repo_Commit": hub.revision}
            if file.name in LARGE and not cdn:
                linked = {"X_Linked_Size": str(len(content)), "X_Linked_ETag": said.pop("ETag")}
                self.answer(302, Location=f"{hub.url}/cdn{path}", **said, **linked)
            elif self.command == "HEAD":
                self.answer(200, content, **said)
            else:
                self.send_file(file)

        do_HEAD = do_GET

        def send_file(self, file: Path) -> None:
            content = file.read_bytes()
            hub.asked.append(file.name)
            if file.name in hub.cut:
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.close_connection = True
                self.connection.shutdown(2)
            else:
                self.answer(200, content)

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
