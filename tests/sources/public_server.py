"""A registry of two invented sets, a mirror, and a small server to download from; and the ways a server can fail."""

import hashlib
import io
import lzma
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TABLE = "text\tlabel\n사과 맛있다\t1\nsour pear\t0\n".encode()
BLOCK = b"Mira\tB-PER\nsings\tO\n\n"
DOC = b"<doc>\n</doc>\n"
LINES = b"DESC:def What is a sister?city ?\n"


def zipped(one: bytes = BLOCK) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("tags/one.txt", one)
        archive.writestr("tags/two.txt", BLOCK * 2)
    return buffer.getvalue()


class Server(ThreadingHTTPServer):
    """Serves `pages` (path -> bytes); `fault`: "cut" (ends early), or what is missing has this status."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = {"/table.tsv": TABLE, "/tags.zip": zipped(), "/lines.label": LINES}
        self.asked, self.fault = [], None
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        """A client that hangs up is expected here."""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked.append(self.path)
        if self.path not in server.pages:
            self.send_error(404 if server.fault is None else server.fault)
            return
        body = server.pages[self.path]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:7] if server.fault == "cut" else body)

    def log_message(self, *_):
        """Silent."""


def registry_text(address: str) -> str:
    """`data/public.toml` with the sets small_table (direct), small_tags (built) and small_text (mirror only)."""
    keys = ("licence", "licence_known_by", "redistributable", "conditions", "citation", "original", "subset", "unit")
    about = "".join(f'{key} = "the {key}"\n' for key in keys) + 'languages = ["en", "ko"]\n'

    def file(path: str, content: bytes, splits: str, more: str) -> str:
        packed = lzma.compress(content)
        return (
            f'{{ path = "{path}.xz", splits = [{splits}], bytes = {len(packed)}, sha256 = "{_sha(packed)}", '
            f'content_bytes = {len(content)}, content_sha256 = "{_sha(content)}", {more} }},\n'
        )

    changed = LINES.replace(b"?city", b" city")
    return f"""[small_table]\ntitle = "A table"\nkind = "direct"\n{about}counts = {{ train = 2 }}\nfiles = [
{file("small_table/table.tsv", TABLE, '"train"', f'url = "{address}/table.tsv"')}]
[small_tags]\ntitle = "Tags"\nkind = "built"\n{about}counts = {{ train = 1, test = 2 }}\nfiles = [
{file("small_tags/one.txt", BLOCK, '"train"', f'url = "{address}/tags.zip", member = "tags/one.txt"')}
{file("small_tags/two.txt", BLOCK * 2, '"test"', f'url = "{address}/tags.zip", member = "tags/two.txt"')}
{file("small_tags/l.label", changed, '"lines"', f'url = "{address}/lines.label", replace = ["sister?c", "sister c"]')}]
[small_text]\ntitle = "Text"\nkind = "mirror only"\n{about}counts = {{ part0 = 1 }}\nfiles = [
{file("small_text/part0.txt", DOC, '"part0"', "")}]
""".replace(",  }", " }")


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
