"""A real JupyterLab in headless Chromium, with one notebook open: `with Lab(path) as lab: lab.run_all(); lab.page...`.

Nothing of the user's is read or changed: settings and a copy of the notebook lie in a temporary folder.
Requests to anything but this machine are refused and listed in `lab.blocked`.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache
from pathlib import Path

from course_lib.errors import CourseError
from tests.notebooks.environment import notebook_environment

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
]
SETTINGS = {  # every cell in the page, no autosave, no look-ups of news
    "notebook-extension/tracker": {"windowingMode": "none", "scrollPastEnd": False},
    "docmanager-extension/plugin": {"autosave": False},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
}
KERNEL = "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status"
RUN_ALL = """() => { window.ran = false; window.jupyterapp.commands.execute('notebook:run-all-cells')
    .then(() => { window.ran = 'yes' }, error => { window.ran = 'failed: ' + error }) }"""
CELLS = """() => window.jupyterapp.shell.currentWidget.content.model.sharedModel.toJSON().cells.map((cell, i) => ({
    number: i + 1, tags: cell.metadata.tags ?? [], error: (cell.outputs ?? [])
        .filter(o => o.output_type === 'error').map(o => o.ename + ': ' + o.evalue)[0] ?? null }))"""


def find_browser() -> str | None:
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@cache
def playwright():
    """The process's one Playwright, open to its end: its synchronous door cannot be opened twice at a time."""
    from playwright.sync_api import sync_playwright

    play = sync_playwright().start()
    atexit.register(play.stop)
    return play


@contextmanager
def browser() -> Iterator:
    """A Chromium without network. Raises CourseError if the machine has none."""
    if (program := find_browser()) is None:
        raise CourseError("No Chromium or Chrome was found: install one (on Debian: apt-get install chromium).")
    with closing(playwright().chromium.launch(executable_path=program, headless=True, args=CHROMIUM_FLAGS)) as chromium:
        yield chromium


class Lab:
    def __init__(self, notebook: Path, *, timeout: float = 900.0, width: int = 1200) -> None:
        """`timeout`: seconds for each step. Raises RuntimeError on entry if Lab does not start."""
        self.notebook, self.timeout, self.width = notebook, timeout, width
        self.blocked: list[str] = []
        self.page_errors: list[str] = []

    def __enter__(self) -> Lab:
        with ExitStack() as stack:  # what was started is stopped, also if a later step fails
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
            self._root = scratch / "notebooks"
            self._url, self._token = self._start_server(scratch, stack)
            size = {"width": self.width, "height": 1000}
            self._context = stack.enter_context(browser()).new_context(viewport=size)
            self._context.route("**/*", self._refuse_strangers)
            self.page = self.open(self.notebook)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(self, notebook: Path):
        """A page of its own with a copy of the notebook; its kernel is ready."""
        shutil.copyfile(notebook, self._root / notebook.name)
        page = self._context.new_page()
        page.set_default_timeout(self.timeout * 1000)
        page.on("pageerror", lambda error: self.page_errors.append(str(error)))
        name = urllib.parse.quote(notebook.name)
        page.goto(f"{self._url}doc/tree/{name}?token={self._token}&reset", wait_until="domcontentloaded")
        page.wait_for_function(f"() => {KERNEL} === 'idle'")
        return page

    def run_all(self) -> None:
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function("() => window.ran")
        self.page.wait_for_function(f"() => {KERNEL} === 'idle'")
        self.page.wait_for_timeout(1000)  # widgets draw a moment after the last cell

    def cells(self) -> list[dict]:
        """Number, tags and error (or None) of each cell."""
        return self.page.evaluate(CELLS)

    def _start_server(self, scratch: Path, stack: ExitStack) -> tuple[str, str]:
        token = secrets.token_hex(16)
        self._root.mkdir()
        for name, value in SETTINGS.items():
            file = scratch / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(value))
        private = {
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_RUNTIME_DIR": "run",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        }
        environment = notebook_environment(scratch) | {name: str(scratch / folder) for name, folder in private.items()}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
        command += [
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.port=0",
            f"--ServerApp.root_dir={self._root}",
            "--LabApp.news_url=",
        ]
        log = stack.enter_context((scratch / "lab.log").open("w+b"))
        server = subprocess.Popen(
            command,
            env=environment | {"JUPYTER_TOKEN": token},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        stack.callback(_stop, server)
        end = time.monotonic() + 90
        while time.monotonic() < end and server.poll() is None:
            for file in (scratch / "run").glob("jpserver-*.json"):
                with suppress(OSError, ValueError, KeyError):  # half written, or not answering yet
                    url = json.loads(file.read_text())["url"]
                    urllib.request.urlopen(f"{url}api?token={token}", timeout=2).close()
                    return url, token
            time.sleep(0.2)
        raise RuntimeError(f"JupyterLab did not start; its log ends:\n{(scratch / 'lab.log').read_text()[-2000:]}")

    def _refuse_strangers(self, route) -> None:
        address = urllib.parse.urlsplit(route.request.url)
        if address.scheme in ("data", "blob", "about") or address.hostname in LOOPBACK:
            route.continue_()
        else:
            self.blocked.append(route.request.url)
            route.abort()


def _stop(server: subprocess.Popen) -> None:
    """Ask the server first: it ends its kernels. Then its whole process group."""
    for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            if server.poll() is None:
                os.killpg(server.pid, how)
                server.wait(10)
