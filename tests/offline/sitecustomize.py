"""Loaded at the start of every Python process of the tests, because this folder stands first on PYTHONPATH.

1. No network: whatever leaves this machine raises OSError, in the tests, in their subprocesses and in notebook kernels.
   An audit hook does it: it sees every socket of the interpreter, needs no import, and cannot be taken off again.
2. What a kernel costs: where COURSE_KERNEL_STATS names a folder, each notebook kernel writes a small file there.
"""

import os
import sys

NETWORK_BLOCKED = True  # the notebook guard refuses to run without it

_RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
_SENDING = {"socket.connect", "socket.sendto", "socket.sendmsg"}
_HERE = {"", "localhost", "::1", "0.0.0.0", "::"}
_SECONDS_BETWEEN_NOTES = 0.2


def _block_network(event: str, args: tuple) -> None:
    if event in _RESOLVING:
        host = args[0]
    elif event in _SENDING and isinstance(args[1], tuple) and isinstance(args[1][0], (str, bytes)):
        host = args[1][0]  # (host, port, ...); Unix sockets have a path, netlink has numbers
    else:
        return
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if host is None or host in _HERE or _is_loopback(host):
        return
    raise OSError(f"network is blocked in tests: {event} asked for {host!r}. Use data that are in the repository.")


def _is_loopback(host: str) -> bool:
    if host[:1].isalpha() and ":" not in host:  # a name, and not localhost
        return False
    import ipaddress

    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _peak_mb() -> float:
    try:  # getrusage would be wrong here: on Linux a child inherits the peak of the process that started it
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024**2 if sys.platform == "darwin" else 1024)  # bytes on macOS, KB elsewhere


def _note_costs(folder: str) -> None:
    """Write the costs so far, again and again: nbval ends its kernels by SIGKILL, so there is no last moment."""
    import json
    import time

    start, file = time.monotonic(), os.path.join(folder, f"{os.getpid()}.json")
    while True:
        costs = {
            "notebook": os.environ.get("COURSE_NOTEBOOK"),
            "seconds": round(time.monotonic() - start, 2),
            "cpu_seconds": round(time.process_time(), 2),
            "peak_mb": round(_peak_mb(), 1),
        }
        try:
            with open(file + ".part", "w") as out:
                json.dump(costs, out)
            os.replace(file + ".part", file)
        except OSError:  # the folder is gone: the run is over
            return
        time.sleep(_SECONDS_BETWEEN_NOTES)


sys.addaudithook(_block_network)
if "ipykernel_launcher" in sys.orig_argv and os.environ.get("COURSE_KERNEL_STATS"):
    import threading

    threading.Thread(target=_note_costs, args=(os.environ["COURSE_KERNEL_STATS"],), daemon=True).start()
