"""Nothing leaves the machine, and loopback works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

OFFLINE = Path(__file__).parent
BLOCKED = "network is blocked in tests"


def python(code: str) -> subprocess.CompletedProcess:
    environment = os.environ | {"PYTHONPATH": str(OFFLINE)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    "attempt",
    [
        "urllib.request.urlopen('http://example.org', timeout=5)",
        "socket.getaddrinfo('example.org', 80)",
        "socket.gethostbyname('example.org')",
        "socket.socket().connect(('192.0.2.7', 80))",
        "socket.socket(socket.AF_INET6).connect(('2001:db8::7', 80))",
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.7', 53))",
        "asyncio.run(asyncio.open_connection('example.org', 80))",
        "subprocess.run([sys.executable, '-c', 'import socket; socket.gethostbyname(\"example.org\")'], check=True)",
    ],
)
def test_what_leaves_the_machine_is_an_error(attempt):
    run = python(f"import asyncio, socket, subprocess, sys, urllib.request\n{attempt}")
    assert run.returncode == 1
    assert BLOCKED in run.stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.53"])
def test_loopback_works(host):
    code = f"""
import socket
server = socket.create_server(("", 0))
client = socket.create_connection(({host!r}, server.getsockname()[1]), timeout=5)
server.accept()[0].sendall(b"hello")
print(client.recv(5))
"""
    run = python(code)
    assert run.stdout == "b'hello'\n", run.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no socketpair of Unix sockets")
def test_unix_sockets_work(tmp_path):
    code = f"""
import socket
server = socket.socket(socket.AF_UNIX); server.bind({str(tmp_path / "s")!r}); server.listen()
socket.socket(socket.AF_UNIX).connect({str(tmp_path / "s")!r}); print("connected")
"""
    assert python(code).stdout == "connected\n"
