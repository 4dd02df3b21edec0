"""A hub on 127.0.0.1: huggingface.co's protocol as far as a download uses it, with faults to order.

`with hub({"owner/name": folder}) as server:` serves each folder as a repository of one revision. Large files are
redirected to another address (as on the hub, where they lie on a CDN), ranges are answered, errors carry its codes.
"""

import contextlib
import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LARGE = ("model.safetensors", "pytorch_model.bin")


class Hub:
    """revision  of all repositories; asked: (path, first byte) of each file that was sent
    cut  file -> bytes after which the connection breaks; breaks: how often it still does
    lies  file -> (bytes, hash) that the hub says, None for the true one; missing: files that are listed and not there
    """

    revision = "0123456789abcdef0123456789abcdef01234567"

    def __init__(self, folders: Mapping[str, Path]):
        self.folders, self.asked, self.cut, self.lies, self.missing, self.breaks = dict(folders), [], {}, {}, set(), 0
        self.url = ""

    def description(self, repository: str) -> dict:
        siblings = []
        for path in sorted(self.folders[repository].iterdir()):
            content = path.read_bytes()
            size, digest = len(content), hashlib.sha256(content).hexdigest()
            git = hashlib.sha1(b"blob %d\0" % size + content).hexdigest()
            wrong_size, wrong_digest = self.lies.get(path.name, (None, None))
            file = {"rfilename": path.name, "size": wrong_size or size, "blobId": wrong_digest or git}
            if path.name in LARGE:
                file["lfs"] = {"sha256": wrong_digest or digest, "size": wrong_size or size, "pointerSize": 134}
            siblings.append(file)
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
                repository, _, revision = path.removeprefix("/api/models/").partition("/revision/")
                if repository not in hub.folders:
                    self.answer(401, b"{}", X_Error_Code="RepoNotFound", X_Error_Message="Repository not found")
                elif revision not in ("", hub.revision):
                    self.answer(404, b"{}", X_Error_Code="RevisionNotFound")
                else:
                    content = json.dumps(hub.description(repository)).encode()
                    self.answer(200, content, Content_Type="application/json")
                return
            cdn = path.startswith("/cdn/")
            repository, _, rest = path.removeprefix("/cdn").lstrip("/").partition("/resolve/")
            file = hub.folders.get(repository, Path("none")) / rest.removeprefix(f"{hub.revision}/")
            if file.name in hub.missing or not file.is_file():
                self.answer(404, b"Entry not found", X_Error_Code="EntryNotFound")
            elif file.name in LARGE and not cdn:
                self.answer(302, Location=f"{hub.url}/cdn{path}")
            else:
                self.send_file(file)

        do_HEAD = do_GET

        def send_file(self, file: Path) -> None:
            content, span = file.read_bytes(), self.headers.get("Range", "")
            start = int(span.removeprefix("bytes=").partition("-")[0]) if span else 0
            hub.asked.append((file.name, start))
            self.send_response(206 if span else 200)
            if span:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            if file.name in hub.cut and hub.breaks > 0:
                hub.breaks -= 1
                self.wfile.write(content[start : start + hub.cut[file.name]])
                self.wfile.flush()
                self.close_connection = True
                self.connection.shutdown(2)
            else:
                self.wfile.write(content[start:])

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
